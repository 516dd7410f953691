"""What is sent of a schema, and what comes back for it."""

from typing import Any

import pytest
from pydantic import BaseModel

from loopwright.nodes.models.response_format import forms_of, in_words, unwrapped
from loopwright.nodes.think import Judge
from loopwright.state.schema import schema_of
from loopwright.state.values import JsonObject, JsonSchema

CLOSED: JsonObject = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


def closed_with(part: JsonObject) -> JsonObject:
    return {**CLOSED, "properties": {"a": part}}


def sent(schema: JsonSchema) -> tuple[Any, bool]:
    format_: Any = forms_of(schema).response_format
    assert format_["type"] == "json_schema"
    assert format_["json_schema"]["name"] == "answer"
    return format_["json_schema"]["schema"], format_["json_schema"]["strict"]


def test_a_closed_object_is_sent_as_it_is_and_strict() -> None:
    assert sent(CLOSED) == (CLOSED, True)


def test_the_forms_of_a_schema_are_built_once() -> None:
    schema = dict(CLOSED)
    assert forms_of(schema) is forms_of(schema)
    assert forms_of(dict(CLOSED)) is not forms_of(schema)


@pytest.mark.parametrize(("schema", "strict"), [(CLOSED, {"strict": True}), ({"type": "object"}, {})])
def test_a_tool_has_the_schema_as_its_parameters(schema: JsonObject, strict: JsonObject) -> None:
    function = {"name": "answer", "description": "Give the answer.", "parameters": schema, **strict}
    assert forms_of(schema).tool == {"type": "function", "function": function}


WISH = 'nswer with JSON of this schema, and nothing else:\n{"type": "number"}'


@pytest.mark.parametrize(
    ("messages", "last"),
    [
        ([{"role": "user", "content": "How many?"}], [{"role": "user", "content": f"How many?\n\nA{WISH}"}]),
        ([], [{"role": "user", "content": f"A{WISH}"}]),
        (
            [{"role": "assistant", "content": "Ask me."}],
            [{"role": "assistant", "content": "Ask me."}, {"role": "user", "content": f"A{WISH}"}],
        ),
    ],
)
def test_words_stand_at_the_end_of_the_chat(messages: Any, last: Any) -> None:
    before = [dict(message) for message in messages]
    assert in_words(messages, {"type": "number"}, tools=False) == last
    assert messages == before
    assert in_words(messages, {"type": "number"}, tools=True)[-1]["content"].endswith(
        f"When no tool is needed, a{WISH}"
    )


@pytest.mark.parametrize(
    "schema",
    [
        {**CLOSED, "additionalProperties": True},
        {**CLOSED, "required": []},
        {"type": "object"},
        {**CLOSED, "minProperties": 1},
        closed_with({"type": "object", "properties": {}}),
        closed_with({"anyOf": [{"type": "string", "default": ""}]}),
        closed_with({"type": "array", "items": {"uniqueItems": True}}),
        closed_with({}),
    ],
)
def test_what_strict_mode_does_not_take_is_sent_without_it(schema: JsonObject) -> None:
    assert sent(schema) == (schema, False)


def test_a_verdict_with_an_optional_reason_is_not_strict() -> None:
    verdict = Judge("review", prompt="?", outcomes=["pass", "revise"]).schema
    assert sent(verdict) == (verdict, False)


@pytest.mark.parametrize("schema", [{"enum": ["pass", "revise"]}, {"type": "array", "items": {"type": "number"}}])
def test_any_other_schema_is_sent_inside_an_object(schema: JsonObject) -> None:
    wrapped = {"type": "object", "properties": {"value": schema}, "required": ["value"], "additionalProperties": False}
    assert sent(schema) == (wrapped, True)


class Step(BaseModel):
    name: str


def test_definitions_stay_at_the_root() -> None:
    schema, strict = sent(schema_of(list[Step]))
    assert schema["properties"] == {"value": {"type": "array", "items": {"$ref": "#/$defs/Step"}}}
    assert list(schema["$defs"]) == ["Step"]
    assert not strict


def test_a_list_that_refers_to_itself_keeps_its_meaning() -> None:
    schema, _ = sent({"type": "array", "items": {"$ref": "#"}})
    assert schema["properties"] == {"value": {"$ref": "#/$defs/root"}}
    assert schema["$defs"] == {"root": {"type": "array", "items": {"$ref": "#/$defs/root"}}}


@pytest.mark.parametrize(
    ("content", "schema", "value"),
    [
        ('{"value": 8}', {"type": "number"}, 8),
        ('{"value": null}', {"anyOf": [{"type": "null"}]}, None),
        ("8/10", {"type": "number"}, "8/10"),
        ('{"value": 8, "why": "so"}', {"type": "number"}, '{"value": 8, "why": "so"}'),
        ('{"value": ', {"type": "number"}, '{"value": '),
        ('{"value": 8}', CLOSED, '{"value": 8}'),
        ('{"value": 8}', {}, '{"value": 8}'),
        ('{"value": 8}', None, '{"value": 8}'),
        ("[" * 100_000, {"type": "array"}, "[" * 100_000),
        ({"value": 8}, {"type": "number"}, 8),
        ('{"value": 7, "value": 8}', {"type": "number"}, '{"value": 7, "value": 8}'),
        ('{"value": NaN}', {"type": "number"}, '{"value": NaN}'),
    ],
)
def test_unwrapped(content: str, schema: JsonSchema | None, value: Any) -> None:
    assert unwrapped(content, schema) == value
