"""Forks on the engine: one task for each branch, however long its body is, and one join."""

from collections import Counter
from typing import Any

import pytest

from loopwright.errors import ContractError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.certificate.certify import certify
from loopwright.graphs.compile.context import Context
from loopwright.graphs.compile.graph import compile_plan
from loopwright.graphs.compile.names import END_KEY
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.contract import Node
from loopwright.nodes.models.contract import ModelCall
from loopwright.nodes.think import Judge, Think
from loopwright.state.channels import Channel
from loopwright.testing.scripts import RecordingModel

ITEMS = [Channel("items", input=True), Channel("marks")]


def longer() -> Plan:
    """A body of two or more visits, whose length is that of its item."""
    builder = PlanBuilder("grade", [Channel("item", input=True), Channel("mark")], result="mark")
    builder.node(Think("write", prompt="<{item}>", writes="mark")).edge("write", "done", "look")
    builder.node(Judge("look", prompt="<{item}>", outcomes=["good", "bad"])).edge("look", "good", End("good"))
    return builder.edge("look", "bad", "write", at_most=2, then=End("good")).build()


def rated(body: Plan | Node) -> Plan:
    builder = PlanBuilder("rating", ITEMS, result="marks")
    builder.each("rate", over="items", as_="item", do=body, collect="marks", at_most=4)
    return builder.edge("rate", "done", End("end")).build()


def reply(call: ModelCall) -> Any:
    """The item itself; a judge likes short items at once, and long ones never."""
    item = call.messages[-1]["content"]
    return {"outcome": "bad" if "long" in item else "good"} if call.schema else item


def steps(plan: Plan, items: list[str]) -> list[str]:
    """The engine's nodes, in the order in which they were done."""
    graph = compile_plan(plan, {}, default=Context({"default": RecordingModel(reply)}))
    return [name for chunk in graph.stream({"items": items}, stream_mode="updates") for name in chunk]


@pytest.mark.parametrize("body", [Think("g", prompt="<{item}>"), longer()], ids=["one visit", "longer"])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_branch_is_one_task_and_the_join_fires_once(body: Plan | Node, count: int) -> None:
    items = ["short", "long", "short too"][:count]
    done = steps(rated(body), items)
    assert (done[0], done[-1]) == ("rate", "rate join")
    assert Counter(done) == {"rate": 1, "rate join": 1} | ({"rate body": count} if count else {})


@pytest.mark.parametrize("body", [Think("g", prompt="<{item}>"), longer()], ids=["one visit", "longer"])
def test_results_are_joined_in_the_items_order(body: Plan | Node) -> None:
    plan, items = rated(body), ["long one", "b", "a", "long two"]
    graph = compile_plan(plan, {}, default=Context({"default": RecordingModel(reply)}))
    assert graph.invoke({"items": items}, {"recursion_limit": certify(plan).limit})["marks"] == items


def test_a_body_has_a_limit_of_its_own() -> None:
    """The fork is three steps of the engine, though its bodies take six each."""
    certificate = certify(rated(longer()))
    assert (certificate.steps, certificate.per_node["rate/write"].visits) == (3, 12)


def test_a_body_without_a_result_gives_the_name_of_its_end() -> None:
    graph = compile_plan(
        rated(Judge("g", prompt="<{item}>", outcomes=["good", "bad"])),
        {},
        default=Context({"default": RecordingModel(reply)}),
    )
    assert graph.invoke({"items": ["long", "short"]})["marks"] == ["bad", "good"]


def test_ends_that_are_no_success_are_counted() -> None:
    body = PlanBuilder("body", [Channel("item", input=True)]).node(
        Judge("g", prompt="<{item}>", outcomes=["good", "bad"])
    )
    body.edge("g", "good", End("good")).edge("g", "bad", End("bad", ok=False))
    builder = PlanBuilder("rating", ITEMS, result="marks")
    builder.each("rate", over="items", as_="item", do=body.build(), collect="marks", at_most=4)
    plan = builder.edge("rate", "done", End("all")).edge("rate", "failed", End("some", ok=False)).build()
    graph = compile_plan(plan, {}, default=Context({"default": RecordingModel(reply)}))
    final = graph.invoke({"items": ["long", "short", "long"]})
    assert final["marks"] == ["bad", "good", "bad"]
    assert final[END_KEY] == {"end": "some", "reason": "2 of 3 branches failed"}
    assert graph.invoke({"items": ["short"]})[END_KEY] == {"end": "all", "reason": "rate is done"}


@pytest.mark.parametrize("body", [Think("g", prompt="<{item}>"), longer()], ids=["one visit", "longer"])
def test_branches_over_objects_are_called_by_what_names_them(body: Plan | Node) -> None:
    builder = PlanBuilder("rating", ITEMS, result="marks")
    builder.each("rate", over="items", as_="item", do=body, collect="marks", at_most=4, named_by="id")
    plan = builder.edge("rate", "done", End("end")).build()
    model = RecordingModel(reply)
    graph = compile_plan(plan, {}, default=Context({"default": model}))
    graph.invoke({"items": [{"id": "ada"}, {"id": "bob"}]})
    assert {node.partition("/")[0] for node in model.asked} == {"rate[id=ada]", "rate[id=bob]"}
    with pytest.raises(ContractError, match="fork 'rate': its items are called by 'id', and 'ada' is no name"):
        graph.invoke({"items": [{"id": "ada"}, {"id": "ada"}]})
