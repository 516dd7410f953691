"""Source: a function's syntax is found, and what a closure never runs is left out."""

import ast
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import Any

import pytest

from loopwright.sources.langgraph.source import Source, added_at, decided, ends, function_of, own_nodes, source_of


def plain(state: Any) -> Any:
    return state


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def inner(*args: Any) -> Any:
        return function(*args)

    return inner


@decorated
def wrapped(state: Any) -> Any:
    return state


class Called:
    def __call__(self, state: Any) -> Any:
        return state

    def method(self, state: Any) -> Any:
        return state


TWO: tuple[Any, Any] = (lambda state: "one", lambda state: "two")


@pytest.mark.parametrize(
    ("called", "name"),
    [
        (plain, "plain"),
        (partial(plain, 1), "plain"),
        (wrapped, "wrapped"),
        (Called(), "__call__"),
        (Called().method, "method"),
    ],
)
def test_the_function_that_runs(called: Any, name: str) -> None:
    function = function_of(called)
    assert function is not None
    source = source_of(function)
    assert isinstance(source.node, ast.FunctionDef)
    assert (source.node.name, source.first_parameter) == (name, "state")
    assert source.line == function.__code__.co_firstlineno


def test_what_is_no_function_of_python_has_none() -> None:
    assert [function_of(called) for called in (len, "text", None)] == [None, None, None]


@pytest.mark.parametrize(("place", "answer"), [(0, "one"), (1, "two")])
def test_lambdas_on_one_line_are_told_apart(place: int, answer: str) -> None:
    node = source_of(TWO[place]).node
    assert isinstance(node, ast.Lambda)
    assert ast.unparse(node.body) == repr(answer)


def test_a_function_without_a_file_has_no_syntax() -> None:
    space: dict[str, Any] = {}
    exec("def made(state): return 1", space)
    assert (source_of(space["made"]).node, source_of(space["made"]).line) == (None, 0)


def closure(hook: Any, mode: str) -> Source:
    def routed(state: Any) -> Any:
        if hook is not None:
            return "hook"
        if mode == "fast" or not state:
            return "fast"
        return "slow"

    route: Any = routed
    return source_of(route)


@pytest.mark.parametrize(
    ("hook", "mode", "answers"),
    [
        (print, "slow", ["hook"]),
        (None, "fast", ["fast"]),
        (None, "slow", ["fast", "slow"]),
    ],
)
def test_what_a_closure_never_runs_is_left_out(hook: Any, mode: str, answers: list[str]) -> None:
    returns = [node for node in own_nodes(closure(hook, mode)) if isinstance(node, ast.Return)]
    assert [ast.literal_eval(node.value) for node in returns if node.value] == answers


def test_functions_inside_are_not_looked_into() -> None:
    def around(state: Any) -> Any:
        def inner() -> str:
            return "inner"

        return inner

    outer: Any = around
    assert len([node for node in own_nodes(source_of(outer)) if isinstance(node, ast.Return)]) == 1


@pytest.mark.parametrize(
    ("test", "known"),
    [
        ("hook is None", True),
        ("hook", False),
        ("not hook", True),
        ("mode != 'fast'", False),
        ("hook and other", False),
        ("mode and other", None),
        ("other", None),
        ("mode > 'a'", None),
    ],
)
def test_conditions_on_a_closure_are_decided(test: str, known: bool | None) -> None:
    assert decided(ast.parse(test, mode="eval").body, closure(None, "fast")) is known


@pytest.mark.parametrize(
    ("block", "always"),
    [
        ("return", True),
        ("x = 1", False),
        ("with a:\n  return", True),
        ("match a:\n  case 1:\n    return\n  case _:\n    raise b", True),
        ("match a:\n  case 1:\n    return", False),
        ("try:\n  return\nexcept E:\n  raise", True),
        ("try:\n  return\nexcept E:\n  pass", False),
        ("while a:\n  return", False),
    ],
)
def test_blocks_that_always_end(block: str, always: bool) -> None:
    assert ends(ast.parse(block).body) is always


def test_where_nodes_are_added(tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    file.write_text('b = StateGraph(S)\nb.add_node("ask", ask).add_node(\n  tell)\nb.add_node(make())\n')
    assert added_at(str(file)) == {"ask": 2, "tell": 3}
    file.write_text("b = (")
    assert added_at(str(tmp_path / "none.py")) == {}


def test_values_of_names_around_a_function() -> None:
    source = closure(None, "fast")
    assert (source.value("mode"), source.value("ast"), source.value("nothing")) == ("fast", ast, None)


def test_a_file_that_was_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, line in (("one", 1), ("two", 2)):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        Path("app.py").write_text("\n" * (line - 1) + "b.add_node('ask', ask)\n")
        assert added_at("app.py") == {"ask": line}
