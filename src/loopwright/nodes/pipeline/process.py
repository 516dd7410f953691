"""A static agent as a node: it processes what it is handed, once, and answers. It keeps nothing from visit to visit."""

from collections.abc import Collection
from dataclasses import KW_ONLY, dataclass

from loopwright.nodes.contract import Answer, Ask, AskModel, Audience, Contract, Message, Node, View
from loopwright.nodes.pipeline.carried import Source, carried
from loopwright.nodes.prompts import as_text, placeholders, render
from loopwright.nodes.replies import parts_of
from loopwright.state.schema import TEXT, as_object
from loopwright.state.values import Json, JsonSchema

CARRIED, QUESTION = "carried", "question"

PLACEHOLDERS = {
    CARRIED: "what the step is handed of the steps before it, as its `carry` says",
    QUESTION: "the question that the pipeline was given",
}
"""What the prompt of a step may name beside the names of steps before it, and what it stands for."""


@dataclass(frozen=True)
class Process(Node, type="process"):
    """One step of a pipeline that a model takes: one question, one answer, nothing kept.

    Args:
        name: The node's name, and the channel that takes its answer.
        prompt: What is asked, a template. One that names neither what is carried nor the question is a system message,
            and what is carried is the question.
        system: The system message, a template too; empty for none.
        sources: What is carried.
        named: Where the results of steps stand that templates name.
        outcomes: What a verdict may come to; none for a text.
        model: The name of a model reference.
        audience: Whom its text is for: `user` or `debug`.

    Its outcomes are those of the verdict, or `done`.

    Example:
        >>> node = Process("solver", prompt="You solve.", sources=(Source("question", title="question"),))
        >>> [message["content"] for message in node.ask({"question": "2+2?"}).messages]
        ['You solve.', '2+2?']
        >>> node.answer({}, "4").update
        {'solver': '4'}
    """

    name: str
    _: KW_ONLY
    prompt: str = ""
    system: str = ""
    sources: tuple[Source, ...] = ()
    named: tuple[Source, ...] = ()
    outcomes: tuple[str, ...] = ()
    model: str = "default"
    audience: Audience = "user"

    @property
    def contract(self) -> Contract:
        """Reads the question, what is carried and what is named; writes its answer."""
        reads = (QUESTION, *(source.channel for source in (*self.sources, *self.named)))
        outcomes = self.outcomes or ("done",)
        return Contract("think", tuple(dict.fromkeys(reads)), (self.name,), outcomes)

    @property
    def models(self) -> tuple[str, ...]:
        """The one model that it asks."""
        return (self.model,)

    @property
    def placeholder_names(self) -> Collection[str]:
        """What is carried, the question, and the steps before it."""
        return (*PLACEHOLDERS, *(source.title for source in self.named))

    @property
    def value_type(self) -> JsonSchema:
        """A text."""
        return TEXT

    def ask(self, view: View) -> Ask:
        """The rendered prompt, and where a verdict is wanted the closed schema."""
        values: dict[str, Json] = {QUESTION: view[QUESTION], CARRIED: carried(self.sources, view)}
        values |= {source.title: source.text(view) for source in self.named}
        prompt, system = render(self.prompt, values), render(self.system, values)
        if not asks(self.prompt):
            system = "\n\n".join(filter(None, [system.strip(), prompt.strip()]))
            prompt = str(values[CARRIED])
        messages: list[Message] = [{"role": "system", "content": system}] if system.strip() else []
        messages.append({"role": "user", "content": prompt})
        return AskModel(messages, self._schema, self.model, audience=self.audience)

    def answer(self, view: View, reply: Json) -> Answer:
        """The text is written; of a verdict the outcome is the way, and the reason is written."""
        del view
        if not self.outcomes:
            return Answer("done", {self.name: as_text(reply)})
        parts = parts_of(reply, "outcome")
        reason = str(parts.get("reason") or "")
        return Answer(str(parts["outcome"]), {self.name: reason}, reason)

    @property
    def _schema(self) -> JsonSchema | None:
        if not self.outcomes:
            return None
        return as_object({"outcome": {"type": "string", "enum": [*self.outcomes]}}, reason=TEXT)


def asks(prompt: str) -> bool:
    """Whether a prompt asks by itself; else it is for the system, and what is carried is asked.

    Example:
        >>> asks("Check: <{carried}>"), asks("You check.")
        (True, False)
    """
    return any(name in (CARRIED, QUESTION) for name in placeholders(prompt))
