"""Routes: the corners of an arrow's line, lines beside it, and the triangle at its end."""

import math
from collections.abc import Sequence
from itertools import pairwise

Point = tuple[float, float]

HEAD = 9.0
"""Length of an arrowhead."""


def beside(points: Sequence[Point], distance: float) -> tuple[Point, ...]:
    """A line that runs beside another one, corner for corner.

    Args:
        points: The corners of the line.
        distance: How far to the right of it, looking along it; negative for the left.

    Example:
        >>> beside([(0.0, 0.0), (0.0, 10.0), (10.0, 10.0)], 2.0)
        ((-2.0, 0.0), (-2.0, 12.0), (10.0, 12.0))
    """
    if not distance or len(points) < 2:
        return tuple(points)
    normals = [_normal(start, end) for start, end in pairwise(points)]
    moved = []
    for place, (x, y) in enumerate(points):
        near = normals[max(0, place - 1) : place + 1]
        (ax, ay), (bx, by) = near[0], near[-1]
        share = 1 + ax * bx + ay * by
        scale = distance / share if len(near) == 2 and share > 0.1 else distance / 2
        moved.append((x + (ax + bx) * scale, y + (ay + by) * scale))
    return tuple(moved)


def _normal(start: Point, end: Point) -> Point:
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy) or 1.0
    return -dy / length, dx / length


def tidy(points: Sequence[Point]) -> tuple[Point, ...]:
    """The line without corners that are none or there twice, and with what is nearly level made level.

    Example:
        >>> tidy([(0.0, 0.0), (0.0, 5.0), (0.0, 9.0), (4.0, 9.3), (4.0, 9.3), (4.0, 12.0)])
        ((0.0, 0.0), (0.0, 9.0), (4.0, 9.0), (4.0, 12.0))
    """
    kept: list[Point] = []
    for place, given in enumerate(points):
        inside = len(kept) > 1 and place < len(points) - 1
        point = _level(kept[-1], given) if inside else given
        if kept and math.dist(kept[-1], point) < 0.01:
            continue
        if len(kept) > 1 and _straight(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return tuple(kept)


def _level(before: Point, point: Point) -> Point:
    """The point, moved by less than a pixel where that puts it level with the one before."""
    x, y = (old if abs(old - new) < 1 else new for old, new in zip(before, point, strict=True))
    return x, y


def _straight(first: Point, middle: Point, last: Point) -> bool:
    ax, ay = middle[0] - first[0], middle[1] - first[1]
    bx, by = last[0] - middle[0], last[1] - middle[1]
    return abs(ax * by - ay * bx) < 0.01 and ax * bx + ay * by > 0


def toward(start: Point, end: Point, distance: float) -> Point:
    """The point at a distance from `start` on the way to `end`.

    Example:
        >>> toward((0.0, 0.0), (0.0, 10.0), 4.0)
        (0.0, 4.0)
    """
    length = math.dist(start, end)
    if not length:
        return start
    share = distance / length
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def head(points: Sequence[Point], length: float = HEAD) -> tuple[Point, Point, Point]:
    """The triangle at the end of a line, its tip first.

    Example:
        >>> head([(0.0, 0.0), (0.0, 50.0)], 10.0)
        ((0.0, 50.0), (-4.8, 40.0), (4.8, 40.0))
    """
    tip, before = points[-1], points[-2]
    base = toward(tip, before, length)
    nx, ny = _normal(before, tip)
    half = length * 0.48
    return tip, (base[0] + nx * half, base[1] + ny * half), (base[0] - nx * half, base[1] - ny * half)
