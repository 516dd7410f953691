"""The certificate against an exhaustive search over nodes and counts, on random reducible plans."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import inf, prod
from typing import Any

import networkx as nx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright.graphs.certificate.certify import Certificate, certify
from loopwright.graphs.plan import Bound, Branch, Edge, End, Fork, Plan, PlanNode, Way
from loopwright.nodes.code import CodeNode, CodeRef
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel

OUT = "out"


@dataclass(frozen=True)
class Calls(CodeNode, type="calls (test)"):
    """A node that makes some number of model calls."""

    makes: int = 0

    @property
    def calls(self) -> int:
        return self.makes


# --- the search -------------------------------------------------------------------------------------------------------

State = tuple[str, tuple[tuple[str, int], ...]]
Table = dict[str, float]


def state_graph(plan: Plan) -> "nx.DiGraph[State]":
    """Every state of node and counts that a run can be in, and how it goes from one to another."""
    graph: nx.DiGraph[str] = nx.DiGraph((move.source, move.way.target) for move in plan.moves)
    graph.add_node(plan.start)
    cut = {
        name: {plan.start, *nx.descendants(rest, plan.start)} if name != plan.start else set[str]()
        for name in plan.nodes
        for rest in [graph.subgraph(set(graph) - {name}) if name != plan.start else graph]
    }

    def is_back(source: str, target: str) -> bool:
        return target in plan.nodes and source not in cut[target]

    heads = {
        move.way.bound: move.way.target
        for move in plan.moves
        if move.way.bound and is_back(move.source, move.way.target)
    }
    routes: dict[str, list[Edge]] = {name: [] for name in plan.nodes}
    for edge in plan.edges:
        routes[edge.source].append(edge)
    states: nx.DiGraph[State] = nx.DiGraph()
    start: State = (plan.start, tuple((name, 0) for name in plan.bounds))
    states.add_node(start)
    waiting = [start]
    while waiting:
        here = source, counts = waiting.pop()
        for edge in routes.get(source, ()):
            spent, way = dict(counts), edge.way
            while way.bound and spent[way.bound] >= plan.bounds[way.bound].at_most:
                way = plan.bounds[way.bound].then
            if way.bound:
                spent[way.bound] += 1
            if not is_back(source, way.target):
                spent.update((name, 0) for name, head in heads.items() if head == way.target)
            there: State = (way.target, tuple(spent.items()))
            if there not in states:
                waiting.append(there)
            states.add_edge(here, there)
    return states


def heaviest(states: "nx.DiGraph[State]", begins: Iterable[State], tables: Iterable[Table]) -> list[float]:
    """For each table of weights the heaviest walk, infinite where it can go round for ever and gain something."""
    parts = nx.condensation(states)
    order = list(reversed(list(nx.topological_sort(parts))))
    begun = {parts.graph["mapping"][state] for state in begins}
    return [max(_best(states, parts, order, table)[part] for part in begun) for table in tables]


def _best(states: "nx.DiGraph[State]", parts: Any, order: list[int], table: Table) -> dict[int, float]:
    best: dict[int, float] = {}
    for part in order:
        members = parts.nodes[part]["members"]
        gain = sum(table.get(state[0], 0) for state in members)
        cyclic = len(members) > 1 or any(states.has_edge(state, state) for state in members)
        best[part] = (inf if cyclic and gain else gain) + max(
            (best[after] for after in parts.successors(part)), default=0
        )
    return best


# --- random plans -----------------------------------------------------------------------------------------------------


@dataclass
class Growth:
    """A plan that grows: nodes in a row, loops as nested stretches of it that are only entered by their first node."""

    draw: Callable[..., int]
    size: int
    waits: frozenset[int]
    stretches: list[tuple[int, int]]
    edges: list[Edge] = field(default_factory=list)
    bounds: dict[str, Bound] = field(default_factory=dict)
    open: set[str] = field(default_factory=set)

    def pick(self, most: int) -> int:
        return self.draw(st.integers(0, most))

    def forward(self, sources: list[int]) -> Way:
        allowed = [target for target in range(max(sources) + 1, self.size) if self.enters(sources, target)]
        index = self.pick(len(allowed))
        return Way(f"n{allowed[index]}" if index < len(allowed) else OUT)

    def enters(self, sources: list[int], target: int) -> bool:
        inside = [(head, last) for head, last in self.stretches if head < target <= last]
        return all(head <= source <= last for head, last in inside for source in sources)

    def back(self, source: int, free: bool, deep: int = 0) -> Way | None:
        heads = [head for head, last in self.stretches if head <= source <= last]
        if not heads:
            return None
        head = heads[self.pick(len(heads) - 1)]
        if free and {head, source} & self.waits and self.pick(1):
            return Way(f"n{head}")
        known = [name for name in self.bounds if name.startswith(f"n{head}.")]
        index = self.pick(len(known))
        if index < len(known) and known[index] not in self.open and self.share(known[index], source):
            return Way(f"n{head}", known[index])
        if len(self.bounds) == 5:
            return None
        name = f"n{head}.{len(known)}"
        at_most = self.pick(3 if prod(bound.at_most + 1 for bound in self.bounds.values()) < 20 else 1)
        self.bounds[name] = Bound(name, at_most, Way(OUT))
        self.open.add(name)
        then = (self.back(source, False, deep + 1) if deep < 2 and self.pick(2) == 0 else None) or self.forward(
            [source]
        )
        self.open.remove(name)
        self.bounds[name] = Bound(name, at_most, then)
        return Way(f"n{head}", name)

    def share(self, name: str, source: int) -> bool:
        """Whether another edge may carry a bound: the ways that follow it must be allowed from there too."""
        way = self.bounds[name].then
        while way.bound:
            inside = any(f"n{head}" == way.target and head <= source <= last for head, last in self.stretches)
            if way.bound in self.open or not inside:
                return False
            way = self.bounds[way.bound].then
        return way.target == OUT or (int(way.target[1:]) > source and self.enters([source], int(way.target[1:])))

    def grow(self) -> None:
        for place in range(self.size):
            for outcome in range(3 - self.pick(2)):
                way = self.back(place, outcome > 0) if self.pick(1) else None
                if way is None and outcome == 0 and self.pick(3):
                    way = Way(f"n{place + 1}" if place + 1 < self.size else OUT)
                self.edges.append(Edge(f"n{place}", f"o{outcome}", way or self.forward([place])))


@st.composite
def plans(draw: Callable[..., int], waits: bool = False) -> Plan:
    size = draw(st.integers(2, 6))
    paced = frozenset(place for place in range(size) if waits and draw(st.integers(0, 2)) == 0)
    stretches: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(1, 4))):
        head = draw(st.integers(0, size // 2))
        last = draw(st.integers(head, size - 1))
        nested = all(
            last < a or head > b or (a <= head and last <= b) or (head <= a and b <= last) for a, b in stretches
        )
        if nested and head not in {a for a, _ in stretches}:
            stretches.append((head, last))
    growth = Growth(draw, size, paced, stretches)
    growth.grow()
    outcomes: dict[str, list[str]] = {}
    for edge in growth.edges:
        outcomes.setdefault(edge.source, []).append(edge.outcome)
    nodes = {}
    for place in range(size):
        name = f"n{place}"
        kind = draw(st.integers(0, 4))
        if place in paced:
            node: Human | Fork | Calls = Human(name, text="?", outcomes=outcomes[name])
        elif kind == 4 and len(outcomes[name]) == 1:
            node = fork(name, draw(st.integers(0, 2)))
        else:
            node = Calls(name, code=CodeRef(name, "1"), outcomes=tuple(outcomes[name]), makes=kind % 3)
        nodes[name] = PlanNode(name, node)
    edges = [
        Edge(e.source, "done" if isinstance(nodes[e.source].node, Fork) else e.outcome, e.way) for e in growth.edges
    ]
    channels = {"out": Channel("out"), "items": Channel("items", input=True)}
    plan = Plan("random", "n0", nodes, tuple(edges), {OUT: End(OUT)}, channels, growth.bounds)
    return without_dead_parts(plan)


def fork(name: str, items: int) -> Fork:
    body = Calls("body", code=CodeRef("body", "1"), makes=2)
    channels = {"item": Channel("item", input=True)}
    ends = {"end": End("end")}
    edges = (Edge("body", "done", Way("end")),)
    plan = Plan("body", "body", {"body": PlanNode("body", body)}, edges, ends, channels)
    return Fork(name, "each", {"": Branch(plan)}, "out", "items", "item", items)


def without_dead_parts(plan: Plan) -> Plan:
    alive = {plan.start, *nx.descendants(plan.to_networkx(), plan.start)}
    nodes = {name: placed for name, placed in plan.nodes.items() if name in alive}
    edges = tuple(edge for edge in plan.edges if edge.source in alive)
    carried = {edge.way.bound for edge in edges}
    for _ in plan.bounds:
        carried |= {plan.bounds[name].then.bound for name in carried if name}
    bounds = {name: bound for name, bound in plan.bounds.items() if name in carried}
    return Plan("random", plan.start, nodes, edges, plan.ends, plan.channels, bounds)


# --- the comparison ---------------------------------------------------------------------------------------------------


def weights(plan: Plan) -> list[Table]:
    calls = {
        name: (placed.node.at_most or 0) * 2.0 if isinstance(placed.node, Fork) else float(placed.node.calls)
        for name, placed in plan.nodes.items()
    }
    steps = {name: 3.0 if isinstance(placed.node, Fork) else 1.0 for name, placed in plan.nodes.items()}
    visits = {
        name: 1.0 + ((placed.node.at_most or 0) if isinstance(placed.node, Fork) else 0)
        for name, placed in plan.nodes.items()
    }
    return [visits, calls, steps]


def number(count: int | None) -> float:
    return inf if count is None else count


def compare(plan: Plan, certificate: Certificate, states: "nx.DiGraph[State]") -> None:
    found = [number(count) for count in (certificate.visits, certificate.calls, certificate.steps)]
    found += [number(certificate.per_node[name].visits) for name in plan.nodes]
    tables = [*weights(plan), *({name: 1.0} for name in plan.nodes)]
    assert found == heaviest(states, [next(iter(states))], tables)


KEEN = settings(
    deadline=None, derandomize=True, max_examples=150, database=None, suppress_health_check=list(HealthCheck)
)


@KEEN
@given(plans())
def test_the_certificate_is_the_heaviest_walk(plan: Plan) -> None:
    certificate = certify(plan)
    assert certificate.exact
    compare(plan, certificate, state_graph(plan))


@KEEN
@given(plans(waits=True))
def test_waits_pace_loops_without_a_bound(plan: Plan) -> None:
    certificate = certify(plan)
    states = state_graph(plan)
    compare(plan, certificate, states)
    waits = {name for name, placed in plan.nodes.items() if placed.contract.kind == "wait"}
    cut: nx.DiGraph[State] = nx.DiGraph()
    cut.add_nodes_from(states)
    for name, counts in states:
        here = (f"after {name}" if name in waits else name, counts)
        cut.add_edges_from((here, there) for there in states.successors((name, counts)))
    begins = [next(iter(states)), *(state for state in cut if state[0].startswith("after "))]
    found = (number(certificate.per_reply_visits), number(certificate.per_reply_calls), certificate.per_reply_steps)
    tables = [
        {**table, **{f"after {name}": table[name] for name in waits}, **dict.fromkeys(waits, at_stop)}
        for table, at_stop in zip(weights(plan), (0.0, 0.0, 1.0), strict=True)
    ]
    searched = heaviest(cut, begins, tables)
    assert all(certified >= most for certified, most in zip(found, searched, strict=True))
    assert waits or list(found) == searched
