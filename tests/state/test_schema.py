"""Types as JSON Schema: made, named, and checked."""

from dataclasses import dataclass
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from loopwright.state.schema import (
    DEEPEST,
    as_list,
    as_object,
    check_for,
    embedded,
    fault_in_schema,
    is_json,
    schema_from_word,
    schema_of,
    word_of,
)


@dataclass
class Point:
    x: int


class Person(BaseModel):
    name: str


@pytest.mark.parametrize(
    ("type_", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
        (str | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Any, {}),
        (Point, {"type": "object", "properties": {"x": {"title": "X", "type": "integer"}}, "required": ["x"]}),
        (Person, {"type": "object", "properties": {"name": {"title": "Name", "type": "string"}}, "required": ["name"]}),
    ],
    ids=str,
)
def test_python_types(type_: Any, schema: Any) -> None:
    assert schema_of(type_) == schema


@pytest.mark.parametrize("type_", [type(lambda: None), bytearray(b"a")])
def test_a_type_that_is_no_json(type_: Any) -> None:
    with pytest.raises(TypeError, match="has no JSON Schema, and state holds JSON values"):
        schema_of(type_)


WORDS = ["str", "int", "float", "bool", "any", "list[str]", "list[list[int]]", "str | None", "list[int] | None", "dict"]


@pytest.mark.parametrize("word", WORDS)
def test_a_word_and_its_schema_are_one(word: str) -> None:
    assert word_of(schema_from_word(word)) == word
    assert fault_in_schema(schema_from_word(word)) is None


def test_words_with_more_to_them() -> None:
    assert schema_from_word(" dict[str, int] ") == {"type": "object", "additionalProperties": {"type": "integer"}}
    assert schema_from_word("number") == schema_from_word("float")
    assert word_of({"enum": ["yes", "no"]}) == "yes | no"
    assert (word_of({"type": "null"}), word_of({}), word_of({"type": ["a"]})) == ("None", "any", "any")


@pytest.mark.parametrize("word", ["string", "list[string]", "list[", "dict[int, str]", "", "| None", "List[str]"])
def test_what_is_no_word(word: str) -> None:
    with pytest.raises(ValueError, match="is not a type; types are any, str, int, "):
        schema_from_word(word)


def nest(deep: int) -> Any:
    value: Any = "x"
    for place in range(deep):
        value = [value] if place % 2 else {"a": value}
    return value


@pytest.mark.parametrize(
    "value", ["", 0, -1.5, True, None, [], {}, {"a": [1, {"b": None}]}, 2**63 - 1, -(2**63), nest(DEEPEST)]
)
def test_json(value: Any) -> None:
    assert is_json(value)
    check_for({})(value)


class Text(str):
    pass


@pytest.mark.parametrize(
    "value",
    [
        (1,),
        {1},
        {1: "a"},
        b"x",
        1j,
        float("nan"),
        float("inf"),
        [object],
        Text("a"),
        2**63,
        nest(DEEPEST + 1),
        nest(5000),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_json(value: Any) -> None:
    assert not is_json(value)
    with pytest.raises(
        ValueError, match="is not JSON that can be kept: text that can be encoded, finite numbers of 64 bits"
    ):
        check_for({})(value)


@pytest.mark.parametrize(
    ("schema", "value", "fault"),
    [
        ({"type": "integer"}, "eight", '"eight" is not of type "integer"'),
        ({"type": "integer"}, True, 'true is not of type "integer"'),
        ({"type": "array", "items": {"type": "string"}}, ["a", 1], 'at 1: 1 is not of type "string"'),
        ({"properties": {"a": {"maximum": 3}}}, {"a": 4}, "at a: 4 is greater than the maximum of 3"),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]},
            {"a": 1},
            'at a: 1 is not of type "string"; "b" is a required property',
        ),
    ],
)
def test_values_that_do_not_fit(schema: Any, value: Any, fault: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole text is held below
        check_for(schema)(value)
    assert sorted(str(caught.value).split("; ")) == sorted(fault.split("; "))


def test_what_is_no_schema() -> None:
    assert fault_in_schema({"type": "integer", "minimum": 3}) is None
    assert fault_in_schema({"type": "number of things"}) is not None


def test_a_schema_is_never_fetched() -> None:
    fault = fault_in_schema({"$ref": "https://example.org/schema.json"})
    assert fault is not None
    assert "schemas are not fetched" in fault


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "object", "properties": {"next": {"$ref": "#"}}}, {"next": {"next": {}}}, {"next": {"next": 1}}),
        ({"$ref": "#/definitions/A", "definitions": {"A": {"type": "integer"}}}, 3, "three"),
        ({"properties": {"a": {"type": "integer"}, "b": {"$ref": "#/properties/a"}}}, {"b": 1}, {"b": "one"}),
        ({"$ref": "#/$defs/root", "$defs": {"root": {"items": {"$ref": "#"}, "type": "array"}}}, [[]], [[1]]),
        ({"$id": "https://a.b/c", "$ref": "#/$defs/A", "$defs": {"A": {"type": "integer"}}}, 3, "three"),
        ({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#"}}]}, [[1], 2], [["1"]]),
        (
            {"properties": {"const": {"$ref": "#"}, "$ref": {"const": {"$ref": "#"}}}},
            {"$ref": {"$ref": "#"}},
            {"$ref": 1},
        ),
    ],
)
def test_a_schema_inside_of_another_one_means_the_same(schema: Any, good: Any, bad: Any) -> None:
    inner, definitions = embedded(schema)
    check = check_for({"type": "object", "properties": {"a": {"prefixItems": [inner]}}, "$defs": definitions})
    check({"a": [good]})
    with pytest.raises(ValueError, match=r"is not|was expected"):
        check_for(schema)(bad)
    with pytest.raises(ValueError, match=r"is not|was expected"):
        check({"a": [bad]})


@pytest.mark.parametrize("value", ["\ud800", ["a\udfff"], {"\udc00": 1}, {"a": {"b": "\ud800x"}}])
def test_half_a_surrogate_pair_is_no_text(value: Any) -> None:
    assert not is_json(value)
    assert is_json("\U0001f600")


def test_a_check_is_made_once_for_a_schema_object() -> None:
    schema = {"type": "string"}
    assert check_for(schema) is check_for(schema)
    assert check_for(schema) is not check_for({"type": "string"})


def test_definitions_stay_at_the_root() -> None:
    item: Any = {"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}}
    assert as_object({"options": as_list(item)}) == {
        "type": "object",
        "properties": {"options": {"type": "array", "items": {"$ref": "#/$defs/A"}}},
        "required": ["options"],
        "additionalProperties": False,
        "$defs": {"A": {"type": "string"}},
    }
