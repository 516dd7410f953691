"""Tables of results, for terminals and as plain text."""

from dataclasses import replace
from typing import Any

from loopwright.graphs.compare.table import (
    cost_words,
    judging_words,
    pair_cells,
    pairs_words,
    standing_cells,
    text_of,
)
from loopwright.state.records import Usage


def test_a_comparison_as_text(results: Any) -> None:
    found = results({"short": [1.0] * 6, "long": [0.0] * 6})
    assert text_of(found).splitlines() == [
        "contender  quality  95 % interval  answered  calls  at most  tokens  seconds  9 of 10 within",
        "short      1.00     0.55 to 1.00   6 of 6    1      1        12      0.50     0.50",
        "long       0.00     0.00 to 0.45   6 of 6    1      1        12      0.50     0.50",
        "",
        "pair          difference  interval      problems  what is shown",
        "short - long  +1.00       0.29 to 1.00  6         short is better",
        "The interval is for the paired difference, and holds the true one in 95 of 100 comparisons.",
    ]


def test_what_is_not_known_is_not_told(results: Any) -> None:
    found = results({"a": [None], "b": [None]}, no_answer=None, most_calls={"a": None, "b": 3})
    assert [row[:6] for row in standing_cells(found)[1:]] == [
        ["a", "-", "", "0 of 1", "1", "no bound"],
        ["b", "-", "", "0 of 1", "1", "3"],
    ]
    assert pair_cells(found)[1] == ["a - b", "-", "", "0", "too few problems to show a difference"]
    assert text_of(found).endswith(
        "Note: 2 runs have no answer and are left out of the means: a suspended 1, b suspended 1;"
        " the first, run a-1: say: 503"
    )


def test_several_intervals_are_said_to_hold_together(results: Any) -> None:
    assert pairs_words(results({"a": [1.0]})) == ""
    said = pairs_words(results({"a": [1.0], "b": [1.0], "c": [1.0]}))
    assert said == (
        "The 3 intervals hold all 3 true differences together in 95 of 100 comparisons: each is one of"
        " 98.3 % (Bonferroni)."
    )


def test_costs_that_are_known_and_costs_that_are_not(results: Any) -> None:
    (standing, _) = results({"a": [1.0], "b": [1.0]}).contenders
    assert cost_words(standing) == ""
    assert cost_words(replace(standing, cost=0.0123)) == "$0.0123"
    assert cost_words(replace(standing, unpriced=4)) == "4 unpriced in all"
    assert cost_words(replace(standing, cost=1.5, unpriced=4)) == "$1.50 + 4 unpriced in all"


def test_the_judge_is_counted_apart(results: Any) -> None:
    usage = Usage(calls=6, retries=1, tokens_in=50, tokens_out=10, cost=0.25, unpriced=2)
    found = results({"a": [1.0], "b": [1.0]}, judging=usage, judgements=6)
    said = "The judge, counted apart: 6 judgements, 7 calls, 60 tokens, $0.25, 2 calls of unknown price."
    assert judging_words(found) == said
    assert said in text_of(found)
    assert found.contenders[0].calls == 1
