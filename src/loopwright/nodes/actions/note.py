"""The node after a brain that is a plan of one's own: its result becomes one of the outputs."""

from dataclasses import KW_ONLY, dataclass
from functools import cached_property

from loopwright.nodes.actions.names import OUTPUTS
from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.state.values import Json


@dataclass(frozen=True)
class Note(Node, type="note"):
    """Put what a plan came to among the outputs. The plan may write its result many times; only the last one counts.

    Args:
        name: The node's name.
        of: The channel with the result.

    Its one outcome is `done`.

    Example:
        >>> Note("note", of="draft").answer({"draft": "hello"}, None).update
        {'previous_brain_outputs': 'hello'}
    """

    name: str
    _: KW_ONLY
    of: str

    @cached_property
    def contract(self) -> Contract:
        """Reads the result, writes an output."""
        return Contract("route", (self.of,), (OUTPUTS,), ("done",))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The result."""
        del reply
        return Answer("done", {OUTPUTS: view[self.of]})
