"""Straight: what runs whenever a function does."""

import ast

import pytest

from loopwright.sources.langgraph.straight import straight


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a; b", ["a", "b"]),
        ("if a: b", ["a"]),
        ("a if b else c", []),
        ("with a: b", ["a", "b"]),
        ("with contextlib.suppress(a): b", []),
        ("try: a\nfinally: b", []),
    ],
)
def test_what_always_runs(text: str, names: list[str]) -> None:
    assert [each.id for each in straight(ast.parse(text).body) if isinstance(each, ast.Name)] == names
