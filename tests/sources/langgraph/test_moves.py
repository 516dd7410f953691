"""Moves: a key that goes on from what it was, one that follows such a key, and one that is set back."""

import operator
from collections.abc import Callable
from typing import Any

import pytest
from langgraph.graph.message import add_messages
from langgraph.types import Command

from loopwright.sources.langgraph.code import Code
from loopwright.sources.langgraph.moves import Moves, adds, moved
from loopwright.sources.langgraph.source import source_of

MODEL: Any = None


class Counter:
    n = 0

    def node(self, state: Any) -> Any:
        del state
        self.n += 1
        return {"n": self.n}


def of(function: Any, *adding: str) -> Moves:
    return moved(Code(source_of(function)), adding)


def test_what_moves() -> None:
    assert of(lambda state: {"n": state["n"] + 1, "score": MODEL.invoke(state)}).keys == {"n"}
    assert of(lambda state: Command(goto="a", update={"n": state["n"] + 1})).keys == {"n"}
    assert of(lambda state: {"n": state["n"]}) == Moves()
    assert of(lambda state: {"n": MODEL(state)}).keys == {"n"}
    assert of(Counter().node).keys == {"n"}


def test_what_follows() -> None:
    assert of(lambda state: {"left": len(state["steps"])}).follows == {("left", "steps")}
    assert of(lambda state: {"n": state["n"]}).follows == frozenset()


@pytest.mark.parametrize(("value", "moves"), [(1, True), ("more", True), (0, False), ("", False)])
def test_what_is_added(value: Any, moves: bool) -> None:
    functions: dict[Any, Callable[..., Any]] = {
        1: lambda state: {"n": 1},
        "more": lambda state: {"n": ["more"]},
        0: lambda state: {"n": 0},
        "": lambda state: {"n": []},
    }
    assert of(functions[value], "n") == Moves(frozenset({"n"} if moves else ()))


def test_what_is_set_back() -> None:
    assert of(lambda state: {"n": 0, "steps": [], "m": state["m"]}).resets == {"n", "steps"}
    assert of(lambda state: {"n": 0} if state["done"] else {}).resets == frozenset()
    assert of(lambda state: {"n": 0} if state["done"] else {"n": state["n"] + 1}).resets == frozenset()


def largest(old: int, new: int) -> int:
    return max(old, new)


def joined(old: list[Any], new: list[Any]) -> list[Any]:
    return [*old, *new]


@pytest.mark.parametrize("reducer", [operator.add, operator.or_, add_messages, joined, None])
def test_reducers_that_add(reducer: Any) -> None:
    assert adds(reducer)


@pytest.mark.parametrize("reducer", [max, largest, lambda old, new: new, lambda old, new: new or old])
def test_reducers_that_take_one(reducer: Any) -> None:
    assert not adds(reducer)
