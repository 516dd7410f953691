"""Plans as data: to JSON and back, and the fingerprint that sees every change."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from loopwright.graphs.brains.techniques import brain
from loopwright.graphs.plan import Branch, Edge, End, Fork, Move, Plan, PlanNode, Way
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.loop.role_cycle import RoleCycle
from loopwright.nodes.code import CodeRef
from loopwright.nodes.functions import Act
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.role import Rounds
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait
from loopwright.state.channels import Channel


def trim(draft: str) -> str:
    return draft.strip()


def everything() -> Plan:
    """A plan with a bit of all that a plan can hold."""
    channels = [
        Channel("topic", {"type": "string"}, input=True, default="bridges"),
        Channel("empty", default=None),
        Channel("draft", {"type": "string"}),
        Channel("notes", {"type": "array", "items": {"type": "string"}}, reduce="append"),
        Channel("marks", reduce="replace"),
        Channel("reviews"),
    ]
    models = {"strong": ModelRef("big", temperature=0.5, proxy="http://127.0.0.1:1")}
    builder = PlanBuilder("everything", channels, result="draft", models=models)
    builder.node(
        Think("write", prompt="<{topic}>", system="S", writes="draft", output={"type": "string"}, model="strong")
    )
    builder.node(Act("trim", trim, writes="draft")).edge("write", "done", "trim")
    builder.node(Judge("grade", prompt="<{draft}>", score=(1, 10))).edge("trim", "done", "grade")
    builder.node(Human("ask", text="<{draft}>?", outcomes=["yes", "no"], default="no")).edge("grade", "done", "ask")
    builder.edge("ask", "no", "write", bound="rounds", at_most=2, then=End("max_rounds", ok=False))
    builder.node(Wait("mail", text="?", reply={"type": "integer"})).edge("ask", "yes", "mail")
    rater = Judge("rater", prompt="<{note}>", outcomes=["good", "bad"])
    builder.each("rate", over="notes", as_="note", do=rater, collect="marks", at_most=3).edge("mail", "done", "rate")
    facts = Think("facts", prompt="<{text}>", writes="said")
    builder.parallel("both", {"style": rater_of("draft"), "facts": facts}, collect="reviews").edge(
        "rate", "done", "both"
    )
    return builder.edge("both", "done", End("good")).edge("write", "failed", End("down", ok=False)).build()


def rater_of(channel: str) -> Judge:
    return Judge("style", prompt=f"<{{{channel}}}>", outcomes=["good", "bad"])


PLANS = [everything(), RoleCycle(task="T", review="each_round", rounds=Rounds(2, 3)).plan]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_a_plan_and_its_json_are_one(plan: Plan) -> None:
    text = json.dumps(plan.to_data())
    again = Plan.from_data(json.loads(text))
    assert again == plan
    assert again.fingerprint == plan.fingerprint
    assert json.dumps(again.to_data()) == text


def test_equal_plans_have_one_fingerprint() -> None:
    assert everything().fingerprint == everything().fingerprint
    assert len(everything().fingerprint) == 16


def changed_node(name: str, **fields: Any) -> Callable[[Plan], Plan]:
    def change(plan: Plan) -> Plan:
        placed = plan.nodes[name]
        node: Any = replace(placed.node, **fields)  # type: ignore[type-var]
        return replace(plan, nodes={**plan.nodes, name: replace(placed, node=node)})

    return change


def changed_body(plan: Plan) -> Plan:
    fork = plan.nodes["rate"].node
    assert isinstance(fork, Fork)
    branch = fork.branches[""]
    body = changed_node("rater", prompt="Other <{note}>")(branch.plan)
    return changed_node("rate", branches={"": Branch(body, branch.inputs)})(plan)


CHANGES: dict[str, Callable[[Plan], Plan]] = {
    "name": lambda plan: replace(plan, name="other"),
    "start": lambda plan: replace(plan, start="trim"),
    "result": lambda plan: replace(plan, result="notes"),
    "an end": lambda plan: replace(plan, ends={**plan.ends, "good": End("good", ok=False)}),
    "a bound": lambda plan: replace(plan, bounds={"rounds": replace(plan.bounds["rounds"], at_most=3)}),
    "an edge": lambda plan: replace(plan, edges=(Edge("write", "done", Way("grade")), *plan.edges[1:])),
    "a channel's type": lambda plan: replace(plan, channels={**plan.channels, "draft": Channel("draft")}),
    "a default": lambda plan: replace(plan, channels={**plan.channels, "empty": Channel("empty", default=0)}),
    "no default": lambda plan: replace(plan, channels={**plan.channels, "empty": Channel("empty")}),
    "a model": lambda plan: replace(plan, models={"strong": ModelRef("bigger")}),
    "a prompt": changed_node("write", prompt="Write: <{topic}>"),
    "a score": changed_node("grade", score=(1, 5)),
    "a question": changed_node("ask", text="Good?"),
    "the code": changed_node("trim", code=CodeRef("other", "1")),
    "the code's version": changed_node("trim", code=CodeRef(f"{trim.__module__}:trim", "2")),
    "a fork": changed_node("rate", at_most=4),
    "a body": changed_body,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_is_seen(change: Callable[[Plan], Plan]) -> None:
    plan = everything()
    assert change(plan).fingerprint != plan.fingerprint


FAULTY: list[tuple[Any, str]] = [
    ({}, "this plan has the format None; this version reads 1"),
    ({"format": 2}, "this plan has the format 2; this version reads 1"),
    ({"format": 1}, "validation errors for Plan"),
    (
        {**everything().to_data(), "nodes": {"a": {"name": "a", "node": {"type": "no"}}}},
        "'no' is not a type of node",
    ),
]


@pytest.mark.parametrize(("data", "message"), FAULTY)
def test_what_is_no_plan(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Plan.from_data(data)


def test_what_is_read_off_a_plan() -> None:
    plan = everything()
    assert [ref.name for ref in plan.code] == [f"{trim.__module__}:trim"]
    assert plan.model_names == ("strong", "default")
    assert [channel.name for channel in plan.inputs] == ["topic"]
    assert [walked.name for walked in plan.walk()] == ["everything", "rater", "style", "facts"]


def test_moves_follow_bounds_that_are_used_up() -> None:
    moves = [move for move in everything().moves if move.source == "ask"]
    assert moves == [
        Move("ask", "no", Way("write", "rounds")),
        Move("ask", "no", Way("max_rounds"), ("rounds",)),
        Move("ask", "yes", Way("mail")),
    ]


def test_the_graph_for_algorithms() -> None:
    graph = everything().to_networkx()
    assert graph.nodes["ask"] == {"kind": "wait"}
    assert graph.nodes["max_rounds"] == {"kind": "end", "ok": False}
    assert [data for _, target, data in graph.out_edges("ask", data=True) if target == "max_rounds"] == [
        {"outcome": "no", "bound": "", "used_up": ("rounds",)}
    ]


def test_a_contract_in_the_plans_names() -> None:
    node = Think("write", prompt="<{topic}>", writes="draft")
    placed = PlanNode("part/write", node, {"topic": "subject", "draft": "part/draft"})
    assert (placed.contract.reads, placed.contract.writes) == (("subject",), ("part/draft",))


def test_an_edge_that_no_visit_takes_is_no_part_of_what_is_possible() -> None:
    from_brain = brain("zero_shot", {}).build()
    assert [edge.outcome for edge in from_brain.edges] == ["done", "none"]
    assert [edge.outcome for edge in from_brain.possible.edges] == ["done"]
    whole = brain("multi_eval", {"threshold": 5}).build()
    assert whole.possible is whole
