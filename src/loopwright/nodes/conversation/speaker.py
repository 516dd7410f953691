"""An agent of a conversation, which reads what was said and says its part."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace

from loopwright.errors import Fault
from loopwright.nodes.contract import Answer, Ask, AskModel, Audience, Contract, Message, Node, View
from loopwright.nodes.conversation.talk import SAID, TALK_CHANNELS, Talk, said_in, task_in
from loopwright.nodes.history import Window
from loopwright.nodes.prompts import as_text, render
from loopwright.nodes.replies import parts_of
from loopwright.state.schema import TEXT, as_object
from loopwright.state.values import Json, JsonSchema

SAYS, STOPS = "said", "stop"

VERDICT: JsonSchema = as_object({"message": TEXT, "stop": {"type": "boolean"}})
"""JSON Schema of the message of an agent that may stop, where a verdict decides."""

PLACEHOLDERS = {
    "task": "the opening message",
    "name": "the name of the agent that is asked",
    "others": "the names of the other agents",
    "stop_word": "the stop word",
    "max_messages": "the most messages, the opening one included",
}
"""What an agent's prompt may name, and what it stands for."""


@dataclass(frozen=True)
class Speaker(Node, type="speaker"):
    """One agent of a conversation.

    Args:
        name: The agent's name.
        talk: The conversation.
        prompt: What it is told first, as the system message, a template; empty for none.
        model: The name of a model reference.
        hears: The agents whose messages it sees beside its own; all, when left out.
        audience: Whom its texts are for: `user` or `debug`.
        history: How much of what it sees is sent; all of it when left out.

    Its outcomes are `said` and, where it may end the conversation, `stop`.

    Example:
        >>> from loopwright.nodes.conversation.talk import StopRule
        >>> talk = Talk(agents=("ann", "bob"), most=3, opens="ann", stop=StopRule())
        >>> bob = Speaker("bob", talk=talk, prompt="You are <{name}>.")
        >>> view = {"task": "Hi, bob.", "transcript": []}
        >>> for message in bob.ask(view).messages:
        ...     print(message)
        {'role': 'system', 'content': 'You are bob.'}
        {'role': 'user', 'content': 'Hi, bob.'}
        >>> found = bob.answer(view, "Bye.\\nTERMINATE")
        >>> found.outcome, found.update["summary"], found.reason
        ('stop', 'Bye.', 'bob said the stop word')
    """

    name: str
    _: KW_ONLY
    talk: Talk
    prompt: str = ""
    model: str = "default"
    hears: tuple[str, ...] = ()
    audience: Audience = "user"
    history: Window | None = None

    @property
    def contract(self) -> Contract:
        """Reads the task and the transcript, writes to the transcript and, with what counts of it, the summary."""
        outcomes = (SAYS, STOPS) if self.talk.may_stop(self.name) else (SAYS,)
        return Contract("think", TALK_CHANNELS, ("transcript", "summary"), outcomes, may_write=("summary",))

    @property
    def models(self) -> tuple[str, ...]:
        """The one model that it asks."""
        return (self.model,)

    @property
    def placeholder_names(self) -> Collection[str]:
        """Those of a prompt."""
        return PLACEHOLDERS

    @property
    def value_type(self) -> JsonSchema:
        """An item of the transcript."""
        return SAID

    def doubts(self) -> Iterator[Fault]:
        """A stop word that nobody is told; the first agent says so for all."""
        if not self.talk.told and self.name == self.talk.agents[0]:
            message = "no prompt says the stop word, so models would go on to the last message"
            yield Fault(message, ("prompt",), "have one say when to write <{stop_word}> on a line of its own")

    def given_more(self, bound: str, more: int) -> "Node":
        """It says how many messages there are."""
        return replace(self, talk=self.talk.given_more(bound, more))

    def ask(self, view: View) -> Ask:
        """The prompt, and what was said as this agent sees it."""
        task, said = task_in(view), said_in(view)
        chat = [*self.talk.messages(self.name, task, said, self.hears)]
        shown, note = self.history.noted(chat) if self.history else (chat, "")
        system: list[Message] = [{"role": "system", "content": self._prompt(task)}] if self.prompt.strip() else []
        schema, says = (VERDICT, "message") if self._decides else (None, "")
        return AskModel([*system, *shown], schema, self.model, audience=self.audience, says=says, note=note)

    def answer(self, view: View, reply: Json) -> Answer:
        """The text goes to the transcript; whether it ends the conversation is the outcome."""
        if self._decides:
            verdict = parts_of(reply, "message", "stop")
            return spoken(self.name, self.talk, view, str(verdict["message"]), decided=verdict["stop"] is True)
        return spoken(self.name, self.talk, view, as_text(reply))

    @property
    def _decides(self) -> bool:
        """Whether it answers with a verdict, so that its text cannot stop."""
        return self.talk.may_stop(self.name) and self.talk.stop is not None and self.talk.stop.match == "verdict"

    def _prompt(self, task: str) -> str:
        values: Mapping[str, Json] = {
            "task": task,
            "name": self.name,
            "others": ", ".join(each for each in self.talk.agents if each != self.name),
            "stop_word": self.talk.stop.word if self.talk.stop else "",
            "max_messages": self.talk.most,
        }
        return render(self.prompt, values)


def spoken(name: str, talk: Talk, view: View, text: str, *, decided: bool = False) -> Answer:
    """What a message comes to: it goes to the transcript, what counts of it to the summary, and it may stop.

    Args:
        name: Who says it.
        talk: The conversation.
        view: The state before it.
        text: The message.
        decided: Whether a verdict ends the conversation.
    """
    may_stop = talk.may_stop(name) and talk.stop is not None
    kept = talk.stop.without_word(text) if talk.stop and may_stop else text.strip()
    stops = decided or (talk.stop is not None and may_stop and talk.stop.is_said_in(text))
    update: dict[str, Json] = {"transcript": {"speaker": name, "text": text, "stops": stops}}
    if kept:  # a message that is the stop word alone leaves what was said before it
        update["summary"] = kept
    if stops:
        return Answer(STOPS, update, f"{name} {'decided to stop' if decided else 'said the stop word'}")
    return Answer(SAYS, update, talk.over(len(said_in(view)) + 2))
