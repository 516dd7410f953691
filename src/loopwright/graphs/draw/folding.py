"""Folding: the nodes of a plan that are one thing from outside, as one node, for closed pictures.

What leads out of them stays, each way once; what leads from one of them to another is inside.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from loopwright.graphs.folds import Fold
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
    box_of = {name: box for name in plan.nodes if (box := _box(name, plan)) != name}
    boxes = {key or plan.name: fold for key, fold in plan.folds.items()}
    folded = _folded(plan, box_of, boxes)
    for box, fold in boxes.items():
        counts[box] = counts[fold.start]
    outside = [_outside(visit, box_of) for visit in visits]
    here = [_box(name, plan) for name in at]
    return Drawn(folded, [visit for visit in outside if visit], here, counts)


def _box(name: str, plan: Plan) -> str:
    """The box that a node is in: the outermost fold around it; itself, where there is none."""
    if "" in plan.folds:
        return plan.name
    found = [key for key in plan.folds if name == key or name.startswith((f"{key}/", f"{key}["))]
    return min(found, key=len, default=name)


def _outside(visit: Visit, box_of: Mapping[str, str]) -> Visit | None:
    """A visit as it is seen from outside; None for one that leads on inside of its box."""
    if visit.node not in box_of:
        return replace(visit, target=box_of.get(visit.target, visit.target))
    box = box_of[visit.node]
    target = box_of.get(visit.target, visit.target)
    return None if target == box and visit.target in box_of else replace(visit, node=box, target=target)


def _folded(plan: Plan, box_of: Mapping[str, str], boxes: Mapping[str, Fold]) -> Plan:
    def way(given: Way) -> Way:
        return replace(given, target=box_of.get(given.target, given.target), resets=())

    edges = dict.fromkeys(
        Edge(box_of.get(edge.source, edge.source), edge.outcome, way(edge.way))
        for edge in (*plan.possible.edges, *plan.edges)
        if edge.source not in box_of or box_of.get(edge.way.target) != box_of[edge.source] or edge.way.bound
    )
    nodes: dict[str, PlanNode] = {}
    for name, placed in plan.nodes.items():
        box = box_of.get(name, name)
        if box == name:
            nodes[name] = placed
        elif box not in nodes:
            nodes[box] = PlanNode(box, _node(box, boxes[box], plan, box_of))
    bounds = {name: replace(bound, then=way(bound.then)) for name, bound in plan.bounds.items()}
    start = box_of.get(plan.start, plan.start)
    return replace(plan, start=start, nodes=nodes, edges=tuple(edges), bounds=bounds, folds={})


def _node(box: str, fold: Fold, plan: Plan, box_of: Mapping[str, str]) -> Folded:
    """The node of a fold: its outcomes are those that lead out, and those that lead nowhere."""
    inside = [placed for name, placed in plan.nodes.items() if box_of.get(name) == box]
    leading = dict.fromkeys(outcome for placed in inside for outcome in _leading_out(placed, plan, box_of))
    possible = [outcome for placed in inside for outcome in placed.contract.outcomes]
    never = tuple(outcome for outcome in leading if outcome not in possible and _is_idle(outcome, inside))
    return Folded(box, fold.words, tuple(outcome for outcome in leading if outcome not in never), never)


def _leading_out(placed: PlanNode, plan: Plan, box_of: Mapping[str, str]) -> Iterator[str]:
    for outcome in (*placed.contract.outcomes, *placed.contract.never):
        edge = plan.routes.get((placed.name, outcome))
        nowhere = edge is None and outcome in placed.contract.outcomes
        if nowhere or (edge is not None and box_of.get(edge.way.target) != box_of[placed.name]):
            yield outcome


def _is_idle(outcome: str, inside: Sequence[PlanNode]) -> bool:
    return any(outcome in placed.contract.never for placed in inside)
