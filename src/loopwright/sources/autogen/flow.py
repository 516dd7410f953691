"""A graph of agents, as `GraphFlow` has it, as a pipeline."""

from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx

from loopwright.documents.document import Path
from loopwright.hints import did_you_mean
from loopwright.sources.autogen.parts import Reading, named
from loopwright.state.values import Json, JsonObject

_AT_MOST = 10
"""Ways back of a verdict where nothing says how many; the original's are without end."""


def flow(reading: Reading, data: Mapping[str, Any], agents: Mapping[str, JsonObject], path: Path) -> JsonObject:
    """The pipeline of a graph: by what steps need where no way has a condition, in a row where some have one.

    Args:
        reading: What takes what is wrong, and what is told.
        data: The graph: `nodes` by name, each with its `edges`, and `default_start_node`.
        agents: The agents by name; one without an entry has its name alone.
        path: Where the graph stands.
    """
    nodes = data.get("nodes")
    if not isinstance(nodes, Mapping) or not nodes:
        reading.wrong("a graph has nodes by name", (*path, "nodes"))
        return {}
    graph, verdicts = _ways(reading, nodes, (*path, "nodes"))
    start: Any = data.get("default_start_node")
    if start is not None and (not isinstance(start, str) or start not in nodes):
        hint = did_you_mean(str(start), list(nodes))
        reading.wrong(f"there is no node {start!r}", (*path, "default_start_node"), hint)
    if reading.faults:
        return {}
    steps = {name: _agent(agents.get(name, {"name": named(name)})) for name in nodes}
    if verdicts:
        return _row(reading, graph, verdicts, steps, start or "", path)
    if not nx.is_directed_acyclic_graph(graph):
        circle = " to ".join(edge[0] for edge in nx.find_cycle(graph))
        reading.wrong(f"the ways of {circle} go round without a condition", path, "let a verdict lead on from it")
        return {}
    order = list(nx.lexicographical_topological_sort(graph, key=list(nodes).index))
    made: list[Json] = [
        {"agent": steps[name], "needs": [named(each) for each in graph.predecessors(name)]} for name in order
    ]
    return {"kind": "pipeline", "name": "flow", "steps": made}


def _ways(
    reading: Reading, nodes: Mapping[str, Any], path: Path
) -> tuple["nx.DiGraph[str]", dict[str, dict[str, str]]]:
    """The ways that are free, and for each node where its conditions lead."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    verdicts: dict[str, dict[str, str]] = {}
    for name, given in nodes.items():
        place: Path = (*path, name)
        node = reading.mapping(given, place)
        for index, edge in enumerate(reading.items(node.get("edges"), (*place, "edges"))):
            target: Any = edge.get("target") if isinstance(edge, Mapping) else None
            if not isinstance(target, str) or target not in nodes:
                reading.wrong(f"there is no node {target!r}", (*place, "edges", index, "target"))
            elif condition := edge.get("condition"):
                verdicts.setdefault(name, {})[str(condition)] = target
            else:
                graph.add_edge(name, target)
        if node.get("activation") == "any":
            reading.note("it begins when all that it needs is over, and not any of it", (*place, "activation"))
    return graph, verdicts


def _agent(agent: JsonObject) -> JsonObject:
    """An agent as a step has it."""
    return {key: value for key, value in agent.items() if key in ("name", "prompt")}


def _row(
    reading: Reading,
    graph: "nx.DiGraph[str]",
    verdicts: Mapping[str, Mapping[str, str]],
    steps: Mapping[str, JsonObject],
    start: str,
    path: Path,
) -> JsonObject:
    """Steps in a row; each leads to the next one, or by its verdicts to any."""
    order = _ordered(graph, verdicts, list(steps), start)
    made: list[Json] = []
    for index, name in enumerate(order):
        after = order[index + 1] if index + 1 < len(order) else None
        free = list(graph.successors(name))
        if name in verdicts and free:
            reading.wrong(f"{name!r} has ways with a condition and one without", (*path, "nodes", name))
        if name not in verdicts:
            if free != ([after] if after else []):
                hint = "write a graph: kind: graph, with an edge for each outcome"
                reading.wrong(f"what comes after {name!r} is not the next step of a row", (*path, "nodes", name), hint)
            made.append({"agent": steps[name]})
            continue
        ways: JsonObject = {
            word: "next" if target == after else named(target) for word, target in verdicts[name].items()
        }
        words = ", ".join(ways)
        reading.note(f"its verdict is one of {words}, and not a text that holds the word", (*path, "nodes", name))
        made.append({"judge": {**steps[name], "verdict": ways, "at_most": _AT_MOST}})
    if made:
        reading.note(f"a way back may be taken {_AT_MOST} times, as at_most says", path)
    return {"kind": "pipeline", "name": "flow", "steps": made}


def _ordered(
    graph: "nx.DiGraph[str]", verdicts: Mapping[str, Mapping[str, str]], names: Sequence[str], start: str
) -> list[str]:
    """The nodes in the order in which they are first come to: ways that are free before those with a condition."""
    whole = graph.copy()
    whole.add_edges_from((name, target) for name, ways in verdicts.items() for target in ways.values())
    first = start or next((name for name in names if not whole.in_degree(name)), names[0])
    order: list[str] = []
    waiting = [first]
    while waiting:
        name = waiting.pop(0)
        if name not in order:
            order.append(name)
            waiting = [*graph.successors(name), *verdicts.get(name, {}).values(), *waiting]
    return [*order, *(name for name in names if name not in order)]
