"""JSON in texts."""

import pytest

from loopwright.nodes.prose import embedded, fenced, parsed
from loopwright.state.values import Json


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
    ("text", "pieces"),
    [
        ("no brackets", []),
        ('{"a": 1}{"a": 2}', [{"a": 1}, {"a": 2}]),
        ('{"a": {"b": 1}}', [{"a": {"b": 1}}]),
        ('[sic] {x} {"a": 1}', [{"a": 1}]),
        ('{"a": [{"b": 1}', []),
        ('{"a": 1} {"b": [{"c": 1}', [{"a": 1}]),
        ('} {"a": 1}', [{"a": 1}]),
        ("[" * 100_000 + "]" * 100_000 + "[1]", [[1]]),
    ],
)
def test_embedded(text: str, pieces: list[Json]) -> None:
    assert list(embedded(text)) == pieces


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("none", []),
        ("```json\n{}\n```", ["{}"]),
        ("a\n```\nb\nc\n```\nd\n```x-y \ne```", ["b\nc", "e"]),
        ("```\nnever closed", []),
        ("inline ```word``` only", []),
    ],
)
def test_fenced(text: str, inner: list[str]) -> None:
    assert fenced(text) == inner
