"""Folding: the nodes of a plan that are one thing from outside, as one node, for closed pictures.

What leads out of them stays, each way once; what leads from one of them to another is inside.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from loopwright.graphs.folds import Fold, fold_around
from loopwright.graphs.plan import Edge, Plan, PlanNode, Way
from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.state.records import Visit
from loopwright.state.values import Json


@dataclass(frozen=True)
class Folded(Node):
    """What stands for the nodes of a fold.

    Args:
        name: The fold's name, or the plan's where the fold is all of it.
        words: What they are together.
        outcomes: The outcomes that lead out.
        never: Those of them that no visit comes to.
    """

    name: str
    words: str
    outcomes: tuple[str, ...]
    never: tuple[str, ...]

    @property
    def contract(self) -> Contract:
        """It asks models."""
        return Contract("think", (), (), self.outcomes, never=self.never)

    def ask(self, view: View) -> None:
        """Nothing: it is only drawn."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The first outcome."""
        del view, reply
        return Answer(self.outcomes[0])


@dataclass(frozen=True, slots=True)
class Drawn:
    """A plan and a run of it, as they are drawn.

    Args:
        plan: The plan.
        visits: The visits, by the names of its nodes; those that stay inside of a fold are left out.
        at: Where the run is, by the names of its nodes.
        counts: How often each node was visited; a fold as often as it was entered.
    """

    plan: Plan
    visits: Sequence[Visit]
    at: Collection[str]
    counts: Mapping[str, int]


def drawn(plan: Plan, visits: Sequence[Visit], at: Collection[str], *, opened: bool) -> Drawn:
    """A plan and a run with the nodes of each fold as one, unless it is opened.

    Example:
        >>> from loopwright.graphs.builder import PlanBuilder
        >>> from loopwright.graphs.plan import End
        >>> from loopwright.nodes.think import Think
        >>> plan = PlanBuilder("two", fold="two steps").node(Think("a", prompt="?")).node(Think("b", prompt="?"))
        >>> plan = plan.edge("a", "done", "b").edge("b", "done", End("over")).build()
        >>> found = drawn(plan, [], [], opened=False).plan
        >>> list(found.nodes), [(edge.source, edge.outcome, edge.way.target) for edge in found.edges]
        (['two'], [('two', 'done', 'over')])
    """
    counts = Counter(visit.node for visit in visits)
    if opened or not plan.folds:
        return Drawn(plan, visits, at, counts)
    boxes = _Boxes(plan)
    for box, fold in boxes.folds.items():
        counts[box] = counts[fold.start]
    outside = [seen for visit in visits if (seen := boxes.outside(visit))]
    return Drawn(boxes.folded(), outside, [boxes.box(name) for name in at], counts)


class _Boxes:
    """The folds of a plan, and which of its nodes is in which."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.folds: dict[str, Fold] = {key or plan.name: fold for key, fold in plan.folds.items()}
        self._of = {name: box for name in plan.nodes if (box := self.box(name)) in self.folds}

    def box(self, name: str) -> str:
        """The outermost fold that a node or a place is in; itself, where there is none."""
        fold = fold_around(name, self._plan.folds)
        return name if fold is None else fold or self._plan.name

    def outside(self, visit: Visit) -> Visit | None:
        """A visit as it is seen from outside; None for one that leads on inside of its box."""
        target = self._of.get(visit.target, visit.target)
        if self._is_inside(visit.node, visit.target):
            return None
        return replace(visit, node=self._of.get(visit.node, visit.node), target=target)

    def folded(self) -> Plan:
        """The plan with one node for each fold."""
        plan = self._plan
        edges = dict.fromkeys(
            Edge(self._of.get(edge.source, edge.source), edge.outcome, self._way(edge.way))
            for edge in (*plan.possible.edges, *plan.edges)
            if not self._is_inside(edge.source, edge.way.target)
        )
        nodes: dict[str, PlanNode] = {}
        for name, placed in plan.nodes.items():
            box = self._of.get(name, name)
            if box not in nodes:
                nodes[box] = PlanNode(box, self._node(box)) if name in self._of else placed
        bounds = {name: replace(bound, then=self._way(bound.then)) for name, bound in plan.bounds.items()}
        start = self._of.get(plan.start, plan.start)
        return replace(plan, start=start, nodes=nodes, edges=tuple(edges), bounds=bounds, folds={})

    def _is_inside(self, source: str, target: str) -> bool:
        """Whether a step stays in a box: what leads to the node that it is entered by comes from outside."""
        box = self._of.get(source)
        return box is not None and self._of.get(target) == box and target != self.folds[box].start

    def _way(self, way: Way) -> Way:
        return replace(way, target=self._of.get(way.target, way.target), resets=())

    def _node(self, box: str) -> Folded:
        """The node of a fold: its outcomes are those that lead out, and those that lead nowhere."""
        inside = [placed for name, placed in self._plan.nodes.items() if self._of.get(name) == box]
        possible = dict.fromkeys(
            outcome for placed in inside for outcome in placed.contract.outcomes if self._leads_out(placed, outcome)
        )
        idle = dict.fromkeys(
            outcome
            for placed in inside
            for outcome in placed.contract.never
            if outcome not in possible and (placed.name, outcome) in self._plan.routes
        )
        return Folded(box, self.folds[box].words, tuple(possible), tuple(idle))

    def _leads_out(self, placed: PlanNode, outcome: str) -> bool:
        edge = self._plan.routes.get((placed.name, outcome))
        return edge is None or not self._is_inside(placed.name, edge.way.target)
