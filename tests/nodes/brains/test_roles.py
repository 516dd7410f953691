"""Sections, roles, and what an answer must keep."""

from typing import Any

import pytest

from loopwright.nodes.brains.roles import (
    ROLES,
    SECTIONS,
    arguments_schema,
    fault_of,
    section,
    without_engine_fields,
)
from loopwright.state.schema import fault_in_schema
from loopwright.state.values import Json

GOOD: Any = {
    "inventory": ["mic"],
    "step_completed": "none",
    "plan": ["greet"],
    "next_action_aim": "greet",
    "next_action": "Microphone:speak",
    "violated_constraints": [],
    "is_action_valid": True,
}


def test_navigation_has_the_seven_fields_and_all_must_be_there() -> None:
    schema: Any = ROLES["navigation"].output
    assert list(schema["properties"]) == list(GOOD) == schema["required"]
    assert schema["properties"]["is_action_valid"] == {"type": "boolean"}


@pytest.mark.parametrize("name", ROLES)
def test_what_a_role_names_is_there(name: str) -> None:
    role = ROLES[name]
    assert {*role.sees, *role.closed.values()} <= SECTIONS.keys()
    properties: Any = (role.output or {}).get("properties", {})
    assert {*role.closed, *role.required} <= properties.keys()
    assert role.output is None or fault_in_schema(role.output) is None


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, ""),
        ({"is_action_valid": False}, "is_action_valid is false"),
        ({"is_action_valid": "Yes, because"}, "is_action_valid is Yes, because"),
        ({"is_action_valid": 1}, "is_action_valid is 1"),
        ({"violated_constraints": ["one", "two"]}, 'violated_constraints is ["one", "two"]'),
        (
            {"is_action_valid": False, "violated_constraints": ["one"]},
            'is_action_valid is false and violated_constraints is ["one"]',
        ),
    ],
)
def test_what_a_role_requires_is_held(change: Any, fault: str) -> None:
    assert fault_of({**GOOD, **change}, ROLES["navigation"]) == fault


def test_nothing_is_required_of_others() -> None:
    assert [fault_of("any text", ROLES[name]) for name in ("", "execution", "event_filler")] == ["", "", ""]


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("goals", ["one", "two"], "## Goals\n- one\n- two"),
        ("inventory", [], "## What you hold\nnone"),
        ("aim", "greet", "## Aim\ngreet"),
        ("actions", {"wait": "do nothing", "give": ""}, "## Actions on offer\n- wait: do nothing\n- give"),
        ("count", 0, "## Count\n0"),
        ("command", None, "## The command that is to be carried out\nnone"),
    ],
)
def test_sections(name: str, value: Json, text: str) -> None:
    assert section(name, value) == text


def test_what_only_the_engine_says_is_neither_asked_for_nor_taken() -> None:
    args: Any = {
        "type": "object",
        "properties": {
            "message": {"type": "string"},
            "sender_id": {"type": "string"},
            "event_type": {},
            "target_id": {},
        },
        "required": ["message", "sender_id", "target_id"],
    }
    assert arguments_schema({"name": "speak", "args": args}) == {
        "type": "object",
        "properties": {"message": {"type": "string"}, "target_id": {}},
        "required": ["message", "target_id"],
        "additionalProperties": False,
    }
    assert without_engine_fields({"message": "a", "sender": "x", "created_at": "now"}) == {"message": "a"}
    assert without_engine_fields("text") == "text"


@pytest.mark.parametrize(
    "command", [None, "speak", {}, {"args": {"type": "string"}}, {"args": {"type": "object", "properties": 3}}]
)
def test_a_command_without_arguments_is_refused(command: Any) -> None:
    with pytest.raises(ValueError, match="a command is a mapping whose `args` are a JSON Schema of an object"):
        arguments_schema(command)


def test_a_command_whose_arguments_are_no_schema_is_refused_before_it_is_asked_for() -> None:
    args: Any = {"type": "object", "properties": {"message": {"type": "text"}}}
    with pytest.raises(ValueError, match=r"^the `args` of the command are no JSON Schema: .text. is not valid"):
        arguments_schema({"name": "speak", "args": args})
