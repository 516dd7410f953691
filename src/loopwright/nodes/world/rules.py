"""What the world says to something that was tried: it happens, with what it changes, or it is refused with the reason.

Nothing but what a world has confirmed is an event that others perceive. Who tried and was refused is told so, alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from loopwright.nodes.actions.names import event_type
from loopwright.nodes.thinking.fields import SPEAK
from loopwright.nodes.world.actions import OWN, OWN_RULES, WORLD_CLASS
from loopwright.nodes.world.entities import Change, World
from loopwright.nodes.world.objects import DOES
from loopwright.state.schema import check_for
from loopwright.state.values import Json, JsonObject

REFUSES = "world_refuses_event"
"""The type of the event by which the world refuses."""

Functions = Mapping[str, Callable[..., Any]]
"""Functions of one's own, by the names that the setting has for them."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the world says.

    Args:
        world: The world after it; as before, where it was refused.
        reason: Why it was refused; "" where it happened.
        replies: Events that objects send because of it, complete.
    """

    world: World
    reason: str = ""
    replies: tuple[JsonObject, ...] = ()


def judged(world: World, action: str, event: JsonObject, functions: Functions) -> Verdict:
    """What the world says to an action.

    Args:
        world: The world as it is when the action is tried.
        action: The action, `Class:event_type`.
        event: Its event, signed by the engine.
        functions: Functions of one's own.

    Raises:
        ValueError: A function made of it what cannot be.

    Example:
        >>> setting = {"agents": {"ada": {}, "bob": {}}, "objects": {"mic": {}}, "classes": {}}
        >>> world = World(setting, {"tick": 0, "agents": {"ada": {}, "bob": {}}, "objects": {"mic": {}}})
        >>> gift = {"sender_id": "ada", "object_id": "mic", "recipient_agent_id": "bob"}
        >>> judged(world, "World:agent_gives_object_to_agent_event", gift, {}).reason
        "you do not hold 'mic': nobody holds it"
    """
    target = str(event.get("target_id", ""))
    reason = _broken(world, event, functions)
    if reason:
        return Verdict(world, reason)
    if action in OWN:
        does = OWN_RULES.get(action)
    else:
        reason = _unusable(world, action, event)
        name = _action_of(world, action).get("does", "")
        does = functions.get(name) or DOES.get(name)
    said = "" if reason or does is None else does(world, event)
    if reason or (isinstance(said, str) and said):
        return Verdict(world, reason or str(said))
    return _happened(world, action, event, said, target)


def _happened(world: World, action: str, event: JsonObject, said: Any, target: str) -> Verdict:
    """What comes of an action that is not refused."""
    if not said:
        return Verdict(world)
    if not isinstance(said, Change):
        raise ValueError(
            f"what {action} does gave {said!r:.100}; it gives an lw.Change, a reason to refuse, or nothing"
        )
    replies = tuple(
        {"target_id": event["sender_id"], **reply, "sender_id": target, "tick": event["tick"]} for reply in said.replies
    )
    faulty = [reply for reply in replies if not isinstance(reply.get("event_type"), str)]
    if faulty:
        raise ValueError(f"a reply of {action} has no event_type: {faulty[0]!r:.100}")
    return Verdict(world.changed(said, target), replies=replies)


def _broken(world: World, event: JsonObject, functions: Functions) -> str:
    """Which of the world's rules it breaks, in words; "" for none."""
    for name in world.setting.get("rules", ()):
        said = functions[name](world, dict(event))
        if said and not isinstance(said, str):
            raise ValueError(f"the rule {name} gave {said!r:.100}; it gives a reason to refuse, or nothing")
        if said:
            return str(said)
    return ""


def _action_of(world: World, action: str) -> Mapping[str, Any]:
    of_class = action.rpartition(":")[0]
    found: Mapping[str, Any] = world.setting.get("classes", {}).get(of_class, {}).get(event_type(action), {})
    return found


def _unusable(world: World, action: str, event: JsonObject) -> str:
    """Why an object's action cannot be done by who tries it, in words; "" where it can."""
    of_class = action.rpartition(":")[0]
    known = _action_of(world, action)
    sender, target = str(event["sender_id"]), str(event.get("target_id", ""))
    thing = world.entity(target)
    if not known:
        return f"nobody offers the action {action!r}" if of_class != WORLD_CLASS else f"the world has no {action!r}"
    if thing is None or thing.of_class != of_class:
        there = ", ".join(id for id in world.objects if world.setting["objects"][id].get("class") == of_class)
        return f"{target!r} is no {of_class}; there are: {there or 'none'}"
    by_user = sender not in world.agents
    if by_user is not known["by_user"]:
        return f"{action!r} is for {'the person' if known['by_user'] else 'agents'}"
    if not by_user and not world.near(sender, target):
        return f"{target!r} is not near you"
    if known["needs"] == "held" and thing.held_by != sender:
        whose = f"{thing.held_by} holds it" if thing.held_by else "nobody holds it"
        return f"only who holds {target!r} can do this, and {whose}"
    return _misfit(known["args"], event)


def _misfit(args: Mapping[str, Any], event: JsonObject) -> str:
    """What of an event does not fit the arguments of its action, in words; "" where it all does."""
    own = (
        "event_type",
        "sender_id",
        "tick",
        "hops",
        *(() if "target_id" in args.get("properties", {}) else ("target_id",)),
    )
    try:
        check_for(dict(args))({key: value for key, value in event.items() if key not in own})
    except ValueError as error:
        return str(error)
    return ""


def refusal(event: JsonObject, reason: str, world_id: str) -> JsonObject:
    """The event by which the world tells who tried something that it did not happen.

    Args:
        event: What was tried.
        reason: Why it was refused.
        world_id: The world's id.
    """
    refused: Json = {key: value for key, value in event.items() if key not in ("sender_id", "tick", "hops")}
    return {
        "event_type": REFUSES,
        "sender_id": world_id,
        "target_id": event["sender_id"],
        "reason": reason,
        "refused": refused,
        "tick": event["tick"],
    }


def heard_by(action: str, world: World) -> str:
    """Who hears of an action, as `actions.HeardBy` says it.

    Args:
        action: The action.
        world: The world.
    """
    return OWN[action].heard_by if action in OWN else str(_action_of(world, action).get("heard_by", "target"))


SPEAKS_WITH_USER = event_type(SPEAK)
"""The type of an event that is for the person."""
