"""What a brain is for: its sections, and the roles with their prompts, their answers, and what an answer must keep.

A section is a channel with a heading. A brain is shown those that its `sees` names, in that order, and no other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from loopwright.nodes.prompts import as_text
from loopwright.state.schema import TEXT, as_list, as_object, fault_in_schema
from loopwright.state.values import Json, JsonSchema

LAST_FAILURE = "last_failure"
"""The channel that takes why a brain answered `none`, where it is among its inputs; the next prompt can show it."""

SECTIONS: Mapping[str, str] = {
    "goals": "Goals",
    "constraints": "Constraints",
    "plan": "Plan",
    "memory": "Memory",
    "personality": "Memories of who you are",
    "agent_world_state": "The world around you",
    "nearby_entities": "What is near you",
    "inventory": "What you hold",
    "actions": "Actions on offer",
    "command": "The command that is to be carried out",
    "previous_brain_outputs": "Thoughts before this one",
    "messages": "Messages",
    "criteria": "Criteria",
    "subject": "What is judged",
    LAST_FAILURE: "Why the last attempt came to nothing",
}
"""The headings of sections that have one of their own; any other channel may be a section, under its name."""

SET_BY_ENGINE = frozenset({"event_type", "sender", "sender_id", "created_at"})
"""What an event is given when it is sent. A model is not asked for it, and nothing that it says of it is taken."""


@dataclass(frozen=True, slots=True)
class Role:
    """What a role gives to a brain.

    Args:
        prompt: The question.
        sees: The sections that it cannot do without.
        output: JSON Schema of the answer; None for what the author says.
        closed: For properties of the answer: the section whose items are the only values that they can have.
        command: The section with a command whose `args`, a JSON Schema, are the answer's schema; "" for none.
        required: What properties of the answer must be for it to be eligible.
    """

    prompt: str = ""
    sees: tuple[str, ...] = ()
    output: JsonSchema | None = None
    closed: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    required: Mapping[str, Json] = field(default_factory=dict)


_TEXTS: JsonSchema = as_list(TEXT)

ROLES: Mapping[str, Role] = {
    "": Role(),
    "navigation": Role(
        prompt=(
            "Decide what to do next. Say which step of the plan is done by now and how, give the plan as it is from "
            "here on, and choose one of the actions on offer, with what you mean to reach by it. Name every constraint "
            "that this action would break. It is valid when it breaks none and can be done now."
        ),
        sees=("actions",),
        output=as_object(
            {
                "inventory": _TEXTS,
                "step_completed": TEXT,
                "plan": _TEXTS,
                "next_action_aim": TEXT,
                "next_action": TEXT,
                "violated_constraints": _TEXTS,
                "is_action_valid": {"type": "boolean"},
            }
        ),
        closed={"next_action": "actions"},
        required={"is_action_valid": True, "violated_constraints": []},
    ),
    "execution": Role(
        prompt="Think of what carries out the command best, in view of all that you are shown, and answer with it.",
        sees=("command",),
    ),
    "event_filler": Role(
        prompt=(
            "Fill in the arguments of the command. What earlier thoughts have settled goes in exactly as it stands "
            "there. A target is named by its id, and is the one that offers the command."
        ),
        sees=("command",),
        output={"type": "object"},
        command="command",
    ),
    "judge": Role(
        prompt="Judge whether what you are shown meets every one of the criteria. Say why, naming those it does not.",
        sees=("criteria", "subject"),
        output=as_object({"passed": {"type": "boolean"}, "reason": TEXT}),
    ),
}
"""The roles by name; "" is a brain that only its author describes."""


def section(name: str, value: Json) -> str:
    """A section as a prompt has it: the heading, and each item of a list, or name of a glossary, on its own line.

    Example:
        >>> print(section("previous_brain_outputs", ["Current goal: greet", {"text": "hello"}]))
        ## Thoughts before this one
        - Current goal: greet
        - {"text": "hello"}
        >>> print(section("my_notes", ""))
        ## My notes
        none
    """
    heading = SECTIONS.get(name) or name.replace("_", " ").capitalize()
    if isinstance(value, list):
        said = "\n".join(f"- {as_text(item)}" for item in value)
    elif isinstance(value, dict) and all(isinstance(words, str) for words in value.values()):
        said = "\n".join(f"- {key}: {words}" if words else f"- {key}" for key, words in value.items())
    else:
        said = as_text(value) if value or isinstance(value, int) else ""
    return f"## {heading}\n{said or 'none'}"


def fault_of(option: Json, role: Role) -> str:
    """Why an option is not eligible, in words; "" for one that is.

    Example:
        >>> fault_of({"is_action_valid": True, "violated_constraints": ["one speaks"]}, ROLES["navigation"])
        'violated_constraints is ["one speaks"]'
    """
    parts: Mapping[str, Json] = option if isinstance(option, dict) else {}
    wrong = [name for name, wanted in role.required.items() if not _is(parts.get(name), wanted)]
    return " and ".join(f"{name} is {as_text(_as_list(parts.get(name)))}" for name in wrong)


def _is(value: Json, wanted: Json) -> bool:
    return type(value) is type(wanted) and value == wanted


def _as_list(value: Json) -> Json:
    """A list of texts stays one line in a reason: as JSON."""
    return as_text([value])[1:-1] if isinstance(value, list) else value


def without_engine_fields(value: Json) -> Json:
    """An answer without what only the engine says of an event.

    Example:
        >>> without_engine_fields({"message": "hello", "sender_id": "someone else"})
        {'message': 'hello'}
    """
    if not isinstance(value, dict):
        return value
    return {name: part for name, part in value.items() if name not in SET_BY_ENGINE}


def arguments_schema(command: Json) -> JsonSchema:
    """JSON Schema of a command's arguments, without what only the engine says of an event.

    Raises:
        ValueError: The command is no mapping with `args` that are a valid JSON Schema of an object.

    Example:
        >>> arguments_schema({"name": "speak", "args": {"message": "str"}})
        Traceback (most recent call last):
        ValueError: a command is a mapping whose `args` are a JSON Schema of an object, and this is {"name": "speak"...
    """
    args = command.get("args") if isinstance(command, dict) else None
    properties = args.get("properties", {}) if isinstance(args, dict) else None
    if not isinstance(args, dict) or args.get("type") != "object" or not isinstance(properties, dict):
        said = as_text(command)
        shown = said if len(said) <= 16 else f"{said[:16]}..."
        raise ValueError(f"a command is a mapping whose `args` are a JSON Schema of an object, and this is {shown}")
    required = args.get("required", [])
    needed = [name for name in required if name not in SET_BY_ENGINE] if isinstance(required, Sequence) else []
    kept = {name: part for name, part in properties.items() if name not in SET_BY_ENGINE}
    made: JsonSchema = {"additionalProperties": False, **args, "properties": kept, "required": needed}
    if fault := fault_in_schema(made):
        raise ValueError(f"the `args` of the command are no JSON Schema: {fault}")
    return made
