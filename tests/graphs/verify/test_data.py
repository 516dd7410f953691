"""Data: reads before writes with the way that shows them, results that are missed, and types that do not agree."""

from dataclasses import replace
from typing import Any

import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import Edge, End, Plan, Way
from loopwright.graphs.verify.check import verify
from loopwright.graphs.verify.findings import Code, Finding
from loopwright.nodes.code import CodeNode, CodeRef
from loopwright.nodes.contract import Node
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait
from loopwright.state.channels import Channel
from loopwright.state.values import JsonObject

TEXT: JsonObject = {"type": "string"}
DRAFT = Channel("draft", TEXT)


def act(name: str, *outcomes: str, **fields: Any) -> CodeNode:
    return CodeNode(name, code=CodeRef(name, "1"), outcomes=outcomes or ("done",), **fields)


def plan_of(*edges: str, nodes: tuple[Node, ...], channels: tuple[Channel, ...]) -> Plan:
    """A plan of edges written `source outcome target`; `end` is an end."""
    builder = PlanBuilder("small", channels)
    for node in nodes:
        builder.node(node)
    for source, outcome, target in (edge.split() for edge in edges):
        builder.edge(source, outcome, End("end") if target == "end" else target)
    return builder.build()


def row(node: Node, *channels: Channel) -> Plan:
    """A plan of one node whose outcomes all lead to the end."""
    return plan_of(
        *(f"{node.name} {outcome} end" for outcome in node.contract.outcomes), nodes=(node,), channels=channels
    )


def found(plan: Plan, code: Code) -> Finding:
    """The one finding of a code."""
    (finding,) = (finding for finding in verify(plan) if finding.code == code)
    return finding


def codes(plan: Plan) -> list[str]:
    return [finding.code for finding in verify(plan)]


def test_a_write_on_one_of_two_ways_is_not_enough() -> None:
    nodes = (act("a", "left", "right"), act("l", writes=("draft",)), act("r"), act("use", reads=("draft",)))
    plan = plan_of("a left l", "a right r", "l done use", "r done use", "use done end", nodes=nodes, channels=(DRAFT,))
    finding = found(plan, "read-before-write")
    assert (finding.path, finding.nodes) == (("a", "r", "use"), ("use",))
    assert finding.hint.startswith("it is written by 'l'")


def test_a_person_may_leave_the_text_empty() -> None:
    nodes = (Human("ask", text="?", writes="draft"), act("use", reads=("draft",)))
    plan = plan_of("ask done use", "use done end", nodes=nodes, channels=(DRAFT,))
    assert found(plan, "read-before-write").path == ("ask", "use")
    assert codes(replace(plan, channels={"draft": replace(DRAFT, default="")})) == []


def test_a_person_inside_a_nested_plan_may_leave_it_empty_too() -> None:
    inner = plan_of("ask done end", nodes=(Human("ask", text="?", writes="text"),), channels=(Channel("text", TEXT),))
    builder = PlanBuilder("outer", [DRAFT]).node(replace(inner, result="text"), name="in", writes="draft")
    builder.node(act("use", reads=("draft",))).edge("in", "end", "use").edge("use", "done", End("over"))
    plan = builder.build()
    assert (plan.nodes["in/ask"].contract.may_write, plan.nodes["in/ask"].contract.sure_writes) == (("draft",), ())
    assert found(plan, "read-before-write").path == ("in/ask", "use")


def test_what_an_answer_need_not_have_may_stay_empty() -> None:
    output = {"type": "object", "properties": {"draft": TEXT, "title": TEXT}, "required": ["title"]}
    nodes = (
        Think("write", prompt="?", output=output, writes=["draft", "title"]),
        act("use", reads=("draft", "title")),
    )
    channels = (DRAFT, Channel("title", TEXT))
    plan = plan_of("write done use", "use done end", nodes=nodes, channels=channels)
    assert found(plan, "read-before-write").message == (
        "'use' reads 'draft' before anything is sure to be written to it"
    )
    assert codes(plan) == ["read-before-write"]


def test_a_visit_that_failed_has_written_nothing() -> None:
    nodes = (Think("write", prompt="?", writes="draft"), act("use", reads=("draft",)))
    plan = plan_of("write done use", "write failed use", "use done end", nodes=nodes, channels=(DRAFT,))
    assert found(plan, "read-before-write").path == ("write", "use")


def test_a_channel_that_is_reset_is_empty_again() -> None:
    nodes = (act("write", writes=("draft",)), act("use", reads=("draft",)))
    plan = plan_of("write done use", "use done end", nodes=nodes, channels=(DRAFT,))
    assert codes(plan) == []
    plan = replace(plan, edges=(Edge("write", "done", Way("use", resets=("draft",))), plan.edges[1]))
    assert codes(plan) == ["read-before-write"]


def test_a_result_is_missed_only_at_ends_that_are_a_success() -> None:
    plan = replace(row(act("a"), DRAFT), result="draft")
    assert found(plan, "no-result").path == ("a", "end")
    assert codes(replace(plan, ends={"end": End("end", ok=False)})) == []


def test_first_values_of_reducers_fit_too() -> None:
    finding = found(row(act("a"), Channel("notes", {"type": "string"}, reduce="append")), "bad-default")
    assert finding.message.startswith("the first value (append starts with it) of the channel 'notes'")


@pytest.mark.parametrize("schema", [{"$ref": "#/$defs/gone"}, {"type": "string", "pattern": "("}])
def test_types_that_cannot_be_checked_are_findings(schema: dict[str, Any]) -> None:
    assert codes(row(act("a"), Channel("x", schema, default="y"))) == ["bad-schema"]


def test_what_a_node_asks_for_must_be_a_schema() -> None:
    finding = found(row(Wait("a", text="?", reply={"type": "int"})), "bad-schema")
    assert (finding.nodes, finding.severity) == (("a",), "error")


def test_types_that_may_agree_are_let_through() -> None:
    number = Channel("score", {"anyOf": [{"type": "integer"}, {"type": "null"}]})
    assert codes(row(Judge("a", prompt="?", score=(1, 10), writes="score"), number)) == []
    texts = Channel("score", {"anyOf": [{"type": "string"}, {"type": "null"}]})
    assert codes(row(Judge("a", prompt="?", score=(1, 10), writes="score"), texts)) == ["type-mismatch"]
