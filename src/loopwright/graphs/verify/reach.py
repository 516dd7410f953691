"""Reachability: every node and end can be reached, and an end can be reached from every node."""

from collections.abc import Iterator

import networkx as nx

from loopwright.graphs.loops import node_graph
from loopwright.graphs.plan import Plan
from loopwright.graphs.verify.findings import Finding, error, warning

_START = ("start",)
_OUT = ("out",)


def dead_parts(plan: Plan) -> Iterator[Finding]:
    """Nodes and ends that no run can come to; that there is an end at all."""
    if plan.nodes and not plan.ends:
        yield error("no-end", f"the plan {plan.name!r} has no end", "lead at least one edge to an End")
    if plan.start not in plan.nodes:
        return
    graph = node_graph(plan)
    reached = {plan.start, *nx.descendants(graph, plan.start)}
    for name in plan.nodes:
        if name not in reached:
            leading = [repr(source) for source in graph.predecessors(name) if source != name]
            hint = f"only {', '.join(leading)} leads here, and is as dead" if leading else "no edge leads here"
            yield error("unreachable-node", f"{name!r} cannot be reached from {plan.start!r}", hint, (name,))
    targets = {move.way.target for move in plan.moves if move.source in reached}
    for end in plan.ends:
        if end not in targets and end not in plan.nodes:
            yield warning("unreachable-end", f"no run comes to the end {end!r}", "lead an edge to it, or leave it out")


def traps(plan: Plan) -> Iterator[Finding]:
    """Regions that a run can enter and never leave, each with the shortest way into it.

    A node with an outcome that leads nowhere is reported for that, and not as a trap too.
    """
    if plan.start not in plan.nodes or not plan.ends:
        return
    graph: nx.DiGraph[object] = nx.DiGraph(node_graph(plan).edges)
    graph.add_edge(_START, plan.start)
    for move in plan.moves:
        if move.way.target not in plan.nodes:
            graph.add_edge(move.source, _OUT)
    for name, placed in plan.nodes.items():
        outcomes = placed.contract.outcomes
        if not outcomes or any((name, outcome) not in plan.routes for outcome in outcomes):
            graph.add_edge(name, _OUT)
    safe = nx.ancestors(graph, _OUT) if _OUT in graph else set()
    reached = nx.descendants(graph, _START)
    stuck = [name for name in plan.nodes if name in reached and name not in safe]
    paths = nx.single_source_shortest_path(graph, _START) if stuck else {}
    parts = nx.weakly_connected_components(graph.subgraph(stuck))
    regions = ([name for name in stuck if name in part] for part in parts)
    for names in sorted(regions, key=lambda names: stuck.index(names[0])):
        path = min((paths[name] for name in names), key=len)[1:]
        message = f"no end can be reached from {', '.join(map(repr, names))}"
        yield error("trap", message, "lead one of their outcomes to an End or out of the region", names, map(str, path))
