"""Names on the engine's side: legal there, each of one thing only, and plain where the plan's name is plain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.compile.context import Context
from loopwright.graphs.compile.graph import compile_plan
from loopwright.graphs.compile.names import END_KEY, body_name, count_key, engine_name, join_name, results_key
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.think import Think
from loopwright.state.channels import Channel
from loopwright.testing.scripts import RecordingModel

HARD = st.text(st.sampled_from("a%|:_ ()")) | st.sampled_from(["", "__start__", "__end__"])
NAMES = st.builds("{}{}".format, HARD, st.sampled_from(["", " body", " join", " body join", "%20body"])) | st.text()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("write", "write"),
        ("a/b [2] c", "a/b [2] c"),
        ("A:b|c", "A%3Ab%7Cc"),
        ("50%", "50%25"),
        ("__start__", "%__start__"),
        ("", "%"),
        ("rate join", "rate%20join"),
        ("body", "body"),
    ],
)
def test_names_that_the_engine_can_take(name: str, expected: str) -> None:
    assert engine_name(name) == expected


@given(NAMES)
def test_every_name_is_legal_for_the_engine(name: str) -> None:
    made = engine_name(name)
    assert made
    assert not made.startswith("__")
    assert not {"|", ":"} & set(made)


@given(st.lists(NAMES, unique=True))
def test_no_two_things_have_one_name(names: list[str]) -> None:
    nodes = [engine_name(name) for name in names]
    made = [name for node in nodes for name in (node, body_name(node), join_name(node))]
    assert len(set(made)) == 3 * len(names)


@given(st.lists(st.text(), unique=True))
def test_our_own_channels_are_told_apart(names: list[str]) -> None:
    made = [END_KEY, *map(count_key, names), *map(results_key, names)]
    assert len(set(made)) == 1 + 2 * len(names)


def hostile() -> Plan:
    """A fork, a node with the name of its body, and one with that of a channel."""
    builder = PlanBuilder("hostile", [Channel("items", input=True), Channel("marks"), Channel("draft")])
    builder.each("rate", over="items", as_="item", do=Think("g", prompt="<{item}>"), collect="marks", at_most=2)
    for name in ("rate body", "draft()", "draft", "a:b|c%"):
        builder.node(Think(name, prompt="?", writes="draft"))
    builder.edge("rate", "done", "rate body").edge("rate body", "done", "draft()").edge("draft()", "done", "draft")
    return builder.edge("draft", "done", "a:b|c%").edge("a:b|c%", "done", End("end")).build()


def test_the_engine_runs_nodes_with_hostile_names() -> None:
    model = RecordingModel(lambda call: f"by {call.node}")
    final = compile_plan(hostile(), {}, default=Context({"default": model})).invoke({"items": ["x"]})
    assert model.asked == ["rate[0]/g", "rate body", "draft()", "draft", "a:b|c%"]
    assert (final["marks"], final["draft"], final[END_KEY]["end"]) == (["by rate[0]/g"], "by a:b|c%", "end")
