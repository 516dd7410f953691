"""Texts into values: the text itself where it fits, else strict JSON."""

import pytest

from loopwright.state.schema import schema_from_word
from loopwright.state.text import parsed, value_from_text
from loopwright.state.values import Json, JsonSchema


@pytest.mark.parametrize(
    ("text", "value"),
    [("8", 8), (' "a" ', "a"), ("null", None), ('{"a": {"b": 1}, "b": 2}', {"a": {"b": 1}, "b": 2}), ("1e2", 100.0)],
)
def test_parsed(text: str, value: Json) -> None:
    assert parsed(text) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("NaN", "NaN is not a JSON value"),
        ("[-Infinity]", "-Infinity is not a JSON value"),
        ('{"a": 1, "b": {"c": 1, "c": 1}}', 'the key "c" stands twice in one object'),
        ("[" * 100_000, "it is nested too deeply"),
        ("8.", "Extra data: line 1 column 2 (char 1)"),
        ("", "Expecting value: line 1 column 1 (char 0)"),
    ],
)
def test_what_is_no_json(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        parsed(text)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("word", "text", "value"),
    [
        ("str", "12", "12"),
        ("str", '{"a": 1}', '{"a": 1}'),
        ("str", "", ""),
        ("str | None", "12", "12"),
        ("str | None", "null", "null"),
        ("int", " 12 ", 12),
        ("int | None", "null", None),
        ("float", "12", 12),
        ("bool", "true", True),
        ("list[str]", '["a"]', ["a"]),
        ("dict", '{"a": {"b": 1}}', {"a": {"b": 1}}),
        ("any", "12", 12),
        ("any", '"12"', "12"),
        ("any", "twelve", "twelve"),
        ("any", "", ""),
        ("any", "{sic}", "{sic}"),
    ],
)
def test_the_type_says_what_a_text_stands_for(word: str, text: str, value: Json) -> None:
    found = value_from_text(text, schema_from_word(word))
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "value"), [("12", "12"), ("3", 3), ("true", True), ("red", "red")], ids=["text", "int", "bool", "word"]
)
def test_a_choice_is_the_text_first(text: str, value: Json) -> None:
    assert value_from_text(text, {"enum": ["12", 3, True, "red", 12]}) == value


@pytest.mark.parametrize(
    ("schema", "text", "words"),
    [
        ({"type": "integer"}, "twelve", '"twelve" is not of type "integer"'),
        ({"type": "integer"}, "", '"" is not of type "integer"'),
        ({"type": "integer", "minimum": 1}, "0", "0 is less than the minimum of 1"),
        ({"type": "number"}, "NaN", "NaN is not a JSON value"),
        ({}, "Infinity", "Infinity is not a JSON value"),
        ({"type": "object"}, '{"a": 1, "a": 2}', 'the key "a" stands twice in one object'),
        ({}, '[{"a": 1, "a": 2}]', 'the key "a" stands twice in one object'),
        (
            {"type": "object"},
            '{"a": 1',
            "it is not valid JSON: Expecting ',' delimiter: line 1 column 8 (char 7)",
        ),
        ({"type": "string", "maxLength": 2}, "long", '"long" is longer than 2 characters'),
    ],
)
def test_what_stands_for_no_value(schema: JsonSchema, text: str, words: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        value_from_text(text, schema)
    assert str(caught.value) == words
