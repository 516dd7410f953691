"""Plans inside of plans: what becomes of their names, and that they run as they would alone."""

from typing import Any

import pytest

from loopwright.errors import ModelError
from loopwright.graphs.plan import Bound, Edge, End, Plan, Way
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.contract import FAILURES
from loopwright.nodes.functions import Act, Route
from loopwright.nodes.models.contract import ModelCall
from loopwright.nodes.think import Judge, Think
from loopwright.state.channels import Channel
from loopwright.state.values import Json
from loopwright.testing.scripts import RecordingModel, assert_path


def polish() -> Plan:
    """Write and review until it is good, at most three times; notes are kept as they come."""
    channels = [
        Channel("topic", input=True),
        Channel("draft"),
        Channel("notes", {"type": "array", "items": {"type": "string"}}, reduce="append"),
    ]
    builder = PlanBuilder("polish", channels, result="draft")
    builder.node(Think("write", prompt="<{topic}> <{notes}>", writes="draft")).edge("write", "done", "review")
    builder.node(Judge("review", prompt="<{draft}>", outcomes=["pass", "revise"], writes="notes"))
    builder.edge("review", "pass", End("good"))
    builder.edge("review", "revise", "write", at_most=2, bound="rounds", then=End("tired", ok=False))
    return builder.build()


def twice() -> PlanBuilder:
    """Two chapters, polished one after the other by one plan in a loop around it."""
    channels = [Channel("chapter"), Channel("text"), Channel("book", reduce="append")]
    builder = PlanBuilder("book", channels, result="book")
    builder.node(Think("choose", prompt="?", writes="chapter")).edge("choose", "done", "polish")
    builder.node(polish(), inputs={"topic": "chapter"}, writes="text")
    builder.node(Act("keep", keep, reads="text", writes="book")).edge("keep", "done", "enough")
    builder.edge("polish", "good", "keep").edge("polish", "tired", "keep").edge(
        "polish", "failed", End("down", ok=False)
    )
    builder.node(Route("enough", enough, outcomes=["yes", "no"])).edge("enough", "yes", End("written"))
    return builder.edge("enough", "no", "choose", at_most=4, bound="chapters", then=End("long", ok=False))


def keep(text: str) -> str:
    return text


def enough(book: list[str]) -> str:
    return "yes" if len(book) == 2 else "no"


def test_names_of_what_is_nested() -> None:
    plan = twice().build()
    assert list(plan.nodes) == ["choose", "polish", "polish/write", "polish/review", "keep", "enough"]
    assert list(plan.channels) == ["chapter", "text", "book", "polish/notes"]
    assert plan.bounds["polish/rounds"] == Bound("polish/rounds", 2, Way("keep"))
    assert plan.nodes["polish/write"].channels == {"topic": "chapter", "notes": "polish/notes", "draft": "text"}
    assert plan.nodes["polish/write"].contract.reads == ("chapter", "polish/notes")


def test_ways_in_and_out() -> None:
    plan = twice().build()
    assert plan.routes["choose", "done"].way == Way("polish", resets=("polish/notes",))
    assert plan.routes["polish", "done"].way == Way("polish/write")
    assert plan.routes["polish/review", "revise"] == Edge(
        "polish/review", "revise", Way("polish/write", "polish/rounds")
    )
    assert plan.routes["polish/review", "pass"].way == Way("keep")
    assert [plan.routes[name, "failed"].way.target for name in ("polish/write", "polish/review")] == ["down", "down"]


def test_an_inner_end_without_an_outer_edge_is_found() -> None:
    outer = PlanBuilder("outer", [Channel("topic", input=True)]).node(polish()).edge("polish", "good", End("good"))
    (missing,) = outer.loop().check().errors
    assert (missing.message, missing.nodes) == ("'polish' [tired] leads nowhere", ("polish",))
    assert missing.hint == "add an edge from 'polish' for 'tired'"


def test_a_gap_of_a_plan_in_a_plan_in_a_plan_has_the_name_that_an_author_can_give() -> None:
    middle = PlanBuilder("middle", [Channel("topic", input=True)]).node(polish())
    middle.edge("polish", "tired", End("tired", ok=False))
    outer = PlanBuilder("outer", [Channel("topic", input=True)]).node(middle)
    (gap,) = [found for found in outer.edge("middle", "tired", End("tired")).loop().check() if "good" in found.message]
    assert (gap.code, gap.message) == ("missing-edge", "'middle/polish' [good] leads nowhere")


def test_a_gap_is_drawn_as_an_edge_that_is_missing() -> None:
    outer = PlanBuilder("outer", [Channel("topic", input=True)]).node(polish())
    text = outer.edge("polish", "tired", End("tired", ok=False)).loop().draw(format="txt")
    assert "pass ⇢ nowhere" in text


def test_a_nested_plan_that_does_not_loop_at_its_start_needs_no_node_to_enter() -> None:
    inner = PlanBuilder("inner", [Channel("said")]).node(Think("say", prompt="?", writes="said"))
    outer = PlanBuilder("outer").node(inner.edge("say", "done", End("said")).build()).edge("inner", "said", End("end"))
    plan = outer.build()
    assert (plan.start, list(plan.nodes)) == ("inner/say", ["inner/say"])


def test_names_that_are_taken() -> None:
    builder = PlanBuilder("outer", [Channel("polish/notes"), Channel("topic")]).node(polish())
    with pytest.raises(ValueError, match="node 'polish' needs names that are taken: polish/notes"):
        builder.build()


NO, YES = {"outcome": "revise", "reason": "no"}, {"outcome": "pass", "reason": "yes"}


def test_it_begins_anew_at_every_entry(drive: Any) -> None:
    script = {
        "choose": ["one", "two"],
        "write": ["1a", "1b", "1c", "2a", "2b", "2c"],
        "review": [NO, NO, YES, NO, NO, NO],
    }
    model = RecordingModel(script)
    run = drive.start(twice().loop(), model=model)
    round_ = ["polish/write done", "polish/review revise"]
    first = [
        "choose done -> polish",
        "polish done",
        *round_,
        *round_,
        "polish/write done",
        "polish/review pass -> keep",
    ]
    second = [
        "choose done -> polish",
        "polish done",
        *round_,
        *round_,
        "polish/write done",
        "polish/review revise -> keep",
    ]
    assert_path(run, [*first, "keep done", "enough no -> choose", *second, "keep done", "enough yes -> written"])
    assert run.result == ["1c", "2c"]
    prompts = [messages[0]["content"] for messages in model.prompts("polish/write")]
    assert prompts == ["one []", "one - no", "one - no\n- no", "two []", "two - no", "two - no\n- no"]
    assert run.reason == "enough answered 'yes'"


def test_a_failure_inside_takes_the_outer_edge(drive: Any) -> None:
    model = RecordingModel({"choose": ["one"], "write": [{"error": "no network"}]})
    run = drive.start(twice().loop(), model=model)
    assert_path(run, ["choose done", "polish done", "polish/write failed -> down"])
    assert (run.end, run.reason) == (End("down", ok=False), "no network")


def test_two_of_one_plan_do_not_meet(drive: Any) -> None:
    outer = PlanBuilder("outer", [Channel("topic", input=True), Channel("a"), Channel("b")], result="b")
    outer.node(polish(), name="one", writes="a").node(polish(), name="two", inputs={"topic": "a"}, writes="b")
    outer.edge("one", "good", "two").edge("one", "tired", End("tired", ok=False))
    outer.edge("two", "good", End("good")).edge("two", "tired", End("tired", ok=False))
    model = RecordingModel({"write": ["A", "B", "C"], "one/review": [NO, YES], "two/review": [YES]})
    run = drive.start(outer.loop(), {"topic": "T"}, model=model)
    assert (run.result, run.end) == ("C", End("good"))
    assert [messages[0]["content"] for messages in model.prompts("two/write")] == ["B []"]
    assert run.state["one/notes"] == ["no", "yes"]
    assert run.state["two/notes"] == ["yes"]


def test_a_plan_in_a_plan_in_a_plan(drive: Any) -> None:
    middle = PlanBuilder("middle", [Channel("topic", input=True), Channel("text")], result="text")
    middle.node(polish(), writes="text").edge("polish", "good", End("ok")).edge("polish", "tired", End("ok"))
    outer = PlanBuilder("outer", [Channel("topic", input=True), Channel("found")], result="found")
    outer.node(middle.build(), writes="found").edge("middle", "ok", End("end"))
    run = drive.start(outer.loop(), {"topic": "T"}, model=RecordingModel({"write": ["A"], "review": [YES]}))
    assert run.result == "A"
    assert [visit.node for visit in run.visits][-2:] == ["middle/polish/write", "middle/polish/review"]


def forking() -> PlanBuilder:
    """An inner plan that asks about each item, and inside of that about each part, in a body of its own."""
    part = PlanBuilder("part", [Channel("part", input=True), Channel("said")], result="said")
    part.node(Think("say", prompt="<{part}>", writes="said")).edge("say", "done", End("said"))
    item = PlanBuilder("item", [Channel("item", input=True), Channel("texts", list[str])], result="texts")
    item.each("parts", over="item", as_="part", do=part, collect="texts", at_most=2)
    item.edge("parts", "done", End("told"))
    plan = PlanBuilder("forking", [Channel("items", input=True), Channel("all", list[list[str]])], result="all")
    plan.each("items each", over="items", as_="item", do=item, collect="all", at_most=2)
    return plan.edge("items each", "done", End("all told"))


def around(*failures: str) -> PlanBuilder:
    outer = PlanBuilder("outer", [Channel("items", default=[["a", "b"], ["c"]]), Channel("told")], result="told")
    outer.node(forking(), name="in", writes="told").edge("in", "all told", End("good"))
    for failure in failures:
        outer.edge("in", failure, End("bad", ok=False))
    return outer


def refusing(call: ModelCall) -> Json:
    if call.messages[-1]["content"] == "b":
        raise ModelError("m: 500", retryable=False)
    return "text"


def test_a_failure_in_the_branch_of_a_nested_fork_takes_the_outer_edge() -> None:
    loop = around("failed").loop()
    assert not loop.check()
    run = loop.start(model=RecordingModel(refusing))
    assert (run.end, run.reason) == (End("bad", ok=False), "1 of 2 branches failed")
    (outcome,) = [visit.outcome for visit in run.visits if visit.node == "in/items each"]
    assert outcome == "failed"
    assert loop.start(model=RecordingModel({"say": ["text"], "repeat": "last"})).result == [["text", "text"], ["text"]]


@pytest.mark.parametrize("others", [(), tuple(name for name in FAILURES if name != "failed")])
def test_without_an_edge_for_that_failure_it_suspends_in_its_branch(others: tuple[str, ...]) -> None:
    run = around(*others).loop().start(model=RecordingModel(refusing))
    assert (run.status, run.row.at) == ("suspended", ("in/items each[0]/parts[1]/say",))
    model = RecordingModel({"default": ["text"]})
    assert (run.resume(model=model).end, model.asked) == (End("good"), ["in/items each[0]/parts[1]/say"])


def test_each_failure_keeps_its_name() -> None:
    outer = PlanBuilder("outer", [Channel("items", default=[["a"]]), Channel("told")], result="told")
    outer.node(forking(), name="in", writes="told").edge("in", "all told", End("good"))
    for failure in FAILURES:
        outer.edge("in", failure, End(f"bad: {failure}", ok=False))
    model = RecordingModel({"say": [{"no": "text"}], "repeat": "last"})
    assert outer.loop().start(model=model).end == End("bad: unreadable", ok=False)
