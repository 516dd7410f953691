"""Labels: each sits on its own line, at the first place where it covers nothing else."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from loopwright.graphs.draw.lettering import SMALL_SIZE, text_width
from loopwright.graphs.draw.routes import HEAD, Point, head, toward

LINE = 14.0
"""Height of a line of a label."""

_BESIDE = 30.0
"""What it costs to stand beside the line and not on it, as if so many square pixels were covered."""

_AWAY = 5.0

CROSSED = 300.0
"""What it costs to stand on a line of another arrow."""

_BAND = 200.0
"""Height of the bands by which near things are found."""

Area = tuple[float, float, float, float]
"""Centre and size: x, y, width, height."""


@dataclass(frozen=True, slots=True)
class Label:
    """Lines of text around a centre, with a field behind them.

    Args:
        lines: The lines of text.
        x: The centre.
        y: The centre.
        width: The field's width.
        height: The field's height.
        cost: How much it covers of other things; 0 where it has all the room it needs.
    """

    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float
    cost: float = 0.0

    @property
    def area(self) -> Area:
        """Where it is."""
        return self.x, self.y, self.width, self.height


@dataclass(frozen=True, slots=True)
class Text:
    """What is to be written on an arrow.

    Args:
        lines: The lines of text.
        arrow: The arrow, by its place.
        fixed: The middle of the label's left side, where it can be nowhere else.
    """

    lines: tuple[str, ...]
    arrow: int
    fixed: Point | None = None


def label_size(lines: Sequence[str]) -> tuple[float, float]:
    """Width and height of a label's field.

    Example:
        >>> label_size(["stop"])[1], label_size(["accept", "reject"])[1]
        (19.0, 33.0)
    """
    return max(text_width(line, SMALL_SIZE) for line in lines) + 12, LINE * len(lines) + 5


def place_labels(texts: Sequence[Text], lines: Sequence[Sequence[Point]], boxes: Sequence[Area]) -> tuple[Label, ...]:
    """A place for every label: in the order given, or those of short lines first where that covers less.

    Args:
        texts: What is to be written.
        lines: The corners of every arrow's line.
        boxes: Where the boxes are.
    """
    given = sorted(texts, key=lambda text: text.fixed is None)
    placed = _placed(given, lines, boxes)
    if not any(label.cost >= CROSSED for label in placed):
        return placed
    short_first = sorted(given, key=lambda text: (text.fixed is None, _length(lines[text.arrow])))
    return min(placed, _placed(short_first, lines, boxes), key=lambda labels: sum(label.cost for label in labels))


class _Bands:
    """Areas by the bands of the picture that they lie in, so that for each label only near ones are looked at."""

    def __init__(self) -> None:
        self._bands: dict[int, dict[int, tuple[int, Area]]] = {}
        self._count = 0

    def add(self, area: Area, owner: int = -1) -> None:
        """One more area, of the line `owner`."""
        self._count += 1
        for band in _bands(area):
            self._bands.setdefault(band, {})[self._count] = owner, area

    def near(self, reach: Area, margin: float, but: int = -2) -> list[Area]:
        """The areas within reach, in the order in which they came, but those of one line."""
        found: dict[int, tuple[int, Area]] = {}
        for band in _bands(reach):
            found |= self._bands.get(band, {})
        return [area for _, (owner, area) in sorted(found.items()) if owner != but and _overlap(area, reach, margin)]


def _bands(area: Area) -> range:
    top, bottom = area[1] - area[3] / 2 - 1, area[1] + area[3] / 2 + 1
    return range(int(top // _BAND), int(bottom // _BAND) + 1)


def _placed(texts: Sequence[Text], lines: Sequence[Sequence[Point]], boxes: Sequence[Area]) -> tuple[Label, ...]:
    """Every label where it covers the least, after those that have their places."""
    areas, pieces = _Bands(), _Bands()
    for area in (*boxes, *(_around(head(line), 0, 0) for line in lines)):
        areas.add(area)
    for place, line in enumerate(lines):
        for start, end in pairwise(line):
            pieces.add(_piece(start, end), place)
    placed: list[Label] = []
    for text in texts:
        width, height = label_size(text.lines)
        if text.fixed:
            label = Label(text.lines, text.fixed[0] + width / 2, text.fixed[1], width, height)
        else:
            own = lines[text.arrow]
            reach = _around(own, 2 * width, 4 * height)
            label = _best(text.lines, areas.near(reach, 0), pieces.near(reach, 1, text.arrow), own)
        placed.append(label)
        areas.add(label.area)
    return tuple(placed)


def _best(lines: tuple[str, ...], areas: Sequence[Area], others: Sequence[Area], own: Sequence[Point]) -> Label:
    """The label at the first of the places where the least is covered."""
    width, height = label_size(lines)
    best = Label(lines, *own[0], width, height, math.inf)
    for x, y, extra in _places(own, width, height):
        cost = extra + _covered((x, y, width, height), areas, others, own)
        if cost < best.cost:
            best = Label(lines, x, y, width, height, cost)
        if not cost:
            break
    return best


def _length(points: Sequence[Point]) -> float:
    return sum(math.dist(start, end) for start, end in pairwise(points))


def _around(points: Sequence[Point], width: float, height: float) -> Area:
    """The field around some points, with room for a label on every side."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
    return (left + right) / 2, (top + bottom) / 2, right - left + width, bottom - top + height


def _covered(area: Area, areas: Sequence[Area], others: Sequence[Area], own: Sequence[Point]) -> float:
    """How much a field there would cover: boxes and labels by their pixels, lines and own corners by the piece."""
    cost = sum(_overlap(area, other, 3) for other in areas) * 4
    cost += CROSSED * sum(_overlap(area, piece, 2) > 0 for piece in others)
    return cost + CROSSED * sum(_overlap(area, (*corner, 0, 0), 4) > 0 for corner in own) / 3


def _places(line: Sequence[Point], width: float, height: float) -> Iterator[tuple[float, float, float]]:
    """Where a label could go, with what that costs: on the middle of its line, then right beside it."""
    on_line = list(_along(line))
    for x, y in on_line:
        yield x, y, 0.0
    for x, y in on_line:
        yield x + width / 2 + _AWAY, y, _BESIDE
        yield x - width / 2 - _AWAY, y, _BESIDE
        yield x, y - height / 2 - _AWAY, _BESIDE
        yield x, y + height / 2 + _AWAY, _BESIDE


def _along(points: Sequence[Point]) -> Iterator[Point]:
    """Places on a line: the middle of its longest piece first, then others on each piece."""
    pieces = list(pairwise(points))
    pieces[-1] = (pieces[-1][0], toward(pieces[-1][1], pieces[-1][0], HEAD))
    pieces.sort(key=lambda piece: -abs(piece[0][0] - piece[1][0]) - abs(piece[0][1] - piece[1][1]))
    for share in (0.5, 0.38, 0.62, 0.26, 0.74, 0.15, 0.85):
        for start, end in pieces:
            yield start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def _piece(start: Point, end: Point) -> Area:
    return (start[0] + end[0]) / 2, (start[1] + end[1]) / 2, abs(start[0] - end[0]), abs(start[1] - end[1])


def _overlap(first: Area, second: Area, margin: float) -> float:
    """How much of one field lies on another with a margin around it, in pixels squared."""
    wide = (first[2] + second[2]) / 2 + margin - abs(first[0] - second[0])
    if wide <= 0:
        return 0.0
    high = (first[3] + second[3]) / 2 + margin - abs(first[1] - second[1])
    return max(0.0, wide * high)
