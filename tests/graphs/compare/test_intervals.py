"""Intervals against values that are known, against other ways to get them, and against what must never matter."""

import math
import random
import runpy
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist, fmean, stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.graphs.compare.intervals import (
    Interval,
    difference_interval,
    fewest,
    mean_interval,
    quantile,
    t_quantile,
)

NUMBERS = st.lists(st.floats(-1000, 1000), min_size=2, max_size=20)
BITS = st.lists(st.sampled_from([0, 1]), min_size=1, max_size=30)

TABLE = {
    (0.95, 1): 12.7062,
    (0.95, 2): 4.3027,
    (0.95, 4): 2.7764,
    (0.95, 9): 2.2622,
    (0.95, 29): 2.0452,
    (0.95, 100): 1.9840,
    (0.90, 5): 2.0150,
    (0.99, 10): 3.1693,
    (0.999, 3): 12.9240,
}
"""Student's t as every textbook has it."""


@pytest.mark.parametrize(("level", "freedom"), TABLE)
def test_the_quantiles_of_student(level: float, freedom: int) -> None:
    assert t_quantile(level, freedom) == pytest.approx(TABLE[level, freedom], abs=5e-5)


@pytest.mark.parametrize("freedom", [1, 2, 3, 8, 15])
def test_the_quantiles_of_student_against_its_density(freedom: int) -> None:
    """The density, added up between the quantiles by Simpson's rule."""
    end = t_quantile(0.9, freedom)
    scale = math.gamma((freedom + 1) / 2) / (math.sqrt(freedom * math.pi) * math.gamma(freedom / 2))
    steps = 2000
    points = [-end + 2 * end * place / steps for place in range(steps + 1)]
    heights = [scale * (1 + point * point / freedom) ** (-(freedom + 1) / 2) for point in points]
    weights = [1 if place in (0, steps) else 4 if place % 2 else 2 for place in range(steps + 1)]
    area = sum(weight * height for weight, height in zip(weights, heights, strict=True)) * 2 * end / steps / 3
    assert area == pytest.approx(0.9, abs=1e-6)


def test_many_degrees_of_freedom_are_normal() -> None:
    assert t_quantile(0.95, 100_000) == pytest.approx(NormalDist().inv_cdf(0.975), abs=1e-4)


def test_numbers_have_the_interval_of_student() -> None:
    values = [2.1, 3.4, 1.9, 2.8, 3.0]
    found = mean_interval(values)
    half = 2.7764 * stdev(values) / math.sqrt(5)
    assert found is not None
    assert (found.mean, found.count) == (fmean(values), 5)
    assert [found.low, found.high] == pytest.approx([found.mean - half, found.mean + half], abs=1e-3)
    assert difference_interval(values) == found


def test_shares_have_the_interval_of_agresti_and_coull() -> None:
    found = mean_interval([1] * 9 + [0], binary=True)
    share = 11 / 14
    half = 1.959964 * math.sqrt(share * (1 - share) / 14)
    assert found is not None
    assert (found.mean, found.count) == (0.9, 10)
    assert [found.low, found.high] == pytest.approx([share - half, min(share + half, 1)])


def test_differences_of_shares_have_the_interval_of_bonett_and_price() -> None:
    first, second, ties = 12, 3, 15
    found = difference_interval([1] * first + [-1] * second + [0] * ties, binary=True)
    one, other, count = (first + 1) / 32, (second + 1) / 32, 32
    half = 1.959964 * math.sqrt((one + other - (one - other) ** 2) / count)
    assert found is not None
    assert (found.mean, found.count) == (0.3, 30)
    assert [found.low, found.high] == pytest.approx([one - other - half, one - other + half])


@pytest.mark.parametrize("count", [1, 2, 5, 30, 1000])
def test_answers_that_are_all_right_leave_room_for_doubt(count: int) -> None:
    found = mean_interval([1] * count, binary=True)
    assert found is not None
    assert (found.mean, found.high) == (1, 1)
    assert 0 < found.low < 1
    difference = difference_interval([1] * count, binary=True)
    assert difference is not None
    assert difference.high == 1
    assert difference.low < 1


def test_too_little_says_nothing() -> None:
    assert mean_interval([]) is None
    assert difference_interval([], binary=True) is None
    assert mean_interval([3.5]) == Interval(3.5, -math.inf, math.inf, 1)
    assert str(Interval(3.5, -math.inf, math.inf, 1)) == "3.50"


def test_how_few_can_show_anything() -> None:
    for pairs in range(1, 50):
        level = 1 - 0.05 / pairs
        count = fewest(level)
        assert 2 * 0.5**count <= 1 - level < 2 * 0.5 ** (count - 1)
    assert [fewest(1 - 0.05 / pairs) for pairs in (1, 3, 10)] == [6, 7, 9]


@given(NUMBERS, st.randoms(use_true_random=False))
def test_the_order_of_problems_does_not_matter(values: list[float], chance: random.Random) -> None:
    shuffled = [*values]
    chance.shuffle(shuffled)
    assert mean_interval(values) == mean_interval(shuffled)
    assert quantile(values, 0.9) == quantile(shuffled, 0.9)


@given(NUMBERS)
def test_a_difference_the_other_way_round_is_the_same(values: list[float]) -> None:
    one, other = difference_interval(values), difference_interval([-value for value in values])
    assert one is not None
    assert other is not None
    assert (one.mean, one.low, one.high) == (-other.mean, -other.high, -other.low)


@given(BITS, BITS)
def test_a_difference_of_shares_the_other_way_round_is_the_same(one: list[int], other: list[int]) -> None:
    differences = [a - b for a, b in zip(one, other, strict=False)]
    found = difference_interval(differences, binary=True)
    mirrored = difference_interval([-each for each in differences], binary=True)
    assert found is not None
    assert mirrored is not None
    assert (found.mean, found.low, found.high) == pytest.approx((-mirrored.mean, -mirrored.high, -mirrored.low))
    assert -1 <= found.low <= found.mean <= found.high <= 1


@given(NUMBERS, st.floats(0.5, 0.99))
def test_whoever_wants_to_be_surer_gets_more_room(values: list[float], level: float) -> None:
    narrow, wide = mean_interval(values, level=level), mean_interval(values, level=(1 + level) / 2)
    assert narrow is not None
    assert wide is not None
    assert wide.low <= narrow.low <= narrow.mean <= narrow.high <= wide.high


@given(st.lists(st.floats(-1000, 1000), min_size=1, max_size=20))
def test_quantiles_rise_from_the_least_to_the_most(values: list[float]) -> None:
    found = [quantile(values, share / 10) for share in range(11)]
    assert (found[0], found[-1]) == (min(values), max(values))
    assert all(low <= high + 1e-9 for low, high in pairwise(found))


def test_the_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """A short simulation with a known seed; `benchmarks/intervals.py` is the long one, with its figures in the docs."""
    program = Path(__file__).parents[3] / "benchmarks" / "intervals.py"
    measure: Any = runpy.run_path(str(program))["coverage"]
    for case, least, most in [("normal", 0.93, 0.97), ("right or wrong, 95 % and 90 %", 0.95, 1.0)]:
        for count in (5, 10, 30):
            assert least <= measure(case, "ours", count, rounds=600) <= most, (case, count)
    assert measure("normal", "percentile bootstrap", 5, rounds=300) < 0.9
    assert measure("right or wrong, 95 % and 90 %", "Student's t", 5, rounds=300) < 0.6


def test_a_few_equal_values_say_nothing_of_their_spread() -> None:
    assert difference_interval([2.0] * 5) == Interval(2.0, -math.inf, math.inf, 5)
    assert difference_interval([2.0] * 6) == Interval(2.0, 2.0, 2.0, 6)
