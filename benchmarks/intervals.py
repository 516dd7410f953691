"""How often intervals of a paired difference hold the truth: `python benchmarks/intervals.py`.

A world with a known difference is drawn again and again, as many problems as a comparison may have, and each way to
make an interval of 95 % is tried on the same draws. Figures are shares of the draws; in brackets is the median width.
"""

import argparse
import json
import math
import random
from collections.abc import Callable, Sequence
from functools import cache
from statistics import NormalDist, fmean, median, stdev

from loopwright.graphs.compare.intervals import difference_interval, t_quantile

Draw = Callable[[random.Random], float]
Ends = tuple[float, float]

RESAMPLES = 400
NORMAL = NormalDist()


def right_or_wrong(one: float, other: float, alike: float, times: int = 1) -> Draw:
    """Two contenders who are right so often; `alike` is how much the same problems are hard for both."""

    def answers(chance: random.Random, share: float, hard: float) -> float:
        own = (math.sqrt(alike) * hard + math.sqrt(1 - alike) * chance.gauss(0, 1) for _ in range(times))
        return fmean(NORMAL.cdf(value) < share for value in own)

    def draw(chance: random.Random) -> float:
        hard = chance.gauss(0, 1)
        return answers(chance, one, hard) - answers(chance, other, hard)

    return draw


def ratings(chance: random.Random) -> float:
    """A judge's ratings from 1 to 10, as whole numbers."""
    level = chance.gauss(6.5, 1.5)
    one, other = (min(10, max(1, round(level + chance.gauss(shift, 1.2)))) for shift in (1, 0))
    return one - other


WORLDS: dict[str, tuple[Draw, float | None, bool]] = {
    "normal": (lambda chance: chance.gauss(0.3, 1), 0.3, False),
    "skewed": (lambda chance: chance.expovariate(1) - 0.5, 0.5, False),
    "ratings from 1 to 10": (ratings, None, False),
    "right or wrong, 70 % and 50 %": (right_or_wrong(0.7, 0.5, 0.3), 0.2, True),
    "right or wrong, 90 % and 60 %": (right_or_wrong(0.9, 0.6, 0.3), 0.3, True),
    "right or wrong, 95 % and 90 %": (right_or_wrong(0.95, 0.9, 0.5), 0.05, True),
    "right or wrong, 95 % and 90 %, 3 times each": (right_or_wrong(0.95, 0.9, 0.5, 3), 0.05, True),
}
"""What differences come from: how one is drawn, the true mean (None: it is measured), whether all scores are 0 or 1."""


def ours(values: Sequence[float], binary: bool, _: random.Random) -> Ends:
    found = difference_interval(values, binary=binary)
    assert found
    return found.low, found.high


def student(values: Sequence[float], _: bool, __: random.Random) -> Ends:
    middle = fmean(values)
    half = t_quantile(0.95, len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return middle - half, middle + half


def resampled(values: Sequence[float], chance: random.Random) -> list[float]:
    return sorted(fmean(chance.choices(values, k=len(values))) for _ in range(RESAMPLES))


def percentile(values: Sequence[float], _: bool, chance: random.Random) -> Ends:
    means = resampled(values, chance)
    return means[round(0.025 * RESAMPLES)], means[round(0.975 * RESAMPLES) - 1]


def bias_corrected(values: Sequence[float], _: bool, chance: random.Random) -> Ends:
    means, middle = resampled(values, chance), fmean(values)
    below = sum(mean < middle for mean in means) + 0.5 * sum(mean == middle for mean in means)
    if below in (0, RESAMPLES):
        return means[0], means[-1]
    bias, total, count = NORMAL.inv_cdf(below / RESAMPLES), sum(values), len(values)
    without = [(total - value) / (count - 1) for value in values]
    centre = fmean(without)
    spread = sum((each - centre) ** 2 for each in without) ** 1.5
    skew = sum((centre - each) ** 3 for each in without) / (6 * spread) if spread else 0.0

    def end(share: float) -> float:
        moved = bias + NORMAL.inv_cdf(share)
        place = NORMAL.cdf(bias + moved / (1 - skew * moved))
        return means[min(RESAMPLES - 1, max(0, int(place * RESAMPLES)))]

    return end(0.025), end(0.975)


def signed_ranks(values: Sequence[float], _: bool, __: random.Random) -> Ends:
    """The interval that goes with Wilcoxon's test: of the means of all pairs of differences, all but the outermost."""
    count = len(values)
    means = sorted((values[i] + values[j]) / 2 for i in range(count) for j in range(i, count))
    out = _outermost(count)
    return means[out], means[-1 - out]


@cache
def _outermost(count: int) -> int:
    """How many sums of ranks are too small to be by chance in more than 2.5 of 100."""
    ways = [1]
    for rank in range(1, count + 1):
        longer = [0] * (len(ways) + rank)
        for total, number in enumerate(ways):
            longer[total] += number
            longer[total + rank] += number
        ways = longer
    seen, total = 0, 0
    while (seen + ways[total]) / 2**count <= 0.025:
        seen, total = seen + ways[total], total + 1
    return max(total - 1, 0)


METHODS: dict[str, Callable[[Sequence[float], bool, random.Random], Ends]] = {
    "ours": ours,
    "Student's t": student,
    "percentile bootstrap": percentile,
    "BCa bootstrap": bias_corrected,
    "Wilcoxon": signed_ranks,
}


@cache
def truth(world: str) -> float:
    draw, known, _ = WORLDS[world]
    chance = random.Random(1)
    return known if known is not None else fmean(draw(chance) for _ in range(200_000))


def measured(world: str, method: str, count: int, rounds: int) -> tuple[float, float]:
    """How often a method's interval holds the truth, and how wide it is."""
    (draw, _, binary), true = WORLDS[world], truth(world)
    chance = random.Random(count)
    held, widths = 0, []
    for _ in range(rounds):
        low, high = METHODS[method]([draw(chance) for _ in range(count)], binary, chance)
        held += low - 1e-9 <= true <= high + 1e-9
        widths.append(high - low)
    return held / rounds, median(widths)


def coverage(world: str, method: str, count: int, rounds: int) -> float:
    """How often a method's interval holds the truth."""
    return measured(world, method, count, rounds)[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000, help="draws of each world")
    parser.add_argument("--problems", type=int, nargs="+", default=[5, 10, 30])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = []
    for world in WORLDS:
        for count in options.problems:
            figures = {method: measured(world, method, count, options.rounds) for method in METHODS}
            found.append({"world": world, "problems": count, **figures})
            if not options.json:
                said = "  ".join(f"{method} {held:.3f} ({width:.2f})" for method, (held, width) in figures.items())
                print(f"{world}, {count} problems: {said}", flush=True)
    if options.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
