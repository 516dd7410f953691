"""All checks together: every code with a plan that breaks it, and the ten broken graphs."""

from dataclasses import replace
from typing import Any, get_args

import pytest

from loopwright.graphs.builder import PlanBuilder, one_node_plan
from loopwright.graphs.certificate.certify import certify
from loopwright.graphs.plan import Bound, Branch, Edge, End, Fork, Plan, PlanNode, Way
from loopwright.graphs.verify.check import verify
from loopwright.graphs.verify.findings import Code, Finding
from loopwright.nodes.code import CodeNode, CodeRef
from loopwright.nodes.contract import Node
from loopwright.nodes.functions import Act, Route
from loopwright.nodes.role import Role
from loopwright.nodes.think import Judge, Think
from loopwright.state.channels import Channel
from loopwright.state.values import JsonObject

TEXT: JsonObject = {"type": "string"}
FINISHED = End("finished")
TOPIC = Channel("topic", TEXT, input=True)
DRAFT = Channel("draft", TEXT)
NOTES = Channel("notes", {"type": "array", "items": TEXT}, reduce="append")


def act(name: str, *outcomes: str, version: str = "1", **fields: Any) -> CodeNode:
    return CodeNode(name, code=CodeRef(f"{name}()", version), outcomes=outcomes or ("done",), **fields)


def essay() -> PlanBuilder:
    """The clean draft and review plan."""
    builder = PlanBuilder("essay", [TOPIC, DRAFT, NOTES], result="draft")
    builder.node(Think("write", prompt="Write about <{topic}>. Notes: <{notes}>", writes="draft"))
    builder.node(Judge("review", prompt="Good? <{draft}>", outcomes=["pass", "revise"], writes="notes"))
    builder.edge("write", "done", "review").edge("review", "pass", FINISHED)
    return builder.edge("review", "revise", "write", at_most=3, bound="rounds", then=End("max_rounds", ok=False))


def plan_of(*edges: str, nodes: tuple[Node, ...] = (), channels: tuple[Channel, ...] = (), **fields: Any) -> Plan:
    """A plan of edges written `source outcome target`; nodes that are not given are made; `end...` is an end."""
    parts = [edge.split() for edge in edges]
    outcomes: dict[str, list[str]] = {node.name: [] for node in nodes}
    for source, outcome, _ in parts:
        outcomes.setdefault(source, []).append(outcome)
    made = {node.name: node for node in nodes}
    places = {name: PlanNode(name, made.get(name) or act(name, *words)) for name, words in outcomes.items()}
    builder = PlanBuilder("small", channels).build()
    return replace(
        builder,
        start=next(iter(places)),
        nodes=places,
        edges=tuple(Edge(source, outcome, Way(target)) for source, outcome, target in parts),
        ends={target: End(target) for *_, target in parts if target.startswith("end")},
        **fields,
    )


def bounded(plan: Plan, source: str, outcome: str, bound: Bound) -> Plan:
    """The plan with a bound on one of its edges."""
    edges = tuple(
        replace(edge, way=replace(edge.way, bound=bound.name))
        if (edge.source, edge.outcome) == (source, outcome)
        else edge
        for edge in plan.edges
    )
    return replace(plan, edges=edges, bounds={**plan.bounds, bound.name: bound})


def row(node: Node, *channels: Channel, **fields: Any) -> Plan:
    """A plan of one node whose outcomes all lead to the end."""
    edges = (f"{node.name} {outcome} end" for outcome in dict.fromkeys(node.contract.outcomes))
    return plan_of(*edges, nodes=(node,), channels=channels, **fields)


def forked(**fields: Any) -> Plan:
    """A plan whose fork rates options, with some fields of the fork changed."""
    rater = Judge("rater", prompt="Rate: <{option}>", score=(1, 10))
    items = Channel("options", {"type": "array", "items": TEXT}, input=True)
    builder = PlanBuilder("rating", [items, Channel("ratings", {"type": "array"})], result="ratings")
    builder.each("rate", over="options", as_="option", do=rater, collect="ratings", at_most=5)
    plan = builder.edge("rate", "done", FINISHED).build()
    fork = plan.nodes["rate"].node
    assert isinstance(fork, Fork)
    return replace(plan, nodes={"rate": PlanNode("rate", replace(fork, **fields))})


LOOP = plan_of("a done b", "b no a", "b yes end")
TWO_LOOPS = plan_of("a done b", "b again b", "b done c", "c again a", "c done end")
CIRCLE = bounded(bounded(LOOP, "b", "no", Bound("x", 1, Way("a", "y"))), "-", "-", Bound("y", 1, Way("a", "x")))

BROKEN: dict[Code, Plan] = {
    "bad-bound": bounded(LOOP, "b", "no", Bound("rounds", -1, Way("end"))),
    "bad-default": row(act("a"), Channel("score", {"type": "integer"}, default="none")),
    "bad-node": row(Judge("a", prompt="?", score=(10, 1))),
    "bad-schema": row(act("a"), Channel("score", {"type": "int"})),
    "bound-circle": CIRCLE,
    "bound-of-two-loops": bounded(
        bounded(TWO_LOOPS, "b", "again", Bound("n", 1, Way("end"))), "c", "again", Bound("n", 1, Way("end"))
    ),
    "brace-placeholder": row(Think("a", prompt="About {topic}"), TOPIC),
    "doubtful-node": row(Role("boss", brief="Say stop.", order=("boss",))),
    "empty-name": plan_of("a done end", channels=(Channel(""),)),
    "empty-plan": PlanBuilder("nothing").build(),
    "misplaced-bound": bounded(plan_of("a done b", "b done end"), "a", "done", Bound("n", 1, Way("end"))),
    "missing-edge": plan_of("a yes end", nodes=(act("a", "yes", "no"),)),
    "name-of-two": replace(plan_of("a done end"), ends={"end": End("end"), "a": End("a")}),
    "no-end": plan_of("a done b", "b done a"),
    "no-result": row(act("a"), DRAFT, result="draft"),
    "read-before-write": row(act("a", reads=("draft",), writes=("draft",)), DRAFT),
    "trap": plan_of("a yes end", "a no c", "c done d", "d done c"),
    "two-edges": replace(LOOP, edges=(*LOOP.edges, Edge("a", "done", Way("end")))),
    "two-entries": plan_of("a left b", "a right c", "b done c", "c done b", "c out end"),
    "type-mismatch": row(Judge("a", prompt="?", score=(1, 10), writes="draft"), DRAFT),
    "unbounded-loop": LOOP,
    "uncertain-calls": forked(at_most=None),
    "unknown-bound": replace(LOOP, edges=(*LOOP.edges[:1], Edge("b", "no", Way("a", "rounds")), LOOP.edges[2])),
    "unknown-channel": row(Think("a", prompt="?", writes="drfat"), DRAFT),
    "unknown-input": forked(branches={"": Branch(one_node_plan(Think("rater", prompt="Rate the option.")))}),
    "unknown-model": row(Think("a", prompt="?", model="strong")),
    "unknown-outcome": replace(LOOP, edges=(*LOOP.edges, Edge("b", "Pass.", Way("end")))),
    "unknown-placeholder": row(Think("a", prompt="About <{topc}>"), TOPIC),
    "unknown-source": replace(LOOP, edges=(*LOOP.edges, Edge("x", "done", Way("end")))),
    "unknown-start": replace(LOOP, start="x"),
    "unknown-target": plan_of("a done x"),
    "unreachable-end": replace(LOOP, ends={**LOOP.ends, "lost": End("lost")}),
    "unreachable-node": plan_of("a done end", "x done end"),
    "reserved-channel": row(Think("a", prompt="x", writes="__draft"), Channel("__draft")),
    "unversioned-code": row(act("a", version="unversioned")),
    "wrong-bodies": forked(branches={}),
}


def found(plan: Plan, code: Code) -> Finding:
    """The one finding of a code."""
    (finding,) = (finding for finding in verify(plan) if finding.code == code)
    return finding


def codes(plan: Plan) -> list[str]:
    return [finding.code for finding in verify(plan)]


OF_LANGGRAPH = {"dead-end", "double-run", "dropped-join", "open-router", "parallel-writers", "partly-explored"}
"""Codes that only LangGraph graphs have; tests/graphs/stategraph/test_check.py has a graph for each."""


def test_every_code_is_tested() -> None:
    assert set(BROKEN) | OF_LANGGRAPH == set(get_args(Code))


@pytest.mark.parametrize("code", BROKEN)
def test_a_broken_plan_gives_its_code(code: Code) -> None:
    assert code in codes(BROKEN[code])


def test_a_clean_plan_gives_nothing() -> None:
    assert verify(essay().build()).items == ()
    assert verify(forked()).items == ()


# --- the ten broken graphs --------------------------------------------------------------------------------------------


def test_d1_an_unreachable_node() -> None:
    plan = essay().node(act("polish")).edge("polish", "done", FINISHED).build()
    finding = found(plan, "unreachable-node")
    assert (finding.nodes, finding.hint) == (("polish",), "no edge leads here")
    assert codes(plan) == ["unreachable-node"]


def test_d2_a_dead_end_is_an_outcome_without_an_edge() -> None:
    plan = plan_of("a yes end", "a no b", nodes=(act("a", "yes", "no"), act("b")))
    assert codes(plan) == ["missing-edge"]
    assert found(plan, "missing-edge").message == "'b' [done] leads nowhere"


def test_d3_a_cycle_without_an_end() -> None:
    plan = plan_of("a done b", "b done a")
    assert codes(plan) == ["no-end", "unbounded-loop"]
    assert found(plan, "unbounded-loop").path == ("a", "b", "a")


def test_d4_a_judge_that_never_passes() -> None:
    plan = essay().build()
    edges = tuple(replace(edge, way=replace(edge.way, bound="")) for edge in plan.edges)
    finding = found(replace(plan, edges=edges), "unbounded-loop")
    assert finding.path == ("write", "review", "write")
    assert finding.message == "the loop of 'write' has no bound: 'review' [revise] leads back to it"


def test_d5_a_verdict_that_no_edge_handles() -> None:
    builder = PlanBuilder("essay").node(Judge("review", prompt="Good?", outcomes=["pass", "revise"]))
    plan = builder.edge("review", "Pass.", FINISHED).edge("review", "revise", FINISHED).build()
    assert codes(plan) == ["unknown-outcome", "missing-edge"]
    assert found(plan, "unknown-outcome").hint.startswith("did you mean 'pass'? there are: failed")


def test_d6_a_wrong_type_and_a_read_before_the_write() -> None:
    score = Channel("score", {"type": "integer"})
    plan = plan_of(
        "a done b",
        "b done end",
        nodes=(act("a"), Think("b", prompt="<{score}>", writes="score")),
        channels=(score,),
    )
    assert codes(plan) == ["type-mismatch", "read-before-write"]
    assert found(plan, "type-mismatch").message == "'b' writes str to 'score', which takes int"
    assert found(plan, "read-before-write").path == ("a", "b")


def test_d7_parallel_writers_cannot_meet_in_one_channel() -> None:
    builder = PlanBuilder("reviews", [TOPIC, Channel("reviews", {"type": "object"})])
    body = Think("writer", prompt="<{topic}>", writes="text")
    builder.parallel("reviews", {"style": body, "facts": body}).edge("reviews", "done", FINISHED)
    assert verify(builder.build()).items == ()


def test_d8_and_d9_a_choice_and_a_join_are_one_way_each() -> None:
    plan = plan_of("a left l", "a right r", "l done join", "r done join", "join done end")
    assert verify(plan).items == ()
    assert certify(plan).visits == 3


def test_d10_a_trap_with_an_end_elsewhere() -> None:
    plan = plan_of("a yes end", "a no b", "b on c", "b stop end", "c done d", "d done c")
    finding = found(plan, "trap")
    assert (finding.nodes, finding.path) == (("c", "d"), ("a", "b", "c"))
    assert finding.message == "no end can be reached from 'c', 'd'"


# --- together ---------------------------------------------------------------------------------------------------------


def test_all_findings_come_at_once() -> None:
    plan = replace(essay().node(Think("lost", prompt="<{topc}>")).build(), start="wrte", result="drfat")
    assert codes(plan) == ["unknown-start", "unknown-channel", "missing-edge", "unknown-placeholder"]
    assert found(plan, "unknown-start").hint.startswith("did you mean 'write'?")
    assert found(plan, "unknown-placeholder").message == "the placeholder <{topc}> of 'lost' names no channel"
    assert found(plan, "unknown-placeholder").hint.startswith("did you mean 'topic'?")


def test_live_nodes_are_checked_by_what_they_declare() -> None:
    builder = PlanBuilder("live", [TOPIC, DRAFT]).node(
        Act("shout", str.upper, reads=["topic"], writes="draft", version="1")
    )
    builder.node(Route("long", len, outcomes=["long", "short"], reads=["draft"], version="1")).edge(
        "shout", "done", "long"
    )
    plan = builder.edge("long", "long", FINISHED).build()
    assert codes(plan) == ["missing-edge"]
