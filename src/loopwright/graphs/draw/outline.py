"""Outlines: how large a box is, what is written in it, and where its border really runs."""

import math
from dataclasses import dataclass
from typing import Literal

from loopwright.graphs.draw.lettering import NAME_SIZE, SMALL_SIZE, shorten, text_width, visible
from loopwright.graphs.draw.scene import Box, Shape

Side = Literal["top", "bottom", "left", "right"]

SLANT = 14.0
"""How far the sides of a judge's hexagon lean."""

ROUND = {
    "think": 8.0,
    "brain": 14.0,
    "wait": 8.0,
    "act": 3.0,
    "each": 6.0,
    "parallel": 6.0,
    "node": 5.0,
    "unknown": 3.0,
    "unseen": 3.0,
    "nowhere": 3.0,
}
"""Corner radii of the shapes that are rectangles."""

SHEET = 4.0
"""How far each of the two sheets behind a fork stands out, to the right and below."""

STACKED = ("each", "parallel")
"""The shapes that are several sheets."""

_LINE = {NAME_SIZE: 17.0, SMALL_SIZE: 14.0}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text in a box."""

    text: str
    size: float

    @property
    def height(self) -> float:
        """How much room it takes."""
        return _LINE[self.size]


def lines_of(box: Box) -> tuple[Line, ...]:
    """What is written in a box: the nested plan's name small above, the name, a fork's note or a technique small below.

    Example:
        >>> [line.text for line in lines_of(Box("panel/rate", "each", note="each option"))]
        ['panel/', 'rate', 'each option']
    """
    name = visible(box.name)
    before, slash, last = name.rpartition("/")
    lines = [Line(shorten(last if slash and last else name), NAME_SIZE)]
    if slash and last:
        lines.insert(0, Line(f"{shorten(before)}/", SMALL_SIZE))
    if box.shape == "unknown":
        lines.append(Line("not in the plan", SMALL_SIZE))
    if box.below:
        lines.append(Line(shorten(visible(box.below)), SMALL_SIZE))
    return tuple(lines)


def size_of(box: Box) -> tuple[float, float]:
    """Width and height of a box that holds only its text."""
    lines = lines_of(box)
    wide = max(text_width(line.text, line.size) for line in lines)
    high = sum(line.height for line in lines)
    if box.shape == "judge":
        return max(wide + 2 * SLANT + 22, 84), high + 24
    if box.shape == "route":
        height = high * 1.6 + 20
        return max(wide / (1 - high / height) + 8, 76), height
    sheets = 2 * SHEET if box.shape in STACKED else 0.0
    return max(wide + 32, 72) + sheets, high + 17 + sheets


def depth(shape: Shape, width: float, height: float, side: Side, offset: float) -> float:
    """How far the outline lies inside its rectangle, at a place on one side.

    Args:
        shape: The box's shape.
        width: The rectangle's width.
        height: Its height.
        side: The side that an arrow comes to.
        offset: How far from the middle of that side.

    Example:
        >>> depth("route", 100, 50, "top", 25), depth("think", 100, 50, "top", 25)
        (12.5, 0.0)
    """
    flat = side in ("top", "bottom")
    along, across = (width / 2, height / 2) if flat else (height / 2, width / 2)
    away = min(abs(offset), along)
    if shape == "route":
        return across * away / along
    if shape == "judge":
        return max(0.0, away - (along - SLANT)) / SLANT * across if flat else SLANT * away / along
    if shape in ("start", "end"):
        radius = height / 2
        past = away - (along - radius) if flat else away
        return radius - math.sqrt(max(0.0, radius**2 - past**2)) if past > 0 else 0.0
    return 0.0
