"""The circle: a plan where nearly everything leads to everything, with its boxes on a circle and its lines straight.

A layered engine takes minutes for such a plan, and its lines cannot be followed either.
"""

import math
from collections.abc import Sequence

from loopwright.graphs.draw.outline import Side
from loopwright.graphs.draw.routes import Point, beside

_BETWEEN = 26.0
_ASIDE = 5.0

DENSE = 200
"""Up to so many joined pairs, any plan is drawn in layers."""

_EACH = 6


def crowded(boxes: int, pairs: int) -> bool:
    """Whether so many pairs of boxes are joined, each way for itself, that the plan is drawn as a circle.

    Example:
        >>> crowded(2000, 6000), crowded(60, 3600), crowded(4, 40)
        (False, True, False)
    """
    return pairs > max(DENSE, _EACH * boxes)


def around(sizes: Sequence[tuple[float, float]]) -> list[Point]:
    """The centres of boxes on a circle that has room for them, the first one at the top, then clockwise.

    Args:
        sizes: Width and height of each box.

    Example:
        >>> [(round(x), round(y)) for x, y in around([(54, 10)] * 4)]
        [(0, -51), (51, 0), (0, 51), (-51, 0)]
    """
    radius = sum(max(size) + _BETWEEN for size in sizes) / (2 * math.pi)
    turns = [2 * math.pi * place / len(sizes) for place in range(len(sizes))]
    return [(radius * math.sin(turn), -radius * math.cos(turn)) for turn in turns]


def chord(
    start: Point, start_size: tuple[float, float], end: Point, end_size: tuple[float, float], lane: int = 0
) -> tuple[tuple[Point, Side], tuple[Point, Side]]:
    """A straight line between two boxes, a little to its right, so that the way back and its likes have their own.

    Args:
        start: The centre of the box that is left.
        start_size: Its width and height.
        end: The centre of the box that is come to.
        end_size: Its width and height.
        lane: How many lines lead the same way already.

    Returns:
        Where it leaves the one rectangle and comes to the other, and on which sides.

    Example:
        >>> chord((0.0, 0.0), (20.0, 20.0), (0.0, 100.0), (20.0, 20.0))
        (((-5.0, 10.0), 'bottom'), ((-5.0, 90.0), 'top'))
    """
    room = min(*start_size, *end_size) / 2 - _ASIDE
    first, last = beside((start, end), min(_ASIDE + 2 * _ASIDE * lane, room))
    return _border(first, last, start, start_size), _border(last, first, end, end_size)


def _border(inside: Point, outside: Point, centre: Point, size: tuple[float, float]) -> tuple[Point, Side]:
    """Where the line from a point inside a rectangle to one outside crosses its border."""
    dx, dy = outside[0] - inside[0], outside[1] - inside[1]
    across = (centre[0] + math.copysign(size[0] / 2, dx) - inside[0]) / dx if dx else math.inf
    along = (centre[1] + math.copysign(size[1] / 2, dy) - inside[1]) / dy if dy else math.inf
    share = min(across, along)
    side: Side = ("right" if dx > 0 else "left") if across < along else "bottom" if dy > 0 else "top"
    return (inside[0] + dx * share, inside[1] + dy * share), side
