"""Nesting: a plan inside a plan becomes part of it, node by node.

Names of inner nodes, channels and bounds get the nesting node's name and `/` before them. An inner input is the outer
channel it is filled from; an inner end is the outer edge that has its name as outcome. What the inner plan keeps for
itself is reset whenever it is entered from outside; where its first node is the head of a loop, it is entered by a node
of its own, so that the inner loop and one around it keep their counts apart.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from loopwright.graphs.folds import Fold
from loopwright.graphs.plan import Bound, Branch, Edge, End, Fork, Plan, PlanNode, Way
from loopwright.nodes.contract import FAILURES, Node
from loopwright.nodes.enter import Enter
from loopwright.state.channels import Channel

Value = TypeVar("Value")


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

    def entered(self, way: Way) -> Way:
        """An outer way that leads into the inner plan."""
        return replace(way, target=self.entry, resets=(*way.resets, *self.own))

    def left(self, way: Way, ways: Mapping[str, Way]) -> Way:
        """An inner way, which may lead to an inner end: then it is the outer way for that end, if there is one."""
        if way.target in self.plan.ends:
            return ways.get(way.target, replace(way, target=f"{self.name} [{way.target}]"))
        resets = tuple(self.channels.get(name, name) for name in way.resets)
        return Way(self.outer(way.target), self.outer(way.bound) if way.bound else "", resets)


_PORT = re.compile(r"(.+) \[(.+)\]")


def open_port(source: str, target: str) -> tuple[str, str] | None:
    """The nested plan and its end, where a way out of it leads to an end for which there is no outer edge.

    Args:
        source: The name of the inner node or bound, as it is outside.
        target: Where its way leads.

    Example:
        >>> open_port("think/pick", "think [none]"), open_port("think/pick", "done")
        (('think', 'none'), None)
    """
    found = _PORT.fullmatch(target)
    return (found[1], found[2]) if found and source.startswith(f"{found[1]}/") else None


def inlined(plan: Plan, parts: Mapping[str, PlanNode | Nested]) -> Plan:
    """The plan with its parts in it, those that are plans node by node.

    Args:
        plan: The plan without nodes; its edges name the nested plans as if they were nodes.
        parts: The nodes and the nested plans by name, in their order.

    Raises:
        ValueError: A name that a nested plan's nodes, channels or bounds get is taken.
    """
    nested = {name: part for name, part in parts.items() if isinstance(part, Nested)}

    def entering(way: Way) -> Way:
        return nested[way.target].entered(way) if way.target in nested else way

    ways: dict[str, dict[str, Way]] = {name: {} for name in nested}
    edges: list[Edge] = []
    for edge in plan.edges:
        if edge.source in nested:
            ways[edge.source][edge.outcome] = entering(edge.way)
        else:
            edges.append(replace(edge, way=entering(edge.way)))
    bounds = {name: replace(bound, then=entering(bound.then)) for name, bound in plan.bounds.items()}
    channels, models, nodes = dict(plan.channels), dict(plan.models), dict[str, PlanNode]()
    folds = dict(plan.folds)
    for name, part in parts.items():
        if isinstance(part, PlanNode):
            _add(nodes, {name: part}, name)
            continue
        edges += [*_edges(part, ways[name]), *_failure_edges(part, ways[name])]
        # An edge for an outcome that the plan does not have stays as it is, and so is found.
        known = {*part.plan.ends, *FAILURES}
        folds |= {part.outer(key) if key else name: fold for key, fold in _folds(part).items()}
        edges += [Edge(name, outcome, way) for outcome, way in ways[name].items() if outcome not in known]
        _add(nodes, _nodes(part, ways[name]), name)
        _add(channels, _channels(part), name)
        _add(bounds, _bounds(part, ways[name]), name)
        models = {**part.plan.models, **models}
    start = nested[plan.start].entry if plan.start in nested else plan.start
    joined = replace(plan, start=start, nodes=nodes, edges=tuple(edges), channels=channels)
    return replace(joined, bounds=bounds, models=models, folds=folds)


def _add(known: dict[str, Value], more: Mapping[str, Value], part: str) -> None:
    if taken := known.keys() & more.keys():
        raise ValueError(f"node {part!r} needs names that are taken: {', '.join(sorted(taken))}")
    known.update(more)


def _nodes(nested: Nested, ways: Mapping[str, Way]) -> dict[str, PlanNode]:
    found = {nested.name: PlanNode(nested.name, Enter(nested.name))} if nested.loops_at_start else {}
    for placed in nested.plan.nodes.values():
        name = nested.outer(placed.name)
        found[name] = PlanNode(name, _failing(placed.node, nested, ways), _names(placed, nested.channels))
    return found


def _folds(nested: Nested) -> dict[str, Fold]:
    """The folds of the inner plan; a box that is entered by a node of its own is counted by that."""
    entry = {"": nested.entry} if "" in nested.plan.folds else {}
    return {
        key: replace(fold, start=entry.get(key, nested.outer(fold.start))) for key, fold in nested.plan.folds.items()
    }


def _failing(node: Node | Fork, nested: Nested, ways: Mapping[str, Way]) -> Node | Fork:
    """A nested fork: its branches come to an end by the failures for which there is an outer edge."""
    failures = [name for name in FAILURES if name in ways and name not in nested.plan.ends]
    return failing(node, failures) if isinstance(node, Fork) and failures else node


def failing(fork: Fork, failures: Collection[str]) -> Fork:
    """The fork, where inside its bodies every node that can fail so, and has no edge for it, leads to an end.

    Args:
        fork: The fork; without this, what fails in a branch suspends the run there.
        failures: The failures.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.graphs.plan import Branch
        >>> from loopwright.nodes.think import Think
        >>> branch = Branch(one_node_plan(Think("write", prompt="<{item}>")))
        >>> failing(Fork("all", "each", {"": branch}, "texts", "items", "item"), ["failed"]).contract.outcomes
        ('done', 'failed')
    """
    return replace(fork, branches={name: _failing_branch(each, failures) for name, each in fork.branches.items()})


def _failing_branch(branch: Branch, failures: Collection[str]) -> Branch:
    plan = branch.plan
    nodes: dict[str, PlanNode] = {}
    edges = list(plan.edges)
    for name, placed in plan.nodes.items():
        inner = failing(placed.node, failures) if isinstance(placed.node, Fork) else placed.node
        nodes[name] = replace(placed, node=inner)
        can_fail = inner.contract.outcomes if isinstance(inner, Fork) else inner.contract.failures
        new = [failure for failure in failures if failure in can_fail and (name, failure) not in plan.routes]
        edges += [Edge(name, failure, Way(failure)) for failure in new]
    led_to = {edge.way.target for edge in edges}
    ends = {failure: End(failure, ok=False) for failure in failures if failure in led_to and failure not in nodes}
    return replace(branch, plan=replace(plan, nodes=nodes, edges=tuple(edges), ends={**ends, **plan.ends}))


def _names(placed: PlanNode, channels: Mapping[str, str]) -> dict[str, str]:
    """The outer channel for each channel name that a nested node itself uses."""
    contract = placed.node.contract
    used = dict.fromkeys((*contract.reads, *contract.writes, *placed.channels))
    own = {name: placed.channels.get(name, name) for name in used}
    return {name: channels[inner] for name, inner in own.items() if inner in channels}


def _edges(nested: Nested, ways: Mapping[str, Way]) -> list[Edge]:
    """The inner edges; one to an inner end for which there is no outer edge leads to an open port, and so is found."""
    inner = nested.plan

    def never(name: str) -> Collection[str]:
        return inner.nodes[name].contract.never if name in inner.nodes else ()

    entry = [Edge(nested.name, "done", Way(nested.outer(inner.start)))] if nested.loops_at_start else []
    return entry + [
        Edge(nested.outer(edge.source), edge.outcome, nested.left(edge.way, ways))
        for edge in inner.edges
        if edge.outcome not in never(edge.source) or edge.way.target not in inner.ends or edge.way.target in ways
    ]


def _bounds(nested: Nested, ways: Mapping[str, Way]) -> dict[str, Bound]:
    made = (
        Bound(nested.outer(bound.name), bound.at_most, nested.left(bound.then, ways))
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
        if failure in _failures_of(placed.node, nested, ways) and (placed.name, failure) not in nested.plan.routes
    ]


def _failures_of(node: Node | Fork, nested: Nested, ways: Mapping[str, Way]) -> Collection[str]:
    return _failing(node, nested, ways).contract.outcomes if isinstance(node, Fork) else node.contract.failures
