"""What there is in a world: places, agents and objects, where each is, and who holds what.

A world is two JSON objects. The *setting* never changes: what everything is called, and what can be done. *Now* is what
changes: where things are, who holds them, and what state they are in. `World` reads both.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from loopwright.state.values import Json, JsonObject

AGENT, OBJECT, PLACE, WORLD = "agent", "object", "place", "world"
USER = "user"
"""Who speaks from outside: whoever sends an event to the run."""


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing of a world.

    Args:
        id: How events name it.
        kind: `agent` or `object`.
        of_class: Its class, which says what can be done with it.
        name: What it is called.
        description: What it is.
        held_by: The id of the agent that holds it, or "".
        location: The place where it is, or "" in a world without places.
        state: What is so of it now, as its class has it.
        fixed: Whether it cannot be held.
    """

    id: str
    kind: str
    of_class: str = ""
    name: str = ""
    description: str = ""
    held_by: str = ""
    location: str = ""
    state: Mapping[str, Json] = field(default_factory=dict)
    fixed: bool = False

    @property
    def words(self) -> str:
        """It in a line, as prompts show it."""
        named = f"{self.id} ({self.of_class or self.kind})"
        said = ", ".join(dict.fromkeys(part for part in (self.name, self.description) if part and part != self.id))
        return f"{named}: {said}" if said else named


@dataclass(frozen=True, slots=True)
class Change:
    """What an action does to a world, beside being told to those who are near.

    Args:
        of: The id of what it changes; the target of the event when left out.
        state: Its state from now on.
        held_by: Who holds it from now on; "" for nobody.
        location: Where it is from now on.
        replies: Events that it sends: mappings with `event_type`, and `target_id` where it is not who acted.

    Example:
        >>> Change(state={"rung": 1}).state
        {'rung': 1}
    """

    of: str = ""
    state: Mapping[str, Json] | None = None
    held_by: str | None = None
    location: str | None = None
    replies: tuple[Mapping[str, Json], ...] = ()


class World:
    """A world as it is now. It is read only: `changed` gives another one.

    Args:
        setting: What never changes, as `graphs.society.setting` makes it.
        now: What changes: `tick`, `agents` and `objects`.

    Example:
        >>> setting = {"agents": {"ada": {}, "bob": {}}, "objects": {"mic": {"class": "Microphone"}}}
        >>> now = {"tick": 0, "agents": {"ada": {}, "bob": {}}, "objects": {"mic": {"held_by": "ada"}}}
        >>> world = World(setting, now)
        >>> world.held("ada"), world.near("ada", "bob"), world.entity("mic").words
        (['mic'], True, 'mic (Microphone)')
    """

    def __init__(self, setting: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        self.setting, self.now = setting, now

    @property
    def tick(self) -> int:
        """How many ticks are over."""
        return int(self.now["tick"])

    @property
    def agents(self) -> tuple[str, ...]:
        """The ids of the agents that are there, in their fixed order; those that left are not among them."""
        return tuple(self.now["agents"])

    @property
    def objects(self) -> tuple[str, ...]:
        """The ids of the objects, in their fixed order."""
        return tuple(self.now["objects"])

    @property
    def places(self) -> tuple[str, ...]:
        """The places."""
        return tuple(self.setting.get("places", ()))

    def entity(self, id: str) -> Entity | None:
        """The agent or the object of this id; None where there is none, or it has left.

        Args:
            id: The id.
        """
        for kind, key in ((AGENT, "agents"), (OBJECT, "objects")):
            if id in self.now[key]:
                said, now = self.setting[key][id], self.now[key][id]
                return Entity(
                    id,
                    kind,
                    said.get("class", ""),
                    said.get("name", ""),
                    said.get("description", ""),
                    now.get("held_by", ""),
                    self.place_of(id),
                    now.get("state", {}),
                    said.get("fixed", kind == AGENT),
                )
        return None

    def place_of(self, id: str) -> str:
        """Where something is; what is held is where its holder is.

        Args:
            id: The id of an agent or an object.
        """
        thing = self.now["objects"].get(id)
        if thing is None:
            return str(self.now["agents"].get(id, {}).get("location", ""))
        holder = thing.get("held_by", "")
        return self.place_of(holder) if holder else str(thing.get("location", ""))

    def held(self, holder: str) -> list[str]:
        """The ids of what an agent holds.

        Args:
            holder: The agent's id.
        """
        return [id for id, thing in self.now["objects"].items() if thing.get("held_by") == holder]

    def near(self, one: str, other: str) -> bool:
        """Whether two things are in the same place.

        Args:
            one: The id of an agent or an object.
            other: That of another one.
        """
        there = self.entity(one), self.entity(other)
        return None not in there and self.place_of(one) == self.place_of(other)

    def others_near(self, me: str) -> list[str]:
        """The ids of the other agents in an agent's place.

        Args:
            me: The agent's id.
        """
        return [id for id in self.agents if id != me and self.near(me, id)]

    def objects_near(self, me: str) -> list[str]:
        """The ids of the objects in an agent's place, whoever holds them.

        Args:
            me: The agent's id.
        """
        return [id for id in self.objects if self.near(me, id)]

    def changed(self, change: Change, target: str) -> "World":
        """The world after a change.

        Args:
            change: What changes.
            target: What it is a change of, where it does not say that itself.

        Raises:
            ValueError: There is no such thing, no such holder or no such place.
        """
        id = change.of or target
        new = {"state": change.state, "held_by": change.held_by, "location": change.location}
        update = {key: dict(value) if isinstance(value, Mapping) else value for key, value in new.items()}
        update = {key: value for key, value in update.items() if value is not None}
        if not update:
            return self
        key = next((each for each in ("objects", "agents") if id in self.now[each]), "")
        if not key:
            raise ValueError(f"a change is of {id!r}, and there is no such thing")
        if change.held_by and change.held_by not in self.now["agents"]:
            raise ValueError(f"{id!r} cannot be held by {change.held_by!r}, who is not there")
        if change.location and change.location not in self.places:
            raise ValueError(f"{id!r} cannot be at {change.location!r}, and places are: {', '.join(self.places)}")
        if change.held_by == "":
            update["location"] = change.location or self.place_of(id)
        things = {**self.now[key], id: {**self.now[key][id], **update}}
        return World(self.setting, {**self.now, key: things})

    def without(self, agent: str) -> "World":
        """The world after an agent left it; what it held stays where it was.

        Args:
            agent: Its id.
        """
        world = self
        for id in self.held(agent):
            world = world.changed(Change(of=id, held_by=""), id)
        agents = {id: now for id, now in world.now["agents"].items() if id != agent}
        return World(self.setting, {**world.now, "agents": agents})

    def at(self, tick: int) -> JsonObject:
        """What is so now, with the number of ticks that are over."""
        return {**self.now, "tick": tick}
