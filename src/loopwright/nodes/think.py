"""Think nodes: one question to a model.

`Think` writes what the model said. `Judge` closes the answer: one of its outcomes, or a score within bounds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, get_args

from loopwright.errors import Fault
from loopwright.nodes.contract import Answer, Ask, AskModel, Audience, Contract, Message, Node, View, names, parts_of
from loopwright.nodes.prompts import placeholders, render
from loopwright.state.schema import TEXT, as_object, as_schema
from loopwright.state.values import Json, JsonSchema


@dataclass(frozen=True)
class Prompted(Node):
    """A node whose question is a rendered prompt; arguments as of `Think`."""

    name: str
    _: KW_ONLY
    prompt: str
    system: str = ""
    model: str = "default"
    writes: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.model, str):
            raise TypeError(
                f"node {self.name!r}: model= takes a name, as 'strong', and got a {type(self.model).__name__}; "
                "the reference goes into the plan's models={'strong': ModelRef(...)}"
            )
        object.__setattr__(self, "writes", names(self.writes))

    @property
    def models(self) -> tuple[str, ...]:
        """The one model that it asks."""
        return (self.model,)

    @property
    def prompted_by(self) -> tuple[str, ...]:
        """The channels that its prompts name."""
        return tuple(dict.fromkeys((*placeholders(self.system), *placeholders(self.prompt))))

    def messages(self, view: View) -> list[Message]:
        """The rendered prompts."""
        system: list[Message] = [{"role": "system", "content": render(self.system, view)}] if self.system else []
        return [*system, {"role": "user", "content": render(self.prompt, view)}]


@dataclass(frozen=True)
class Answering(Prompted):
    """A prompted node whose model answers freely, by text or by data; arguments as of `Think`."""

    output: Any = None
    audience: Audience = "debug"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.output is not None:
            object.__setattr__(self, "declared_type", self.output)
            object.__setattr__(self, "output", as_schema(self.output))

    @property
    def value_type(self) -> JsonSchema:
        """Text, or what `output` says."""
        schema: JsonSchema = TEXT if self.output is None else self.output
        return schema


@dataclass(frozen=True)
class Think(Answering, type="think"):
    """Ask a model and write down what it says.

    Args:
        name: The node's name.
        prompt: The question, a template with `<{channel}>` placeholders.
        system: The system message, a template too; empty for none.
        model: The name of a model reference.
        writes: The channel that takes the answer. With several, the answer must be an object with these keys.
        output: JSON Schema of the answer, or a Python type, which is kept as its schema; None for plain text.
        audience: Whom the text is for: `user`, the person in front, or `debug`, who looks at how the loop works.

    Its one outcome is `done`.

    Example:
        >>> node = Think("write", prompt="Write about <{topic}>.", writes="draft")
        >>> node.ask({"topic": "bridges"}).messages
        [{'role': 'user', 'content': 'Write about bridges.'}]
        >>> node.answer({"topic": "bridges"}, "A bridge ...").update
        {'draft': 'A bridge ...'}
    """

    @cached_property
    def contract(self) -> Contract:
        """Reads what its prompts name, writes `writes`; of several, those are sure that the answer must have."""
        writes = names(self.writes)
        sure = writes if len(writes) == 1 else self.value_type.get("required")
        left_out = [name for name in writes if not isinstance(sure, list | tuple) or name not in sure]
        return Contract("think", self.prompted_by, writes, ("done",), may_write=tuple(left_out))

    def faults(self) -> Iterator[Fault]:
        """Several channels, and an answer that has no keys; data for a user."""
        yield from super().faults()
        kind = self.value_type.get("type", "object")
        if len(self.contract.writes) > 1 and isinstance(kind, str) and kind != "object":
            what = "that is plain text" if self.output is None else "that is no object"
            hint = "give output: an object with a type for each of them"
            yield Fault(f"an answer {what} cannot go to several channels", ("writes",), hint)
        if self.audience not in get_args(Audience):
            yield Fault(f"there is no audience {self.audience!r}", ("audience",), "it is user or debug")
        elif self.audience == "user" and self.output is not None:
            hint = "leave output out, or let a node without it say it to the user"
            yield Fault("a structured answer is no text for a user", ("audience",), hint)

    def ask(self, view: View) -> Ask:
        """The rendered prompts."""
        return AskModel(self.messages(view), self.output, self.model, audience=self.audience)

    def answer(self, view: View, reply: Json) -> Answer:
        """The whole reply to the one channel, or its keys to the several."""
        del view
        writes = self.contract.writes
        if len(writes) <= 1:
            return Answer("done", dict.fromkeys(writes, reply))
        parts = parts_of(reply, *self.contract.sure_writes)
        return Answer("done", {channel: parts[channel] for channel in writes if channel in parts})


@dataclass(frozen=True)
class Judge(Prompted, type="judge"):
    """Ask a model for a verdict: one of some outcomes, or a score.

    Args:
        name: The node's name.
        prompt: The question, a template with `<{channel}>` placeholders.
        outcomes: The verdicts; each needs an edge. The model must answer with exactly one of them.
        score: The lowest and the highest score, instead of outcomes; then the one outcome is `done`.
        writes: The channel that takes the reason (a text), or, with `score`, the score (a number).
        system: The system message, a template too.
        model: The name of a model reference.

    Example:
        >>> node = Judge("review", prompt="Good enough? <{draft}>", outcomes=["pass", "revise"], writes="notes")
        >>> node.answer({}, {"outcome": "revise", "reason": "too long"})
        Answer(outcome='revise', update={'notes': 'too long'}, reason='too long')
    """

    outcomes: Sequence[str] = ()
    score: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "outcomes", names(self.outcomes))

    @cached_property
    def contract(self) -> Contract:
        """Reads what its prompts name; its outcomes are its verdicts."""
        outcomes = tuple(self.outcomes) if self.score is None else ("done",)
        return Contract("think", self.prompted_by, names(self.writes), outcomes)

    @property
    def value_type(self) -> JsonSchema:
        """A number where it scores, else the text of its reason."""
        return TEXT if self.score is None else {"type": "number"}

    def faults(self) -> Iterator[Fault]:
        """Neither outcomes nor a score, or both; a score without room."""
        if self.score is None and not self.outcomes:
            yield Fault("a judge needs outcomes or a score", (), "as in outcomes: [pass, revise], or score: [1, 10]")
            return
        yield from super().faults()
        if self.score is None:
            return
        if self.outcomes:
            yield Fault("a judge has outcomes or a score, not both", ("score",), "a score has one outcome, done")
        if len(self.score) != 2 or not self.score[0] < self.score[1]:
            yield Fault("the lowest score is not less than the highest", ("score",), "as in score: [1, 10]")

    @cached_property
    def schema(self) -> JsonSchema:
        """JSON Schema of the verdict: `outcome` or `score`, and `reason`."""
        if self.score is None:
            verdict: dict[str, JsonSchema] = {"outcome": {"type": "string", "enum": list(self.outcomes)}}
        else:
            low, high = self.score
            verdict = {"score": {"type": "number", "minimum": low, "maximum": high}}
        return as_object(verdict, reason=TEXT)

    def ask(self, view: View) -> Ask:
        """The rendered prompts, and the closed schema."""
        return AskModel(self.messages(view), self.schema, self.model)

    def answer(self, view: View, reply: Json) -> Answer:
        """The verdict is the outcome; the reason, or the score, is written."""
        del view
        parts = parts_of(reply, "outcome" if self.score is None else "score")
        reason = str(parts.get("reason") or "")
        if self.score is None:
            return Answer(str(parts["outcome"]), dict.fromkeys(self.contract.writes, reason), reason)
        return Answer("done", dict.fromkeys(self.contract.writes, parts["score"]), reason)
