"""The layout: where every box, arrow and label of a scene goes. Pure: the same scene has the same layout.

Of the layout engine's answers the calmest is taken, its labels included.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import graphlay

from loopwright.graphs.draw.labels import Label, Stack, place_labels
from loopwright.graphs.draw.lanes import Lane, Size, answers, lanes_of
from loopwright.graphs.draw.lettering import SMALL_SIZE, shorten, text_width, visible
from loopwright.graphs.draw.outline import Side, depth, size_of
from loopwright.graphs.draw.routes import Point, beside, tidy, toward
from loopwright.graphs.draw.scene import Arrow, Box, Scene

MARGIN = 22.0
"""Room around everything."""

HEADER = 20.0
"""Room for the name of a body in an opened fork."""

_APART = 9.0
_LOOP = 20.0
_BADGE = 16.0
_PORT = 11.0
_WIDEST = 480.0


@dataclass(frozen=True, slots=True)
class PlacedBody:
    """The body of an opened fork, and where its picture's upper left corner is."""

    name: str
    picture: "Picture"
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PlacedBox:
    """A box around its centre."""

    box: Box
    x: float
    y: float
    width: float
    height: float
    bodies: tuple[PlacedBody, ...] = ()

    @property
    def badge(self) -> Point:
        """The centre of the count of visits, at the upper right."""
        return self.x + self.width / 2 - 3, self.y - self.height / 2 - 2


@dataclass(frozen=True, slots=True)
class PlacedArrow:
    """An arrow and the corners of its line, from outline to outline."""

    arrow: Arrow
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A scene with everything in its place, from (0, 0) to (width, height)."""

    boxes: tuple[PlacedBox, ...]
    arrows: tuple[PlacedArrow, ...]
    labels: tuple[Label, ...]
    width: float
    height: float


def layout(scene: Scene, margin: float = MARGIN) -> Picture:
    """Give everything of a scene its place.

    Args:
        scene: The scene. What a run did changes no place in it, so that a picture keeps still while the run goes on.
        margin: Room around everything.

    Example:
        >>> from loopwright.graphs.draw.scene import Arrow, Box
        >>> boxes = (Box("start", "start"), Box("finished", "end"))
        >>> picture = layout(Scene("short", boxes, (Arrow(0, 1, "", "start", "start → finished"),)))
        >>> picture.boxes[0].y < picture.boxes[1].y
        True
    """
    bodies = [[layout(body.scene) for body in box.bodies] for box in scene.boxes]
    lanes = lanes_of(scene.arrows)
    coming = Counter(lane.ends[1] for lane in lanes)
    sizes = [
        _size(box, inside, coming[place]) for place, (box, inside) in enumerate(zip(scene.boxes, bodies, strict=True))
    ]
    drafts = [_draft(scene.boxes, sizes, lanes, answer) for answer in answers(sizes, lanes)]
    _, best = min(drafts, key=lambda draft: round(draft[0], 3))
    return _from_zero(best, bodies, margin)


def _draft(
    boxes: Sequence[Box], sizes: Sequence[Size], lanes: Sequence[Lane], answer: graphlay.Layout
) -> tuple[float, Picture]:
    """How much there is to follow in an answer of the engine, and its picture, wherever that begins."""
    placed = tuple(
        PlacedBox(box, *_point(node["center"]), *size)
        for box, node, size in zip(boxes, answer.nodes, sizes, strict=True)
    )
    arrows: list[PlacedArrow] = []
    stacks: list[Stack] = []
    for lane, edge in zip(lanes, answer.edges, strict=True):
        drawn = _loops(lane, placed) if lane.loop else _side_by_side(lane, edge, placed)
        if lane.lines:
            fixed = (max(x for x, _ in drawn[-1].points) + 4, placed[lane.ends[0]].y) if lane.loop else None
            stacks.append(Stack(lane.lines, tuple(range(len(arrows), len(arrows) + len(drawn))), fixed))
        arrows += drawn
    areas = [(box.x, box.y, box.width, box.height) for box in placed]
    areas += [(*box.badge, _BADGE, _BADGE) for box in placed]
    labels = place_labels(stacks, [arrow.points for arrow in arrows], areas)
    metrics = answer.metrics()
    return _unrest(metrics, labels), Picture(placed, tuple(arrows), labels, metrics["width"], metrics["height"])


def _unrest(metrics: Mapping[str, Any], labels: Iterable[Label]) -> float:
    """Crossings and covered things count most, then corners, then a spine that is not straight, then size."""
    spine = metrics["main_path_aligned_fraction"] or 0.0
    touching = (metrics["min_edge_node_clearance"] or 0.0) < 5
    covered = sum(min(label.cost, 600.0) for label in labels) / 50
    lines = metrics["crossings"] * 6 + metrics["node_edge_hits"] * 12 + metrics["bends"] + 8 * touching
    return float(lines + covered - 6 * spine + metrics["width"] / 150)


def _side_by_side(lane: Lane, edge: Mapping[str, Any], boxes: Sequence[PlacedBox]) -> list[PlacedArrow]:
    """The arrows of a lane, each from outline to outline."""
    source, target = boxes[lane.ends[0]], boxes[lane.ends[1]]
    middle = tidy([_point(point) for point in edge["points"]])
    room = min(source.width, source.height, target.width, target.height) - 8
    apart = min(_APART, room / max(1, len(lane.arrows) - 1))
    drawn = []
    for place, arrow in enumerate(lane.arrows):
        points = list(beside(middle, (place - (len(lane.arrows) - 1) / 2) * apart))
        points[0] = _to_outline(points[0], points[1], source, edge["source_port"]["side"])
        points[-1] = _to_outline(points[-1], points[-2], target, edge["target_port"]["side"])
        drawn.append(PlacedArrow(arrow, tuple(points)))
    return drawn


def _to_outline(end: Point, before: Point, placed: PlacedBox, side: Side) -> Point:
    """The end of a line on the outline itself, not on the rectangle around it."""
    offset = end[0] - placed.x if side in ("top", "bottom") else end[1] - placed.y
    inward = depth(placed.box.shape, placed.width, placed.height, side, offset)
    return toward(end, before, -inward)


def _loops(lane: Lane, boxes: Sequence[PlacedBox]) -> list[PlacedArrow]:
    """Ways from a box to itself: brackets on its right, one around the other."""
    placed = boxes[lane.ends[0]]
    right = placed.x + placed.width / 2
    drawn = []
    for number, arrow in enumerate(lane.arrows, start=1):
        away = placed.height / 2 * number / (len(lane.arrows) + 1)
        start = right - depth(placed.box.shape, placed.width, placed.height, "right", away)
        outer = right + _LOOP + _APART * (number - 1)
        top, bottom = placed.y - away, placed.y + away
        drawn.append(PlacedArrow(arrow, ((start, top), (outer, top), (outer, bottom), (start, bottom))))
    return drawn


def _size(box: Box, inside: Sequence[Picture], coming: int) -> Size:
    """The size of a box: room for its text and its bodies, and for the lanes that come to it side by side."""
    width, height = size_of(box)
    width = max(width, min(_PORT * coming + height, _WIDEST))
    if not inside:
        return width, height
    wide = sum(_room(body.name, picture) for body, picture in zip(box.bodies, inside, strict=True))
    return max(width, wide), height + max(picture.height for picture in inside) + _body_header(box)


def _room(name: str, picture: Picture) -> float:
    """How wide a body and its name are."""
    named = text_width(shorten(visible(name)), SMALL_SIZE) + 2 * MARGIN if name else 0.0
    return max(picture.width, named)


def _body_header(box: Box) -> float:
    return HEADER if any(body.name for body in box.bodies) else 0.0


def _placed_bodies(placed: PlacedBox, inside: Sequence[Picture]) -> Iterable[PlacedBody]:
    rooms = [_room(body.name, picture) for body, picture in zip(placed.box.bodies, inside, strict=True)]
    x = placed.x - sum(rooms) / 2
    y = placed.y - placed.height / 2 + size_of(placed.box)[1] + _body_header(placed.box)
    for body, picture, room in zip(placed.box.bodies, inside, rooms, strict=True):
        yield PlacedBody(body.name, picture, x + (room - picture.width) / 2, y)
        x += room


def _point(found: Mapping[str, float]) -> Point:
    return found["x"], found["y"]


def _from_zero(draft: Picture, bodies: Sequence[Sequence[Picture]], margin: float) -> Picture:
    """The picture of a draft, moved so that its upper left corner is (0, 0)."""
    areas = [(box.x, box.y, box.width, box.height) for box in draft.boxes]
    areas += [label.area for label in draft.labels]
    areas += [(x, y, 0.0, 0.0) for arrow in draft.arrows for x, y in arrow.points]
    left = min(x - width / 2 for x, _, width, _ in areas) - margin
    top = min(y - height / 2 for _, y, _, height in areas) - margin
    boxes = [replace(box, x=box.x - left, y=box.y - top) for box in draft.boxes]
    return Picture(
        tuple(
            replace(box, bodies=tuple(_placed_bodies(box, inside))) for box, inside in zip(boxes, bodies, strict=True)
        ),
        tuple(
            PlacedArrow(placed.arrow, tuple((x - left, y - top) for x, y in placed.points)) for placed in draft.arrows
        ),
        tuple(replace(label, x=label.x - left, y=label.y - top) for label in draft.labels),
        max(x + width / 2 for x, _, width, _ in areas) + margin - left,
        max(y + height / 2 for _, y, _, height in areas) + margin - top,
    )
