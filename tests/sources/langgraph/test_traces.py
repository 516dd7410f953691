"""Traces: what a value comes from, through names and functions; what a model answers comes from nothing."""

# ruff: noqa: RET504 - the nodes are written as people write them

import ast
import time
from collections.abc import Callable
from typing import Any

import pytest

from loopwright.sources.langgraph.source import source_of
from loopwright.sources.langgraph.traces import Trace, Traced, is_display

MODEL: Any = None


def ask(state: Any) -> float:
    return float(MODEL.invoke(f"{state['draft']} had {state['score']}").content)


def bump(state: Any) -> int:
    return plus(state["n"], more=1)


def plus(number: int, more: int) -> int:
    total = number + more
    return total


def in_place(state: Any) -> Any:
    n = state["n"]
    n += 1
    return n


def rest_of(state: Any) -> Any:
    first, *rest = state["steps"]
    del first
    return rest


def popped(state: Any) -> Any:
    steps = list(state["steps"])
    steps.pop(0)
    return steps


def deleted(state: Any) -> Any:
    steps = state["steps"]
    del steps[0]
    return steps


def stored(state: Any) -> Any:
    state["n"] = state["n"] + 1
    return state["n"]


def stored_anew(state: Any) -> Any:
    state["score"] = MODEL.invoke(state["draft"])
    return state["score"]


def paired(state: Any) -> Any:
    n, score = state["n"] + 1, state["score"]
    del n
    return score


def again_and_again(state: Any) -> Any:
    n = state["n"]
    n = n + 1
    return n


def grown_elsewhere(state: Any) -> Any:
    tree = state["tree"]
    best = max(tree.leaves)
    best.leaves.extend(MODEL.invoke("more"))
    return tree


def circular(state: Any) -> Any:
    n = 0
    for _ in range(3):
        n = n + state["n"]
    return n


def kept_elsewhere(state: Any) -> Any:
    global CALLS
    CALLS += 1
    return CALLS


CALLS = 0


def yields(state: Any) -> Any:
    yield state["n"]


def found(function: Any) -> set[tuple[str, bool]]:
    return {(trace.key, trace.changed) for trace in Traced(source_of(function)).returned()}


@pytest.mark.parametrize(
    ("function", "traces"),
    [
        (lambda state: state["n"] + 1, {("n", True)}),
        (lambda state: state.get("n", 0) + 0, {("n", False)}),
        (lambda state: state.n - 1, {("n", True)}),
        (lambda state: max(state["best"], 3), {("best", False)}),
        (lambda state: state["steps"][1:], {("steps", True)}),
        (lambda state: state["steps"][:], {("steps", False)}),
        (lambda state: state["steps"][0], {("steps", False)}),
        (lambda state: [*state["steps"], "more"], {("steps", True)}),
        (lambda state: {**state["votes"], "a": 1}, {("votes", False), ("votes", True)}),
        (lambda state: [each for each in state["steps"] if each], {("steps", True)}),
        (lambda state: 1 if state["n"] else 2, set()),
        (lambda state: lambda: state["n"], set()),
        (lambda state: f"{state['draft']} more", {("draft", True)}),
        (lambda state: len(state["draft"]), {("draft", False)}),
        (lambda state: ask(state), set()),
        (lambda state: ask({**state}), set()),
        (lambda state: bump(state), {("n", True)}),
        (lambda state: plus(number=state["n"], more=2), {("n", True)}),
        (lambda state: plus(*state["n"]), {("n", True)}),
        (lambda state: MODEL(f"it had {state['score']}"), set()),
        (lambda state: MODEL("it had {}".format(state["score"])), set()),
        (lambda state: MODEL("it had " + state["score"]), set()),
        (lambda state: MODEL(state["score"]), {("score", True)}),
        (lambda state: MODEL(state), {("", True)}),
        (lambda state: MODEL.judge(state), {("", True)}),
        (lambda state: MODEL.invoke(state).score, set()),
        (lambda state: state.copy()["n"], {("n", False)}),
        (lambda state: time.monotonic() - state["start"], {("", True), ("start", True)}),
        (lambda state: MODEL.draw(state["n"])["n"], {("n", True)}),
        (in_place, {("n", True)}),
        (rest_of, {("steps", True)}),
        (popped, {("steps", True)}),
        (deleted, {("steps", True)}),
        (stored, {("n", False), ("n", True)}),
        (stored_anew, {("score", False)}),
        (paired, {("score", False)}),
        (again_and_again, {("n", False), ("n", True)}),
        (grown_elsewhere, {("tree", True)}),
        (circular, {("n", True)}),
        (kept_elsewhere, {("", True)}),
        (yields, {("", True)}),
    ],
)
def test_what_an_answer_comes_from(function: Callable[..., Any], traces: set[tuple[str, bool]]) -> None:
    assert found(function) == traces


def test_a_function_inside_may_see_the_state() -> None:
    def node(state: Any) -> Any:
        def more() -> Any:
            return state["n"] + 1

        return more()

    assert found(node) == {("", True)}


def test_a_text_is_told_apart() -> None:
    function: Any = lambda state: f"{state['a']}"  # noqa: E731 - as a router is written
    assert Traced(source_of(function)).returned() == {Trace("a", changed=True, text=True)}


def test_what_takes_too_long_may_be_anything() -> None:
    function: Any = bump
    traced = Traced(source_of(function))
    traced.left[0] = 1
    assert Trace("", changed=True) in traced.returned()


def test_what_calls_itself_comes_to_an_end() -> None:
    def again(state: Any) -> Any:
        return again({**state, "n": state["n"] + 1})

    assert ("n", True) in found(again)


def test_source_that_cannot_be_seen() -> None:
    hidden: dict[str, Any] = {}
    exec("def hidden(n): return n", hidden)
    function = hidden["hidden"]
    assert found(lambda state: function(state["n"])) == {("n", True)}


def test_displays() -> None:
    assert [is_display(ast.parse(text, mode="eval").body) for text in ("[]", "{}", "(1,)", "{1}", "'a'")] == [
        True, True, True, True, False
    ]  # fmt: skip
