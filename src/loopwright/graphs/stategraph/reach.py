"""Reach: every node can be come to, and from every node the run can end. Where it cannot be seen, nothing is held."""

from collections.abc import Iterable, Iterator

import networkx as nx

from loopwright.graphs.stategraph.reading import END, START, Reading, shown
from loopwright.graphs.verify.findings import Finding, error, warning
from loopwright.hints import did_you_mean


def edges(reading: Reading) -> Iterator[Finding]:
    """Every edge joins nodes that exist, and one leads from START."""
    known = [*reading.names, START, END]
    for source, target in reading.faults:
        if source not in known:
            message = f"the edge {source!r} -> {shown(target)!r} starts at no node"
            yield error("unknown-source", message, did_you_mean(source, reading.names))
        if target not in known:
            message = f"{shown(source)!r} leads to {target!r}, which is no node"
            yield error("unknown-target", message, did_you_mean(target, reading.names), (shown(source),))
    if not reading.targets(START) and not reading.is_open(START):
        yield error("unknown-start", f"nothing leads from START into {reading.name!r}", "add_edge(START, ...)")


def unreachable(reading: Reading) -> Iterator[Finding]:
    """Nodes that no run comes to; none is told where something may lead anywhere."""
    if reading.blind or not reading.targets(START):
        return
    for name in reading.names:
        if name in reading.reached or reading.nodes[name].handler:
            continue
        leading = [source for source in reading.graph.predecessors(name) if source != name]
        named = ", ".join(map(repr, leading))
        hint = f"only {named} leads here, and is as dead" if leading else "no edge leads here"
        path = [*leading[:1], name]
        yield error("unreachable-node", f"{name!r} cannot be reached from START", hint, (name,), path)


def dead_ends(reading: Reading) -> Iterator[Finding]:
    """Nodes after which nothing comes, where no edge says that the run may end."""
    paths = _paths(reading)
    for name in reading.names:
        node = reading.nodes[name]
        told = (
            node.handler
            or any(source == name for source, _ in reading.faults)
            or any(choice.open or choice.lost for choice in node.choices)
        )
        if name in reading.reached and not reading.targets(name) and not told:
            message = f"nothing comes after {name!r}, and no edge says that the run ends there"
            hint = f'add_edge("{name}", END) says that it is meant; else the next node is missing'
            yield warning("dead-end", message, hint, (name,), _shown(paths[name]))


def endless(reading: Reading) -> Iterator[Finding]:
    """Regions that are entered and never left; a graph that nothing ends is told as a whole."""
    stuck = [name for name in reading.nodes if name in reading.reached and name not in reading.ending]
    if not stuck:
        return
    paths = _paths(reading)
    if START in stuck:
        round_ = _round(reading, stuck)
        who = f"{', '.join(map(repr, round_[:-1]))} {'lead to each other' if len(round_) > 2 else 'leads to itself'}"
        message = f"no run of {reading.name!r} can end: {who} for ever"
        yield error("no-end", message, "lead one of them to END", round_[:-1], round_)
        return
    parts = nx.weakly_connected_components(reading.part(set(stuck)))
    regions = ([name for name in reading.names if name in part] for part in parts)
    for names in sorted(regions, key=lambda names: stuck.index(names[0])):
        path = min((paths[name] for name in names), key=len)
        message = f"no end can be reached from {', '.join(map(repr, names))}"
        around = _round(reading, names)
        hint = "lead one of them to END or out of the region"
        yield error("trap", message, hint, names, _shown([*path, *_on(path[-1], around)]))


def _paths(reading: Reading) -> dict[str, list[str]]:
    found: dict[str, list[str]] = nx.single_source_shortest_path(reading.graph, START)
    return found


def _round(reading: Reading, names: Iterable[str]) -> list[str]:
    """One way round among some nodes, which begins and ends with the same one."""
    cycle = [source for source, _ in nx.find_cycle(reading.part(set(names)))]
    first = min(cycle, key=reading.order.__getitem__)
    place = cycle.index(first)
    return [*cycle[place:], *cycle[:place], first]


def _on(last: str, around: list[str]) -> list[str]:
    """The way round from its own beginning, after a way that ends with `last`."""
    if last not in around:
        return around
    place = around.index(last)
    return [*around[place + 1 :], *around[1 : place + 1]]


def _shown(path: Iterable[str]) -> list[str]:
    return [shown(name) for name in path]
