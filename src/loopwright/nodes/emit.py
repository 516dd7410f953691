"""Emit nodes: an event to other runs. It leaves with the visit that made it, in one write, and so exactly once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from loopwright.errors import Fault
from loopwright.nodes.contract import Answer, Ask, Contract, Node, View
from loopwright.nodes.prompts import filled, named_in
from loopwright.state.rebuilt import plain
from loopwright.state.records import Outgoing
from loopwright.state.schema import is_json
from loopwright.state.values import Json


@dataclass(frozen=True)
class Emit(Node, type="emit"):
    """Send an event to the runs that wait for it. A run that comes to wait for it later finds it, too.

    Args:
        name: The node's name.
        event: The type of the event.
        payload: What there is to know of it, as JSON. Its texts are templates with `<{channel}>` placeholders; a text
            that is one placeholder and nothing else becomes the channel's value itself.
        to: The run that it is for, by its id, or the name of a plan, for all runs of it; a template. All that wait for
            it when left out.

    Its one outcome is `done`.

    Example:
        >>> give = Emit("give", event="agent_gives_object", payload={"object": "mic", "recipient": "<{heir}>"})
        >>> give.answer({"heir": "ada"}, None).events
        (Outgoing(type='agent_gives_object', payload={'object': 'mic', 'recipient': 'ada'}, to=''),)
    """

    name: str
    _: KW_ONLY
    event: str
    payload: Json = field(default_factory=dict)
    to: str = ""

    @cached_property
    def contract(self) -> Contract:
        """Reads what its payload and its address name; it can do nothing but send."""
        return Contract("act", tuple(dict.fromkeys((*named_in(self.payload), *named_in(self.to)))), (), ("done",))

    def faults(self) -> Iterator[Fault]:
        """An event without a type."""
        yield from super().faults()
        if not self.event:
            yield Fault("the event has no type", ("event",), "name it, as in event: agent_gives_object")

    def ask(self, view: View) -> Ask | None:
        """Nothing: nobody is asked."""
        del view
        return None

    def answer(self, view: View, reply: Json) -> Answer:
        """The event."""
        del reply
        to = filled(self.to, view)
        sent = Outgoing(self.event, filled(self.payload, view), to if isinstance(to, str) else str(to))
        return Answer("done", {}, f"sent {self.event}{f' to {sent.to}' if sent.to else ''}", (sent,))


def event_faults(events: Sequence[Outgoing]) -> Iterator[str]:
    """What is wrong with the events that a node sends, in words.

    Example:
        >>> list(event_faults([Outgoing("", 3), Outgoing("rings", {1, 2})]))
        ['it sent an event without a type', "the payload of the event 'rings' is no JSON: {1, 2}"]
    """
    for event in events:
        if not isinstance(event, Outgoing):
            yield f"it sent {event!r:.200}, and an event is an lw.Outgoing"
        elif not isinstance(event.type, str) or not event.type or not is_json(event.type):
            yield "it sent an event without a type"
        elif not is_json(event.payload):
            yield f"the payload of the event {event.type!r} is no JSON: {event.payload!r:.200}"
        elif not isinstance(event.to, str) or not is_json(event.to):
            yield f"the event {event.type!r} is for {event.to!r:.200}, which is no id of a run and no name of a plan"


def own_events(events: Sequence[Any]) -> tuple[Outgoing, ...]:
    """The events with payloads of their own, in plain JSON; what is no event stays, for `event_faults` to tell."""
    return tuple(
        replace(event, payload=plain(event.payload)) if isinstance(event, Outgoing) else event for event in events
    )


def events_data(events: Sequence[Outgoing]) -> list[Json]:
    """Events as JSON, for the record of a visit."""
    return [asdict(event) if isinstance(event, Outgoing) else event for event in events]


def as_events(data: Any) -> tuple[Outgoing, ...]:
    """The events that `events_data` wrote down.

    Example:
        >>> as_events(events_data([Outgoing("rings")]))
        (Outgoing(type='rings', payload={}, to=''),)
    """
    return tuple(Outgoing(**each) if _is_event(each) else each for each in data or ())


def _is_event(data: Any) -> bool:
    return isinstance(data, Mapping) and data.keys() <= {"type", "payload", "to"} and "type" in data
