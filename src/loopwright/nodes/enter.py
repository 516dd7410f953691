"""The node by which a nested plan is entered when its first node is the head of a loop."""

from dataclasses import dataclass

from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.state.values import Json


@dataclass(frozen=True)
class Enter(Node, type="enter"):
    """Go on. It keeps two loops apart that would have one head: the nested plan's and the one around it.

    Args:
        name: The nested plan's name.

    Its one outcome is `done`.
    """

    name: str

    @property
    def contract(self) -> Contract:
        """Reads and writes nothing."""
        return Contract("route", (), (), ("done",))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """Go on."""
        del view, reply
        return Answer("done")
