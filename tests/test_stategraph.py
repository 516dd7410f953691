"""The face for LangGraph graphs: checked and drawn in Python."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import END, START, MessagesState, StateGraph

from loopwright import stategraph
from loopwright.errors import DrawError, PlanError


def idle(state: MessagesState) -> dict[str, Any]:
    return {}


@pytest.fixture
def graph() -> Any:
    inner = StateGraph(MessagesState).add_node("x", idle).add_edge(START, "x").add_edge("x", END).compile()
    return StateGraph(MessagesState).add_node("inner", inner).add_edge(START, "inner").add_edge("inner", END)


def test_a_good_graph_is_checked(graph: Any) -> None:
    stategraph.check(graph).raise_for_errors()
    assert list(stategraph.check(graph.compile(name="talk"))) == []
    assert stategraph.read(graph.compile(name="talk")).name == "talk"
    assert stategraph.read(graph, "other").name == "other"


def test_a_broken_graph_fails_a_test(graph: Any) -> None:
    with pytest.raises(PlanError, match="'lost' cannot be reached from START"):
        stategraph.check(graph.add_node("lost", idle)).raise_for_errors()


def test_what_is_no_graph_is_refused() -> None:
    for function in (stategraph.read, stategraph.check, stategraph.draw):
        with pytest.raises(TypeError, match="a StateGraph or a compiled one can be read; dict is neither"):
            function({})


def test_a_graph_is_drawn(graph: Any, tmp_path: Path) -> None:
    file = tmp_path / "graph.svg"
    assert stategraph.draw(graph, file, opened=True) == file.read_text()
    assert stategraph.draw(graph, opened=True) == file.read_text() != stategraph.draw(graph)
    assert stategraph.draw(graph, theme="dark") != stategraph.draw(graph)
    assert "a node of a LangGraph graph" in str(stategraph.draw(graph, legend=True))
    assert str(stategraph.draw(graph, format="mmd", opened=True)).startswith("flowchart TD")
    assert stategraph.draw(graph, tmp_path / "graph.png") == (tmp_path / "graph.png").read_bytes()
    with pytest.raises(DrawError, match="there is no picture format 'gif'"):
        stategraph.draw(graph, format="gif")
