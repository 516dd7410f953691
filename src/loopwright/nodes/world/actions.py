"""What can be done in a world: its own actions, those of its objects, and which of them are on offer to an agent."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from loopwright.nodes.thinking.fields import SPEAK
from loopwright.nodes.world.entities import Change, Entity, World
from loopwright.state.schema import TEXT, as_object
from loopwright.state.values import Json, JsonObject, JsonSchema

Needs = Literal["near", "held"]
"""Where an object must be for who uses it: in the same place, or in their hands."""

HeardBy = Literal["near", "all", "target", "nobody"]
"""Who hears of an action beside who did it: those in the same place, all, the one it is for, or nobody."""

Does = Callable[[World, JsonObject], "Change | str | None"]
"""What an action does: a change, nothing more, or why it cannot be done."""

Rule = Callable[[World, JsonObject], str | None]
"""Why something cannot be done; "" or None where it can."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be done.

    Args:
        description: What it does, in words for those who choose it.
        args: JSON Schema of its arguments, an object; without the target, which the world adds.
        needs: Where the object must be.
        heard_by: Who hears of it.
        does: The name of the function that says what it does; "" where it is only told.
        by_user: Whether it is for whoever speaks from outside, and not for agents.
    """

    description: str = ""
    args: JsonSchema = field(default_factory=lambda: as_object({}))
    needs: Needs = "near"
    heard_by: HeardBy = "near"
    does: str = ""
    by_user: bool = False

    @property
    def data(self) -> JsonObject:
        """The action as JSON."""
        return {
            "description": self.description,
            "args": dict(self.args),
            "needs": self.needs,
            "heard_by": self.heard_by,
            "does": self.does,
            "by_user": self.by_user,
        }


WORLD_CLASS = "World"
GIVE, TAKE = "World:agent_gives_object_to_agent_event", "World:agent_takes_object_event"
MOVE, TALK = "World:agent_moves_to_new_location", "World:agent_speaks_with_agent_event"
OWN: Mapping[str, Action] = {
    GIVE: Action("Give something that you hold to an agent near you."),
    TAKE: Action("Take something near you that nobody holds."),
    MOVE: Action("Go to another place."),
    TALK: Action("Say something to an agent near you. Nobody else hears it.", heard_by="target"),
    SPEAK: Action("Say something to the person.", heard_by="nobody"),
}
"""The actions of every world."""


def _choice(ids: list[str]) -> JsonSchema:
    return {"type": "string", "enum": list(ids)}


def own_commands(world: World, me: str) -> Iterator[tuple[str, JsonSchema]]:
    """The world's own actions that an agent can do now, with their arguments.

    Args:
        world: The world.
        me: The agent's id.
    """
    held, others = world.held(me), world.others_near(me)
    lying = [id for id in world.objects_near(me) if _free(world.entity(id))]
    elsewhere = [place for place in world.places if place != world.place_of(me)]
    if held and others:
        yield GIVE, as_object({"object_id": _choice(held), "recipient_agent_id": _choice(others)})
    if lying:
        yield TAKE, as_object({"object_id": _choice(lying)})
    if elsewhere:
        yield MOVE, as_object({"location": _choice(elsewhere)})
    if others:
        yield TALK, as_object({"target_id": _choice(others), "message": TEXT})


def _free(thing: Entity | None) -> bool:
    return thing is not None and not thing.held_by and not thing.fixed


def object_commands(world: World, me: str) -> Iterator[tuple[str, JsonSchema, str]]:
    """The actions of objects that an agent can do now, with their arguments and what is said of them.

    Two objects of one class share an action: the target says which of them is meant.

    Args:
        world: The world.
        me: The agent's id.
    """
    near = [thing for id in world.objects_near(me) if (thing := world.entity(id))]
    for of_class, actions in world.setting.get("classes", {}).items():
        those = [thing for thing in near if thing.of_class == of_class]
        for name, action in actions.items():
            at_hand = [thing.id for thing in those if action["needs"] == "near" or thing.held_by == me]
            if not at_hand or action["by_user"]:
                continue
            args: Any = action["args"]
            properties = {**args.get("properties", {}), "target_id": _choice(at_hand)}
            required = [*args.get("required", []), "target_id"]
            yield f"{of_class}:{name}", {**args, "properties": properties, "required": required}, action["description"]


def commands(world: World, me: str) -> JsonObject:
    """What an agent can do now, by action: `description` and `args`, JSON Schema of an object.

    Who can be meant is an enumeration, so that nothing can be done to what is not there.

    Args:
        world: The world.
        me: The agent's id.

    Example:
        >>> setting = {"agents": {"ada": {}, "bob": {}}, "objects": {"mic": {}}, "classes": {}}
        >>> now = {"tick": 0, "agents": {"ada": {}, "bob": {}}, "objects": {"mic": {"held_by": "ada"}}}
        >>> list(commands(World(setting, now), "ada"))
        ['World:agent_gives_object_to_agent_event', 'World:agent_speaks_with_agent_event']
    """
    found: dict[str, Json] = {
        name: {"description": description, "args": dict(args)} for name, args, description in object_commands(world, me)
    }
    for name, args in own_commands(world, me):
        found[name] = {"description": OWN[name].description, "args": dict(args)}
    return found


def gives(world: World, event: JsonObject) -> Change | str:
    """Let an object go from who holds it to an agent near them."""
    id, sender, heir = (str(event.get(key, "")) for key in ("object_id", "sender_id", "recipient_agent_id"))
    thing = world.entity(id)
    if thing is None or thing.kind != "object":
        return f"there is no object {id!r}"
    if thing.held_by != sender:
        whose = f"{thing.held_by} holds it" if thing.held_by else "nobody holds it"
        return f"you do not hold {id!r}: {whose}"
    if heir not in world.agents:
        return f"there is no agent {heir!r} to give it to; there are: {', '.join(world.agents)}"
    if heir == sender:
        return f"you hold {id!r} already"
    if not world.near(sender, heir):
        return f"{heir!r} is not near you, but at {world.place_of(heir)!r}"
    return Change(of=id, held_by=heir)


def takes(world: World, event: JsonObject) -> Change | str:
    """Let an agent take what nobody holds."""
    id, sender = (str(event.get(key, "")) for key in ("object_id", "sender_id"))
    thing = world.entity(id)
    if thing is None or thing.kind != "object":
        return f"there is no object {id!r}"
    if thing.held_by:
        return f"{thing.held_by} holds {id!r}"
    if thing.fixed:
        return f"{id!r} cannot be taken away"
    return Change(of=id, held_by=sender) if world.near(sender, id) else f"{id!r} is not near you"


def moves(world: World, event: JsonObject) -> Change | str:
    """Let an agent go to another place."""
    sender, place = str(event["sender_id"]), str(event.get("location", ""))
    if place not in world.places:
        return f"there is no place {place!r}; there are: {', '.join(world.places)}"
    return Change(of=sender, location=place) if place != world.place_of(sender) else f"you are at {place!r} already"


def talks(world: World, event: JsonObject) -> str:
    """Let an agent say something to another one near it."""
    sender, other = str(event["sender_id"]), str(event.get("target_id", ""))
    if other not in world.agents or other == sender:
        others = ", ".join(id for id in world.agents if id != sender)
        return f"there is no other agent {other!r}; there are: {others}"
    return "" if world.near(sender, other) else f"{other!r} is not near you, but at {world.place_of(other)!r}"


OWN_RULES: Mapping[str, Does] = {GIVE: gives, TAKE: takes, MOVE: moves, TALK: talks}
"""What the world's own actions do."""
