"""The first node of an action's chain: the command, and the goal that its brains are shown."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property

from loopwright.nodes.actions.names import ACTION, AIM, COMMAND, COMMANDS, OUTPUTS, command_of, goal
from loopwright.nodes.brains.roles import LAST_FAILURE
from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.state.values import Json


@dataclass(frozen=True)
class Begin(Node, type="begin_action"):
    """Begin an action.

    Args:
        name: The node's name.
        action: The action; that of the channel `action` when left out.
        command: What is known of its command: `description` and `args`, JSON Schema of an object. What the channel
            `commands` has under the action's name when left out, where that channel is `offered`.
        offered: Whether there is a channel `commands`, with the commands that are on offer.
        shows: Channels that each take why the last attempt came to nothing: one for each brain that is shown it, so
            that the answer of one does not hide it from the next.

    Its one outcome is `done`.

    Example:
        >>> wave = Begin("begin", action="wave", command={"args": {"type": "object"}})
        >>> wave.answer({"aim": "greet", "last_failure": ""}, None).update["previous_brain_outputs"]
        'Current goal: greet'
    """

    name: str
    _: KW_ONLY
    action: str = ""
    command: Mapping[str, Json] = field(default_factory=dict)
    offered: bool = False
    shows: tuple[str, ...] = ()

    @cached_property
    def contract(self) -> Contract:
        """Reads the aim, and the action where it is not its own; it only writes down what is known."""
        reads = (AIM, LAST_FAILURE, *(() if self.action else (ACTION,)), *((COMMANDS,) if self._looks_up else ()))
        return Contract("route", reads, (COMMAND, OUTPUTS, *self.shows), ("done",))

    @property
    def _looks_up(self) -> bool:
        return self.offered and not self.command.get("args")

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The command, and the goal as the first of what brains said."""
        del reply
        action = self.action or str(view[ACTION])
        offers = view[COMMANDS] if self._looks_up else {}
        offer = offers.get(action) if isinstance(offers, dict) else None
        known = {**(offer if isinstance(offer, dict) else {}), **self.command}
        shown = dict.fromkeys(self.shows, view[LAST_FAILURE])
        return Answer("done", {COMMAND: command_of(action, known), OUTPUTS: goal(view[AIM]), **shown})
