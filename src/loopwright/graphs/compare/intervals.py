"""Intervals: what some scores say of a mean, and of a difference. Pure numbers; nothing here knows of runs.

Scores of any size have Student's t interval. Where all scores are 0 or 1 it collapses as soon as all of them agree:
there Agresti and Coull's interval stands, with two zeros and two ones added, and for differences Bonett and Price's,
with one 1 and one -1 added. `benchmarks/intervals.py` measures how often each holds the truth.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev

LEVEL = 0.95
"""How often an interval holds the truth, if everything was done again and again."""

_STEPS = 60
"""Halvings until a quantile is as exact as a float."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and between which values it may truly be.

    Args:
        mean: The mean of what was seen.
        low: The lower end; minus infinity where too little was seen.
        high: The upper end.
        count: From how many values.

    Example:
        >>> Interval(0.2, 0.1, 0.3, 12).holds(0), Interval(0.2, 0.1, 0.3, 12).holds(0.1)
        (False, True)
    """

    mean: float
    low: float
    high: float
    count: int

    def holds(self, value: float) -> bool:
        """Whether a value may be the truth."""
        return self.low <= value <= self.high

    @property
    def digits(self) -> int:
        """Digits behind the point that say something beside an interval so wide."""
        width = self.high - self.low
        if not 0 < width < math.inf:
            return 2
        if width >= 50:
            return 1 if width < 500 else 0
        return min(max(1 - math.floor(math.log10(width)), 2), 6)

    def __str__(self) -> str:
        ends = [f"{value:.{self.digits}f}" for value in (self.mean, self.low, self.high)]
        return f"{ends[0]} [{ends[1]}, {ends[2]}]" if math.isfinite(self.low) else ends[0]


def mean_interval(values: Sequence[float], *, binary: bool = False, level: float = LEVEL) -> Interval | None:
    """The mean of independent values with its interval; None where there is no value.

    Args:
        values: The values, one for each problem.
        binary: Whether they are made of zeros and ones, as shares of right answers are.
        level: How often the interval is to hold the truth.

    Example:
        >>> print(mean_interval([1, 1, 1, 0], binary=True), mean_interval([3.0, 4.0, 5.0]))
        0.75 [0.29, 0.96] 4.00 [1.52, 6.48]
    """
    if not values:
        return None
    if binary:
        return _normal(values, [*values, 0, 0, 1, 1], (0.0, 1.0), level)
    return _student(values, level)


def difference_interval(values: Sequence[float], *, binary: bool = False, level: float = LEVEL) -> Interval | None:
    """The mean of paired differences with its interval; arguments as of `mean_interval`.

    Example:
        >>> print(difference_interval([1, 1, 0, 0, 1, -1], binary=True))
        0.33 [-0.32, 0.82]
    """
    if not values:
        return None
    if binary:
        return _normal(values, [*values, -1, 1], (-1.0, 1.0), level)
    return _student(values, level)


def fewest(level: float = LEVEL) -> int:
    """The fewest differences that can show anything: were all of them on one side, a coin would do so too rarely.

    Example:
        >>> fewest(0.95), fewest(1 - 0.05 / 3)
        (6, 7)
    """
    return math.ceil(1 - math.log2(1 - level))


def _student(values: Sequence[float], level: float) -> Interval:
    mean, count = fmean(values), len(values)
    spread = stdev(values) if count > 1 else 0.0
    if not spread and count < fewest(level):  # a few values that are equal do not say how much they may differ
        return Interval(mean, -math.inf, math.inf, count)
    half = t_quantile(level, count - 1) * spread / math.sqrt(count)
    return Interval(mean, mean - half, mean + half, count)


def _normal(seen: Sequence[float], values: Sequence[float], room: tuple[float, float], level: float) -> Interval:
    middle = fmean(values)
    variance = max(fmean(value * value for value in values) - middle * middle, 0.0)
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(variance / len(values))
    return Interval(fmean(seen), max(room[0], middle - half), min(room[1], middle + half), len(seen))


def t_quantile(level: float, freedom: int) -> float:
    """Between minus and plus which value Student's t lies so often.

    Args:
        level: How often.
        freedom: Degrees of freedom, at least 1.

    Example:
        >>> round(t_quantile(0.95, 4), 4), round(t_quantile(0.95, 29), 4)
        (2.7764, 2.0452)
    """
    low, high = 0.0, math.pi / 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _share(middle, freedom) < level else (low, middle)
    return math.sqrt(freedom) * math.tan(low)


def _share(angle: float, freedom: int) -> float:
    """How often Student's t is at most tan(angle) * sqrt(freedom) from 0: the sum that holds for whole degrees."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for step in range(1 + odd, freedom, 2):
        total += term
        term *= cosine * cosine * step / (step + 1)
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies, in a straight line between two of them.

    Example:
        >>> quantile([4, 1, 3, 2], 0.5), quantile([1, 2, 3], 0.75), quantile([7], 0.9)
        (2.5, 2.5, 7.0)
    """
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
