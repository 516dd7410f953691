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

_NEAR = 2.0
"""More than half of every margin that is kept around labels."""

_CELL = 64.0
"""Width and height of the cells by which near things are found."""

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
        arrow: The arrow that it is of, by its place.
    """

    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float
    cost: float = 0.0
    arrow: int = 0

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


class _Cells:
    """Areas by the cells of the picture that they lie in, so that for each place only near ones are looked at."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], dict[int, tuple[int, Area]]] = {}
        self._count = 0

    def add(self, area: Area, owner: int = -1) -> None:
        """One more area, of the line `owner`."""
        self._count += 1
        for cell in _cells(area):
            self._cells.setdefault(cell, {})[self._count] = owner, area

    def under(self, area: Area, margin: float, but: int = -2) -> list[float]:
        """How much a field would cover of each area, in the order in which they came; one line does not count."""
        found: dict[int, tuple[int, Area]] = {}
        for cell in _cells(area):
            found |= self._cells.get(cell, {})
        covered = ((number, _overlap(area, one, margin)) for number, (owner, one) in found.items() if owner != but)
        return [size for _, size in sorted(pair for pair in covered if pair[1])]


def _cells(area: Area) -> Iterator[tuple[int, int]]:
    """The cells that a field touches, with room for every margin."""
    x, y, width, height = area
    rows = range(int((y - height / 2 - _NEAR) // _CELL), int((y + height / 2 + _NEAR) // _CELL) + 1)
    for column in range(int((x - width / 2 - _NEAR) // _CELL), int((x + width / 2 + _NEAR) // _CELL) + 1):
        for row in rows:
            yield column, row


def _placed(texts: Sequence[Text], lines: Sequence[Sequence[Point]], boxes: Sequence[Area]) -> tuple[Label, ...]:
    """Every label where it covers the least, after those that have their places."""
    areas, pieces = _Cells(), _Cells()
    for area in (*boxes, *(_around(head(line)) for line in lines)):
        areas.add(area)
    for place, line in enumerate(lines):
        for start, end in pairwise(line):
            pieces.add(_around((start, end)), place)
    placed: list[Label] = []
    for text in texts:
        width, height = label_size(text.lines)
        if text.fixed:
            label = Label(text.lines, text.fixed[0] + width / 2, text.fixed[1], width, height, arrow=text.arrow)
        else:
            label = _best(text, areas, pieces, lines[text.arrow])
        placed.append(label)
        areas.add(label.area)
    return tuple(placed)


def _best(text: Text, areas: _Cells, pieces: _Cells, own: Sequence[Point]) -> Label:
    """The label at the first of the places where the least is covered: boxes, labels, lines and own corners."""
    width, height = label_size(text.lines)
    best = Label(text.lines, *own[0], width, height, math.inf, text.arrow)
    for x, y, extra in _places(own, width, height):
        area = x, y, width, height
        cost = extra + CROSSED * sum(_overlap(area, (*corner, 0, 0), 4) > 0 for corner in own) / 3
        if cost < best.cost:
            cost += 4 * sum(areas.under(area, 3)) + CROSSED * len(pieces.under(area, 2, text.arrow))
        if cost < best.cost:
            best = Label(text.lines, x, y, width, height, cost, text.arrow)
        if not cost:
            break
    return best


def _length(points: Sequence[Point]) -> float:
    return sum(math.dist(start, end) for start, end in pairwise(points))


def _around(points: Sequence[Point]) -> Area:
    """The field around some points."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
    return (left + right) / 2, (top + bottom) / 2, right - left, bottom - top


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


def _overlap(first: Area, second: Area, margin: float) -> float:
    """How much of one field lies on another with a margin around it, in pixels squared."""
    wide = (first[2] + second[2]) / 2 + margin - abs(first[0] - second[0])
    if wide <= 0:
        return 0.0
    high = (first[3] + second[3]) / 2 + margin - abs(first[1] - second[1])
    return max(0.0, wide * high)
