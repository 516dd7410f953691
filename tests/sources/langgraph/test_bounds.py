"""Bounds: comparisons that may be those of a counter, and those that are not."""

import ast

import pytest

from loopwright.sources.langgraph.bounds import bounds


@pytest.mark.parametrize(
    ("text", "may_be"),
    [
        ("n >= most", True),
        ("0 < n < 3", True),
        ("left > 0", True),
        ("n == 3", True),
        ("n != len(steps)", True),
        ("len(calls) > 0", False),
        ("0 < len(calls)", False),
        ("n == 0", False),
        ("done == True", False),
        ("word in words", False),
    ],
)
def test_what_may_be_a_counter(text: str, may_be: bool) -> None:
    (compare,) = (each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Compare))
    assert bounds(compare) is may_be
