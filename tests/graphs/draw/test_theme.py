"""The colours of both themes can be read."""

from typing import get_args

import pytest

from loopwright.graphs.draw.scene import Arrow, Box, Shape
from loopwright.graphs.draw.theme import DARK, LIGHT, Theme


def light_of(colour: str) -> float:
    """How bright a colour is to the eye, from 0 to 1."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((light_of(one), light_of(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_can_be_read(theme: Theme) -> None:
    for fill in (*(fill for fill, _ in theme.shapes.values()), theme.failed[0]):
        assert contrast(theme.text, fill) > 7
        assert contrast(theme.muted, fill) > 4
    assert contrast(theme.label_text, theme.label_fill) > 7
    assert contrast(theme.line, theme.background) > 4
    assert contrast(theme.badge_text, theme.taken) > 4


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_shape_has_its_colours(theme: Theme) -> None:
    assert set(theme.shapes) == set(get_args(Shape))


def test_what_a_run_did_comes_before_what_a_box_is() -> None:
    assert LIGHT.stroke(Box("a", "think")) == LIGHT.shapes["think"][1]
    assert LIGHT.stroke(Box("a", "think", visits=1)) == LIGHT.taken
    assert LIGHT.stroke(Box("a", "think", visits=1, pending=True)) == LIGHT.pending
    assert LIGHT.stroke(Box("a", "end", ok=False)) == LIGHT.failed[1]
    assert LIGHT.arrow(Arrow(0, 1, (), "failure", "")) == LIGHT.failure
    assert LIGHT.arrow(Arrow(0, 1, (), "missing", "")) == LIGHT.failure
    assert LIGHT.arrow(Arrow(0, 1, (), "failure", "", taken=1)) == LIGHT.taken
