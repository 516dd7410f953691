"""Moments: where a visit was made, and what a write makes of a channel."""

import pytest

from loopwright.errors import RunError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.run.moments import added, joined, locate
from loopwright.nodes.think import Think
from loopwright.state.channels import Channel, Reducer
from loopwright.state.values import Json


def nested() -> Plan:
    inner = PlanBuilder("inner", [Channel("items", list[str], input=True), Channel("out")])
    inner.each("pairs", over="items", as_="item", do=Think("judge", prompt="<{item}>"), collect="out", at_most=3)
    inner.edge("pairs", "done", End("good"))
    builder = PlanBuilder("outer", [Channel("lists", list[list[str]], input=True), Channel("all")])
    builder.each("rate", over="lists", as_="items", do=inner.build(), collect="all", at_most=3)
    return builder.edge("rate", "done", End("good")).build()


@pytest.mark.parametrize(
    ("label", "node", "around"),
    [
        ("rate", "rate", []),
        ("rate[2]/pairs", "pairs", [("rate", "2")]),
        ("rate[2]/pairs[0]/judge", "judge", [("rate", "2"), ("pairs", "0")]),
    ],
)
def test_a_label_is_found_in_the_plan(label: str, node: str, around: list[tuple[str, str]]) -> None:
    found = locate(nested(), label)
    assert found.node.name == node
    assert [(placed.name, key) for placed, key, _ in found.around] == around


@pytest.mark.parametrize("label", ["none", "rate[2]/none", "rate[2]"])
def test_a_label_of_another_plan(label: str) -> None:
    with pytest.raises(RunError, match="has no node"):
        locate(nested(), label)


@pytest.mark.parametrize(
    ("reduce", "before", "write", "after"),
    [
        ("replace", "a", "b", "b"),
        ("replace", None, {"a": 1}, {"a": 1}),
        ("append", ["a"], "b", ["a", "b"]),
        ("append", None, ["b"], [["b"]]),
        ("extend", ["a"], ["b", "c"], ["a", "b", "c"]),
        ("add", None, 2, 2),
        ("add", 3, -1, 2),
        ("merge", {"a": 1, "b": 1}, {"b": 2, "c": 3}, {"a": 1, "b": 2, "c": 3}),
    ],
)
def test_a_write_and_what_it_makes(reduce: Reducer, before: Json, write: Json, after: Json) -> None:
    channel = Channel("it", reduce=reduce)
    assert joined(channel, before, write) == after
    assert added(channel, before, after) == write
