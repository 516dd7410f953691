"""What the world knows of each agent's mind: what it means to do, what it remembers, and whether it sleeps.

A mind is a JSON object of its own in the state, so that a tick writes those alone to whom something happened. What it
remembers is bounded.
"""

from collections.abc import Mapping
from typing import Any

from loopwright.nodes.prompts import filled
from loopwright.nodes.thinking.fields import ME
from loopwright.nodes.thinking.perceive import PERSON_SPEAKS, remembered
from loopwright.nodes.world.actions import commands
from loopwright.nodes.world.entities import World
from loopwright.state.values import Json, JsonObject

EMPTY: Mapping[str, Json] = {
    "plan": [],
    "pending": [],
    "aim": "",
    "tries": 0,
    "last_failure": "",
    "asleep": False,
    "gone": False,
    "hops": 0,
    "memory": [],
}
"""A mind to which nothing has happened."""


def channel_of(agent: str) -> str:
    """The channel of an agent's mind."""
    return f"mind of {agent}"


def after_turn(mind: Mapping[str, Any], turn: Mapping[str, Any]) -> JsonObject:
    """A mind after a turn, if what it tried happens.

    Args:
        mind: The mind before.
        turn: What the turn came to, as `nodes.thinking.end_turn.TURN` has it.
    """
    kept = {name: turn[name] for name in ("plan", "pending", "aim", "tries", "last_failure", "asleep")}
    return {**mind, **kept, "gone": turn["exits"]}


def refused(mind: Mapping[str, Any], turn: Mapping[str, Any], reason: str, retries: int) -> JsonObject:
    """A mind after a turn whose event was refused: what was pending still is, and the reason is in its next prompt.

    Args:
        mind: The mind before.
        turn: What the turn came to.
        reason: Why it was refused.
        retries: How often in a row that may be, before the agent sleeps.

    Example:
        >>> turn = {"plan": [], "pending": [], "aim": "greet", "tries": 0, "last_failure": "", "asleep": False}
        >>> mind = refused({**EMPTY, "pending": ["give"]}, {**turn, "exits": False}, "you do not hold it", 3)
        >>> mind["pending"], mind["tries"], mind["last_failure"]
        (['give'], 1, 'you do not hold it')
    """
    tries = mind["tries"] + 1
    asleep = tries > retries
    after = {**after_turn(mind, turn), "pending": mind["pending"], "last_failure": reason}
    return {**after, "tries": 0 if asleep else tries, "asleep": asleep}


def remembers(mind: Mapping[str, Any], event: JsonObject, n: int) -> JsonObject:
    """A mind that remembers one event more, and forgets the oldest where there are too many.

    Args:
        mind: The mind.
        event: The event.
        n: How many events it remembers.
    """
    shown = {key: value for key, value in event.items() if key != "hops"}
    return {**mind, "memory": remembered(mind["memory"], [shown], n)}


def hears(mind: Mapping[str, Any], event: JsonObject, me: str, known: Mapping[str, Any], hops: int) -> JsonObject:
    """A mind after an event that concerns it: it remembers it, and may wake.

    Args:
        mind: The mind.
        event: The event, with the number of `hops` that it made since somebody spoke from outside or began by himself.
        me: The agent's id.
        known: What the setting says of the agent.
        hops: From how many hops on an event wakes nobody.

    Example:
        >>> asleep, gift = {**EMPTY, "asleep": True}, {"event_type": "gives", "recipient": "ada", "hops": 3}
        >>> known = {"wakes_on": {"gives": {"recipient": "<{id}>"}}, "remembers": 10}
        >>> [hears(asleep, gift, name, known, 32)["asleep"] for name in ("ada", "bob")]
        [False, True]
        >>> hears(asleep, gift, "ada", known, 2)["asleep"]
        True
    """
    heard = remembers(mind, event, known["remembers"])
    if not mind["asleep"] or mind["gone"] or not rouses(event, me, known, hops):
        return heard
    return {**heard, "asleep": False, "tries": 0, "hops": event.get("hops", 0)}


def rouses(event: JsonObject, me: str, known: Mapping[str, Any], hops: int) -> bool:
    """Whether an event wakes an agent if it sleeps; the arguments are those of `hears`."""
    count: Any = event.get("hops", 0)
    return bool(count <= hops) and wakes(event, me, known.get("wakes_on", {}))


def wakes(event: JsonObject, me: str, wakes_on: Mapping[str, Any]) -> bool:
    """Whether an event wakes an agent. One that lacks a property that is asked for does not.

    Args:
        event: The event.
        me: The agent's id.
        wakes_on: The types of event that wake it, each with what properties of it must be.
    """
    if event["event_type"] == PERSON_SPEAKS:
        return event.get("target_id") == me
    wanted = wakes_on.get(str(event["event_type"]))
    if wanted is None:
        return False
    parts: Any = filled(dict(wanted), {ME: me})
    return all(name in event and event[name] == value for name, value in parts.items())


def turn_of(world: World, me: str, mind: Mapping[str, Any]) -> JsonObject:
    """What an agent's turn begins with: who it is, what it means to do, what it remembers, and what is around it.

    Args:
        world: The world.
        me: The agent's id.
        mind: Its mind.
    """
    known = world.setting["agents"][me]
    held = set(world.held(me))
    around = [*world.others_near(me), *(id for id in world.objects_near(me) if id not in held)]
    lines = {id: thing.words for id in (*held, *around) if (thing := world.entity(id))}
    holders = {id: thing.held_by for id in around if (thing := world.entity(id)) and thing.held_by}
    return {
        ME: me,
        "kind": known.get("kind", ""),
        **known.get("fields", {}),
        **{name: mind[name] for name in ("plan", "pending", "aim", "tries", "last_failure", "memory")},
        "commands": commands(world, me),
        "inventory": [lines[id] for id in world.held(me)],
        "nearby_entities": [lines[id] + (f"; {holders[id]} holds it" if id in holders else "") for id in around],
        "agent_world_state": _situation(world, me),
    }


def _situation(world: World, me: str) -> str:
    """Where an agent is, in words."""
    said = [str(world.setting.get("description", ""))]
    if place := world.place_of(me):
        about = world.setting["places"].get(place, "")
        said.append(f"You are at {place}: {about}" if about else f"You are at {place}.")
        others = [each for each in world.places if each != place]
        said += [f"There is also: {', '.join(others)}."] if others else []
    return " ".join(part for part in said if part)
