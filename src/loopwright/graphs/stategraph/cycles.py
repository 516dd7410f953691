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
    graph = reading.graph
    loops = {name: loop for loop in nx.strongly_connected_components(graph) for name in loop}
    free = [
        name
        for name, node in reading.nodes.items()
        if name in reading.reached
        and name in reading.ending
        and not any(_is_counter(reading, keys, loops[name]) for keys in node.limits)
        and not node.paced
        and not _paced_inside(node.body)
    ]
    knots = [knot for knot in nx.strongly_connected_components(reading.part(set(free))) if _turns(graph, knot)]
    for knot in sorted(knots, key=lambda knot: min(reading.order[name] for name in knot)):
        first = min(knot, key=reading.order.__getitem__)
        way = _round(reading.part(knot), first)
        names = [name for name in reading.nodes if name in knot]
        message = f"nothing can be seen that bounds the loop of {first!r}"
        yield warning("unbounded-loop", message, _HINT, names, map(shown, way))


def _is_counter(reading: Reading, keys: Collection[str], loop: Collection[str]) -> bool:
    """Whether what is compared may come to its limit in a loop: by a node of it that goes on from what there was.

    A score that each round writes anew, or a number that the loop never writes, never has to.
    """
    nodes = [reading.nodes[name] for name in loop if name in reading.nodes]
    if not keys or not all(node.writes.known for node in nodes):
        return True
    return any(
        key in node.writes.may and (key in node.uses or "*" in node.uses or key not in reading.unreduced)
        for key in keys
        for node in nodes
    )


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
