"""The door: every code that only LangGraph graphs have, subgraphs, and places."""

from collections.abc import Callable
from typing import Any

import pytest

from loopwright.graphs.stategraph.check import check_reading
from loopwright.graphs.stategraph.reading import Reading, Writes

ReadingOf = Callable[..., Reading]
TEXT = Writes(frozenset({"text"}), frozenset({"text"}), known=True)
WIDE = ("start -> " + " + ".join(f"n{i}" for i in range(16)), *(f"n{i} ? a{i} | b{i}" for i in range(16)))

BROKEN: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "dead-end": (("start -> a",), {}),
    "double-run": (("start -> a + b", "b -> c", "a -> d", "c -> d", "d -> end"), {}),
    "dropped-join": (("start -> a", "a ? b | c", "b & c -> d", "d -> end"), {}),
    "open-router": (("start ?? a", "a -> end"), {}),
    "parallel-writers": (
        ("start -> a + b", "a -> end", "b -> end"),
        {"nodes": {"a": {"writes": TEXT}, "b": {"writes": TEXT}}, "unreduced": frozenset({"text"})},
    ),
    "partly-explored": (WIDE, {}),
}


@pytest.mark.parametrize("code", BROKEN)
def test_a_broken_graph_gives_its_code(reading_of: ReadingOf, code: str) -> None:
    lines, fields = BROKEN[code]
    assert code in [finding.code for finding in check_reading(reading_of(*lines, **fields))]


def test_findings_of_a_subgraph_say_whose_they_are(reading_of: ReadingOf) -> None:
    inner = reading_of("start -> x", "x -> end", "lost -> end")
    outer = reading_of("start -> a", "a -> end", nodes={"a": {"body": inner}})
    (finding,) = check_reading(outer)
    assert finding.message == "in 'a': 'lost' cannot be reached from START"
    assert (finding.nodes, finding.path) == (("a/lost",), ("a/lost",))


def test_a_finding_stands_where_its_node_stands(reading_of: ReadingOf) -> None:
    fields: dict[str, Any] = {"file": "app.py", "line": 9}
    placed = reading_of("start -> a", nodes={"a": {"file": "nodes.py", "line": 3}}, **fields)
    assert [(finding.file, finding.line) for finding in check_reading(placed)] == [("nodes.py", 3)]
    assert [(finding.file, finding.line) for finding in check_reading(reading_of("start -> a", **fields))] == [
        ("app.py", 9)
    ]
