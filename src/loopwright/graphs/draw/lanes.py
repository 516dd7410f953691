"""Lanes: what the layered layout engine is asked, and in which variants.

Ways back do best around the sides of the spine; which side is calmest depends on the plan, so there are several
questions.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from typing import Any

import graphlay

from loopwright.graphs.draw.labels import label_size
from loopwright.graphs.draw.lettering import wrapped
from loopwright.graphs.draw.outline import Side
from loopwright.graphs.draw.scene import Arrow

MANY = 120
"""From so many lanes on, the narrower of two answers must do."""

HUGE = 1000
"""From so many lanes on, it is the first one."""

_OPTIONS: Mapping[str, Any] = {
    "direction": "topbottom",
    "cycles": {"strategy": "follow_flow"},
    "routing": {"bundle_parallel": False},
    "labels": {"reservation": "always"},
    "self_loops": {"side": "cross_positive", "size": 24.0},
}
_AIR = 8.0
_LOOSE = 0.1
_COLUMNS: Mapping[str, Any] = {
    "wrap": {"viewport_aspect": 1.0},
    "tuning": {"wrap": {"max_rows": 16, "max_cut_edges": 12}},
}
"""A picture of many lanes is broken into columns, to be about as wide as high."""

NARROW, AIRY = 46.0, 74.0
"""The rows' distance, and what it is where labels have no room otherwise."""

_SPACING = {"node_gap": 44.0, "stub": 18.0, "edge_label_margin": 14.0}

_LOOP_SIDE: Side = "right"
"""Where a way from a box to itself is; nothing else comes or goes there."""

Size = tuple[float, float]
Sides = tuple[Side | None, Side | None]
"""The sides that a lane leaves and comes to; None leaves it to the engine."""


@dataclass(frozen=True, slots=True)
class Lane:
    """An arrow, as the engine is asked for a line for it."""

    arrow: Arrow

    @property
    def ends(self) -> tuple[int, int]:
        """The places of the boxes that it joins."""
        return self.arrow.source, self.arrow.target

    @property
    def loop(self) -> bool:
        """Whether it leads back to its own box."""
        return self.arrow.source == self.arrow.target

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of its label."""
        return wrapped(self.arrow.words)

    @property
    def quiet(self) -> bool:
        """Whether it is no ordinary way."""
        return self.arrow.dashed or self.arrow.dotted or self.arrow.style == "failure"

    @property
    def weight(self) -> float:
        """How straight it should be."""
        if self.quiet:
            return 0.5
        return 2.0 if self.lines else 4.0


def answers(sizes: Sequence[Size], lanes: Sequence[Lane], gap: float = NARROW) -> Iterator[graphlay.Layout]:
    """Layouts of the same boxes and lanes that differ in where the ways back run.

    Where lines cross all the same, there is one more, with the ends of quiet ways below everything else.

    Args:
        sizes: Width and height of each box.
        lanes: The lanes between them.
        gap: The rows' distance.
    """
    anywhere: list[Sides] = [(None, None)] * len(lanes)
    ask = partial(_ask, sizes, lanes, gap)
    free = ask(anywhere)
    if len(lanes) >= HUGE:
        yield free
        return
    back = [_leads_back(lane, free.nodes) for lane in lanes]
    if len(lanes) >= MANY:
        yield min(free, ask(anywhere, loose=back), key=_width)
        return
    yield ask(_sides(lanes, back, ("left",), "right"))
    yield ask(_sides(lanes, back, ("right",), "left"))
    yield ask(_sides(lanes, back, ("left", "right"), "left"))
    yield free
    if (last := _quiet_ends(lanes)) and free.metrics()["crossings"]:
        below = 1 + max(node["rank"] for node in free.nodes)
        ranks = [below if place in last else node["rank"] for place, node in enumerate(free.nodes)]
        yield ask(_sides(lanes, back, ("left", "right")), ranks=ranks)


def _width(answer: graphlay.Layout) -> float:
    return float(answer.bounds["max"]["x"] - answer.bounds["min"]["x"])


def _leads_back(lane: Lane, nodes: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a lane leads past other boxes to an earlier one; to the one just before, the engine knows better."""
    source, target = lane.ends
    return not lane.loop and bool(nodes[source]["rank"] - nodes[target]["rank"] > 1)


def _quiet_ends(lanes: Sequence[Lane]) -> set[int]:
    """The boxes that nothing leaves, and only quiet lanes come to."""
    loud = {lane.ends[1] for lane in lanes if not lane.quiet}
    return {lane.ends[1] for lane in lanes} - loud - {lane.ends[0] for lane in lanes}


def _sides(
    lanes: Sequence[Lane], back: Sequence[bool], turns: Sequence[Side], quiet: Side | None = None
) -> list[Sides]:
    """The sides that lanes take: ways back those of `turns`, in turn; quiet ways on leave at the side `quiet`."""
    turn = cycle(turns)
    looped = {lane.ends[0] for lane in lanes if lane.loop}
    chosen: list[Sides] = []
    for lane, is_back in zip(lanes, back, strict=True):
        side = next(turn) if is_back else quiet if lane.quiet and not lane.loop else None
        if side == _LOOP_SIDE and looped.intersection(lane.ends):
            side = "left"
        chosen.append((side, side if is_back else None))
    return chosen


def _ask(
    sizes: Sequence[Size],
    lanes: Sequence[Lane],
    gap: float,
    sides: Sequence[Sides],
    *,
    loose: Sequence[bool] = (),
    ranks: Sequence[int] = (),
) -> graphlay.Layout:
    """One question; loose lanes need not be straight, so that the others are. Ranks fix the boxes' rows."""
    graph = graphlay.Graph()
    for place, (width, height) in enumerate(sizes):
        row: dict[str, Any] = {"rank": {"fixed": ranks[place]}} if ranks else {}
        graph.node(width=width, height=height, **row)
    for place, (lane, (leaves, comes)) in enumerate(zip(lanes, sides, strict=True)):
        fields: dict[str, Any] = {}
        if lane.lines:
            width, height = label_size(lane.lines)
            fields["label_size"] = {"width": width, "height": height + _AIR}
        if leaves:
            fields["source_port"] = {"side": leaves}
        if comes:
            fields["target_port"] = {"side": comes}
        graph.edge(*lane.ends, weight=_LOOSE if loose and loose[place] else lane.weight, **fields)
    spacing = {**_SPACING, "layer_gap": gap, "dummy_gap": 72.0 if len(lanes) < MANY else 28.0}
    columns = _COLUMNS if len(lanes) >= MANY else {}
    return graphlay.layout(graph, options={**_OPTIONS, **columns, "spacing": spacing})
