"""An agent that is a whole plan: what it hears goes in as one text, and its result is what it says."""

from dataclasses import KW_ONLY, dataclass, replace

from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.nodes.conversation.speaker import SAYS, STOPS, spoken
from loopwright.nodes.conversation.talk import SAID, TALK_CHANNELS, Talk, said_in, task_in
from loopwright.nodes.prompts import as_text
from loopwright.state.schema import TEXT
from loopwright.state.values import Json, JsonSchema

HEARD, ANSWERED = "heard", "answered"
"""The channels by which it hears and answers."""

YOU = "You"
"""How its own earlier messages are called in what it hears; nothing of what goes on inside of it is among them."""


@dataclass(frozen=True)
class Hear(Node, type="hear"):
    """Make one text of what was said, for a plan that is an agent: the message alone where there is only one.

    Args:
        name: The node's name.
        talk: The conversation.
        agent: The agent that hears it.
        hears: The agents whose messages it hears beside its own; all, when left out.

    Its one outcome is `done`.

    Example:
        >>> node = Hear("team hears", talk=Talk(agents=("ann", "team"), most=9), agent="team")
        >>> node.answer({"task": "A story.", "transcript": []}, None).update["heard"]
        'A story.'
        >>> said = [{"speaker": "team", "text": "Once."}, {"speaker": "ann", "text": "Longer."}]
        >>> print(node.answer({"task": "A story.", "transcript": said}, None).update["heard"])
        A story.
        You: Once.
        ann: Longer.
    """

    name: str
    _: KW_ONLY
    talk: Talk
    agent: str
    hears: tuple[str, ...] = ()

    @property
    def contract(self) -> Contract:
        """Reads what was said; clears what the plan answered last, so that an old answer is never taken for a new."""
        return Contract("route", TALK_CHANNELS, (HEARD, ANSWERED), ("done",))

    @property
    def value_type(self) -> JsonSchema:
        """A text."""
        return TEXT

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The text."""
        del reply
        heard = [*self.talk.messages(self.agent, task_in(view), said_in(view), self.hears, title=YOU)]
        if len(heard) == 1 and not self.talk.opens:
            return Answer("done", {HEARD: task_in(view), ANSWERED: ""})
        return Answer("done", {HEARD: "\n".join(message["content"] for message in heard), ANSWERED: ""})


@dataclass(frozen=True)
class Utter(Node, type="utter"):
    """Say what a plan that is an agent has answered.

    Args:
        name: The node's name.
        talk: The conversation.
        agent: The agent that says it.

    Its outcomes are `said` and, where it may end the conversation, `stop`.
    """

    name: str
    _: KW_ONLY
    talk: Talk
    agent: str

    @property
    def contract(self) -> Contract:
        """Reads the plan's result, writes it as a message."""
        outcomes = (SAYS, STOPS) if self.talk.may_stop(self.agent) else (SAYS,)
        reads = (*TALK_CHANNELS, ANSWERED)
        return Contract("route", reads, ("transcript", "summary"), outcomes, may_write=("summary",))

    @property
    def value_type(self) -> JsonSchema:
        """An item of the transcript."""
        return SAID

    def given_more(self, bound: str, more: int) -> "Node":
        """It knows how many messages there are."""
        return replace(self, talk=self.talk.given_more(bound, more))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The message."""
        del reply
        return spoken(self.agent, self.talk, view, as_text(view[ANSWERED]))
