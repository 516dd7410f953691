"""Cycles: each has something that can be seen to bound it, or only the engine's limit stops it."""

from collections.abc import Collection, Iterator

import networkx as nx

from loopwright.graphs.stategraph.reading import Reading, shown
from loopwright.graphs.verify.findings import Finding, warning

_HINT = "compare a counter in a router, wait for a person, or compile it .with_config(recursion_limit=...)"


def unbounded(reading: Reading) -> Iterator[Finding]:
    """Cycles on which nothing is counted and nobody waits; one without a way out is told elsewhere, as what it is."""
    if reading.bounded:
        return
    free = {
        name
        for name, node in reading.nodes.items()
        if name in reading.reached and name in reading.ending and not node.paced and not _paced_inside(node.body)
    }
    for knot in sorted(_unbounded_in(reading, free), key=lambda knot: min(reading.order[name] for name in knot)):
        first = min(knot, key=reading.order.__getitem__)
        way = _round(reading.part(knot), first)
        names = [name for name in reading.nodes if name in knot]
        message = f"nothing can be seen that bounds the loop of {first!r}"
        yield warning("unbounded-loop", message, _HINT, names, map(shown, way))


def _unbounded_in(reading: Reading, names: Collection[str]) -> Iterator[set[str]]:
    """The knots of loops among some nodes in which no node has a limit; what one bounds is looked at without it."""
    for knot in nx.strongly_connected_components(reading.part(names)):
        if not _turns(reading.graph, knot):
            continue
        limited = _limited(reading, knot)
        if limited:
            yield from _unbounded_in(reading, knot - limited)
        else:
            yield knot


def _limited(reading: Reading, knot: set[str]) -> set[str]:
    """The nodes of a knot with a limit that may be come to: of what cannot be seen, or of a key that moves."""
    if not all(reading.nodes[name].writes.known for name in knot):
        return {name for name in knot if reading.nodes[name].limits or reading.nodes[name].empties & reading.unreduced}
    moving, following = _moving(reading, knot)
    return {
        name
        for name in knot
        if any(not keys or keys & (moving | following) for keys in reading.nodes[name].limits)
        or reading.nodes[name].empties & moving & reading.unreduced
    }


def _moving(reading: Reading, knot: Collection[str]) -> tuple[set[str], set[str]]:
    """The keys that go on from what they were, round by round, and those that follow them.

    A score that each round writes anew, or a number that the loop never writes, or always sets back, never has to.
    """
    beside = {target for name in knot for target in reading.nodes[name].always if target in reading.nodes}
    nodes = [reading.nodes[name] for name in {*knot, *beside}]
    moving = {key for node in nodes for key in node.moves} - {
        key for name in knot for key in reading.nodes[name].resets
    }
    pairs = {pair for node in nodes for pair in node.follows}
    following: set[str] = set()
    while more := {key for key, other in pairs if other in moving | following} - following:
        following |= more
    return moving, following


def _paced_inside(body: Reading | None) -> bool:
    """Whether someone outside is waited for on every run of a subgraph; that is not looked into."""
    return body is not None and any(node.paced for node in body.nodes.values())


def _turns(graph: "nx.DiGraph[str]", knot: set[str]) -> bool:
    return len(knot) > 1 or any(graph.has_edge(name, name) for name in knot)


def _round(graph: "nx.DiGraph[str]", first: str) -> list[str]:
    """A shortest way from a node back to itself."""
    if graph.has_edge(first, first):
        return [first, first]
    back = min((nx.shortest_path(graph, name, first) for name in graph.successors(first)), key=len)
    return [first, *back]
