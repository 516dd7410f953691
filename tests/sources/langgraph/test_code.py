"""Code: what stands in a router or a node in so many words, and nothing more."""

# ruff: noqa: RET503, RET504, SIM108, C408 - the nodes are written as people write them

from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from typing import Any

import pytest
from langgraph.graph import END
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

from loopwright.sources.langgraph.code import Answer, Code, Ways, Written
from loopwright.sources.langgraph.source import source_of

NEXT = "write"
BOTH = ["write", "read"]


class Verdict(StrEnum):
    PASS = "pass"


def code(function: Any) -> Code:
    return Code(source_of(function))


def closed(*answers: Any) -> Ways:
    """Answers of which there are no others: each a value, or a tuple of values that are given at once."""
    return Ways(tuple(Answer(each if isinstance(each, tuple) else (each,)) for each in answers), open=False)


def by_names(state: Any) -> Any:
    if state["a"]:
        goto = "write"
    else:
        goto = NEXT if state["b"] else END
    return goto


def from_a_loop(state: Any) -> Any:
    for name in state["names"]:
        return name
    return "write"


def from_an_argument(state: Any, goto: str) -> Any:
    return goto


def circular(state: Any) -> Any:
    goto = "write"
    goto = goto
    return goto


def yields(state: Any) -> Any:
    yield "write"


def gathers(state: Any) -> Any:
    tasks = []
    for topic in state["topics"]:
        tasks.append(Send("write", topic))
    return tasks


def adds(state: Any) -> Any:
    return [Send(NEXT, each) for each in state] + [Send("read", state)]


def gathers_names(state: Any) -> Any:
    names = []
    if state["a"]:
        names.append("write")
    return names


def grows(state: Any) -> Any:
    tasks = [Send("write", state)]
    tasks.extend(state["tasks"])
    return tasks


@pytest.mark.parametrize(
    ("router", "ways"),
    [
        (lambda state: "write" if state["a"] else END, closed("write", END)),
        (lambda state: NEXT, closed("write")),
        (lambda state: len(state["a"]) > 3, closed(True, False)),
        (lambda state: not state["a"], closed(True, False)),
        (lambda state: Verdict.PASS, closed("pass")),
        (lambda state: BOTH, closed(("write", "read"))),
        (lambda state: ["write", NEXT] if state["a"] else "read", closed(("write", "write"), "read")),
        (gathers, Ways((Answer(("write",), sent=True, many=True),), open=False)),
        (gathers_names, Ways()),
        (grows, Ways()),
        (lambda state: [Send("a", 1), Send("a", 2)], Ways((Answer(("a", "a"), sent=True, many=True),), open=False)),
        (adds, Ways((Answer(("write", "read"), sent=True, many=True),), open=False)),
        (lambda state: NEXT + "_again", Ways()),
        (lambda state: Send("write", state), Ways((Answer(("write",), sent=True),), open=False)),
        (lambda state: [Send(NEXT, each) for each in state], Ways((Answer(("write",), True, True),), open=False)),
        (by_names, closed("write", END)),
        (lambda state: state["verdict"], Ways()),
        (lambda state: [state["a"], "write"], Ways()),
        (lambda state: "write" if state["a"] else state["b"], Ways((Answer(("write",)),))),
        (lambda state: Send(state["a"], state), Ways()),
        (lambda state: by_names(state), Ways()),
        (lambda state: state.verdict, Ways()),
        (from_a_loop, Ways((Answer(("write",)),))),
        (from_an_argument, Ways()),
        (circular, Ways()),
        (yields, Ways()),
    ],
)
def test_answers_of_a_router(router: Callable[..., Any], ways: Ways) -> None:
    assert code(router).answers() == ways


def goes_or_writes(state: Any) -> Any:
    if state["a"]:
        return Command(goto="write", update={"a": 1})
    return {"b": 2}


def commands_in_a_name(state: Any) -> Any:
    command = Command[Any](goto=state["a"])
    return command


@pytest.mark.parametrize(
    ("node", "ways"),
    [
        (lambda state: {"a": 1}, None),
        (lambda state: Command(goto="write"), closed("write")),
        (lambda state: Command(goto=["write", "read"]), closed(("write", "read"))),
        (lambda state: Command(update={}), closed(())),
        (lambda state: Command(goto=state["a"]), Ways()),
        (goes_or_writes, closed("write", ())),
        (commands_in_a_name, Ways()),
        (lambda state: Command(goto="outside", graph=Command.PARENT), None),
    ],
)
def test_where_the_commands_of_a_node_go(node: Callable[..., Any], ways: Ways | None) -> None:
    assert code(node).gotos() == ways


def test_a_command_for_the_graph_around() -> None:
    assert code(lambda state: Command(goto="a", graph=Command.PARENT)).leaves_to_parent()
    assert not code(goes_or_writes).leaves_to_parent()


def sometimes(state: Any) -> Any:
    if state["a"]:
        return {"a": 1, "b": 2}
    return {"a": 1}


def falls_through(state: Any) -> Any:
    if state["a"]:
        return {"a": 1}


def by_name(state: Any) -> Any:
    update = {"a": 1}
    return update


def by_a_name_that_grows(state: Any) -> Any:
    update = {"a": 1}
    update["b"] = 2
    return update


class Keys(TypedDict, total=False):
    a: int
    b: int


def nothing(state: Any) -> None:
    return None


@pytest.mark.parametrize(
    ("node", "sure", "may", "known"),
    [
        (lambda state: {"a": 1}, "a", "a", True),
        (lambda state: dict(a=1, b=2), "ab", "ab", True),
        (lambda state: Command(goto="x", update={"a": 1}), "a", "a", True),
        (lambda state: {"a": 1} if state["x"] else {"b": 1}, "", "ab", True),
        (sometimes, "a", "ab", True),
        (falls_through, "", "a", True),
        (by_name, "a", "a", True),
        (nothing, "", "", True),
        (by_a_name_that_grows, "", "", False),
        (lambda state: {**state, "a": 1}, "a", "a", False),
        (lambda state: Keys(a=1), "a", "a", True),
        (lambda state: state, "", "", False),
        (yields, "", "", False),
    ],
)
def test_what_a_node_writes(node: Callable[..., Any], sure: str, may: str, known: bool) -> None:
    assert code(node).written() == Written(frozenset(sure), frozenset(may), known)


def reads_at_once(state: Any) -> Any:
    topic = state["topic"]
    if state["draft"]:
        return {"a": state["b"]}
    return {"a": state["c"], "x": topic}


def reads_after_a_look(state: Any) -> Any:
    text: Any = "topic" in state and state["topic"]
    return {"a": text, "b": state.get("b"), "c": [state["c"] for _ in text]}


def writes_its_state(state: Any) -> Any:
    state["a"] = 1
    return state


def reads_what_it_has_set(state: Any) -> Any:
    state["draft"] = ""
    return {"draft": state["draft"]}


def reads_what_may_be_missing(state: Any) -> Any:
    with suppress(KeyError):
        return {"draft": state["draft"]}


@pytest.mark.parametrize(
    ("node", "keys"),
    [
        (reads_at_once, {"topic", "draft"}),
        (reads_after_a_look, set()),
        (writes_its_state, set()),
        (reads_what_it_has_set, set()),
        (reads_what_may_be_missing, set()),
        (lambda state: {"a": state["b"]}, {"b"}),
        (lambda state: {"a": state["b"] if state["c"] else 1}, set()),
    ],
)
def test_what_a_node_reads_whenever_it_runs(node: Callable[..., Any], keys: set[str]) -> None:
    assert code(node).reads() == keys


def test_bounds_that_can_be_seen() -> None:
    assert code(lambda state: "a" if state["n"] < 3 else "b").limits()
    assert not code(lambda state: "a" if state["n"] == "pass" else "b").limits()
    assert not code(lambda state: "a" if len(state["calls"]) > 0 else "b").limits()
    assert code(lambda state: {"a": interrupt("?")}).waits()
    assert not code(nothing).waits()


def test_conditions_on_a_closure_that_are_left_open() -> None:
    def made(names: Any) -> Code:
        return code(lambda state: "a" if names else "b")

    assert made(len).hangs_on_closure
    assert not made(None).hangs_on_closure
    assert not code(by_names).hangs_on_closure


def test_code_without_a_source_says_nothing() -> None:
    space: dict[str, Any] = {}
    exec("def made(state): return {'a': state['b']}", space)
    made = code(space["made"])
    assert (made.answers(), made.gotos(), made.reads()) == (Ways(), None, frozenset())
    assert not made.written().known
