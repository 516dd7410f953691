"""The chain of an action: its nodes, its ends, and the brains that can stand in it."""

from typing import Any

import pytest

from loopwright.graphs.actions.chains import Chain, MapBrain, can_be_unreadable, map_brain
from loopwright.graphs.brains.techniques import brain
from loopwright.graphs.builder import PlanBuilder, one_node_plan
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.functions import Act, Route
from loopwright.nodes.think import Judge, Think
from loopwright.state.channels import Channel


def technique(word: str, **given: Any) -> MapBrain:
    return map_brain(brain(word, {"prompt": "<{aim}>", **given}), once=True)


def chained(**brains: MapBrain) -> Plan:
    taken = [channel for each in brains.values() for channel in each.inputs]
    return Chain("wave", list(brains.items()), sender="ada").builder(taken).build()


def edges(plan: Plan) -> list[tuple[str, str, str]]:
    return [(edge.source, edge.outcome, edge.way.target) for edge in plan.edges]


def test_a_brain_that_always_answers_has_no_way_to_nothing() -> None:
    assert edges(chained(think=technique("zero_shot"))) == [
        ("begin", "done", "think/decide"),
        ("send", "sent", "sent"),
        ("send", "invalid", "nothing"),
        ("unread", "nothing", "nothing"),
        ("think/decide", "done", "send"),
        ("think/decide", "unreadable", "unread"),
    ]


def test_a_brain_with_a_threshold_may_come_to_nothing() -> None:
    plan = chained(think=technique("multi_eval", threshold=7, n=2))
    assert ("think/pick", "none", "no answer") in edges(plan)
    assert ("no answer", "nothing", "nothing") in edges(plan)


def test_a_brain_that_stands_twice_has_two_places() -> None:
    one = technique("zero_shot")
    chain = Chain("wave", [("think", one), ("think", one), ("think", one)])
    assert list(chain.steps) == ["think", "think 2", "think 3"]


def test_each_brain_that_is_shown_the_last_failure_has_a_channel_for_it() -> None:
    plan = chained(one=technique("zero_shot", sees=["last_failure"]), two=technique("zero_shot"))
    assert [name for name in plan.channels if name.startswith("last_failure of")] == ["last_failure of one"]
    assert plan.nodes["one/decide"].contract.reads == ("aim", "last_failure of one")


def test_the_result_of_a_plan_of_ones_own_is_noted_once() -> None:
    own = PlanBuilder("own", [Channel("aim", input=True), Channel("text")], result="text")
    own.node(Think("write", prompt="<{aim}>", writes="text")).node(
        Judge("good", prompt="<{text}>", outcomes=["yes", "no"])
    )
    own.edge("write", "done", "good").edge("good", "yes", End("ok")).edge("good", "no", End("bad", ok=False))
    plan = chained(own=map_brain(own))
    assert ("own/good", "yes", "note own") in edges(plan)
    assert ("own/good", "no", "no answer") in edges(plan)
    assert plan.nodes["note own"].contract.writes == ("previous_brain_outputs",)


def test_what_has_no_answer_is_no_brain() -> None:
    silent = PlanBuilder("silent", [Channel("aim", input=True)])
    silent.node(Judge("good", prompt="<{aim}>", outcomes=["yes"])).edge("good", "yes", End("ok"))
    with pytest.raises(ValueError, match="no result of its own"):
        map_brain(silent)
    failing = PlanBuilder("failing", [Channel("text")], result="text")
    failing.node(Think("write", prompt="Write.", writes="text")).edge("write", "done", End("bad", ok=False))
    with pytest.raises(ValueError, match="no end that is a success"):
        map_brain(failing)


def test_a_function_that_writes_nothing_answers_with_what_it_returns() -> None:
    made = map_brain(Act("shout", str.upper, reads=["aim"]))
    assert (made.plan.result, made.once, list(made.code)) == ("shout", True, ["shout"])


def test_which_plans_can_be_unreadable() -> None:
    assert not can_be_unreadable(one_node_plan(Route("r", lambda: "a", outcomes=["a"]).declared))
    rating = PlanBuilder("rating", [Channel("options", input=True), Channel("all")], result="all")
    rating.each("rate", over="options", as_="option", do=Think("one", prompt="<{option}>"), collect="all")
    assert can_be_unreadable(rating.edge("rate", "done", End("ok")).build())
