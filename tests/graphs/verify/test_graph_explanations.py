"""Explanations of LangGraph graphs: their examples are run, and have this finding or none."""

import linecache
from textwrap import dedent
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from loopwright import stategraph
from loopwright.graphs.verify.findings import Code
from loopwright.graphs.verify.graph_explanations import OF_LANGGRAPH


class State(TypedDict):
    topic: str
    answer: str


def node(state: State) -> dict[str, Any]:
    return {}


def findings_of(example: str, file: str) -> list[str]:
    """The codes of what is found in an example, each once; its source can be found under a name of its own."""
    text = dedent(example)
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    graph: Any = StateGraph(State)
    exec(compile(text, file, "exec"), {"graph": graph, "node": node, "START": START, "END": END})
    return list(dict.fromkeys(finding.code for finding in stategraph.check(graph)))


@pytest.mark.parametrize("code", OF_LANGGRAPH)
def test_the_wrong_example_has_this_finding_alone_and_the_right_one_none(code: Code) -> None:
    _, wrong, right = OF_LANGGRAPH[code]
    assert findings_of(wrong, f"<wrong {code}>") == [code]
    assert findings_of(right, f"<right {code}>") == []
