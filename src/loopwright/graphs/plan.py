"""The plan: a loop as data. Nodes with closed outcomes, one edge for every (node, outcome), named ends and bounds.

A plan is frozen and JSON all the way down. Everything else (proofs, pictures, cost, the engine's graph) is read off it.
Nodes and ends share one space of names, so that an edge's `target` is one text.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Annotated, Any, Literal

import networkx as nx
from pydantic import PlainSerializer, PlainValidator, TypeAdapter

from loopwright.graphs.folds import Fold
from loopwright.graphs.outcomes import fork_outcomes
from loopwright.nodes.code import CodeNode, CodeRef
from loopwright.nodes.contract import Contract, Node
from loopwright.nodes.models.reference import ModelRef
from loopwright.state.channels import Channel
from loopwright.state.values import Json, JsonObject

FORMAT = 1
"""The version of the plan's own JSON; a store that holds a newer one is refused."""


@dataclass(frozen=True, slots=True)
class End:
    """A named end of a run.

    Args:
        name: The end's name.
        ok: Whether a run that comes here is a success.

    Example:
        >>> End("max_rounds", ok=False)
        End(name='max_rounds', ok=False)
    """

    name: str
    ok: bool = True


@dataclass(frozen=True, slots=True)
class Way:
    """A way on.

    Args:
        target: A node or an end.
        bound: The name of the bound that it carries, or "".
        resets: Channels that are empty again after it: those of a nested plan that it enters.
    """

    target: str
    bound: str = ""
    resets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bound:
    """How often the ways that carry it may be taken, together, in one entry of their loop.

    Args:
        name: The bound's name.
        at_most: The most times.
        then: The way that is taken instead when it is used up.
    """

    name: str
    at_most: int
    then: Way


def own_bound(source: str, outcome: str) -> str:
    """The name of a bound that was given none: it is that of its edge.

    Example:
        >>> own_bound("review", "revise")
        'review revise'
    """
    return f"{source} {outcome}"


@dataclass(frozen=True, slots=True)
class Edge:
    """Where an outcome leads: the one way for (source, outcome).

    Args:
        source: The node that is left.
        outcome: One of its outcomes, or a failure.
        way: Where it leads.
    """

    source: str
    outcome: str
    way: Way


@dataclass(frozen=True, slots=True)
class Move:
    """One step that a run can make: an edge, or what a used-up bound makes of it.

    Args:
        source: The node that is left.
        outcome: Its outcome.
        way: Where it leads, and the bound that it spends.
        used_up: The bounds that must be used up for it to be taken, in the order in which they are met.
    """

    source: str
    outcome: str
    way: Way
    used_up: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """One body of a fork.

    Args:
        plan: The body. Its inputs are filled from the channels of the plan around it, by name, and from the fork.
        inputs: For each of the body's inputs that has another name outside: the channel outside.
    """

    plan: "Plan"
    inputs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fork:
    """A region in which several bodies run side by side. Results come back by index or by name.

    Args:
        name: The node's name.
        kind: `each`: one body over the items of a channel; `parallel`: several named bodies.
        branches: The bodies by name; `each` has one, under "".
        collect: The channel that takes the results: a list in the items' order, or a mapping by the bodies' names.
        over: For `each`: the channel with the items.
        as_: For `each`: the body's input that takes the item.
        at_most: For `each`: the most items that may come, or None; without it no number of calls is certain.
        named_by: For `each` over objects: the key by whose value branches are called; by their index when left out.

    Its outcomes are `done`, `failed` where a body can come to an end that is no success, and ends named as failures.
    """

    name: str
    kind: Literal["each", "parallel"]
    branches: Mapping[str, Branch]
    collect: str
    over: str = ""
    as_: str = ""
    at_most: int | None = None
    named_by: str = ""

    @property
    def contract(self) -> Contract:
        """Reads the items and what the bodies take from outside; writes what is collected."""
        outside = (
            branch.inputs.get(channel.name, channel.name)
            for branch in self.branches.values()
            for channel in branch.plan.channels.values()
            if channel.input and channel.name != self.as_
        )
        reads = tuple(dict.fromkeys((*((self.over,) if self.over else ()), *outside)))
        plans = [
            branch.plan for branch in self.branches.values() if any(not end.ok for end in branch.plan.ends.values())
        ]
        led_to = [(plan, {move.way.target for move in plan.possible.moves}) for plan in plans]
        ends = [(end.name, end.name in targets) for plan, targets in led_to for end in plan.ends.values() if not end.ok]
        outcomes, never = fork_outcomes(ends)
        return Contract(self.kind, reads, (self.collect,), outcomes, never=never)


@cache
def _fork_adapter() -> "TypeAdapter[Fork]":
    return TypeAdapter(Fork)


def _node_data(node: "Node | Fork") -> JsonObject:
    fork = {} if isinstance(node, Node) else _fork_adapter().dump_python(node, mode="json", exclude_defaults=True)
    return node.to_data() if isinstance(node, Node) else {"type": "fork", **fork}


def _node_from(data: Any) -> "Node | Fork":
    if isinstance(data, Mapping) and data.get("type") == "fork":
        return _fork_adapter().validate_python({key: value for key, value in data.items() if key != "type"})
    return Node.from_data(data)


@dataclass(frozen=True, slots=True)
class PlanNode:
    """A node in its place.

    Args:
        name: Its name in this plan; nested plans' nodes have the nesting node's name and `/` before theirs.
        node: The node itself, or a fork.
        channels: For a nested node: the plan's channel for each of the node's own channel names, where they differ.
    """

    name: str
    node: Annotated[Node | Fork, PlainValidator(_node_from), PlainSerializer(_node_data)]
    channels: Mapping[str, str] = field(default_factory=dict)

    @property
    def contract(self) -> Contract:
        """The node's contract in the plan's channel names."""
        own = self.node.contract
        if not self.channels:
            return own
        return Contract(
            own.kind,
            tuple(self.channels.get(name, name) for name in own.reads),
            tuple(self.channels.get(name, name) for name in own.writes),
            own.outcomes,
            tuple(self.channels.get(name, name) for name in own.may_write),
            own.never,
        )


@dataclass(frozen=True)
class Plan:
    """A loop as data. Make one with `PlanBuilder`, with a form, or with `Plan.from_data`.

    Args:
        name: The plan's name.
        start: The node that a run begins at.
        nodes: The nodes by name, in the order in which they were added.
        edges: All edges; `check` says what is missing or too much.
        ends: The ends by name.
        channels: The channels by name.
        bounds: The bounds by name.
        models: Model references by name; `default` need not be there, and is given when the run starts.
        result: The channel whose last value is the run's result; "" for a mapping of all that was written.
        folds: What closed pictures show as one box: the nodes whose names begin with the fold's and `/`, or all of them
            for "".
    """

    name: str
    start: str
    nodes: Mapping[str, PlanNode]
    edges: tuple[Edge, ...]
    ends: Mapping[str, End]
    channels: Mapping[str, Channel]
    bounds: Mapping[str, Bound] = field(default_factory=dict)
    models: Mapping[str, ModelRef] = field(default_factory=dict)
    result: str = ""
    folds: Mapping[str, Fold] = field(default_factory=dict)

    @cached_property
    def possible(self) -> "Plan":
        """The plan without the edges that no visit takes; itself, where there are none."""
        never = {name: placed.contract.never for name, placed in self.nodes.items()}
        edges = tuple(edge for edge in self.edges if edge.outcome not in never.get(edge.source, ()))
        return self if edges == self.edges else replace(self, edges=edges)

    @cached_property
    def routes(self) -> Mapping[tuple[str, str], Edge]:
        """The edge for every (node, outcome)."""
        return {(edge.source, edge.outcome): edge for edge in self.edges}

    @cached_property
    def code(self) -> tuple[CodeRef, ...]:
        """The references of all code that a run of this plan needs, those of forks' bodies included."""
        found: dict[str, CodeRef] = {}
        for placed in (placed for plan in self.walk() for placed in plan.nodes.values()):
            if isinstance(placed.node, CodeNode):
                found.setdefault(placed.node.code.name, placed.node.code)
        return tuple(found.values())

    @cached_property
    def model_names(self) -> tuple[str, ...]:
        """The names of all models that may be asked."""
        asked = (
            name
            for plan in self.walk()
            for placed in plan.nodes.values()
            if isinstance(placed.node, Node)
            for name in placed.node.models
        )
        return tuple(dict.fromkeys(asked))

    @cached_property
    def inputs(self) -> tuple[Channel, ...]:
        """The channels that `start` takes."""
        return tuple(channel for channel in self.channels.values() if channel.input)

    def walk(self) -> Iterator["Plan"]:
        """This plan and the plans of all bodies inside it."""
        yield self
        for placed in self.nodes.values():
            if isinstance(placed.node, Fork):
                for branch in placed.node.branches.values():
                    yield from branch.plan.walk()

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """Every move that a run can make: each edge, and after it the ways of the bounds that it meets."""
        found: list[Move] = []
        for edge in self.edges:
            way = edge.way
            used_up: tuple[str, ...] = ()
            found.append(Move(edge.source, edge.outcome, way))
            while way.bound in self.bounds and way.bound not in used_up:
                used_up = (*used_up, way.bound)
                way = self.bounds[way.bound].then
                found.append(Move(edge.source, edge.outcome, way, used_up))
        return tuple(found)

    def to_networkx(self) -> "nx.MultiDiGraph[str]":
        """The graph, for whoever wants algorithms: one edge for every move.

        Node attributes: `kind` (`end` for ends), for ends `ok`. Edge attributes: `outcome`, `bound`, `used_up`.
        """
        graph: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=self.name)
        graph.add_nodes_from((name, {"kind": placed.contract.kind}) for name, placed in self.nodes.items())
        graph.add_nodes_from((end.name, {"kind": "end", "ok": end.ok}) for end in self.ends.values())
        for move in self.moves:
            way = move.way
            graph.add_edge(move.source, way.target, outcome=move.outcome, bound=way.bound, used_up=move.used_up)
        return graph

    @cached_property
    def fingerprint(self) -> str:
        """A short hash of the plan and the versions of its code: runs of the same fingerprint are of the same plan."""
        text = json.dumps(self.to_data(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_data(self) -> JsonObject:
        """The plan as JSON."""
        return {"format": FORMAT, **_plan_adapter().dump_python(self, mode="json", exclude_defaults=True)}

    @classmethod
    def from_data(cls, data: Mapping[str, Json]) -> "Plan":
        """The plan that `to_data` described.

        Raises:
            ValueError: It is of another format, or not a plan.
        """
        fields = dict(data)
        found = fields.pop("format", None)
        if found != FORMAT:
            raise ValueError(f"this plan has the format {found!r}; this version reads {FORMAT}")
        return _plan_adapter().validate_python(fields)


@cache
def _plan_adapter() -> TypeAdapter[Plan]:
    return TypeAdapter(Plan)
