"""The scene: a plan as boxes and arrows, before anything has a place.

There is one arrow from the start, and one for every move; outcomes of a node that lead to the same place and spend the
same bound share one, and so do those without an edge, which lead to `nowhere`. What was visited, what waits and what
was taken is part of the scene, so every format shows it alike.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from loopwright.graphs.draw.folding import Drawn, Folded, drawn
from loopwright.graphs.draw.lettering import LONGEST
from loopwright.graphs.nesting import open_port
from loopwright.graphs.plan import Fork, Move, Plan, PlanNode, Way, own_bound
from loopwright.nodes.code import CodeNode
from loopwright.nodes.contract import FAILURES, Node
from loopwright.nodes.places import within
from loopwright.state.records import Visit

Shape = Literal[
    "start",
    "think",
    "judge",
    "brain",
    "wait",
    "act",
    "route",
    "each",
    "parallel",
    "node",
    "end",
    "unknown",
    "unseen",
    "nowhere",
]
Style = Literal["start", "plain", "failure", "used_up", "idle", "missing", "unseen"]

_KINDS = {"unknown": "not in the plan", "unseen": "cannot be seen", "nowhere": "an edge is missing"}

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
        shape: How it is drawn; `judge` is whatever asks a model and has several outcomes, `brain` several nodes that
            are drawn as one, `unknown` a name that the plan does not have, `nowhere` what an outcome without an edge
            leads to, `node` one of a LangGraph graph, and `unseen` where something leads that cannot be seen.
        type: The node's `type` word, "" where the shape's own says what it is; of a brain, its technique.
        note: A second line: what runs inside a fork.
        ok: Whether coming here is a success; False only for ends.
        visits: How often a run was here.
        pending: Whether a run is here now.
        bodies: The bodies of a fork that is drawn opened.
    """

    name: str
    shape: Shape
    type: str = ""
    note: str = ""
    ok: bool = True
    visits: int = 0
    pending: bool = False
    bodies: tuple[Body, ...] = ()

    @property
    def kind(self) -> str:
        """What it is, in words."""
        words = self.type or _KINDS.get(self.shape, self.shape)
        return words if self.ok else f"{words}, no success"

    @property
    def below(self) -> str:
        """What is written under its name, or ""."""
        return self.type if self.shape == "brain" else self.note


@dataclass(frozen=True, slots=True)
class Arrow:
    """One line of the picture: the way in, or the moves of a node that have one way on.

    Args:
        source: The place of its box in the scene.
        target: The place of its box in the scene.
        words: What is written on it, in pieces that stay whole: its outcomes, and what the bound says.
        style: What kind of way it is; `used_up` is the way that a used-up bound leads, `idle` one that no visit
            takes, `missing` one without an edge, `unseen` one of which it is not known where it leads.
        title: The whole of it in one sentence.
        taken: How often a run took it.
    """

    source: int
    target: int
    words: tuple[str, ...]
    style: Style
    title: str
    taken: int = 0

    @property
    def label(self) -> str:
        """What is written on it, or ""."""
        return " ".join(self.words)

    @property
    def dashed(self) -> bool:
        """Whether its line is dashed: no edge leads there."""
        return self.style in ("used_up", "missing", "unseen")

    @property
    def dotted(self) -> bool:
        """Whether its line is dotted: no visit takes it."""
        return self.style == "idle"


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


def scene_of(
    plan: Plan, visits: Sequence[Visit] = (), at: Collection[str] = (), *, opened: bool = False, bodies: bool = True
) -> Scene:
    """The scene of a plan.

    Args:
        plan: Any plan, a faulty one too.
        visits: The visits of a run, to show the path that it took.
        at: The names of nodes that a run waits or stopped at, as `Visit.node` has them.
        opened: Whether the bodies of forks are drawn inside them, and brains node by node.
        bodies: Whether what is opened are forks, too, and not brains alone.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.nodes.think import Think
        >>> plan = one_node_plan(Think("greet", prompt="Hello"))
        >>> scene = scene_of(plan)
        >>> [(box.name, box.shape) for box in scene.boxes]
        [('start', 'start'), ('greet', 'think'), ('done', 'end')]
        >>> [arrow.title for arrow in scene.arrows]
        ['start → greet', 'greet [done] → done']
    """
    shown = drawn(_led(plan), visits, at, opened=opened)
    boxes = [Box("start", "start", visits=min(1, len(visits))), *_nodes(shown, opened and bodies)]
    plan, visits = shown.plan, shown.visits
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
        title = f"{source} [{', '.join(outcomes)}] → {NOWHERE}: an edge is missing"
        arrows.append(Arrow(places[source], len(boxes), _listed(outcomes), "missing", title))
        boxes.append(Box(NOWHERE, "nowhere"))
    return Scene(plan.name, tuple(boxes), tuple(arrows))


def _led(plan: Plan) -> Plan:
    """The plan without edges to open ports of nested plans: their outcomes are drawn as those without an edge."""
    edges = tuple(
        edge for edge in plan.edges if edge.way.target in plan.ends or open_port(edge.source, edge.way.target) is None
    )
    return plan if edges == plan.edges else replace(plan, edges=edges)


def _nodes(shown: Drawn, opened: bool) -> Iterator[Box]:
    for name, placed in shown.plan.nodes.items():
        count, pending = shown.counts.get(name, 0), _is_at(placed, shown.at)
        box = Box(name, _shape(placed), _type(placed), visits=count, pending=pending)
        yield _fork_box(box, placed.node, shown.visits, shown.at, opened) if isinstance(placed.node, Fork) else box


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
    if isinstance(placed.node, Folded):
        return "brain"
    if contract.kind != "think":
        return contract.kind
    if isinstance(placed.node, Node) and placed.node.calls == 0:
        return "route"
    return "judge" if len(contract.outcomes) > 1 else "think"


def _type(placed: PlanNode) -> str:
    if isinstance(placed.node, Folded):
        return placed.node.words
    return placed.node.type if isinstance(placed.node, Node) and not isinstance(placed.node, CodeNode) else ""


def _is_at(placed: PlanNode, at: Collection[str]) -> bool:
    return placed.name in at or (isinstance(placed.node, Fork) and any(within(name, placed.name) for name in at))


def _arrows(
    plan: Plan, places: Mapping[str, int], visits: Sequence[Visit], missing: Mapping[str, list[str]]
) -> Iterator[Arrow]:
    """The way in, and one arrow for the moves that have one way on."""
    if plan.start:
        yield Arrow(0, places[plan.start], (), "start", f"start → {plan.start}", min(1, len(visits)))
    ways = Counter(edge.source for edge in plan.edges)
    ways.update({name: len(outcomes) for name, outcomes in missing.items()})
    taken = _taken(plan.moves, visits)
    never = {name: placed.contract.never for name, placed in plan.nodes.items()}
    together: dict[tuple[str, Way, tuple[str, ...], Style], list[int]] = {}
    for place, move in enumerate(plan.moves):
        style = "idle" if move.outcome in never.get(move.source, ()) else _style(move)
        together.setdefault((move.source, move.way, move.used_up, style), []).append(place)
    for (source, way, used_up, style), found in together.items():
        outcomes = [plan.moves[place].outcome for place in found]
        when = "".join(f", {bound} used up" for bound in used_up)
        title = f"{source} [{', '.join(outcomes)}]{when} → {way.target}{': never taken' if style == 'idle' else ''}"
        words = _words(plan, plan.moves[found[0]], [] if ways[source] == 1 and outcomes == ["done"] else outcomes)
        yield Arrow(places[source], places[way.target], words, style, title, sum(taken[place] for place in found))


def _style(move: Move) -> Style:
    if move.used_up:
        return "used_up"
    return "failure" if move.outcome in FAILURES else "plain"


def _words(plan: Plan, move: Move, outcomes: Sequence[str]) -> tuple[str, ...]:
    """The outcomes where there is a choice, and what the bound says: a bound with a name of its own says that too."""
    own = own_bound(move.source, move.outcome)
    if move.used_up:
        bound = move.used_up[-1]
        words: tuple[str, ...] = (f"{move.outcome if bound == own else _last(bound)} used up",)
    else:
        words = _listed(outcomes)
    spent = plan.bounds.get(move.way.bound)
    if not spent:
        return words
    return (*words, f"≤ {spent.at_most}" if spent.name == own else f"({_last(spent.name)} ≤ {spent.at_most})")


def _last(bound: str) -> str:
    """A bound's name without those of the nested plans around it."""
    return bound.rpartition("/")[2]


def _listed(outcomes: Sequence[str]) -> tuple[str, ...]:
    """The outcomes, with a comma after each but the last."""
    return (*(f"{outcome}," for outcome in outcomes[:-1]), *outcomes[-1:])


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
        _body(name, scene_of(branch.plan, *_inner(fork.kind, box.name, name, visits, at), opened=True))
        for name, branch in fork.branches.items()
    )
    return replace(box, note=f"each {fork.as_}" if fork.kind == "each" else "side by side", bodies=tuple(bodies))


def _body(name: str, scene: Scene) -> Body:
    """A body; of one that is a single node with one way to a good end, the node says all there is."""
    if [box.shape for box in scene.boxes[2:] if box.ok] != ["end"] or len(scene.arrows) != 2:
        return Body(name, scene)
    (_, only, _) = scene.boxes
    return Body("" if only.name == name else name, replace(scene, boxes=(only,), arrows=()))


def _inside(fork: Fork) -> str:
    """One line on what a closed fork runs."""
    if fork.kind == "each":
        return f"each {fork.as_}: {' '.join(branch.plan.name for branch in fork.branches.values())}"
    shown = list(fork.branches)
    while len(shown) > 1 and len(" + ".join(shown)) > LONGEST:
        shown.pop()
    more = len(fork.branches) - len(shown)
    return " + ".join([*shown, *([f"{more} more"] if more else [])])


def _inner(
    kind: str, fork: str, name: str, visits: Sequence[Visit], at: Collection[str]
) -> tuple[list[Visit], list[str]]:
    """The visits and places inside one body of a fork, by the body's own names."""

    def own(node: str) -> str:
        branch, inner = within(node, fork) or ("", "")
        return inner if kind == "each" or branch == name else ""

    found = [replace(visit, node=own(visit.node)) for visit in visits if own(visit.node)]
    return found, [own(node) for node in at if own(node)]
