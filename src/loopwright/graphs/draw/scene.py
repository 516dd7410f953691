"""The scene: a plan as boxes and arrows, before anything has a place.

There is one arrow for every move, one from the start, and one to `nowhere` for every outcome without an edge. What was
visited, what waits and what was taken is part of the scene, so every format shows it alike.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from loopwright.graphs.draw.lettering import LONGEST
from loopwright.graphs.plan import Fork, Move, Plan, PlanNode, own_bound
from loopwright.nodes.contract import FAILURES
from loopwright.nodes.places import within
from loopwright.state.records import Visit

Shape = Literal["start", "think", "judge", "wait", "act", "route", "each", "parallel", "end", "unknown", "nowhere"]
Style = Literal["start", "plain", "failure", "used_up", "missing"]

_KINDS = {"judge": "think", "unknown": "not in the plan", "nowhere": "an edge is missing"}

NOWHERE = "nowhere"
"""What the box is called that an outcome without an edge leads to."""


@dataclass(frozen=True, slots=True)
class Body:
    """One body of an opened fork: its name, "" for the only one, and its own scene."""

    name: str
    scene: "Scene"


@dataclass(frozen=True, slots=True)
class Box:
    """A node, an end, or the start.

    Args:
        name: Its name in the plan; "start" for the start.
        shape: What it is; `judge` is a think node with several outcomes, `unknown` a name that the plan does not have,
            `nowhere` what an outcome without an edge leads to.
        note: A second line: what runs inside a fork.
        ok: Whether coming here is a success; False only for ends.
        visits: How often a run was here.
        pending: Whether a run is here now.
        bodies: The bodies of a fork that is drawn opened.
    """

    name: str
    shape: Shape
    note: str = ""
    ok: bool = True
    visits: int = 0
    pending: bool = False
    bodies: tuple[Body, ...] = ()

    @property
    def kind(self) -> str:
        """What it is, in words."""
        words = _KINDS.get(self.shape, self.shape)
        return words if self.ok else f"{words}, no success"


@dataclass(frozen=True, slots=True)
class Arrow:
    """One move, or the way in.

    Args:
        source: The place of its box in the scene.
        target: The place of its box in the scene.
        label: What is written on it, or "".
        style: What kind of way it is; `used_up` is the way that a used-up bound leads, `missing` one without an edge.
        title: The whole of it in one sentence.
        taken: How often a run took it.
    """

    source: int
    target: int
    label: str
    style: Style
    title: str
    taken: int = 0

    @property
    def dashed(self) -> bool:
        """Whether its line is dashed: no edge leads there."""
        return self.style in ("used_up", "missing")


@dataclass(frozen=True, slots=True)
class Scene:
    """All boxes and arrows of a plan, in the plan's order; the start is the first box."""

    name: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]

    def walk(self) -> Iterator["Scene"]:
        """This scene and those of all bodies inside it."""
        yield self
        for box in self.boxes:
            for body in box.bodies:
                yield from body.scene.walk()


def scene_of(plan: Plan, visits: Sequence[Visit] = (), at: Collection[str] = (), *, opened: bool = False) -> Scene:
    """The scene of a plan.

    Args:
        plan: Any plan, a faulty one too.
        visits: The visits of a run, to show the path that it took.
        at: The names of nodes that a run waits or stopped at, as `Visit.node` has them.
        opened: Whether the bodies of forks are drawn inside them.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.nodes.think import Think
        >>> plan = one_node_plan(Think("greet", prompt="Hello"))
        >>> scene = scene_of(plan)
        >>> [(box.name, box.shape) for box in scene.boxes]
        [('start', 'start'), ('greet', 'think'), ('done', 'end')]
        >>> [arrow.title for arrow in scene.arrows]
        ['start → greet', 'greet, done → done']
    """
    boxes = [Box("start", "start", visits=min(1, len(visits))), *_nodes(plan, visits, at, opened)]
    arrived = Counter(visit.target for visit in visits)
    ends = [end for end in plan.ends.values() if end.name not in plan.nodes]
    boxes += [Box(end.name, "end", ok=end.ok, visits=min(1, arrived[end.name])) for end in ends]
    places = {box.name: place for place, box in enumerate(boxes) if place > 0}
    for name in _unknown(plan, places):
        places[name] = len(boxes)
        boxes.append(Box(name, "unknown"))
    missing = _missing(plan)
    arrows = [*_arrows(plan, places, visits, missing)]
    for source, outcomes in missing.items():
        for outcome in outcomes:
            title = f"{source}, {outcome} → {NOWHERE}: there is no edge for it"
            arrows.append(Arrow(places[source], len(boxes), outcome, "missing", title))
        boxes.append(Box(NOWHERE, "nowhere"))
    return Scene(plan.name, tuple(boxes), tuple(arrows))


def _nodes(plan: Plan, visits: Sequence[Visit], at: Collection[str], opened: bool) -> Iterator[Box]:
    counts = Counter(visit.node for visit in visits)
    for name, placed in plan.nodes.items():
        box = Box(name, _shape(placed), visits=counts[name], pending=_is_at(placed, at))
        yield _fork_box(box, placed.node, visits, at, opened) if isinstance(placed.node, Fork) else box


def _missing(plan: Plan) -> Mapping[str, list[str]]:
    """The outcomes without an edge, by their node."""
    gaps = {
        name: [outcome for outcome in dict.fromkeys(placed.contract.outcomes) if (name, outcome) not in plan.routes]
        for name, placed in plan.nodes.items()
    }
    return {name: outcomes for name, outcomes in gaps.items() if outcomes}


def _unknown(plan: Plan, known: Mapping[str, int]) -> Iterable[str]:
    """Names that the plan uses and does not have, once each."""
    used = [plan.start] if plan.start else []
    for move in plan.moves:
        used += [move.source, move.way.target]
    return dict.fromkeys(name for name in used if name not in known)


def _shape(placed: PlanNode) -> Shape:
    contract = placed.contract
    return "judge" if contract.kind == "think" and len(contract.outcomes) > 1 else contract.kind


def _is_at(placed: PlanNode, at: Collection[str]) -> bool:
    return placed.name in at or (isinstance(placed.node, Fork) and any(within(name, placed.name) for name in at))


def _arrows(
    plan: Plan, places: Mapping[str, int], visits: Sequence[Visit], missing: Mapping[str, list[str]]
) -> Iterator[Arrow]:
    """The way in, and every move."""
    if plan.start:
        yield Arrow(0, places[plan.start], "", "start", f"start → {plan.start}", min(1, len(visits)))
    ways = Counter(edge.source for edge in plan.edges)
    ways.update({name: len(outcomes) for name, outcomes in missing.items()})
    taken = _taken(plan.moves, visits)
    for place, move in enumerate(plan.moves):
        target = move.way.target
        style: Style = "used_up" if move.used_up else "failure" if move.outcome in FAILURES else "plain"
        when = "".join(f", {bound} used up" for bound in move.used_up)
        title = f"{move.source}, {move.outcome}{when} → {target}"
        label = _label(plan, move, alone=ways[move.source] == 1)
        yield Arrow(places[move.source], places[target], label, style, title, taken[place])


def _label(plan: Plan, move: Move, *, alone: bool) -> str:
    """The outcome where there is a choice, and what the bound says."""
    if move.used_up:
        bound = move.used_up[-1]
        own = bound == own_bound(move.source, move.outcome)
        text = f"{move.outcome if own else bound.rpartition('/')[2]} used up"
    else:
        text = "" if alone and move.outcome == "done" else move.outcome
    spent = plan.bounds.get(move.way.bound)
    return f"{text} ≤ {spent.at_most}".strip() if spent else text


def _taken(moves: Sequence[Move], visits: Iterable[Visit]) -> Counter[int]:
    """How often each move was taken, by its place. A visit without a target took the first way of its outcome."""
    first: dict[tuple[str, str, str], int] = {}
    for place, move in enumerate(moves):
        first.setdefault((move.source, move.outcome, move.way.target), place)
        first.setdefault((move.source, move.outcome, ""), place)
    steps = Counter((visit.node, visit.outcome, visit.target) for visit in visits)
    return Counter({first[step]: count for step, count in steps.items() if step in first})


def _fork_box(box: Box, fork: Fork, visits: Sequence[Visit], at: Collection[str], opened: bool) -> Box:
    if not opened:
        return replace(box, note=_inside(fork))
    bodies = (
        Body(name, scene_of(branch.plan, *_inner(fork, name, visits, at), opened=True))
        for name, branch in fork.branches.items()
    )
    return replace(box, note=f"each {fork.as_}" if fork.kind == "each" else "side by side", bodies=tuple(bodies))


def _inside(fork: Fork) -> str:
    """One line on what a closed fork runs."""
    if fork.kind == "each":
        return f"each {fork.as_}: {' '.join(branch.plan.name for branch in fork.branches.values())}"
    shown = list(fork.branches)
    while len(shown) > 1 and len(" + ".join(shown)) > LONGEST:
        shown.pop()
    more = len(fork.branches) - len(shown)
    return " + ".join([*shown, *([f"{more} more"] if more else [])])


def _inner(fork: Fork, name: str, visits: Sequence[Visit], at: Collection[str]) -> tuple[list[Visit], list[str]]:
    """The visits and places inside one body, by the body's own names."""

    def own(node: str) -> str:
        branch, inner = within(node, fork.name) or ("", "")
        return inner if fork.kind == "each" or branch == name else ""

    found = [replace(visit, node=own(visit.node)) for visit in visits if own(visit.node)]
    return found, [own(node) for node in at if own(node)]
