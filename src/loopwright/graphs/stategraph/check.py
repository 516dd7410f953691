"""The door: all that is wrong with a graph that was made with LangGraph, and with the graphs inside it."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from loopwright.graphs.stategraph.answers import lost, open_choices
from loopwright.graphs.stategraph.cycles import unbounded
from loopwright.graphs.stategraph.reach import dead_ends, edges, endless, unreachable
from loopwright.graphs.stategraph.reading import START, Reading, shown
from loopwright.graphs.stategraph.together import side_by_side
from loopwright.graphs.verify.findings import Finding, Findings

Check = Callable[[Reading], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (edges, unreachable, lost, open_choices, dead_ends, endless, unbounded, side_by_side)
"""Every check: a pure function of a reading."""


def check_reading(reading: Reading) -> Findings:
    """All that is wrong with a graph, each finding with the file and the line of the node concerned where it is known.

    Example:
        >>> from loopwright.graphs.stategraph.reading import END, ReadNode
        >>> nodes = [ReadNode(START, ("a",)), ReadNode("a", (END,)), ReadNode("b", (END,))]
        >>> check_reading(Reading("short", {node.name: node for node in nodes}))
        error  unreachable-node  'b' cannot be reached from START
                                 no edge leads here
                                 path: b
        1 error
    """
    return Findings.of(_located(part, prefix, found) for prefix, part in reading.walk() for found in _found(part))


def _found(reading: Reading) -> Iterator[Finding]:
    for check in CHECKS:
        yield from check(reading)


def _located(reading: Reading, prefix: str, finding: Finding) -> Finding:
    """The finding with its place, and with the names of the graphs around its nodes."""
    names = {shown(START): START}
    known = (reading.nodes.get(names.get(name, name)) for name in finding.nodes[:1])
    node = next((node for node in known if node and node.line), None)
    file, line = (node.file, node.line) if node else (reading.file, reading.line)
    return replace(
        finding,
        nodes=tuple(prefix + name for name in finding.nodes),
        path=(prefix + finding.path[0], *finding.path[1:]) if finding.path else (),
        message=f"in {prefix[:-1]!r}: {finding.message}" if prefix else finding.message,
        file=file,
        line=line,
    )
