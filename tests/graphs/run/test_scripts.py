"""How far scripts were read: wherever a run was left, its scripts go on with the reply that it would have got."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.errors import ModelError
from loopwright.graphs.brains.techniques import brain
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.scripts import go_on, mark_of, marked, moved, new_mark, unasked
from loopwright.nodes.models.contract import ModelCall
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.think import Think
from loopwright.nodes.wait import Wait
from loopwright.state.channels import Channel
from loopwright.state.records import Usage, Visit
from loopwright.state.values import JsonObject

PLAN = (
    PlanBuilder("mixed", [Channel("items", input=True), Channel("marks"), Channel("draft"), Channel("said")])
    .node(Think("write", prompt="?", writes="draft"))
    .node(Think("judge", prompt="?", model="other", writes="draft"))
    .node(Wait("ask", text="?", writes="said"))
    .each("rate", over="items", as_="item", do=Think("rater", prompt="<{item}>"), collect="marks", at_most=3)
    .build()
)
SCRIPTED = ["write", "rate[0]/rater", "rate[1]/rater"]
OTHERS = ["judge", "ask", "rate"]


def script() -> ScriptedModel:
    return ScriptedModel({"write": ["A"], "rater": ["B", {"error": "x"}], "repeat": "last"})


def visit(index: int, node: str, retries: int = 0, repairs: int = 0, failed: bool = False) -> Visit:
    usage = Usage(calls=int(not failed), retries=retries, repairs=repairs)
    return Visit(index, node, "think", "failed" if failed else "done", usage=usage)


def asked(model: ScriptedModel, made: Visit) -> None:
    """Ask a script as often as the driver did for a visit."""
    for _ in range(made.usage.retries + made.usage.repairs + 1):
        with suppress(ModelError):
            model.ask(ModelCall(made.node, []))


COUNTS = st.integers(0, 2)
VISITS = st.lists(st.tuples(st.sampled_from(SCRIPTED + OTHERS), COUNTS, COUNTS, st.booleans()), max_size=12)


@given(VISITS, st.data())
def test_a_script_goes_on_from_any_mark(made: list[tuple[str, int, int, bool]], data: st.DataObject) -> None:
    visits = [visit(index, *fields) for index, fields in enumerate(made)]
    rested = data.draw(st.integers(0, len(visits)))
    model, mark = script(), new_mark(script(), {}, 0)
    for index, each in enumerate(visits):
        if index == rested:
            mark = new_mark(model, model.taken, rested)
        if each.node in SCRIPTED:
            asked(model, each)
    later = script()
    models = {"default": later, "other": ModelRef("m")}
    go_on(PLAN, models, {"default": mark, "other": {"ref": {"model": "m"}}}, lambda: visits)
    assert {queue: count for queue, count in later.taken.items() if count} == model.taken


def test_a_script_of_two_names_is_counted_once() -> None:
    model = ScriptedModel({"default": ["A"], "repeat": "last"})
    models = {"default": model, "other": model}
    visits = [visit(0, "write"), visit(1, "judge"), visit(2, "ask")]
    go_on(PLAN, models, marked(models, {}, 1), lambda: visits)
    assert model.taken == {"default": 1}


def test_visits_are_read_only_where_there_is_a_script() -> None:
    def unread() -> Sequence[Visit]:
        raise AssertionError("the visits were read")

    go_on(PLAN, {"default": ModelRef("m")}, {"default": {"ref": {"model": "m"}}}, unread)
    with pytest.raises(AssertionError, match="the visits were read"):
        go_on(PLAN, {"default": script()}, {"default": new_mark(script(), {}, 0)}, unread)


def test_a_mark_is_of_its_own_script_only() -> None:
    mark = new_mark(script(), {"write": 2}, 5)
    assert mark == {"script": script().to_data(), "taken": {"write": 2}, "since": 5}
    assert mark_of(script(), mark) == mark
    others: list[Any] = [None, {}, {"live": "x"}, {"ref": {"model": "m"}}, new_mark(ScriptedModel({"a": ["b"]}), {}, 5)]
    assert [mark_of(script(), other) for other in others] == [None] * len(others)


def test_marks_are_set_where_scripts_are_now_and_all_else_stays() -> None:
    model = script()
    model.ask(ModelCall("write", []))
    before: JsonObject = {
        "default": new_mark(model, {}, 0),
        "other": {"ref": {"model": "m"}},
        "third": {"live": "mine"},
    }
    now = marked({"default": model, "other": ModelRef("m")}, before, 4)
    assert now == {**before, "default": new_mark(model, {"write": 1}, 4)}
    assert before["default"] == new_mark(model, {}, 0)


def test_queues_are_called_as_nodes_that_ask_are() -> None:
    names = ["write", "judge", "rater", "rate/rater", "rate[2]/rater", "default"]
    assert unasked(PLAN, ScriptedModel({name: ["A"] for name in names})) == []


def test_queues_that_no_node_asks_are_told() -> None:
    model = ScriptedModel({"ask": ["A"], "rate": ["B"], "write": ["C"], "judges": ["D"]}, label="four")
    there = "there are: judge, rate/rater, rater, write"
    assert unasked(PLAN, model) == [
        f"scripted (four) has replies for 'ask', which is no node that asks a model; {there}",
        f"scripted (four) has replies for 'rate', which is no node that asks a model; did you mean 'rater'? {there}",
        f"scripted (four) has replies for 'judges', which is no node that asks a model; did you mean 'judge'? {there}",
    ]


def brains() -> Plan:
    """A brain as a node, and one as the body of a fork."""
    builder = PlanBuilder("brains", [Channel("items", input=True), Channel("marks"), Channel("draft")])
    builder.node(brain("multi_eval", {"prompt": "?"}), name="think", writes="draft")
    body = brain("zero_shot", {"prompt": "<{item}>"})
    return builder.each("rate", over="items", as_="item", do=body, collect="marks", at_most=3).build()


def test_a_script_for_a_brain_may_have_queues_for_every_technique() -> None:
    names = ["decide", "choose", "expand", "think/generate", "think/rate 1[0]/judge", "think/keep 1", "rate[2]/choose"]
    assert unasked(brains(), ScriptedModel({name: ["A"] for name in names})) == []


@pytest.mark.parametrize("name", ["chose", "think/rate", "other/generate", "think/think/generate", "rate 1"])
def test_other_queues_of_a_script_for_a_brain_are_told(name: str) -> None:
    assert len(unasked(brains(), ScriptedModel({name: ["A"]}))) == 1


def test_without_a_brain_the_nodes_of_its_techniques_are_unknown() -> None:
    assert len(unasked(PLAN, ScriptedModel({"choose": ["A"]}))) == 1


def test_where_a_plan_is_changed_queues_go_with_the_nodes_and_marks_are_where_scripts_are() -> None:
    before: JsonObject = {
        "default": new_mark(script(), {"write": 1}, 1),
        "other": {"ref": {"model": "m"}},
        "third": {"live": "mine"},
    }
    visits = [visit(0, "write"), visit(1, "write", retries=1), visit(2, "judge"), visit(3, "rate[0]/rater")]
    now = moved(PLAN, before, visits, lambda name: "compose" if name == "write" else name)
    renamed = ScriptedModel({"compose": ["A"], "rater": ["B", {"error": "x"}], "repeat": "last"})
    taken = {"compose": 3, "rate[0]/rater": 1}
    assert now == {**before, "default": new_mark(renamed, taken, 4)}
