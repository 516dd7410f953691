"""Nesting: a plan inside a plan becomes part of it, node by node.

Names of inner nodes, channels and bounds get the nesting node's name and `/` before them. An inner input is the outer
channel it is filled from; an inner end is the outer edge that has its name as outcome. What the inner plan keeps for
itself is reset whenever it is entered from outside; where its first node is the head of a loop, it is entered by a node
of its own, so that the inner loop and one around it keep their counts apart.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from loopwright.graphs.plan import Bound, Edge, Plan, PlanNode, Way
from loopwright.nodes.contract import FAILURES
from loopwright.nodes.enter import Enter


@dataclass(frozen=True, slots=True)
class Nested:
    """A plan that stands as a node of another one; arguments as of `PlanBuilder.node`."""

    name: str
    plan: Plan
    inputs: Mapping[str, str]
    writes: str = ""

    def outer(self, name: str) -> str:
        """The outer name of an inner node or bound."""
        return f"{self.name}/{name}"

    @property
    def loops_at_start(self) -> bool:
        """Whether an inner edge leads back to the inner plan's first node."""
        return any(move.way.target == self.plan.start for move in self.plan.moves)

    @property
    def entry(self) -> str:
        """The outer name of the node that it is entered by."""
        return self.name if self.loops_at_start else self.outer(self.plan.start)

    @property
    def channels(self) -> dict[str, str]:
        """The outer channel for each inner one."""
        return {name: self._channel(name) for name in self.plan.channels}

    def _channel(self, name: str) -> str:
        if self.plan.channels[name].input:
            return self.inputs.get(name, name)
        return self.writes if self.writes and name == self.plan.result else self.outer(name)

    @property
    def own(self) -> tuple[str, ...]:
        """The outer names of the channels that the inner plan keeps for itself, empty at every entry."""
        return tuple(outer for name, outer in self.channels.items() if outer == self.outer(name))


def inline(plan: Plan, nested: Nested, order: list[str]) -> Plan:
    """The plan with one nested plan made part of it.

    Args:
        plan: The plan around it; its edges name the nested plan as if it were a node.
        nested: The nested plan.
        order: The names of the outer nodes as they were added; the nested plan's nodes stand together in its place.
    """
    inner, channels = nested.plan, nested.channels
    ways = {edge.outcome: edge.way for edge in plan.edges if edge.source == nested.name}

    def entering(way: Way) -> Way:
        if way.target != nested.name:
            return way
        return replace(way, target=nested.entry, resets=(*way.resets, *nested.own))

    def leaving(way: Way) -> Way:
        if way.target in inner.ends:
            return entering(ways[way.target]) if way.target in ways else replace(way, target=f"{nested.name} {way.target}")
        resets = tuple(channels.get(name, name) for name in way.resets)
        return Way(nested.outer(way.target), nested.outer(way.bound) if way.bound else "", resets)

    nodes = dict(plan.nodes)
    if nested.loops_at_start:
        nodes[nested.name] = PlanNode(nested.name, Enter(nested.name))
    for placed in inner.nodes.values():
        names = {own: channels.get(placed.channels.get(own, own), own) for own in _names_of(placed, channels)}
        nodes[nested.outer(placed.name)] = PlanNode(nested.outer(placed.name), placed.node, names)
    edges = [replace(edge, way=entering(edge.way)) for edge in plan.edges if edge.source != nested.name]
    if nested.loops_at_start:
        edges.append(Edge(nested.name, "done", Way(nested.outer(inner.start))))
    for edge in inner.edges:
        if edge.way.target not in inner.ends or edge.way.target in ways:
            edges.append(Edge(nested.outer(edge.source), edge.outcome, leaving(edge.way)))
    edges += _failure_edges(nested, {name: entering(way) for name, way in ways.items()})
    bounds = {name: replace(bound, then=entering(bound.then)) for name, bound in plan.bounds.items()}
    for bound in inner.bounds.values():
        bounds[nested.outer(bound.name)] = Bound(nested.outer(bound.name), bound.at_most, leaving(bound.then))
    kept = {
        outer: replace(inner.channels[name], name=outer)
        for name, outer in channels.items()
        if outer == nested.outer(name)
    }
    return replace(
        plan,
        start=nested.entry if plan.start == nested.name else plan.start,
        nodes=dict(sorted(nodes.items(), key=lambda item: order.index(_owner(item[0], order)))),
        edges=tuple(edges),
        channels={**plan.channels, **kept},
        bounds=bounds,
        models={**inner.models, **plan.models},
    )


def _names_of(placed: PlanNode, channels: Mapping[str, str]) -> set[str]:
    """The channel names that a nested node uses itself."""
    contract = placed.node.contract
    return {*contract.reads, *contract.writes, *placed.channels} & {*channels, *placed.channels}


def _failure_edges(nested: Nested, ways: Mapping[str, Way]) -> list[Edge]:
    """An outer edge for a failure outcome holds for every inner node that can fail and has no edge of its own for it."""
    return [
        Edge(nested.outer(placed.name), failure, ways[failure])
        for failure in FAILURES
        if failure in ways and failure not in nested.plan.ends
        for placed in nested.plan.nodes.values()
        if failure in placed.contract.failures and (placed.name, failure) not in nested.plan.routes
    ]


def _owner(name: str, order: list[str]) -> str:
    """The outer node that a name belongs to: itself, or the nested plan before the `/`."""
    while name not in order:
        name = name.rpartition("/")[0]
    return name
