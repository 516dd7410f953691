"""What stands in prose."""

import pytest

from loopwright.nodes.prose import embedded, fenced
from loopwright.state.values import Json


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
