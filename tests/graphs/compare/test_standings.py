"""Standings: means over problems, what is left out of them, and what is said of pairs."""

import math
import random
from dataclasses import replace
from typing import Any

import pytest

from loopwright.graphs.compare.intervals import difference_interval, mean_interval
from loopwright.graphs.compare.standings import (
    NO_DIFFERENCE,
    TOO_FEW,
    is_binary,
    pairs_of,
    scores_of,
    standings_of,
    value_of,
)


def test_repetitions_of_a_problem_are_one_problem(trial: Any) -> None:
    trials = [trial("a", "1", 1.0), trial("a", "1", 0.0, repetition=2), trial("a", "2", 1.0)]
    assert scores_of(trials, 0.0) == {"a": {"1": 0.5, "2": 1.0}}
    (standing,) = standings_of(trials, {"a": 1}, 0.0)
    assert (standing.quality, standing.runs) == (mean_interval([0.5, 1.0], binary=True), 3)


def test_a_run_without_an_answer_counts_as_it_is_told(trial: Any) -> None:
    failed = trial("a", "2", answered=False, status="suspended", end="", ok=None)
    trials = [trial("a", "1", 8.0), failed]
    assert scores_of(trials, 0.0) == {"a": {"1": 8.0, "2": 0.0}}
    assert scores_of(trials, 1.0) == {"a": {"1": 8.0, "2": 1.0}}
    assert scores_of(trials, None) == {"a": {"1": 8.0}}
    (standing,) = standings_of(trials, {"a": 1}, 0.0)
    assert (standing.runs, standing.answered, standing.unscored, standing.open) == (2, 1, 0, 0)


def test_what_could_not_be_scored_or_is_open_is_in_no_mean(trial: Any) -> None:
    unscored = trial("a", "2", fault="check failed")
    left = trial("a", "3", answered=False, status="interrupted", end="", ok=None)
    trials = [trial("a", "1", 1.0), unscored, left]
    assert [value_of(each, 0.0) for each in trials] == [1.0, None, None]
    (standing,) = standings_of(trials, {"a": 1}, 0.0)
    assert (standing.unscored, standing.open) == (1, 1)
    assert standing.quality == mean_interval([1.0], binary=True)


def test_nothing_scored_is_no_quality(trial: Any) -> None:
    trials = [trial("a", "1", fault="no"), trial("b", "1", 1.0)]
    assert standings_of(trials, {"a": 1, "b": 1}, 0.0)[0].quality is None
    (pair,) = pairs_of(trials, ["a", "b"], 0.0)
    assert (pair.difference, pair.better, pair.verdict) == (None, "", TOO_FEW)


def test_scores_are_zeros_and_ones_only_if_all_are(trial: Any) -> None:
    right = [trial("a", "1", 1.0), trial("b", "1", 0.0)]
    failed = trial("b", "2", answered=False, status="suspended")
    assert is_binary(right, 0.0)
    assert is_binary([*right, failed], 0.0)
    assert not is_binary([*right, failed], -1.0)
    assert not is_binary([*right, trial("b", "2", 0.5)], 0.0)


def test_what_a_contender_took(trial: Any) -> None:
    trials = [
        trial("a", str(place), 1.0, calls=place, tokens_in=place, cost=0.1, unpriced=1, seconds=float(place))
        for place in range(1, 12)
    ]
    (standing,) = standings_of(trials, {"a": None}, 0.0)
    assert (standing.calls, standing.most_calls, standing.tokens) == (6, None, 8)
    assert standing.cost == pytest.approx(0.1)
    assert standing.unpriced == 11
    assert (standing.seconds, standing.slow_seconds) == (6.0, 10.0)


def test_pairs_say_who_is_better_only_if_it_is_shown(results: Any) -> None:
    (pair,) = results({"a": [3.0, 4.0, 5.0, 4.5, 3.5, 4.0], "b": [1.0, 2.0, 3.5, 2.0, 1.0, 2.5]}).pairs
    assert (pair.first, pair.second, pair.better, pair.verdict) == ("a", "b", "a", "a is better")
    (pair,) = results({"b": [1.0, 2.0, 3.5, 2.0, 1.0, 2.5], "a": [3.0, 4.0, 5.0, 4.5, 3.5, 4.0]}).pairs
    assert (pair.first, pair.better) == ("b", "a")
    (pair,) = results({"a": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "b": [2.0, 1.0, 3.5, 3.0, 6.0, 5.0]}).pairs
    assert (pair.better, pair.verdict) == ("", NO_DIFFERENCE)


def test_a_clean_sweep_of_five_problems_shows_nothing(results: Any) -> None:
    (pair,) = results({"a": [1.0] * 5, "b": [0.0] * 5}).pairs
    assert (pair.better, pair.verdict) == ("", TOO_FEW)
    (pair,) = results({"a": [1.0] * 6, "b": [0.0] * 6}).pairs
    assert (pair.better, pair.verdict) == ("a", "a is better")


def test_the_pairs_are_paired(trial: Any) -> None:
    """Problems differ much, contenders little: only the differences problem by problem show that."""
    chance = random.Random(1)
    hard = [chance.uniform(0, 100) for _ in range(12)]
    trials = [trial("a", str(place), level + 1 + chance.uniform(0, 0.2)) for place, level in enumerate(hard)]
    trials += [trial("b", str(place), level) for place, level in enumerate(hard)]
    one, other = standings_of(trials, {"a": 1, "b": 1}, 0.0)
    assert one.quality is not None
    assert other.quality is not None
    assert one.quality.low < other.quality.high
    assert pairs_of(trials, ["a", "b"], 0.0)[0].better == "a"
    shuffled = [*trials]
    chance.shuffle(shuffled)
    assert pairs_of(shuffled, ["a", "b"], 0.0) == pairs_of(trials, ["a", "b"], 0.0)


def test_problems_that_only_one_has_are_in_no_difference(results: Any) -> None:
    (pair,) = results({"a": [1.0, 2.0, None], "b": [None, 1.0, 2.0]}, no_answer=None).pairs
    assert pair.difference is not None
    assert (pair.difference.count, pair.difference.mean, pair.difference.low) == (1, 1.0, -math.inf)


def test_several_pairs_share_the_doubt(results: Any) -> None:
    scores = {name: [float(place * shift % 7) for place in range(8)] for name, shift in (("a", 2), ("b", 3), ("c", 5))}
    found = results(scores).pairs
    assert [(pair.first, pair.second) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert {pair.level for pair in found} == {1 - 0.05 / 3}
    differences = [one - other for one, other in zip(scores["a"], scores["b"], strict=True)]
    assert found[0].difference == difference_interval(differences, level=1 - 0.05 / 3)
    assert found[0].difference != difference_interval(differences)


def test_several_pairs_need_more_problems(results: Any) -> None:
    scores = {"a": [1.0] * 6, "b": [0.0] * 6, "c": [0.0] * 6}
    assert {pair.verdict for pair in results(scores).pairs} == {TOO_FEW}
    scores = {name: [*own, own[0]] for name, own in scores.items()}
    assert [pair.better for pair in results(scores).pairs] == ["a", "a", ""]


def test_a_trial_is_scored_once_and_for_all(trial: Any) -> None:
    first = trial("a", "1")
    assert first.scored(0.5) == replace(first, score=0.5)
    assert first.unscored("no").scored(1.0) == replace(first, score=1.0)
    assert first.scored(1.0).unscored("no") == replace(first, fault="no")
