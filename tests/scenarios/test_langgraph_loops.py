"""Loops of LangGraph graphs: what counts in them is a bound, and a score or a flag that may never come is none (D4)."""

import operator
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command
from typing_extensions import TypedDict

from loopwright import stategraph


class State(TypedDict, total=False):
    draft: str
    score: float
    done: bool
    n: int
    most: int
    steps: list[str]
    turns: Annotated[int, operator.add]
    messages: Annotated[list[Any], add_messages]


def judged(draft: str) -> float:
    return float(len(draft))


def bump(state: State) -> int:
    return state.get("n", 0) + 1


def write(state: State) -> dict[str, Any]:
    return {"draft": state.get("draft", "") + "more"}


def scored(state: State) -> dict[str, Any]:
    return {"score": judged(state["draft"])}


def counted(state: State) -> dict[str, Any]:
    return {"n": state["n"] + 1, "score": judged(state["draft"])}


def counted_by_get(state: State) -> dict[str, Any]:
    n = state.get("n", 0)
    return {"n": n + 1}


def counted_in_place(state: State) -> dict[str, Any]:
    n = state["n"]
    n += 1
    return {"n": n}


def counted_elsewhere(state: State) -> dict[str, Any]:
    return {"n": bump(state)}


def counted_down(state: State) -> dict[str, Any]:
    return {"n": state["n"] - 1}


def counted_by_the_reducer(state: State) -> dict[str, Any]:
    del state
    return {"turns": 1}


def talked(state: State) -> dict[str, Any]:
    del state
    return {"messages": [("ai", "hm")]}


def shortened(state: State) -> dict[str, Any]:
    return {"steps": state["steps"][1:]}


def commanded(state: State) -> Command[str]:
    return Command(goto="check", update={"n": state["n"] + 1})


def spread(state: State) -> dict[str, Any]:
    return {**state, "score": 3.0}


def flagged(state: State) -> dict[str, Any]:
    return {"done": bool(judged(state["draft"]))}


def reset(state: State) -> dict[str, Any]:
    del state
    return {"n": 0}


def loop(judge: Callable[[State], Any], route: Callable[[State], Any]) -> Any:
    """Write, judge, and write again or come to the end."""
    builder: Any = StateGraph(State)
    builder.add_node("write", write).add_node("judge", judge).add_node("check", lambda state: {})
    builder.add_edge(START, "write").add_edge("write", "judge")
    if judge is not commanded:
        builder.add_edge("judge", "check")
    return builder.add_conditional_edges("check", route, ["write", END])


@pytest.mark.parametrize(
    ("judge", "route"),
    [
        (counted, lambda state: END if state["n"] >= 3 else "write"),
        (counted, lambda state: END if state["score"] > 8 or state["n"] == 3 else "write"),
        (counted, lambda state: END if state["n"] > state["most"] else "write"),
        (counted_by_get, lambda state: "write" if state.get("n", 0) < 3 else END),
        (counted_in_place, lambda state: "write" if state["n"] < 3 else END),
        (counted_elsewhere, lambda state: "write" if state["n"] < 3 else END),
        (counted_down, lambda state: "write" if state["n"] > 0 else END),
        (counted_by_the_reducer, lambda state: "write" if state["turns"] < 3 else END),
        (talked, lambda state: "write" if len(state["messages"]) < 9 else END),
        (shortened, lambda state: "write" if len(state["steps"]) > 1 else END),
        (commanded, lambda state: "write" if state["n"] < 3 else END),
        (spread, lambda state: END if state["score"] > 8 else "write"),
    ],
)
def test_what_counts_is_a_bound(judge: Callable[[State], Any], route: Callable[[State], Any]) -> None:
    assert list(stategraph.check(loop(judge, route))) == []


@pytest.mark.parametrize(
    ("judge", "route"),
    [
        (scored, lambda state: END if state["score"] >= 8 else "write"),
        (scored, lambda state: END if state.get("score", 0) > 8 else "write"),
        (scored, lambda state: "write" if state["n"] < 3 else END),
        (flagged, lambda state: END if state["done"] else "write"),
        (reset, lambda state: "write" if state["n"] < 3 else END),
        (scored, lambda state: END if state["draft"] == "good" else "write"),
    ],
)
def test_what_may_never_come_is_none(judge: Callable[[State], Any], route: Callable[[State], Any]) -> None:
    (found,) = stategraph.check(loop(judge, route))
    assert (found.code, found.severity) == ("unbounded-loop", "warning")
    assert found.path == ("write", "judge", "check", "write")


def test_a_local_name_is_followed_to_its_key() -> None:
    def route(state: State) -> str:
        score = state["score"]
        return END if score >= 8 else "write"

    assert [found.code for found in stategraph.check(loop(scored, route))] == ["unbounded-loop"]
    assert list(stategraph.check(loop(spread, route))) == []
