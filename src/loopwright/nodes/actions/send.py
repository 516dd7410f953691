"""The last nodes of an action's chain: the event that the last output becomes, or why there is none."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

from loopwright.nodes.actions.names import COMMAND, EVENTS, OUTPUTS, PENDING, event_type
from loopwright.nodes.brains.roles import LAST_FAILURE, arguments_schema, without_engine_fields
from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.nodes.prompts import as_text, named_in, render
from loopwright.state.records import Outgoing
from loopwright.state.schema import check_for
from loopwright.state.values import Json


@dataclass(frozen=True)
class SendEvent(Node, type="send_event"):
    """Make an event of the last output of a chain, and send it to the runs that wait for it.

    The output must be an object that the arguments of the command allow. Type and sender are not its own: whatever it
    says of them is left out. When it was sent, the store knows.

    Args:
        name: The node's name.
        sender: Who sends it, a template.
        next_actions: The actions that have to follow, where none are pending already.
        envelope: The type under which all events are sent, with their own type as `event_type` in the payload; the
            type of each when left out.
        sends: Whether it leaves the run; else it is only written down.

    Its outcomes are `sent` and `invalid`. With the latter nothing is sent, and no action has to follow.

    Example:
        >>> send = SendEvent("send", sender="ada", next_actions=("give",))
        >>> command = {"name": "Mic:speak", "args": {"type": "object", "properties": {"message": {"type": "string"}}}}
        >>> view = {"command": command, "previous_brain_outputs": [{"message": "hello", "sender_id": "bob"}]}
        >>> send.answer({**view, "pending": []}, None).update["events"]
        {'event_type': 'speak', 'sender_id': 'ada', 'message': 'hello'}
    """

    name: str
    _: KW_ONLY
    sender: str
    next_actions: tuple[str, ...] = ()
    envelope: str = ""
    sends: bool = True

    @cached_property
    def contract(self) -> Contract:
        """Reads what the brains said and what is pending; it can do nothing but send."""
        reads = dict.fromkeys((COMMAND, OUTPUTS, PENDING, *named_in(self.sender)))
        beside = (EVENTS, PENDING)
        return Contract("act", tuple(reads), (LAST_FAILURE, *beside), ("sent", "invalid"), may_write=beside)

    def ask(self, view: View) -> None:
        """Nothing: nobody is asked."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The event and what is pending after it, or what is wrong with the output."""
        del reply
        command: Any = view[COMMAND]
        outputs: Any = view[OUTPUTS]
        output: Any = without_engine_fields(outputs[-1])
        if fault := _fault(command, output):
            reason = f"{command['name']}: {fault}"
            return Answer("invalid", {LAST_FAILURE: reason}, reason)
        kind, sender = event_type(command["name"]), render(self.sender, view)
        pending: Any = view[PENDING]
        event = {"event_type": kind, "sender_id": sender, **output}
        update: dict[str, Json] = {LAST_FAILURE: "", EVENTS: event, PENDING: self._after(command["name"], pending)}
        payload = event if self.envelope else {name: value for name, value in event.items() if name != "event_type"}
        sent = (Outgoing(self.envelope or kind, payload),) if self.sends else ()
        return Answer("sent", update, f"{sender} sent {kind}", sent)

    def _after(self, action: str, pending: list[Json]) -> list[Json]:
        """What is pending after an action: one that was not the first in the queue leaves the queue as it is."""
        if pending and pending[0] != action:
            return pending
        return pending[1:] or list(self.next_actions)


def _fault(command: Mapping[str, Any], output: Json) -> str:
    """What keeps an output from being the arguments of a command, in words; "" for nothing."""
    if not isinstance(output, dict):
        return f"the last thought is no object with the arguments of the command: {as_text(output):.100}"
    try:
        check_for(arguments_schema(dict(command)))(output)
    except ValueError as error:
        return str(error)
    return ""


@dataclass(frozen=True)
class Nothing(Node, type="nothing"):
    """Write down that a brain of a chain came to nothing, for the next prompt.

    Args:
        name: The node's name.
        brains: The names of the chain's brains, in their order.
        told: For each of them, the channel in which it says why, or ""; () where no answer could be read.

    Its one outcome is `nothing`.

    Example:
        >>> node = Nothing("nothing", brains=("think", "fill"), told=("", "why"))
        >>> view = {"command": {"name": "wave"}, "previous_brain_outputs": ["Current goal: greet", "hello"]}
        >>> node.answer({**view, "why": "the best rating is 3"}, None).reason
        'wave: fill came to nothing: the best rating is 3'
    """

    name: str
    _: KW_ONLY
    brains: tuple[str, ...]
    told: tuple[str, ...] = ()

    @cached_property
    def contract(self) -> Contract:
        """Reads how far the chain came; writes why it did not come further."""
        reads = (COMMAND, OUTPUTS, *(name for name in self.told if name))
        return Contract("route", tuple(reads), (LAST_FAILURE,), ("nothing",))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """Which brain it was, and what it said of that."""
        del reply
        command: Any = view[COMMAND]
        outputs: Any = view[OUTPUTS]
        index = len(outputs) - 1  # the first of them is the goal
        why = "" if self.told else "its answer could not be read"
        if self.told and self.told[index]:
            why = str(view[self.told[index]])
        reason = f"{command['name']}: {self.brains[index]} came to nothing{f': {why}' if why else ''}"
        return Answer("nothing", {LAST_FAILURE: reason}, reason)
