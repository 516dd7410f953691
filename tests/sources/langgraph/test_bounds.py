"""Bounds: comparisons that may be those of a counter, and those that are not."""

import ast

import pytest

from loopwright.sources.langgraph.bounds import ANY_KEY, bounds, limits, uses


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


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("state['n'] < 3", [{"n"}]),
        ("state.get('n', 0) + state.m >= 3", [{"n", "m"}]),
        ("score > 8 and state['done']", [{"score"}]),
        ("grown > 8", [set()]),
        ("limit > 8", [set()]),
        ("state['word'] == 'ok'", []),
    ],
)
def test_the_keys_that_a_comparison_looks_at(text: str, keys: list[set[str]]) -> None:
    known: dict[str, list[ast.expr] | None] = {"score": [ast.parse("state['score']", mode="eval").body], "grown": None}
    assert [set(found) for found in limits(ast.walk(ast.parse(text)), known)] == keys


def test_a_function_that_is_given_the_state_may_use_all_of_it() -> None:
    assert ANY_KEY in uses(ast.walk(ast.parse("bump(state)")), "state")
    assert uses(ast.walk(ast.parse("chain.invoke(state)")), "state") == {"invoke"}
