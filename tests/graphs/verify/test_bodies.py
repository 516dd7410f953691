"""Forks: their bodies are checked as plans, and get what they take."""

from dataclasses import replace

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.verify.check import verify
from loopwright.graphs.verify.findings import Code, Finding
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.think import Judge, Think
from loopwright.state.channels import Channel

FINISHED = End("finished")
TOPIC = Channel("topic", {"type": "string"}, input=True)
OPTIONS = Channel("options", {"type": "array"}, input=True)
RATINGS = Channel("all", {"type": "array"})


def found(plan: Plan, code: Code) -> Finding:
    """The one finding of a code."""
    (finding,) = (finding for finding in verify(plan) if finding.code == code)
    return finding


def codes(plan: Plan) -> list[str]:
    return [finding.code for finding in verify(plan)]


def rated(rater: Judge | Think, *channels: Channel) -> Plan:
    """A plan that rates its options, at most two."""
    builder = PlanBuilder("outer", channels or (OPTIONS, RATINGS))
    builder.each("rate", over="options", as_="option", do=rater, collect="all", at_most=2)
    return builder.edge("rate", "done", FINISHED).build()


def test_bodies_are_checked_under_their_outer_names() -> None:
    body = PlanBuilder("body", [TOPIC]).node(Judge("rater", prompt="<{topc}>", outcomes=["a", "b"]))
    builder = PlanBuilder("outer", [TOPIC, Channel("all", {"type": "object"})])
    builder.parallel("rate", {"one": body.edge("rater", "a", FINISHED).build()}, collect="all")
    plan = builder.edge("rate", "done", FINISHED).build()
    assert codes(plan) == ["missing-edge", "unknown-placeholder"]
    assert found(plan, "missing-edge").nodes == ("rate[one]/rater",)


def test_loops_of_bodies_need_bounds_too() -> None:
    body = PlanBuilder("body").node(Judge("rater", prompt="?", outcomes=["a", "b"])).edge("rater", "a", FINISHED)
    builder = PlanBuilder("outer", [Channel("all", {"type": "object"})])
    builder.parallel("rate", {"one": body.edge("rater", "b", "rater").build()}, collect="all")
    finding = found(builder.edge("rate", "done", FINISHED).build(), "unbounded-loop")
    assert finding.path == ("rate[one]/rater", "rate[one]/rater")


def test_what_a_body_takes_must_exist_outside() -> None:
    plan = rated(Think("rater", prompt="<{option}> about <{topic}>"))
    assert codes(plan) == ["unknown-placeholder"]
    body = PlanBuilder("body", [TOPIC, Channel("option", input=True)]).node(Think("one", prompt="<{option}> <{topic}>"))
    body.node(Think("two", prompt="<{topic}>")).edge("one", "done", "two").edge("two", "done", FINISHED)
    builder = PlanBuilder("outer", [OPTIONS, RATINGS])
    builder.each("rate", over="options", as_="option", do=body, collect="all", at_most=2)
    plan = builder.edge("rate", "done", FINISHED).build()
    assert found(plan, "unknown-channel").message == "'rate' reads 'topic', which is no channel"


def test_the_body_of_each_reads_its_item() -> None:
    finding = found(rated(Think("rater", prompt="Rate the option.")), "unknown-input")
    assert finding.message == "the body of 'rate' does not read its item 'option'"
    assert finding.hint == "name it in a text of the body, as <{option}>, or change `as`: there are none"


def test_inputs_that_a_body_does_not_have() -> None:
    builder = PlanBuilder("outer", [TOPIC, Channel("all", {"type": "object"})])
    body = Think("writer", prompt="<{topic}>")
    builder.parallel("write", {"one": body}, collect="all", inputs={"one": {"topci": "topic"}})
    plan = builder.edge("write", "done", FINISHED).build()
    assert codes(plan) == ["unknown-input"]
    finding = found(plan, "unknown-input")
    assert finding.message == "'write[one]' is given 'topci' by its `inputs`, which is no input of it"
    assert finding.hint == "did you mean 'topic'? there is only topic"


def test_a_fork_takes_its_items_from_a_list_and_collects_a_list() -> None:
    rater = Judge("rater", prompt="<{option}>", score=(1, 10))
    plan = rated(rater, Channel("options", {"type": "string"}, input=True), Channel("all", {"type": "string"}))
    assert [finding.message for finding in verify(plan)] == [
        "'rate' takes its items from 'options', which is str and no list",
        "'rate' writes list to 'all', which takes str",
    ]


def test_models_of_the_plan_around_are_models_of_the_body() -> None:
    plan = rated(Judge("rater", prompt="<{option}>", score=(1, 10), model="strong"))
    assert found(plan, "unknown-model").nodes == ("rate/rater",)
    assert codes(replace(plan, models={"strong": ModelRef("gpt-4o")})) == []
