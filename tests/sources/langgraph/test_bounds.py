"""Bounds: comparisons that may be those of a counter, and those that are not."""

import ast

import pytest

from loopwright.sources.langgraph.bounds import bounds, called, empties, key_read, keys_in, limits


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


def test_a_clock_comes_to_any_limit() -> None:
    assert limits(ast.walk(ast.parse("time.time() - state['start'] > 60")), {}) == (frozenset(),)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("state['n']", "n"),
        ("state.get('n', 0)", "n"),
        ("state.pop('n')", "n"),
        ("state.n", "n"),
        ("state[n]", ""),
        ("state.get(n)", ""),
        ("n", ""),
    ],
)
def test_the_key_that_is_read(text: str, key: str) -> None:
    assert key_read(ast.parse(text, mode="eval").body) == key


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("'a' if state['steps'] else 'b'", {"steps"}),
        ("not state.steps", {"steps"}),
        ("bool(state.get('steps'))", {"steps"}),
        ("len(state['steps']) == 0", {"steps"}),
        ("state['steps'] == []", {"steps"}),
        ("'a' if left else 'b'", {"steps"}),
        ("'a' if state['steps'] and state['n'] else 'b'", {"steps", "n"}),
        ("(state.get('n') or 0) + 1", set()),
        ("'a' if state['messages'][-1].tool_calls else 'b'", {"tool_calls"}),
        ("'a' if ask(state['steps']) else 'b'", set()),
    ],
)
def test_what_is_looked_at_whether_it_holds_anything(text: str, keys: set[str]) -> None:
    known: dict[str, list[ast.expr] | None] = {"left": [ast.parse("state['steps']", mode="eval").body]}
    assert empties(ast.walk(ast.parse(text)), known) == keys


def test_the_name_of_what_is_called() -> None:
    calls = [each for each in ast.walk(ast.parse("a(); b.c(); d[e](); f()()")) if isinstance(each, ast.Call)]
    assert sorted(map(called, calls)) == ["", "a", "c", "d", "f"]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("state['a'] + state.b", {"a", "b"}),
        ("model.invoke(state['a'])", {"invoke"}),
        ("score(state['a'])", {"a"}),
        ("now()", None),
        ("grown", None),
    ],
)
def test_the_keys_that_an_expression_looks_at(text: str, keys: set[str] | None) -> None:
    assert keys_in(ast.parse(text, mode="eval").body, {"grown": None}) == keys
