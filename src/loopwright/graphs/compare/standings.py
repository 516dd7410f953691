"""Standings: what the trials of each contender come to, and what those of two show beside each other. Pure numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from loopwright.graphs.compare.intervals import (
    LEVEL,
    Interval,
    difference_interval,
    fewest,
    mean_interval,
    quantile,
)
from loopwright.graphs.compare.trials import Trial

NO_DIFFERENCE = "no difference shown"
TOO_FEW = "too few problems to show a difference"


@dataclass(frozen=True, slots=True)
class Standing:
    """What a contender came to.

    Args:
        name: What it is called.
        quality: The mean score of its problems with its 95 % interval; None where nothing was scored.
        runs: Its runs.
        answered: Those that have an answer.
        unscored: Those whose answer could not be scored; they are in no mean.
        open: Those that are not at rest; they are in no mean either.
        calls: Model calls of a run, on average, with retries and repairs.
        most_calls: Model calls of a run at most, by its certificate, which counts no retries and repairs; None where
            they are not bounded.
        tokens: Tokens of a run, sent and received, on average.
        cost: US dollars of a run, on average, as far as prices are known.
        unpriced: Calls of all its runs whose price is not known.
        seconds: How long a run is at work, in the middle: as many took longer.
        slow_seconds: The same for the slowest: one of ten took longer.
    """

    name: str
    quality: Interval | None
    runs: int
    answered: int
    unscored: int
    open: int
    calls: float
    most_calls: int | None
    tokens: float
    cost: float
    unpriced: int
    seconds: float
    slow_seconds: float


@dataclass(frozen=True, slots=True)
class Pair:
    """Two contenders beside each other, problem by problem.

    Args:
        first: The one.
        second: The other.
        difference: The mean of first minus second, with an interval that holds for all pairs together; None where no
            problem has a score of both.
        level: How often this one interval holds the truth, so that all of them together do in 95 of 100.
        better: The one that is better, or "" where that is not shown.
        verdict: What is shown, in words.
    """

    first: str
    second: str
    difference: Interval | None
    level: float
    better: str
    verdict: str


def scores_of(trials: Sequence[Trial], no_answer: float | None) -> dict[str, dict[str, float]]:
    """The score of each contender on each problem: the mean of its repetitions, which are not independent problems.

    Args:
        trials: The trials.
        no_answer: The score of a run without an answer; None to leave it out.
    """
    found: dict[str, dict[str, list[float]]] = {}
    for trial in trials:
        score = value_of(trial, no_answer)
        if score is not None:
            found.setdefault(trial.contender, {}).setdefault(trial.problem, []).append(score)
    return {name: {problem: fmean(all_) for problem, all_ in own.items()} for name, own in found.items()}


def value_of(trial: Trial, no_answer: float | None) -> float | None:
    """What a trial counts in the means; None where it is in none."""
    if trial.answered:
        return trial.score
    return None if is_open(trial) else no_answer


def is_open(trial: Trial) -> bool:
    """Whether a run is not at rest, so that it may still come to an answer by itself."""
    return trial.status in ("running", "interrupted")


def is_binary(trials: Sequence[Trial], no_answer: float | None) -> bool:
    """Whether all scores are 0 or 1."""
    return {value_of(trial, no_answer) for trial in trials} <= {0, 1, None}


def standings_of(
    trials: Sequence[Trial], most_calls: Mapping[str, int | None], no_answer: float | None
) -> tuple[Standing, ...]:
    """What each contender came to.

    Args:
        trials: The trials of all.
        most_calls: The model calls of a run at most, by contender, in the order in which they are told.
        no_answer: As of `scores_of`.
    """
    scores, binary = scores_of(trials, no_answer), is_binary(trials, no_answer)
    return tuple(
        _standing(
            name,
            [trial for trial in trials if trial.contender == name],
            mean_interval(list(scores.get(name, {}).values()), binary=binary),
            most,
        )
        for name, most in most_calls.items()
    )


def _standing(name: str, own: Sequence[Trial], quality: Interval | None, most_calls: int | None) -> Standing:
    seconds = [trial.seconds for trial in own]
    return Standing(
        name=name,
        quality=quality,
        runs=len(own),
        answered=sum(trial.answered for trial in own),
        unscored=sum(trial.answered and trial.score is None for trial in own),
        open=sum(map(is_open, own)),
        calls=fmean(trial.calls for trial in own),
        most_calls=most_calls,
        tokens=fmean(trial.tokens_in + trial.tokens_out for trial in own),
        cost=fmean(trial.cost for trial in own),
        unpriced=sum(trial.unpriced for trial in own),
        seconds=quantile(seconds, 0.5),
        slow_seconds=quantile(seconds, 0.9),
    )


def pairs_of(trials: Sequence[Trial], names: Sequence[str], no_answer: float | None) -> tuple[Pair, ...]:
    """All pairs of contenders. With several of them each interval is wider, so that all hold together (Bonferroni).

    Args:
        trials: The trials of all.
        names: The contenders.
        no_answer: As of `scores_of`.
    """
    scores, binary = scores_of(trials, no_answer), is_binary(trials, no_answer)
    pairs = list(combinations(names, 2))
    level = 1 - (1 - LEVEL) / max(len(pairs), 1)
    return tuple(_pair(one, other, scores, binary=binary, level=level) for one, other in pairs)


def _pair(first: str, second: str, scores: Mapping[str, Mapping[str, float]], *, binary: bool, level: float) -> Pair:
    one, other = scores.get(first, {}), scores.get(second, {})
    differences = [score - other[problem] for problem, score in one.items() if problem in other]
    interval = difference_interval(differences, binary=binary, level=level)
    if interval is None or len(differences) < fewest(level):
        return Pair(first, second, interval, level, "", TOO_FEW)
    if interval.holds(0):
        return Pair(first, second, interval, level, "", NO_DIFFERENCE)
    better = first if interval.mean > 0 else second
    return Pair(first, second, interval, level, better, f"{better} is better")
