"""A judgement that could not be read: the conversation goes on, and the reason says so."""

from dataclasses import dataclass

from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.state.schema import TEXT
from loopwright.state.values import Json, JsonSchema

UNREADABLE = "judgement unreadable"


@dataclass(frozen=True)
class Unread(Node, type="level_unread"):
    """Write down that the judgement was unreadable, in the place of its reason.

    Args:
        name: The node's name.

    Its one outcome is `done`.

    Example:
        >>> Unread("level 1/unread").answer({}, None).update
        {'reason_of_failure': 'judgement unreadable'}
    """

    name: str

    @property
    def contract(self) -> Contract:
        """Writes the reason."""
        return Contract("route", (), ("reason_of_failure",), ("done",))

    @property
    def value_type(self) -> JsonSchema:
        """A text."""
        return TEXT

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The reason."""
        del view, reply
        return Answer("done", {"reason_of_failure": UNREADABLE}, UNREADABLE)
