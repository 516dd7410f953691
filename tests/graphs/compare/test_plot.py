"""The plot: all texts are there, nothing is fetched, and what was drawn lies inside the picture."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.graphs.compare.plot import MOST_PAIRS, axis_for, plot_of
from loopwright.graphs.draw.lettering import text_width
from loopwright.graphs.draw.theme import DARK, LIGHT, Theme

SVG = "{http://www.w3.org/2000/svg}"
GOOD, BAD = [1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def circles(svg: str) -> list[tuple[float, float, str]]:
    found = ET.fromstring(svg).iter(f"{SVG}circle")
    return [(float(each.attrib["cx"]), float(each.attrib["cy"]), each.attrib["fill"]) for each in found]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_everything_is_said_and_who_is_better_is_green(results: Any, theme: Theme) -> None:
    svg = plot_of(results({"short": BAD, "long": GOOD}), theme)
    said = texts(svg)
    assert said[0] == "quality, with the 95 % interval"
    wanted = {
        "short",
        "long",
        "short \N{MINUS SIGN} long",
        "long is better",
        "calls of a run",
        "seconds of a run",
        "8 of 8",
    }
    assert wanted <= set(said)
    assert [fill for _, _, fill in circles(svg)] == [theme.shapes["think"][1]] * 2 + [theme.taken]
    assert f'fill="{theme.background}"' in svg


def test_a_dot_lies_where_its_value_is(results: Any) -> None:
    svg = plot_of(results({"a": [0.5] * 8, "b": [0.0, 1.0] * 4, "c": [1.0] * 8}), LIGHT)
    (a, _, _), (b, _, _), (c, _, _), *_ = circles(svg)
    assert a == b < c


def test_what_nobody_took_is_left_out_and_costs_are_told(results: Any, trial: Any) -> None:
    found = results({"a": GOOD, "b": BAD})
    assert "cost" not in texts(plot_of(found, LIGHT))
    quick = tuple(replace(each, seconds=0.0, cost=0.25, unpriced=1) for each in found.trials)
    said = texts(plot_of(replace(found, trials=quick), LIGHT))
    assert "seconds of a run" not in said
    assert said.count("$0.25 + 8 unpriced in all") == 2
    free = tuple(replace(each, unpriced=1) for each in found.trials)
    assert "cost" not in texts(plot_of(replace(found, trials=free), LIGHT))


@pytest.mark.parametrize("count", [1, 2, 7])
def test_nothing_lies_outside(results: Any, count: int) -> None:
    names = [f"a rather long name of the contender {place} <b>&amp;</b>" for place in range(count)]
    scores = {name: GOOD if place % 2 else BAD for place, name in enumerate(names)}
    svg = plot_of(results(scores), LIGHT)
    root = ET.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for text in root.iter(f"{SVG}text"):
        x, y, long = float(text.attrib["x"]), float(text.attrib["y"]), text_width(text.text or "", 11)
        left = {"start": x, "end": x - long, "middle": x - long / 2}[text.attrib["text-anchor"]]
        assert left >= 0
        assert left + long <= width
        assert 0 <= y <= height
    for x, y, _ in circles(svg):
        assert 0 < x < width
        assert 0 < y < height


def test_many_pairs_are_counted(results: Any) -> None:
    svg = plot_of(results({f"c{place}": GOOD for place in range(8)}), LIGHT)
    assert len(circles(svg)) == 8 + MOST_PAIRS
    assert f"and {28 - MOST_PAIRS} more pairs" in texts(svg)


def test_nothing_scored_is_drawn_without_dots(results: Any) -> None:
    svg = plot_of(results({"a": [None], "b": [None]}, no_answer=None), LIGHT)
    assert circles(svg) == []
    assert "too few problems to show a difference" in texts(svg)


def test_one_problem_has_a_dot_and_no_interval(results: Any) -> None:
    assert len(circles(plot_of(results({"a": [0.5], "b": [0.25]}), LIGHT))) == 3


def test_nothing_is_fetched(results: Any) -> None:
    svg = plot_of(results({"a": GOOD, "b": BAD}), LIGHT)
    assert re.findall(r"https?://[^\"]+", svg) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<(style|script|image|a|use)\b|href|url\(", svg)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8))
def test_an_axis_has_all_values_and_few_round_ticks(values: list[float]) -> None:
    axis = axis_for(values, 100.0)
    room = axis.high - axis.low
    assert axis.low - 1e-6 * room <= min(values)
    assert max(values) <= axis.high + 1e-6 * room
    assert 2 <= len(axis.ticks) <= 8
    assert all(low < high for low, high in pairwise(axis.ticks))
    assert axis.at(axis.low) == 100
    assert axis.at(axis.high) == pytest.approx(380)
