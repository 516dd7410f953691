"""The loops of a plan: their heads, the moves that close them, and where a bound's count starts again.

A move closes a loop when its target, the loop's head, stands on every path from the start to its source: it is a back
move. All back moves of one head are one loop. A bound counts the back moves that carry it, per entry of their loop: its
count is zeroed by every move into the head that is not a back move.

Certificate and engine both count by this file, so that what is proved is what runs. It judges nothing: a plan that is
broken has loops too, as far as they can be told.

Example:
    >>> from loopwright.graphs.builder import PlanBuilder
    >>> from loopwright.graphs.plan import End
    >>> from loopwright.nodes.think import Judge, Think
    >>> builder = PlanBuilder("essay").node(Think("plan", prompt="Plan."))
    >>> _ = builder.node(Judge("write", prompt="Write.", outcomes=["good", "again"])).edge("plan", "done", "write")
    >>> _ = builder.edge("write", "good", End("finished"))
    >>> _ = builder.edge("write", "again", "write", at_most=3, bound="rounds", then=End("max_rounds", ok=False))
    >>> plan = builder.build()
    >>> loops(plan)["write"].bounds
    ('rounds',)
    >>> zeroed(plan)
    {('plan', 'write'): ('rounds',)}
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import networkx as nx

from loopwright.graphs.plan import Move, Plan


@dataclass(frozen=True, slots=True)
class Loop:
    """All that one head leads back to itself.

    Args:
        head: The node that every way into the loop comes by.
        items: What stands directly in it: the head, its own nodes, and for each loop directly inside that loop's head.
            Every move between them but the back moves leads from an earlier item to a later one.
        backs: The moves that lead back to the head.
    """

    head: str
    items: tuple[str, ...]
    backs: tuple[Move, ...]

    @property
    def bounds(self) -> tuple[str, ...]:
        """The bounds of its back moves, each once."""
        return tuple(dict.fromkeys(move.way.bound for move in self.backs if move.way.bound))


def loops(plan: Plan) -> dict[str, Loop]:
    """The loops by their heads, inner ones before those around them. Only what can be reached from the start counts."""
    order = forward_order(plan)
    if not order:
        return {}
    place = {name: index for index, name in enumerate(order)}
    dominates = dominance(node_graph(plan), plan.start)
    before: dict[str, list[str]] = {name: [] for name in order}
    backs: dict[str, list[Move]] = {}
    for move in plan.moves:
        source, target = move.source, move.way.target
        if source not in place or target not in place:
            continue
        if dominates(target, source):
            backs.setdefault(target, []).append(move)
        else:
            before[target].append(source)
    found: dict[str, Loop] = {}
    outermost: dict[str, str] = {}
    for head in sorted(backs, key=place.__getitem__, reverse=True):
        # A loop with a second entry is a finding; here it must only not reach out of what its head dominates.
        items = [name for name in _items(head, backs[head], before, outermost) if dominates(head, name)]
        outermost.update((name, head) for name in items if name != head)
        found[head] = Loop(head, tuple(sorted(items, key=place.__getitem__)), tuple(backs[head]))
    return found


def zeroed(plan: Plan) -> dict[tuple[str, str], tuple[str, ...]]:
    """For every move that enters a loop from outside, by source and target: the bounds whose counts it zeroes.

    Moves that enter no loop with a bound are left out.
    """
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    known = loops(plan)
    inside = {head: {move.source for move in loop.backs} for head, loop in known.items()}
    for move in plan.moves:
        head = move.way.target
        if head in known and known[head].bounds and move.source not in inside[head]:
            found[move.source, head] = known[head].bounds
    return found


def forward_order(plan: Plan) -> tuple[str, ...]:
    """The nodes that can be reached, each before all that follow it; only moves that close a cycle lead backwards."""
    if plan.start not in plan.nodes:
        return ()
    return tuple(reversed(list(nx.dfs_postorder_nodes(node_graph(plan), plan.start))))


def node_graph(plan: Plan, moves: Iterable[Move] | None = None) -> "nx.DiGraph[str]":
    """The plan's nodes as a plain graph, an edge wherever some of the moves (all, when left out) lead."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(plan.nodes)
    for move in plan.moves if moves is None else moves:
        if move.source in plan.nodes and move.way.target in plan.nodes:
            graph.add_edge(move.source, move.way.target)
    return graph


def dominance(graph: "nx.DiGraph[str]", start: str) -> Callable[[str, str], bool]:
    """A function that says whether its first node stands on every path from the start to its second one.

    Example:
        >>> dominates = dominance(nx.DiGraph([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]), "a")
        >>> dominates("a", "d"), dominates("b", "d"), dominates("d", "d")
        (True, False, True)
    """
    parents = {node: parent for node, parent in nx.immediate_dominators(graph, start).items() if parent != node}
    tree: nx.DiGraph[str] = nx.DiGraph((parent, node) for node, parent in parents.items() if parent is not None)
    tree.add_node(start)
    opened: dict[str, int] = {}
    closed: dict[str, int] = {}
    for clock, (_, node, kind) in enumerate(nx.dfs_labeled_edges(tree, start)):
        (opened if kind == "forward" else closed)[node] = clock

    def dominates(above: str, below: str) -> bool:
        return opened[above] <= opened[below] and closed[below] <= closed[above]

    return dominates


def _collapse(name: str, outermost: dict[str, str]) -> str:
    """The head of the outermost loop found so far that a node is in, or the node itself."""
    top = name
    while top in outermost:
        top = outermost[top]
    while name != top:
        outermost[name], name = top, outermost[name]
    return top


def _items(head: str, backs: list[Move], before: Mapping[str, list[str]], outermost: dict[str, str]) -> set[str]:
    """What leads to the back moves without passing the head; loops found before count as their heads."""
    found = {head}
    waiting = [move.source for move in backs]
    while waiting:
        name = _collapse(waiting.pop(), outermost)
        if name not in found:
            found.add(name)
            waiting.extend(before[name])
    return found
