"""The nodes of a society: a tick begins, what was tried is settled, and what comes from outside is heard.

    tick -> turns of those who are awake -> listen -> settle -> tick
    tick -> asleep, on disk -> hear -> tick

All of them are pure; what an agent thinks is in the turns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.nodes.inbox import AskInbox
from loopwright.nodes.thinking.perceive import ENVELOPE, EVENT, HEARD
from loopwright.nodes.world.entities import World
from loopwright.nodes.world.minds import channel_of, turn_of
from loopwright.nodes.world.rules import Functions
from loopwright.nodes.world.settling import Settling, standing
from loopwright.state.values import Json

SETTING, NOW, AWAKE, TURNS, COME, HAPPENED = "setting", "world", "awake", "turns", "come", "happened"
"""The channels: what never changes, what does, the turns that begin, what they came to, what came from outside,
and all that happened."""


@dataclass(frozen=True)
class Tick(Node, type="tick"):
    """Begin a tick: each agent that is awake gets a turn.

    Args:
        name: The node's name.
        agents: The ids of all agents, in their fixed order.

    Its outcomes are `awake`, `asleep` where all who are there sleep, and `over` where nobody is there any more.

    Example:
        >>> mind = {"asleep": True, "gone": False}
        >>> state = {"setting": {}, "world": {"tick": 0, "agents": {"ada": {}}, "objects": {}}, "mind of ada": mind}
        >>> Tick("tick", agents=("ada",)).answer(state, None)
        Answer(outcome='asleep', update={'awake': []}, reason='all sleep')
    """

    name: str
    _: KW_ONLY
    agents: Sequence[str]

    @cached_property
    def contract(self) -> Contract:
        """Reads the world and all minds; writes the turns that begin."""
        reads = (SETTING, NOW, *map(channel_of, self.agents))
        return Contract("route", reads, (AWAKE,), ("awake", "asleep", "over"))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The turns."""
        del reply
        world = World(_mapping(view[SETTING]), _mapping(view[NOW]))
        minds = {me: _mapping(view[channel_of(me)]) for me in world.agents}
        awake = [me for me, mind in minds.items() if not mind["asleep"]]
        if not awake:
            return Answer("asleep" if minds else "over", {AWAKE: []}, "all sleep" if minds else "all have left")
        return Answer("awake", {AWAKE: [turn_of(world, me, minds[me]) for me in awake]}, f"awake: {', '.join(awake)}")


@dataclass(frozen=True)
class Listen(Node, type="listen"):
    """Take what has come from outside while the agents had their turns. It waits for nothing.

    Args:
        name: The node's name.

    Its one outcome is `done`.

    Example:
        >>> Listen("listen").answer({}, [{"event_type": "rain"}]).update
        {'come': [{'event_type': 'rain'}]}
    """

    name: str

    @cached_property
    def contract(self) -> Contract:
        """Takes events; writes them."""
        return Contract("act", (), (COME,), ("done",))

    def ask(self, view: View) -> AskInbox:
        """What has come."""
        del view
        return AskInbox(ENVELOPE, reply=EVENT)

    def answer(self, view: View, reply: Json) -> Answer:
        """The events."""
        del view
        return Answer("done", {COME: reply}, "something came from outside" if reply else "")


@dataclass(frozen=True)
class Settle(Node, type="settle"):
    """Settle a tick: the world confirms or refuses what was tried, and tells those whom it concerns.

    Args:
        name: The node's name.
        agents: The ids of all agents, in their fixed order.

    Its one outcome is `done`. Where a world has functions of one's own, `settle_with` is the node's function.
    """

    name: str
    _: KW_ONLY
    agents: Sequence[str]

    @cached_property
    def contract(self) -> Contract:
        """Reads what was tried, the world and all minds; writes those minds alone to which something happened."""
        minds = tuple(map(channel_of, self.agents))
        return Contract(
            "route", (SETTING, NOW, TURNS, COME, *minds), (NOW, HAPPENED, *minds), ("done",), may_write=minds
        )

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The world after the tick."""
        del reply
        return settled(view, self.agents, {})


@dataclass(frozen=True)
class HearOutside(Node, type="hear_outside"):
    """Hear what came from outside while all slept.

    Args:
        name: The node's name.
        agents: The ids of all agents, in their fixed order.

    Its outcomes are `awake`, where somebody wakes, and `asleep`.
    """

    name: str
    _: KW_ONLY
    agents: Sequence[str]

    @cached_property
    def contract(self) -> Contract:
        """Reads the event, the world and all minds; writes what the event changes."""
        minds = tuple(map(channel_of, self.agents))
        return Contract(
            "route", (SETTING, NOW, HEARD, *minds), (NOW, HAPPENED, *minds), ("awake", "asleep"), may_write=minds
        )

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """Who wakes."""
        del reply
        return heard(view, self.agents, {})


def settled(view: View, agents: Sequence[str], functions: Functions) -> Answer:
    """What a tick comes to.

    Args:
        view: The channels of `Settle`.
        agents: The ids of all agents.
        functions: Functions of one's own, by the names that the setting has for them.
    """
    settling = _settling(view, agents, functions)
    turns: Any = view[TURNS]
    settling.take_turns(turns)
    come: Any = view[COME]
    for event in come:
        _hear(settling, event)
    return _answer("done", settling, settling.world.tick + 1)


def heard(view: View, agents: Sequence[str], functions: Functions) -> Answer:
    """What an event that comes while all sleep comes to; the arguments are those of `settled`.

    Args:
        view: The channels of `Hear`.
        agents: The ids of all agents.
        functions: Functions of one's own.
    """
    settling = _settling(view, agents, functions)
    _hear(settling, _mapping(view[HEARD]))
    awake = any(not settling.minds[me]["asleep"] for me in settling.world.agents)
    return _answer("awake" if awake else "asleep", settling, settling.world.tick)


def _hear(settling: Settling, event: Mapping[str, Any]) -> None:
    if refused := settling.hear_from_outside(event):
        settling.said.append(f"what came from outside came to nothing: {refused}")


def _settling(view: View, agents: Sequence[str], functions: Functions) -> Settling:
    world = World(_mapping(view[SETTING]), _mapping(view[NOW]))
    return Settling(world, {me: _mapping(view[channel_of(me)]) for me in agents}, functions)


def _answer(outcome: str, settling: Settling, tick: int) -> Answer:
    minds: dict[str, Json] = {channel_of(me): mind for me, mind in settling.changed.items()}
    update: dict[str, Json] = {**minds, NOW: settling.world.at(tick), HAPPENED: list(settling.events)}
    return Answer(outcome, update, "\n".join([*settling.said, standing(settling)]))


def _mapping(value: Json) -> Mapping[str, Any]:
    assert isinstance(value, dict)
    return value
