"""The engine's channels: what is written, in one step or in several, makes of them what the reducer table says."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.graph import START, StateGraph

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.compile.channels import concatenated, engine_reset, engine_schema, engine_write
from loopwright.graphs.compile.names import END_KEY, count_key, results_key
from loopwright.graphs.plan import End
from loopwright.nodes.think import Judge, Think
from loopwright.state.channels import MISSING, REDUCERS, Channel, Reducer
from loopwright.state.values import Json

MESSAGE = {"role": "assistant", "content": "the engine would like to make an object of this"}
SOME = st.integers(-9, 9) | st.text("ab", max_size=2) | st.none() | st.just(MESSAGE)
WRITES: Mapping[Reducer, st.SearchStrategy[Any]] = {
    "replace": SOME,
    "append": SOME | st.lists(SOME, max_size=2),
    "extend": st.lists(SOME, max_size=3),
    "add": st.integers(-9, 9),
    "merge": st.dictionaries(st.sampled_from("abc"), SOME, max_size=2),
}
TABLE: Mapping[Reducer, Callable[[Any, Any], Any]] = {
    "replace": lambda value, write: write,
    "append": lambda value, write: [*value, write],
    "extend": lambda value, write: [*value, *write],
    "add": lambda value, write: value + write,
    "merge": lambda value, write: {**value, **write},
}


def told(channel: Channel, writes: list[Any]) -> Any:
    """What the table of reducers says; None among the writes is a reset."""
    value = channel.first_value
    for write in writes:
        value = channel.first_value if write is engine_reset else TABLE[channel.reduce](value, write)
    return value


def made(channel: Channel, writes: list[Any], *, at_once: bool = False) -> Any:
    """What the engine makes of it: a node for each write, in a row or side by side."""
    graph = StateGraph(engine_schema(PlanBuilder("small", [channel]).build()))
    before = START
    for index, write in enumerate(writes):
        value = engine_reset(channel) if write is engine_reset else engine_write(channel, write)
        update = {} if value is MISSING else {channel.name: value}
        graph.add_node(f"{index:02}", lambda state, update=update: update)
        graph.add_edge(before, f"{index:02}")
        before = before if at_once else f"{index:02}"
    final = graph.compile().invoke({}) if writes else {}
    return final.get(channel.name, channel.first_value)


@pytest.mark.parametrize("reduce", REDUCERS)
@settings(max_examples=40)
@given(data=st.data())
def test_writes_and_resets_in_a_row(reduce: Reducer, data: st.DataObject) -> None:
    channel = Channel("x", reduce=reduce, default=7 if reduce == "replace" else MISSING)
    writes = data.draw(st.lists(WRITES[reduce] | st.just(engine_reset), max_size=5))
    value = made(channel, writes)
    assert (value, type(value)) == (told(channel, writes), type(told(channel, writes)))


@pytest.mark.parametrize("reduce", [reduce for reduce in REDUCERS if reduce != "replace"])
@settings(max_examples=40)
@given(data=st.data())
def test_writes_in_one_step(reduce: Reducer, data: st.DataObject) -> None:
    channel = Channel("x", reduce=reduce)
    writes = data.draw(st.lists(WRITES[reduce], min_size=1, max_size=4))
    assert made(channel, writes, at_once=True) == told(channel, writes)


def test_a_value_without_a_default_cannot_be_unwritten() -> None:
    assert engine_reset(Channel("x")) is MISSING
    assert engine_reset(Channel("x", default=None)) is None


LISTS = st.lists(SOME, max_size=3)


@given(st.none() | LISTS, st.lists(LISTS, max_size=3), st.lists(LISTS, max_size=3))
def test_deltas_may_be_cut_anywhere(state: list[Any] | None, first: list[list[Any]], then: list[list[Any]]) -> None:
    assert concatenated(concatenated(state, first), then) == concatenated(state, first + then)


def test_concatenating_changes_nothing_that_is_there() -> None:
    state: list[Json] = ["a"]
    assert concatenated(state, [["b"], []]) == ["a", "b"]
    assert state == ["a"]


def test_a_plan_has_its_channels_and_our_own() -> None:
    builder = PlanBuilder("rating", [Channel("items", input=True), Channel("marks")])
    builder.each("rate", over="items", as_="item", do=Think("g", prompt="<{item}>"), collect="marks", at_most=2)
    builder.node(Judge("look", prompt="?", outcomes=["good", "bad"])).edge("rate", "done", "look")
    builder.edge("look", "bad", "rate", at_most=1, bound="again", then=End("end")).edge("look", "good", End("end"))
    keys = set(engine_schema(builder.build()).__annotations__)
    assert keys == {"items", "marks", END_KEY, count_key("again"), results_key("rate")}
