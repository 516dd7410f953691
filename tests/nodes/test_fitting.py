"""Values as a schema has them."""

from typing import Any

import pytest

from loopwright.nodes.fitting import fitted
from loopwright.state.values import JsonObject, JsonSchema

TREE: JsonObject = {
    "$ref": "#/$defs/Tree",
    "$defs": {
        "Tree": {
            "type": "object",
            "properties": {
                "mood": {"enum": ["Good", "bad"]},
                "below": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            },
            "required": ["mood", "below"],
        }
    },
}


@pytest.mark.parametrize(
    ("value", "schema", "fit"),
    [
        (
            {"mood": "good.", "below": [{"mood": "BAD", "below": []}]},
            TREE,
            {"mood": "Good", "below": [{"mood": "bad", "below": []}]},
        ),
        ("PASS", {"const": "pass"}, "pass"),
        (2, {"enum": [1, 2]}, 2),
        ("2", {"enum": [1, 2]}, "2"),
        ("...", {"enum": ["", "pass"]}, "..."),
        (3.0, {"anyOf": [{"type": "integer"}, {"type": "null"}]}, 3),
        ("3", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, 3),
        ("3", {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "3"),
        ("Yes", {"anyOf": [{"enum": ["yes"]}, {"enum": ["YES"]}]}, "Yes"),
        ({"a": None}, {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}, {"a": None}),
        ({"a": None, "b": None}, {"type": "object", "properties": {"a": {}, "b": {"type": "string"}}}, {"a": None}),
        ({"a": None}, {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {"a": None}),
        (
            "pass",
            {
                "type": "object",
                "properties": {"a": {"enum": ["pass"]}, "b": {"type": "string"}},
                "required": ["a", "b"],
            },
            "pass",
        ),
        ("anything", {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, "anything"),
        ("x", {"type": "object"}, "x"),
        (["8"], {"type": "array"}, ["8"]),
        ("8", {"$ref": "#/somewhere/else"}, "8"),
        ("08", {"type": "number"}, "08"),
        ("1,5", {"type": "number"}, "1,5"),
        (8.5, {"type": "integer"}, 8.5),
        ("8/10", {"type": "number"}, "8/10"),
        ("9" * 5000, {"type": "integer"}, "9" * 5000),
        ("9" * 5000 + ".5", {"type": "number"}, "9" * 5000 + ".5"),
        ("9" * 5000 + "/10", {"type": "number", "maximum": 10}, "9" * 5000 + "/10"),
    ],
)
def test_fitted(value: Any, schema: JsonSchema, fit: Any) -> None:
    result = fitted(value, schema)
    assert result == fit
    assert type(result) is type(fit)
