"""The summary of a conversation by a model, when it is over."""

from dataclasses import KW_ONLY, dataclass

from loopwright.nodes.contract import Answer, Ask, AskModel, Contract, Node, View
from loopwright.nodes.conversation.talk import TALK_CHANNELS, Talk, said_in, task_in
from loopwright.nodes.prompts import as_text
from loopwright.state.schema import TEXT
from loopwright.state.values import Json, JsonSchema

SUM_UP = (
    "Sum up what came of this conversation, for somebody who was not there and goes on from it: what was found, with"
    " numbers and names, and what is still open. Leave out who said what. Write nothing but the summary."
)
"""What a model is told that sums up, when nothing else is said."""


@dataclass(frozen=True)
class SumUp(Node, type="sum_up"):
    """Sum up a conversation.

    Args:
        name: The node's name.
        talk: The conversation.
        prompt: What the model is told.
        model: The name of a model reference.

    Its one outcome is `done`.
    """

    name: str
    _: KW_ONLY
    talk: Talk
    prompt: str = SUM_UP
    model: str = "default"

    @property
    def contract(self) -> Contract:
        """Reads what was said, writes the summary."""
        return Contract("think", TALK_CHANNELS, ("summary",), ("done",))

    @property
    def models(self) -> tuple[str, ...]:
        """The one model that it asks."""
        return (self.model,)

    @property
    def value_type(self) -> JsonSchema:
        """A text."""
        return TEXT

    def ask(self, view: View) -> Ask:
        """All that was said, with the names of the speakers, and what is wanted of it."""
        said = self.talk.messages("", task_in(view), said_in(view), title="Task")
        return AskModel([*said, {"role": "user", "content": self.prompt}], model=self.model)

    def answer(self, view: View, reply: Json) -> Answer:
        """The summary."""
        del view
        return Answer("done", {"summary": as_text(reply).strip()})
