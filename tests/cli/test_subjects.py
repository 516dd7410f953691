"""Subjects: everything that a command takes, and what it refuses."""

from pathlib import Path

import pytest

from loopwright.cli.subjects import loop_at, subject_at
from loopwright.errors import SourceError
from loopwright.graphs.stategraph.reading import Reading
from loopwright.loop.loop import Loop

APP = """
from langgraph.func import entrypoint
from langgraph.graph import START, MessagesState, StateGraph
from loopwright import End, PlanBuilder, Think

builder = PlanBuilder("small").node(Think("greet", prompt="Hello")).edge("greet", "done", End("done"))
plan = builder.build()
loop = builder.loop()
graph = StateGraph(MessagesState).add_node("hello", lambda state: {}).add_edge(START, "hello")
compiled = graph.compile()
state = MessagesState
number = 3

@entrypoint()
def flow(topic: str) -> str:
    return topic

def make():
    return loop

def make_graph():
    return compiled
"""


@pytest.fixture(autouse=True)
def here(place: Path) -> None:
    (place / "subject_app.py").write_text(APP)


@pytest.mark.parametrize("name", ["builder", "plan", "loop", "make"])
def test_loops(name: str) -> None:
    for found in (loop_at(f"subject_app:{name}"), subject_at(f"subject_app.py:{name}")):
        assert isinstance(found, Loop)
        assert found.plan.name == "small"


def test_files() -> None:
    assert loop_at("essay.yaml").plan.name == "draft and review"
    assert isinstance(subject_at("bridge.yaml"), Loop)


@pytest.mark.parametrize(
    ("name", "begins"), [("graph", "graph ="), ("compiled", "compiled ="), ("make_graph", "def make_g")]
)
def test_graphs(name: str, begins: str) -> None:
    found = subject_at(f"subject_app:{name}")
    assert isinstance(found, Reading)
    assert (found.name, found.names, found.file) == (name, ("hello",), "subject_app.py")
    assert APP.splitlines()[found.line - 1].startswith(begins)


@pytest.mark.parametrize("name", ["number", "state"])
def test_what_is_no_graph(name: str) -> None:
    with pytest.raises(SourceError, match=f"subject_app:{name} is .*, and not a graph: a Loop, a Plan or a PlanB"):
        subject_at(f"subject_app:{name}")


def test_the_functional_api_has_no_edges() -> None:
    with pytest.raises(SourceError) as caught:
        subject_at("subject_app:flow")
    assert "; what @entrypoint and @task make has no edges that could be read (there are:" in str(caught.value)
    assert "subject_app:flow," not in str(caught.value)


def test_a_graph_is_no_loop() -> None:
    with pytest.raises(SourceError) as caught:
        loop_at("subject_app:compiled")
    assert str(caught.value).endswith(
        "a LangGraph graph is checked and drawn here, and run by its own invoke"
        " (there are: subject_app:builder, subject_app:plan, subject_app:loop)"
    )
