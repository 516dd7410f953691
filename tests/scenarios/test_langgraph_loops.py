"""Loops of LangGraph graphs: what counts in them is a bound, and a score or a flag that may never come is none (D4)."""

# ruff: noqa: C408, T201 - the nodes are written as people write them

import dataclasses
import heapq
import operator
import time
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command
from pydantic import BaseModel
from typing_extensions import TypedDict

from loopwright import stategraph

MODEL: Any = None
"""A model, which is never called here."""


class State(TypedDict, total=False):
    draft: str
    score: float
    best: float
    done: bool
    n: int
    left: int
    most: int
    start: float
    steps: list[str]
    log: dict[str, int]
    turns: Annotated[int, operator.add]
    messages: Annotated[list[Any], add_messages]
    last: Annotated[int, lambda old, new: new]


@dataclasses.dataclass
class Kept:
    n: int = 0
    score: float = 0


class Model(BaseModel):
    n: int = 0
    score: float = 0


def judged(draft: Any) -> float:
    return float(MODEL.invoke(f"Give it a score from 0 to 10: {draft}").content)


def asked(state: State) -> float:
    reply = MODEL.invoke([("system", "Be strict."), ("user", state["draft"])])
    return float(reply.content.split(":")[1])


def bump(state: State) -> int:
    return state.get("n", 0) + 1


def plus_one(number: int) -> int:
    return number + 1


def write(state: State) -> dict[str, Any]:
    return {"draft": state.get("draft", "") + "more"}


def counted_in_place(state: State) -> dict[str, Any]:
    n = state["n"]
    n += 1
    return {"n": n, "score": asked(state)}


def counted_in_the_state(state: State) -> dict[str, Any]:
    state["n"] += 1
    return {"n": state["n"]}


def popped(state: State) -> dict[str, Any]:
    steps = state["steps"]
    step = steps.pop(0)
    return {"steps": steps, "draft": judged(step)}


def off_the_heap(state: State) -> dict[str, Any]:
    steps = list(state["steps"])
    heapq.heappop(steps)
    return {"steps": steps}


def counted_or_not(state: State) -> dict[str, Any]:
    if state["score"] > 8:
        return {"done": True}
    n = bump(state)
    return {"n": n, "done": n >= 3}


def commanded(state: State) -> Command[str]:
    return Command(goto="check", update={"n": state["n"] + 1})


class Agent:
    calls = 0

    def judge(self, state: State) -> dict[str, Any]:
        self.calls += 1
        return {"score": judged(state["draft"])}

    def route(self, state: State) -> str:
        return END if state["score"] > 8 or self.calls >= 3 else "write"


AGENT = Agent()


def too_many(state: State) -> bool:
    return state["n"] >= 3


def over(state: State, most: int) -> bool:
    return total(state) >= most


def total(state: State) -> int:
    return sum(state["log"].values())


def is_good(score: float) -> bool:
    return score > 8


def loop(judge: Callable[..., Any], route: Callable[..., Any], schema: Any = State) -> Any:
    """Write, judge, and write again or come to the end."""
    builder: Any = StateGraph(schema)
    builder.add_node("write", write if schema is State else lambda state: {})
    builder.add_node("judge", judge).add_node("check", lambda state: {})
    builder.add_edge(START, "write").add_edge("write", "judge")
    if judge is not commanded:
        builder.add_edge("judge", "check")
    return builder.add_conditional_edges("check", route, ["write", END])


def until_3(state: State) -> str:
    return "write" if state["n"] < 3 else END


def until_good(state: State) -> str:
    return END if state["score"] >= 8 else "write"


@pytest.mark.parametrize(
    ("judge", "route"),
    [
        (lambda state: {"n": state["n"] + 1, "score": judged(state["draft"])}, until_3),
        (lambda state: {"n": state["n"] + 1}, lambda state: END if state["score"] > 8 or state["n"] == 3 else "write"),
        (lambda state: {"n": state["n"] + 1}, lambda state: END if state["n"] > state["most"] else "write"),
        (lambda state: {"n": state["n"] + 1}, lambda state: END if too_many(state) else "write"),
        (lambda state: {"n": state.get("n", 0) + 1}, lambda state: "write" if state.get("n", 0) < 3 else END),
        (lambda state: {"n": (state.get("n") or 0) + 1}, until_3),
        (lambda state: {"n": bump(state), "score": asked(state)}, until_3),
        (lambda state: {"n": plus_one(state["n"])}, until_3),
        (lambda state: dict(n=1 + state["n"]), until_3),
        (lambda state: {**state, "n": state["n"] + 1}, until_3),
        (lambda state: {"left": state["left"] - 1}, lambda state: "write" if state["left"] > 0 else END),
        (lambda state: {"left": state["left"] - 1}, lambda state: "write" if state["left"] else END),
        (lambda state: {"turns": 1}, lambda state: "write" if state["turns"] < 3 else END),
        (lambda state: {"messages": [("ai", "hm")]}, lambda state: "write" if len(state["messages"]) < 20 else END),
        (lambda state: {"n": len(state["messages"]), "messages": ["hm"]}, until_3),
        (lambda state: {"steps": state["steps"][1:]}, lambda state: "write" if len(state["steps"]) > 1 else END),
        (lambda state: {"steps": state["steps"][1:]}, lambda state: "write" if state["steps"] else END),
        (lambda state: {"steps": [*state["steps"], "x"]}, lambda state: "write" if len(state["steps"]) < 3 else END),
        (lambda state: {"steps": state["steps"] + ["x"]}, lambda state: END if len(state["steps"]) >= 3 else "write"),
        (lambda state: {"log": {**state["log"], "n": state["log"]["n"] + 1}}, lambda state: until_3(state["log"])),
        (lambda state: {"start": state["start"]}, lambda state: END if time.time() - state["start"] > 60 else "write"),
        (lambda state: {"start": time.time()}, lambda state: END if state["start"] > state["most"] else "write"),
        (lambda state: {"score": MODEL.judge(state)}, until_good),
        (lambda state: {"log": {**state["log"], "a": 1}}, lambda state: END if over(state, AGENT.calls) else "write"),
        (counted_in_place, until_3),
        (counted_in_the_state, until_3),
        (popped, lambda state: "write" if len(state["steps"]) != 0 else END),
        (popped, lambda state: END if not state["steps"] else "write"),
        (off_the_heap, lambda state: "write" if state["steps"] else END),
        (counted_or_not, lambda state: END if state["done"] else "write"),
        (commanded, until_3),
        (AGENT.judge, AGENT.route),
    ],
)
def test_what_counts_is_a_bound(judge: Callable[[State], Any], route: Callable[[State], Any]) -> None:
    assert list(stategraph.check(loop(judge, route))) == []


@pytest.mark.parametrize(
    ("judge", "schema"),
    [
        (lambda state: {"n": state.n + 1}, Kept),
        (lambda state: dataclasses.replace(state, n=state.n + 1), Kept),
        (lambda state: {"n": state.n + 1}, Model),
        (lambda state: Model(n=state.n + 1), Model),
        (lambda state: state.model_copy(update={"n": state.n + 1}), Model),
    ],
)
def test_states_of_other_kinds(judge: Callable[[Any], Any], schema: type) -> None:
    assert list(stategraph.check(loop(judge, lambda state: END if state.n >= 3 else "write", schema))) == []
    asks = loop(lambda state: {"score": judged(state.n)}, lambda state: END if state.score >= 8 else "write", schema)
    assert [found.code for found in stategraph.check(asks)] == ["unbounded-loop"]


def test_a_subgraph_counts() -> None:
    def with_body(node: Callable[[State], Any]) -> Any:
        builder: Any = StateGraph(State)
        body: Any = builder.add_node("inner", node).add_edge(START, "inner").add_edge("inner", END).compile()
        return loop(body, until_3)

    assert list(stategraph.check(with_body(lambda state: {"n": state["n"] + 1}))) == []
    assert len(stategraph.check(with_body(lambda state: {"score": judged(state)}))) == 1


def printed(state: State) -> dict[str, Any]:
    print(state["score"])
    if state["score"] > 5:
        print("better")
    return {"score": judged(state["draft"])}


def from_a_local_name(state: State) -> dict[str, Any]:
    verdict = MODEL.with_structured_output(Kept).invoke({"draft": state["draft"], "score": state["score"]})
    score = verdict.score / 10
    return {"score": score, "done": verdict.score > state["best"]}


def found_in_a_reply(state: State) -> dict[str, Any]:
    old = state["score"]
    prompt = "It had " + str(old) + ". Give a new score."
    reply = MODEL.chat.completions.create(messages=[{"role": "user", "content": prompt}])
    return {"score": float(reply.choices[0].message.content)}


@pytest.mark.parametrize(
    ("judge", "route"),
    [
        (lambda state: {"score": judged(state["draft"])}, until_good),
        (lambda state: {"score": judged(state["draft"])}, lambda state: END if state.get("score", 0) > 8 else "write"),
        (lambda state: {"score": judged(state["draft"])}, until_3),
        (lambda state: {"score": asked(state)}, until_good),
        (lambda state: {"score": judged(state)}, until_good),
        (lambda state: {"score": asked(state)}, lambda state: END if is_good(state["score"]) else "write"),
        (lambda state: {"score": judged({**state})}, until_good),
        (lambda state: {"score": judged(f"{state['draft']} had {state['score']}")}, until_good),
        (lambda state: {"score": MODEL(f"{state['draft']} had {state['score']}")}, until_good),
        (lambda state: {"score": MODEL.invoke(state).score}, until_good),
        (lambda state: {"score": max(asked(state), 3)}, until_good),
        (lambda state: {"best": max(state["best"], 3)}, lambda state: END if state["best"] > 8 else "write"),
        (lambda state: {"n": state["n"]}, until_3),
        (lambda state: {"n": 0}, until_3),
        (lambda state: {"turns": 0}, lambda state: END if state["turns"] > 3 else "write"),
        (lambda state: {"last": 1}, lambda state: END if state["last"] > 3 else "write"),
        (lambda state: {"n": state["n"] + 1, "score": asked(state)}, until_good),
        (lambda state: {"done": bool(asked(state))}, lambda state: END if state["done"] else "write"),
        (lambda state: {"score": asked(state)}, lambda state: END if state["draft"] == "good" else "write"),
        (lambda state: {"steps": state["steps"]}, lambda state: "write" if state["steps"] else END),
        (printed, until_good),
        (from_a_local_name, until_good),
        (found_in_a_reply, until_good),
    ],
)
def test_what_may_never_come_is_none(judge: Callable[[State], Any], route: Callable[[State], Any]) -> None:
    (found,) = stategraph.check(loop(judge, route))
    assert (found.code, found.severity) == ("unbounded-loop", "warning")
    assert found.path == ("write", "judge", "check", "write")


def test_a_counter_that_each_round_sets_back_is_none() -> None:
    def graph(before: Callable[[State], Any]) -> Any:
        made: Any = StateGraph(State)
        made.add_node("write", before).add_node("judge", counted_in_place)
        made.add_edge(START, "write").add_edge("write", "judge")
        return made.add_conditional_edges("judge", until_3, ["write", END])

    assert [found.code for found in stategraph.check(graph(lambda state: {"n": 0}))] == ["unbounded-loop"]
    assert list(stategraph.check(graph(lambda state: {"n": 0} if state["done"] else {}))) == []


def test_a_local_name_is_followed_to_its_key() -> None:
    def route(state: State) -> str:
        score = state["score"]
        return END if score >= 8 else "write"

    assert [found.code for found in stategraph.check(loop(lambda state: {"score": asked(state)}, route))] == [
        "unbounded-loop"
    ]
    assert list(stategraph.check(loop(lambda state: {"score": state["score"] + 1}, route))) == []
