"""The outline of a box holds its text."""

import pytest

from loopwright.graphs.draw.lettering import SMALL_SIZE, text_width
from loopwright.graphs.draw.outline import SLANT, Side, depth, lines_of, size_of
from loopwright.graphs.draw.scene import Box, Shape


def test_a_nested_name_has_two_lines() -> None:
    assert [(line.text, line.size) for line in lines_of(Box("panel/boss", "judge"))] == [
        ("panel/", 11.0),
        ("boss", 13.0),
    ]
    assert [line.text for line in lines_of(Box("a/", "think"))] == ["a/"]


def test_notes_stand_below() -> None:
    assert [line.text for line in lines_of(Box("rate", "each", note="each option"))] == ["rate", "each option"]
    assert [line.text for line in lines_of(Box("gone", "unknown"))] == ["gone", "not in the plan"]


@pytest.mark.parametrize(
    "shape", ["think", "judge", "wait", "act", "route", "each", "parallel", "node", "end", "unknown"]
)
def test_the_text_fits_into_the_outline(shape: Shape) -> None:
    box = Box("panel/a rather long name of a node", shape, note="each of the options")
    width, height = size_of(box)
    lines = lines_of(box)
    top = -sum(line.height for line in lines) / 2
    for line in lines:
        for edge in (top, top + line.height):
            inside = width / 2 - depth(shape, width, height, "left", edge)
            assert text_width(line.text, line.size) / 2 < inside
        top += line.height


def test_a_long_name_does_not_make_a_long_box() -> None:
    assert size_of(Box("x" * 300, "think"))[0] < 40 * SMALL_SIZE


@pytest.mark.parametrize(
    ("shape", "side", "offset", "expected"),
    [
        ("think", "top", 49.0, 0.0),
        ("judge", "left", 0.0, 0.0),
        ("judge", "right", 20.0, SLANT),
        ("judge", "top", 50 - SLANT, 0.0),
        ("judge", "bottom", 50.0, 20.0),
        ("route", "left", 10.0, 25.0),
        ("end", "top", 30.0, 0.0),
        ("end", "top", 50.0, 20.0),
        ("start", "right", 20.0, 20.0),
        ("start", "right", 99.0, 20.0),
    ],
)
def test_the_depth_of_an_outline(shape: Shape, side: Side, offset: float, expected: float) -> None:
    assert depth(shape, 100, 40, side, offset) == expected
