"""The channels of an action, and how its name is read: `Microphone:agent_speaks` is the event `agent_speaks`."""

from collections.abc import Mapping
from typing import Any

from loopwright.nodes.brains.roles import LAST_FAILURE
from loopwright.state.schema import TEXT, as_object
from loopwright.state.values import Json, JsonSchema

ACTION, AIM, COMMAND, COMMANDS = "action", "aim", "command", "commands"
OUTPUTS, EVENTS, PENDING = "previous_brain_outputs", "events", "pending"
PLACEHOLDERS: Mapping[str, str] = {
    AIM: "what is to be reached by the action",
    COMMAND: "the action's name, what it does, and JSON Schema of its arguments",
    OUTPUTS: "the aim, and what the brains before this one said",
    LAST_FAILURE: "why the last attempt came to nothing; empty where there was none",
    EVENTS: "the events that were made so far",
    PENDING: "the actions that have to follow, oldest first",
}
"""What an action fills in itself; whatever else its brains name has to come from outside."""

DEFAULT = "default"
"""The key of a map for the actions that it does not name."""

ANY_ARGUMENTS: JsonSchema = {"type": "object", "additionalProperties": True}
"""The arguments of an action of which nothing is said."""

COMMAND_TYPE: JsonSchema = as_object({"name": TEXT, "args": {"type": "object"}}, description=TEXT)
"""A command: the action's name, and JSON Schema of its arguments."""


def event_type(action: str) -> str:
    """The type of the event that an action makes: its name without the class of who offers it.

    Example:
        >>> event_type("World:agent_gives_object"), event_type("wave")
        ('agent_gives_object', 'wave')
    """
    return action.rpartition(":")[2]


def goal(aim: Json) -> str:
    """The aim as it stands before the outputs of brains."""
    return f"Current goal: {aim}"


def command_of(action: str, known: Json) -> dict[str, Json]:
    """The command of an action.

    Args:
        action: The action.
        known: What is known of its command: a mapping with `args` and `description`, or neither.

    Example:
        >>> command_of("wave", {"description": "Wave to all."})
        {'name': 'wave', 'description': 'Wave to all.', 'args': {'type': 'object', 'additionalProperties': True}}
    """
    parts: Mapping[str, Any] = known if isinstance(known, dict) else {}
    words = {"description": str(parts["description"])} if parts.get("description") else {}
    return {"name": action, **words, "args": parts.get("args") or dict(ANY_ARGUMENTS)}
