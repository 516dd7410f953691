"""Bounds: every cycle ends or is paced by a wait, and every bound counts the ways of one loop."""

from collections.abc import Iterable, Iterator, Sequence

import networkx as nx

from loopwright.graphs.edge_lines import edge_line, written
from loopwright.graphs.folds import fold_around
from loopwright.graphs.loops import Loop, forward_order, loops, node_graph
from loopwright.graphs.plan import Fork, Move, Plan
from loopwright.graphs.verify.findings import Finding, edge_words, error
from loopwright.nodes.places import last


def counts(plan: Plan) -> Iterator[Finding]:
    """No bound is negative, and the ways that follow used-up bounds come to a place in the end."""
    for bound in plan.bounds.values():
        if bound.at_most < 0:
            message = f"the bound {bound.name!r} is at most {bound.at_most}"
            yield error("bad-bound", message, "a bound is a number from 0 up", about=("bounds", bound.name))
    for name, placed in plan.nodes.items():
        if isinstance(placed.node, Fork) and (placed.node.at_most or 0) < 0:
            message = f"the fork {name!r} takes at most {placed.node.at_most} items"
            yield error("bad-bound", message, "`at_most` is a number from 0 up", (name,))
    for move in plan.moves:
        if move.way.bound in move.used_up:
            message = f"{edge_words(move.source, move.outcome)} has no way on{_when(move.used_up)}"
            hint = "each of them leads into the next; let one lead to a node or an end without a bound"
            yield error("bound-circle", message, hint, (move.source,), about=("edges", move.source, move.outcome))


def cycles(plan: Plan) -> Iterator[Finding]:
    """Cycles with two entries, and cycles that neither a bound nor a wait ends."""
    found = loops(plan)
    tangles = tuple(_tangles(plan, found))
    for tangle in tangles:
        yield _two_entries(plan, tangle, found)
    tangled = frozenset[str]().union(*tangles)
    waits = {name for name, placed in plan.nodes.items() if placed.contract.kind == "wait"}
    free = node_graph(plan, (move for move in plan.moves if not move.way.bound))
    free.remove_nodes_from(waits)
    region = {name: index for index, part in enumerate(nx.strongly_connected_components(free)) for name in part}
    for head, loop in found.items():
        closing = [
            move for move in loop.backs if not move.way.bound and region.get(move.source, -1) == region.get(head)
        ]
        if closing and head not in tangled:
            yield _unbounded(plan, head, closing, free)


def _tangles(plan: Plan, found: dict[str, Loop]) -> Iterator[frozenset[str]]:
    """What still goes in a circle when no back move is taken: cycles that can be entered at two places."""
    place = {name: index for index, name in enumerate(plan.nodes)}
    parts = nx.strongly_connected_components(_forward(plan, found).subgraph(forward_order(plan)))
    tangles = (frozenset(part) for part in parts if len(part) > 1)
    yield from sorted(tangles, key=lambda tangle: min(map(place.__getitem__, tangle)))


def _forward(plan: Plan, found: dict[str, Loop]) -> "nx.DiGraph[str]":
    """The plan without its back moves."""
    backs = {move for loop in found.values() for move in loop.backs}
    return node_graph(plan, (move for move in plan.moves if move not in backs))


def _two_entries(plan: Plan, tangle: frozenset[str], found: dict[str, Loop]) -> Finding:
    graph, forward = node_graph(plan), _forward(plan, found)
    entries = [name for name in plan.nodes if name in tangle and not tangle.issuperset(graph.predecessors(name))]
    if plan.start in tangle and plan.start not in entries:
        entries.insert(0, plan.start)
    message = f"the cycle of {_listed(entries)} can be entered at each of them, so no count can belong to it"
    from_outside = [move for move in plan.moves if move.source not in tangle]
    elsewhere = [move for move in from_outside if move.way.target in entries[1:]]
    comes = "come" if len(_edges(elsewhere)) > 1 else "comes"
    places = _listed(move.way.target for move in elsewhere)
    hint = f"let every way from outside come in at {entries[0]!r}; {_and(_edges(elsewhere))} {comes} in at {places}"
    backs = {move for loop in found.values() for move in loop.backs}
    inside = [move for move in plan.moves if move.source in tangle and move not in backs]
    used_up = dict.fromkeys(name for move in inside if move.way.target in tangle for name in move.used_up)
    kept = (move for move in inside if not move.used_up)
    if used_up and nx.is_directed_acyclic_graph(node_graph(plan, kept).subgraph(tangle)):
        hint += f"; or let the `then` of {_listed(used_up)} lead to an end"
    return error("two-entries", message, hint, entries, _cycle(forward.subgraph(tangle), entries[0]))


def _unbounded(plan: Plan, head: str, closing: list[Move], free: "nx.DiGraph[str]") -> Finding:
    used_up = tuple(dict.fromkeys(name for move in closing for name in move.used_up))
    leads = "lead" if len(_edges(closing)) > 1 else "leads"
    message = f"the loop of {head!r} has no bound: {_and(_edges(closing))} {leads} back to it{_when(used_up)}"
    path = [*nx.shortest_path(free, head, closing[0].source), head]
    about = ("edges", closing[0].source, closing[0].outcome)
    return error("unbounded-loop", message, _bounding(plan, closing), dict.fromkeys(path), path, about=about)


def _bounding(plan: Plan, closing: list[Move]) -> str:
    """The lines that give a loop its bound."""
    if closing[0].used_up:
        return f"let the `then` of {closing[0].used_up[-1]!r} lead to an end, or on"
    lines = [_line(plan, move) for move in closing]
    bound = f"give it a bound, as in: {lines[0]}, at most 3 rounds, then fail max_rounds"
    return "; and ".join([bound, *(f"{line}, bound rounds" for line in lines[1:])])


def _line(plan: Plan, move: Move) -> str:
    """A move as its author would write it: a brain has one name."""
    source, target = (fold_around(name, plan.folds) or name for name in (move.source, move.way.target))
    return edge_line(last(source), move.outcome, last(target))


def places(plan: Plan) -> Iterator[Finding]:
    """Bounds stand on the moves that close a loop, and all moves of one bound close the same loop."""
    found = loops(plan)
    reached = set(forward_order(plan))
    backs = {move for loop in found.values() for move in loop.backs}
    tangle_of = {name: index for index, part in enumerate(_tangles(plan, found)) for name in part}
    for move in plan.moves:
        if move.way.bound not in plan.bounds or move.way.bound in move.used_up or move.source not in reached:
            continue
        tangled = tangle_of.get(move.source, -1) == tangle_of.get(move.way.target)
        if move not in backs and not tangled:
            yield _misplaced(plan, move, found)
    heads: dict[str, list[str]] = {}
    for head, loop in found.items():
        for name in loop.bounds:
            heads.setdefault(name, []).append(head)
    for name, several in heads.items():
        if len(several) > 1:
            message = f"the bound {name!r} counts the loops of {_listed(several)} together"
            hint = "give each loop a bound of its own"
            yield error("bound-of-two-loops", message, hint, several, about=("bounds", name))


def _misplaced(plan: Plan, move: Move, found: dict[str, Loop]) -> Finding:
    loop = next((loop for loop in found.values() if move.source in loop.items), None)
    hint = "no way leads back from here; a bound belongs on the edge that closes a loop"
    if loop:
        hint = f"the loop of {loop.head!r} is closed by {_and(_edges(loop.backs))}: put the bound there"
        unbounded = [back for back in loop.backs if not back.way.bound]
        if unbounded:
            back, bound = unbounded[0], plan.bounds[move.way.bound]
            line = _line(plan, back)
            hint += f", as in: {line}, at most {bound.at_most} {written(bound.name)}, then ..."
    message = (
        f"{edge_words(move.source, move.outcome)} carries the bound {move.way.bound!r}, "
        f"but its way to {move.way.target!r} closes no loop"
    )
    return error("misplaced-bound", message, hint, (move.source,), about=("edges", move.source, move.outcome))


def _cycle(graph: "nx.DiGraph[str]", name: str) -> list[str]:
    """A shortest cycle through a node."""
    lengths = nx.single_source_shortest_path(graph, name)
    return [*min((lengths[last] for last in graph.predecessors(name) if last in lengths), key=len), name]


def _edges(moves: Iterable[Move]) -> list[str]:
    return list(dict.fromkeys(edge_words(move.source, move.outcome) for move in moves))


def _when(used_up: Sequence[str]) -> str:
    """The bounds that must be used up for something, if there are any."""
    return f" when {_listed(used_up)} {'is' if len(used_up) == 1 else 'are'} used up" if used_up else ""


def _listed(names: Iterable[str]) -> str:
    return _and([repr(name) for name in dict.fromkeys(names)])


def _and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
