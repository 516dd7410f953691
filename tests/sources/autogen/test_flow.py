"""Graphs of agents; AG-13 as it was written for the original."""

from typing import Any

import pytest

import loopwright as lw
from loopwright.sources.autogen.flow import flow
from loopwright.sources.autogen.parts import Reading
from loopwright.sources.specs import spec_from_data
from loopwright.testing import path_of


def node(*targets: str, **conditions: str) -> Any:
    edges = [{"target": target} for target in targets]
    return {"edges": [*edges, *({"target": target, "condition": word} for word, target in conditions.items())]}


def read(**nodes: Any) -> tuple[Any, Reading]:
    reading = Reading()
    return flow(
        reading, {"nodes": nodes}, {"A": {"name": "A", "prompt": "You are A.", "about": "x"}}, ("graph",)
    ), reading


def test_without_conditions_steps_need_each_other() -> None:
    made, reading = read(A=node("B", "C"), B=node("D"), C=node("D"), D=node())
    assert [(step["agent"]["name"], step["needs"]) for step in made["steps"]] == [
        ("A", []),
        ("B", ["A"]),
        ("C", ["A"]),
        ("D", ["B", "C"]),
    ]
    assert (made["steps"][0]["agent"], reading.notes) == ({"name": "A", "prompt": "You are A."}, [])
    assert spec_from_data(made).faults() == []


def test_ag_13_a_verdict_leads_back_and_on() -> None:
    made, _ = read(A=node("B"), B=node(loop="A", APPROVE="C"), C=node())
    loop = lw.Loop(spec_from_data(made).plan())
    verdicts = [{"outcome": each, "reason": ""} for each in ("loop", "loop", "APPROVE")]
    run = loop.start({"question": "q"}, model=lw.ScriptedModel({"A": ["a"] * 3, "B": verdicts, "C": ["c"]}))
    assert [line.split()[0] for line in path_of(run)] == ["A", "B", "A", "B", "A", "B", "C"]


def test_ag_13_a_way_back_to_the_middle() -> None:
    """AG-D16: the original stopped after the first node, and called that complete."""
    made, _ = read(gen=node("limiter"), limiter=node("rev"), rev=node(no="limiter", APPROVE="fin"), fin=node())
    loop = lw.Loop(spec_from_data(made).plan())
    lines: Any = {"gen": ["g"], "limiter": ["l"] * 2, "fin": ["f"]}
    lines["rev"] = [{"outcome": "no", "reason": ""}, {"outcome": "APPROVE", "reason": ""}]
    run = loop.start({"question": "q"}, model=lw.ScriptedModel(lines))
    assert [line.split()[0] for line in path_of(run)] == ["gen", "limiter", "rev", "limiter", "rev", "fin"]


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ({"A": node("B")}, "there is no node 'B'"),
        ({"A": node("B"), "B": node("A")}, "the ways of A to B go round without a condition"),
        ({"A": node("B", "C"), "B": node(x="A"), "C": node()}, "what comes after 'A' is not the next step of a row"),
        ({"A": node("B", x="A"), "B": node()}, "'A' has ways with a condition and one without"),
    ],
)
def test_what_cannot_be_a_pipeline_is_told(nodes: Any, message: str) -> None:
    _, reading = read(**nodes)
    assert message in [fault.message for fault in reading.faults]


def test_no_graph() -> None:
    reading = Reading()
    flow(reading, {}, {}, ())
    assert [fault.key for fault in reading.faults] == ["nodes"]
