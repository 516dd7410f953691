"""The scene: a plan as boxes and arrows, before anything has a place. One arrow for every move, and one from the start.

What was visited, what waits and what was taken is part of the scene, so every format shows it alike.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from loopwright.graphs.draw.lettering import LONGEST
from loopwright.graphs.plan import Fork, Move, Plan, PlanNode
from loopwright.nodes.contract import FAILURES
from loopwright.state.records import Visit

Shape = Literal["start", "think", "judge", "wait", "act", "route", "each", "parallel", "end", "unknown"]
Style = Literal["start", "plain", "failure", "used_up"]


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
        shape: What it is; `judge` is a think node with several outcomes, `unknown` a name that the plan does not have.
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


@dataclass(frozen=True, slots=True)
class Arrow:
    """One move, or the way in.

    Args:
        source: The place of its box in the scene.
        target: The place of its box in the scene.
        label: What is written on it, or "".
        style: What kind of way it is; `used_up` is the way that a used-up bound leads.
        title: The whole of it in one sentence.
        taken: How often a run took it.
    """

    source: int
    target: int
    label: str
    style: Style
    title: str
    taken: int = 0


@dataclass(frozen=True, slots=True)
class Scene:
    """All boxes and arrows of a plan, in the plan's order; the start is the first box."""

    name: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


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
    counts = Counter(visit.node for visit in visits)
    taken = _taken(plan.moves, visits)
    boxes = [Box("start", "start", visits=min(1, len(visits)))]
    for placed in plan.nodes.values():
        box = Box(placed.name, _shape(placed), visits=counts[placed.name], pending=_is_at(placed, at))
        boxes.append(_fork_box(box, placed.node, visits, at, opened) if isinstance(placed.node, Fork) else box)
    arrived = Counter(visit.target for visit in visits)
    ends = [end for end in plan.ends.values() if end.name not in plan.nodes]
    boxes += [Box(end.name, "end", ok=end.ok, visits=min(1, arrived[end.name])) for end in ends]
    places = {box.name: place for place, box in enumerate(boxes) if place > 0}
    for name in _unknown(plan, places):
        places[name] = len(boxes)
        boxes.append(Box(name, "unknown"))
    arrows = [_arrow(plan, move, places, taken[place]) for place, move in enumerate(plan.moves)]
    if plan.start:
        entry = Arrow(0, places[plan.start], "", "start", f"start → {plan.start}", min(1, len(visits)))
        arrows.insert(0, entry)
    return Scene(plan.name, tuple(boxes), tuple(arrows))


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
    inside = f"{placed.name}["
    return placed.name in at or (isinstance(placed.node, Fork) and any(name.startswith(inside) for name in at))


def _arrow(plan: Plan, move: Move, places: Mapping[str, int], taken: int) -> Arrow:
    target = move.way.target
    style: Style = "used_up" if move.used_up else "failure" if move.outcome in FAILURES else "plain"
    when = "".join(f", {bound} used up" for bound in move.used_up)
    title = f"{move.source}, {move.outcome}{when} → {target}"
    return Arrow(places[move.source], places[target], _label(plan, move), style, title, taken)


def _label(plan: Plan, move: Move) -> str:
    """The outcome where there is a choice, and what the bound says."""
    if move.used_up:
        bound = move.used_up[-1]
        own = bound == f"{move.source} {move.outcome}"
        text = f"{move.outcome if own else bound.rpartition('/')[2]} used up"
    else:
        alone = move.outcome == "done" and sum(edge.source == move.source for edge in plan.edges) == 1
        text = "" if alone else move.outcome
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
        Body(name, scene_of(branch.plan, *_within(fork, name, visits, at), opened=True))
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


def _within(fork: Fork, name: str, visits: Sequence[Visit], at: Collection[str]) -> tuple[list[Visit], list[str]]:
    """The visits and places inside one body, by the body's own names."""

    def inner(node: str) -> str:
        branch, closed, rest = node.removeprefix(f"{fork.name}[").partition("]/")
        ours = node.startswith(f"{fork.name}[") and closed and (fork.kind == "each" or branch == name)
        return rest if ours else ""

    found = [replace(visit, node=inner(visit.node)) for visit in visits if inner(visit.node)]
    return found, [inner(node) for node in at if inner(node)]
