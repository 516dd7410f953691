"""The layout: where every box, arrow and label of a scene goes. Pure: the same scene has the same layout.

Of the layout engine's answers the calmest is taken, its labels included; a crowded plan stands on a circle.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import graphlay

from loopwright.graphs.draw.circle import around, chord, crowded
from loopwright.graphs.draw.ends import spread
from loopwright.graphs.draw.labels import CROSSED, LINE, Label, Text, label_size, place_labels
from loopwright.graphs.draw.lanes import AIRY, MANY, NARROW, Lane, Size, answers
from loopwright.graphs.draw.lettering import SMALL_SIZE, shorten, text_width, visible
from loopwright.graphs.draw.outline import Side, depth, size_of
from loopwright.graphs.draw.routes import Point, tidy, toward
from loopwright.graphs.draw.scene import Arrow, Box, Scene

MARGIN = 22.0
"""Room around everything."""

HEADER = 20.0
"""Room for the name of a body in an opened fork."""

_BETWEEN = 8.0
_LOOP = 20.0
_LABEL_AT = 0.3
_BADGE = 16.0
_PORT = 11.0
_WIDEST = 480.0
_WORTH = 10.0
"""How much less there must be to follow for a taller picture."""


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
    scene = spread(scene)
    bodies = [[layout(body.scene) for body in box.bodies] for box in scene.boxes]
    lanes = [Lane(arrow) for arrow in scene.arrows]
    coming = Counter(lane.ends[1] for lane in lanes)
    loops = Counter(lane.ends[1] for lane in lanes if lane.loop)
    sizes = [
        _size(box, inside, coming[place], loops[place])
        for place, (box, inside) in enumerate(zip(scene.boxes, bodies, strict=True))
    ]
    if crowded(len(sizes), len({lane.ends for lane in lanes if not lane.loop})):
        return _from_zero(_circle(scene.boxes, sizes, lanes), bodies, margin)
    if len(lanes) >= MANY:
        (answer,) = answers(sizes, lanes, AIRY)
        return _from_zero(_draft(scene.boxes, sizes, lanes, answer), bodies, margin)
    unrest, draft = _calmest(scene.boxes, sizes, lanes, NARROW)
    if any(label.cost >= CROSSED for label in draft.labels):
        airy_unrest, airy = _calmest(scene.boxes, sizes, lanes, AIRY)
        draft = airy if airy_unrest < unrest - _WORTH else draft
    return _from_zero(draft, bodies, margin)


def _calmest(boxes: Sequence[Box], sizes: Sequence[Size], lanes: Sequence[Lane], gap: float) -> tuple[float, Picture]:
    """The draft with the least to follow, of rows that are `gap` apart, and how much that is."""
    found = ((answer.metrics(), _draft(boxes, sizes, lanes, answer)) for answer in answers(sizes, lanes, gap))
    return min(((round(_unrest(metrics, draft.labels), 3), draft) for metrics, draft in found), key=itemgetter(0))


def _circle(boxes: Sequence[Box], sizes: Sequence[Size], lanes: Sequence[Lane]) -> Picture:
    """The boxes on a circle, and a label on every line, nearer to where the line comes from."""
    placed = tuple(
        PlacedBox(box, *centre, *size) for box, centre, size in zip(boxes, around(sizes), sizes, strict=True)
    )
    arrows, labels = [], []
    loops = _loops(lanes, placed)
    beside: Counter[tuple[int, int]] = Counter()
    for place, lane in enumerate(lanes):
        source, target = (placed[end] for end in lane.ends)
        points = loops[place] if lane.loop else _chord(source, target, beside[lane.ends])
        beside[lane.ends] += 1
        arrows.append(PlacedArrow(lane.arrow, points))
        if lane.lines:
            width, height = label_size(lane.lines)
            x, y = toward(points[0], points[-1], math.dist(points[0], points[-1]) * _LABEL_AT)
            x = points[1][0] + 4 + width / 2 if lane.loop else x
            labels.append(Label(lane.lines, x, y, width, height, arrow=place))
    return Picture(placed, tuple(arrows), tuple(labels), 0.0, 0.0)


def _chord(source: PlacedBox, target: PlacedBox, lane: int) -> tuple[Point, ...]:
    """A straight line from outline to outline."""
    start, end = chord(
        (source.x, source.y), (source.width, source.height), (target.x, target.y), (target.width, target.height), lane
    )
    return _to_outline(start[0], end[0], source, start[1]), _to_outline(end[0], start[0], target, end[1])


def _draft(boxes: Sequence[Box], sizes: Sequence[Size], lanes: Sequence[Lane], answer: graphlay.Layout) -> Picture:
    """The picture of an answer of the engine, wherever that begins."""
    placed = tuple(
        PlacedBox(box, *_point(node["center"]), *size)
        for box, node, size in zip(boxes, answer.nodes, sizes, strict=True)
    )
    arrows: list[PlacedArrow] = []
    texts: list[Text] = []
    loops = _loops(lanes, placed)
    for place, (lane, edge) in enumerate(zip(lanes, answer.edges, strict=True)):
        points = loops[place] if lane.loop else _line(lane, edge, placed)
        if lane.lines:
            fixed = (points[1][0] + 4, (points[1][1] + points[2][1]) / 2) if lane.loop else None
            texts.append(Text(lane.lines, place, fixed))
        arrows.append(PlacedArrow(lane.arrow, points))
    areas = [(box.x, box.y, box.width, box.height) for box in placed]
    areas += [(*box.badge, _BADGE, _BADGE) for box in placed]
    labels = place_labels(texts, [arrow.points for arrow in arrows], areas)
    return Picture(placed, tuple(arrows), labels, 0.0, 0.0)


def _unrest(metrics: Mapping[str, Any], labels: Iterable[Label]) -> float:
    """How much there is to follow: crossings and covered things, then corners, a spine that is not straight, size."""
    spine = metrics["main_path_aligned_fraction"] or 0.0
    touching = (metrics["min_edge_node_clearance"] or 0.0) < 5
    covered = sum(min(label.cost, 600.0) for label in labels) / 50
    lines = metrics["crossings"] * 6 + metrics["node_edge_hits"] * 12 + metrics["bends"] + 8 * touching
    return float(lines + covered - 6 * spine + metrics["width"] / 150)


def _line(lane: Lane, edge: Mapping[str, Any], boxes: Sequence[PlacedBox]) -> tuple[Point, ...]:
    """The corners of a lane's line, from outline to outline."""
    source, target = boxes[lane.ends[0]], boxes[lane.ends[1]]
    points = list(tidy([_point(point) for point in edge["points"]]))
    points[0] = _to_outline(points[0], points[1], source, edge["source_port"]["side"])
    points[-1] = _to_outline(points[-1], points[-2], target, edge["target_port"]["side"])
    return tuple(points)


def _to_outline(end: Point, before: Point, placed: PlacedBox, side: Side) -> Point:
    """The end of a line on the outline itself, not on the rectangle around it."""
    offset = end[0] - placed.x if side in ("top", "bottom") else end[1] - placed.y
    inward = depth(placed.box.shape, placed.width, placed.height, side, offset)
    return toward(end, before, -inward)


def _loops(lanes: Sequence[Lane], boxes: Sequence[PlacedBox]) -> Mapping[int, tuple[Point, ...]]:
    """The lines of ways from a box to itself, by their place: brackets on its right, one below the other."""
    together: dict[int, list[int]] = {}
    for place, lane in enumerate(lanes):
        if lane.loop:
            together.setdefault(lane.ends[0], []).append(place)
    lines = {}
    for source, found in together.items():
        box = boxes[source]
        right, room = box.x + box.width / 2, box.height / len(found)
        for number, place in enumerate(found):
            middle = room * (number + 0.5) - box.height / 2
            top, bottom = middle - room / 4, middle + room / 4
            start, end = (right - depth(box.box.shape, box.width, box.height, "right", y) for y in (top, bottom))
            outer = right + _LOOP
            lines[place] = (start, box.y + top), (outer, box.y + top), (outer, box.y + bottom), (end, box.y + bottom)
    return lines


def _size(box: Box, inside: Sequence[Picture], coming: int, loops: int) -> Size:
    """The size of a box: room for its text and its bodies, and for what comes to it or leads back to itself."""
    width, height = size_of(box)
    height = height if inside else max(height, (LINE + _BETWEEN) * loops)
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
