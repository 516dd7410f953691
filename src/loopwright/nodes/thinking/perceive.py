"""The nodes by which an agent perceives what happens, and remembers it. Each event is looked at, and few of them wake.

An event is an object with an `event_type`, a `sender_id`, and mostly a `target_id`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any

from loopwright.nodes.actions.names import EVENTS
from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.nodes.inbox import AskInbox
from loopwright.nodes.prompts import filled, named_in
from loopwright.nodes.thinking.fields import ME, MEMORY
from loopwright.state.schema import TEXT, as_object
from loopwright.state.values import Json, JsonSchema

ENVELOPE = "agent_event"
"""The type under which an agent's events travel between runs; what happened is their `event_type`."""

EVENT: JsonSchema = {**as_object({"event_type": TEXT}, sender_id=TEXT), "additionalProperties": True}
"""An event, as an agent hears it."""

PERSON_SPEAKS = "user_speaks_with_agent_event"
"""The event by which a person speaks to an agent. It always wakes."""

HEARD = "heard"


@dataclass(frozen=True)
class Perceive(Node, type="perceive"):
    """Look at an event that has come: it is remembered where it concerns the agent, and may wake it.

    It concerns an agent that did not send it itself, and is its target or where it has none.

    Args:
        name: The node's name.
        wakes_on: The types of event that wake, each with what properties of it must be: texts are templates, and `{}`
            is for every event of the type. An event that lacks such a property does not wake.
        heeds: The types of event that concern it, whomever they are for.
        n: How many events are remembered.

    Its outcomes are `awake` and `asleep`.

    Example:
        >>> node = Perceive("perceive", wakes_on={"gives": {"recipient": "<{id}>"}})
        >>> gift = {"event_type": "gives", "sender_id": "bob", "recipient": "ada"}
        >>> node.answer({"id": "ada", "memory": [], "heard": gift}, None).outcome
        'awake'
        >>> node.answer({"id": "eve", "memory": [], "heard": gift}, None).outcome
        'asleep'
    """

    name: str
    _: KW_ONLY
    wakes_on: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    heeds: tuple[str, ...] = ()
    n: int = 10

    @cached_property
    def contract(self) -> Contract:
        """Reads the event; writes the memory."""
        reads = dict.fromkeys((HEARD, ME, MEMORY, *named_in({key: dict(each) for key, each in self.wakes_on.items()})))
        return Contract("route", tuple(reads), (MEMORY,), ("awake", "asleep"))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The memory with the event, and whether it wakes."""
        del reply
        event: Any = view[HEARD]
        memory: Any = view[MEMORY]
        kind = event["event_type"]
        if not concerns(event, view[ME], self.heeds):
            return Answer("asleep", {MEMORY: memory}, f"{kind} is none of its business")
        outcome = "awake" if self._wakes(event, view) else "asleep"
        return Answer(outcome, {MEMORY: remembered(memory, [event], self.n)}, kind)

    def _wakes(self, event: Mapping[str, Json], view: View) -> bool:
        kind = str(event["event_type"])
        if kind == PERSON_SPEAKS:
            return True
        wanted = self.wakes_on.get(kind)
        if wanted is None:
            return False
        parts: Any = filled(dict(wanted), view)
        return all(name in event and event[name] == value for name, value in parts.items())


@dataclass(frozen=True)
class Hear(Node, type="hear"):
    """Take the events that have come while the agent was at work, and remember those that concern it.

    It waits for none.

    Args:
        name: The node's name.
        heeds: The types of event that concern it, whomever they are for.
        n: How many events are remembered.

    Its one outcome is `done`.

    Example:
        >>> Hear("hear").answer({"id": "ada", "memory": []}, [{"event_type": "rain"}]).update
        {'memory': [{'event_type': 'rain'}]}
    """

    name: str
    _: KW_ONLY
    heeds: tuple[str, ...] = ()
    n: int = 10

    @cached_property
    def contract(self) -> Contract:
        """Takes events; writes the memory."""
        return Contract("act", (ME, MEMORY), (MEMORY,), ("done",))

    def ask(self, view: View) -> AskInbox:
        """What has come."""
        del view
        return AskInbox(ENVELOPE, reply=EVENT)

    def answer(self, view: View, reply: Json) -> Answer:
        """The memory with what concerns it."""
        events: Any = reply
        memory: Any = view[MEMORY]
        heard = [event for event in events if concerns(event, view[ME], self.heeds)]
        reason = ", ".join(dict.fromkeys(str(event["event_type"]) for event in heard))
        return Answer("done", {MEMORY: remembered(memory, heard, self.n)}, reason)


@dataclass(frozen=True)
class Remember(Node, type="remember_events"):
    """Remember what the agent itself has done.

    Args:
        name: The node's name.
        of: The channel with the events that it made.
        n: How many events are remembered.

    Its one outcome is `done`.

    Example:
        >>> Remember("remember", n=1).answer({"memory": [{"event_type": "a"}], "events": [{"event_type": "b"}]}, None)
        Answer(outcome='done', update={'memory': [{'event_type': 'b'}]}, reason='')
    """

    name: str
    _: KW_ONLY
    of: str = EVENTS
    n: int = 10

    @cached_property
    def contract(self) -> Contract:
        """Reads the events; writes the memory."""
        return Contract("route", (MEMORY, self.of), (MEMORY,), ("done",))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The memory with them."""
        del reply
        memory: Any = view[MEMORY]
        events: Any = view[self.of]
        return Answer("done", {MEMORY: remembered(memory, events, self.n)})


def concerns(event: Mapping[str, Json], me: Json, heeds: tuple[str, ...] = ()) -> bool:
    """Whether an event concerns an agent.

    Example:
        >>> concerns({"event_type": "speaks", "target_id": "bob"}, "ada"), concerns({"event_type": "rain"}, "ada")
        (False, True)
    """
    if event.get("sender_id") == me:
        return False
    return event.get("target_id") in (None, me) or event["event_type"] in heeds


def remembered(memory: Sequence[Json], events: Sequence[Json], n: int) -> list[Json]:
    """The last events, oldest first."""
    return [*memory, *events][-n:]
