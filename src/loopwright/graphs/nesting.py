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
from loopwright.state.channels import Channel


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

    def entering(self, way: Way) -> Way:
        """An outer way, which may lead into the inner plan."""
        if way.target != self.name:
            return way
        return replace(way, target=self.entry, resets=(*way.resets, *self.own))

    def leaving(self, way: Way, ways: Mapping[str, Way]) -> Way:
        """An inner way, which may lead to an inner end: then it is the outer way for that end, if there is one."""
        if way.target in self.plan.ends:
            return ways.get(way.target, replace(way, target=f"{self.name} {way.target}"))
        resets = tuple(self.channels.get(name, name) for name in way.resets)
        return Way(self.outer(way.target), self.outer(way.bound) if way.bound else "", resets)


def inline(plan: Plan, nested: Nested, order: list[str]) -> Plan:
    """The plan with one nested plan made part of it.

    Args:
        plan: The plan around it; its edges name the nested plan as if it were a node.
        nested: The nested plan.
        order: The names of the outer nodes as they were added; the nested plan's nodes stand together in its place.

    Raises:
        ValueError: A name that the nested plan's nodes, channels or bounds get is taken.
    """
    ways = {edge.outcome: nested.entering(edge.way) for edge in plan.edges if edge.source == nested.name}
    around = [replace(edge, way=nested.entering(edge.way)) for edge in plan.edges if edge.source != nested.name]
    bounds = {name: replace(bound, then=nested.entering(bound.then)) for name, bound in plan.bounds.items()}
    nodes, channels, inner_bounds = _nodes(nested), _channels(nested), _bounds(nested, ways)
    taken = {*plan.nodes, *plan.channels, *plan.bounds} & {*nodes, *channels, *inner_bounds}
    if taken:
        raise ValueError(f"the nested plan {nested.name!r} needs names that are taken: {', '.join(sorted(taken))}")
    ordered = sorted({**plan.nodes, **nodes}.items(), key=lambda item: order.index(_owner(item[0], order)))
    return replace(
        plan,
        start=nested.entry if plan.start == nested.name else plan.start,
        nodes=dict(ordered),
        edges=(*around, *_edges(nested, ways), *_failure_edges(nested, ways)),
        channels={**plan.channels, **channels},
        bounds={**bounds, **inner_bounds},
        models={**nested.plan.models, **plan.models},
    )


def _nodes(nested: Nested) -> dict[str, PlanNode]:
    found = {nested.name: PlanNode(nested.name, Enter(nested.name))} if nested.loops_at_start else {}
    for placed in nested.plan.nodes.values():
        name = nested.outer(placed.name)
        found[name] = PlanNode(name, placed.node, _names(placed, nested.channels))
    return found


def _names(placed: PlanNode, channels: Mapping[str, str]) -> dict[str, str]:
    """The outer channel for each channel name that a nested node itself uses."""
    contract = placed.node.contract
    used = dict.fromkeys((*contract.reads, *contract.writes, *placed.channels))
    own = {name: placed.channels.get(name, name) for name in used}
    return {name: channels[inner] for name, inner in own.items() if inner in channels}


def _edges(nested: Nested, ways: Mapping[str, Way]) -> list[Edge]:
    """The inner edges; one to an inner end for which there is no outer edge is left out, and so is found missing."""
    inner = nested.plan
    entry = [Edge(nested.name, "done", Way(nested.outer(inner.start)))] if nested.loops_at_start else []
    return entry + [
        Edge(nested.outer(edge.source), edge.outcome, nested.leaving(edge.way, ways))
        for edge in inner.edges
        if edge.way.target not in inner.ends or edge.way.target in ways
    ]


def _bounds(nested: Nested, ways: Mapping[str, Way]) -> dict[str, Bound]:
    made = (
        Bound(nested.outer(bound.name), bound.at_most, nested.leaving(bound.then, ways))
        for bound in nested.plan.bounds.values()
    )
    return {bound.name: bound for bound in made}


def _channels(nested: Nested) -> dict[str, Channel]:
    """The channels that the inner plan keeps for itself, by their outer names."""
    return {
        outer: replace(nested.plan.channels[name], name=outer)
        for name, outer in nested.channels.items()
        if outer == nested.outer(name)
    }


def _failure_edges(nested: Nested, ways: Mapping[str, Way]) -> list[Edge]:
    """An outer edge for a failure holds for every inner node that can fail and has no edge of its own for it."""
    return [
        Edge(nested.outer(placed.name), failure, ways[failure])
        for failure in FAILURES
        if failure in ways and failure not in nested.plan.ends
        for placed in nested.plan.nodes.values()
        if failure in placed.contract.failures and (placed.name, failure) not in nested.plan.routes
    ]


def _owner(name: str, order: list[str]) -> str:
    """The outer node that a name belongs to: itself, or the nested plan before the `/`."""
    while name not in order and "/" in name:
        name = name.rpartition("/")[0]
    return name
