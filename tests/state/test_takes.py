"""Whether one type takes all that another one does: what is said is true of every value."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.state.schema import check_for
from loopwright.state.takes import takes_all_of

TEXT, WHOLE, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}


def reply(*actions: str, **more: Any) -> dict[str, Any]:
    properties = {"action": {"type": "string", "enum": list(actions)}, "text": TEXT, **more}
    return {"type": "object", "properties": properties, "required": ["action"], "additionalProperties": False}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (reply("yes", "no", "later"), reply("no", "yes")),
        (reply("yes", mood=TEXT), reply("yes")),
        ({}, reply("yes")),
        (NUMBER, WHOLE),
        ({"anyOf": [TEXT, {"type": "null"}]}, TEXT),
        ({"anyOf": [TEXT, {"type": "null"}]}, {"anyOf": [{"type": "null"}, TEXT]}),
        ({"type": ["string", "null"]}, TEXT),
        ({"type": "array", "items": NUMBER}, {"type": "array", "items": WHOLE}),
        ({"type": "object", "additionalProperties": NUMBER}, {"type": "object", "additionalProperties": WHOLE}),
        ({"type": "string", "title": "A"}, {"type": "string", "description": "B"}),
        (TEXT, {"const": "yes"}),
    ],
)
def test_what_is_taken(one: Any, other: Any) -> None:
    assert takes_all_of(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (reply("yes"), reply("yes", "no")),
        (reply("yes"), reply("yes", mood=TEXT)),
        (TEXT, {}),
        (WHOLE, NUMBER),
        (TEXT, {"anyOf": [{"type": "null"}, TEXT]}),
        ({"type": "string", "maxLength": 3}, TEXT),
        ({"enum": [1]}, {"enum": [True]}),
        ({"type": "array", "items": WHOLE}, {"type": "array"}),
        ({"type": "object", "required": ["a"]}, {"type": "object"}),
        ({"type": "object", "additionalProperties": WHOLE}, {"type": "object"}),
        ({"type": "object", "properties": {"a": TEXT}}, {"type": "object"}),
    ],
)
def test_what_is_not(one: Any, other: Any) -> None:
    assert not takes_all_of(one, other)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.just(0.5) | st.sampled_from(["", "a", "b"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)
KINDS = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
SCHEMAS: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.fixed_dictionaries({}, optional={"type": KINDS | st.lists(KINDS, min_size=1, max_size=2, unique=True)})
    | st.fixed_dictionaries({"enum": st.lists(VALUES, min_size=1, max_size=3)}),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": KINDS,
            "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            "required": st.lists(st.sampled_from("ab"), max_size=2, unique=True),
            "additionalProperties": st.booleans() | inner,
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
        },
    ),
    max_leaves=5,
)


def fits(schema: dict[str, Any], value: Any) -> bool:
    try:
        check_for(schema)(value)
    except ValueError:
        return False
    return True


@given(SCHEMAS, SCHEMAS, st.lists(VALUES, min_size=5, max_size=20))
def test_what_is_said_to_be_taken_is(one: dict[str, Any], other: dict[str, Any], values: list[Any]) -> None:
    if takes_all_of(one, other):
        assert [value for value in values if fits(other, value) and not fits(one, value)] == []
    assert takes_all_of(one, one)
    assert takes_all_of({}, one)
