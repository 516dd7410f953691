"""Trials: a run as one row, and how long it was at work."""

from dataclasses import replace
from typing import Any

import pytest

from loopwright.graphs.compare.contenders import enter_runs
from loopwright.graphs.compare.problems import Problem
from loopwright.graphs.compare.trials import means_of, seconds_at_work, trial_of
from loopwright.state.records import Visit


def visit(started: float, seconds: float, kind: str = "think") -> Visit:
    return Visit(0, "a", kind, "done", started=started, seconds=seconds)


@pytest.mark.parametrize(
    ("visits", "seconds"),
    [
        ([], 0.0),
        ([visit(5, 1), visit(10, 2)], 3.0),
        ([visit(5, 4), visit(6, 1)], 4.0),
        ([visit(6, 4), visit(5, 2), visit(9, 3)], 7.0),
        ([visit(5, 1), visit(6, 1000, "wait"), visit(1006, 1)], 2.0),
    ],
)
def test_time_at_work_is_counted_once_and_waits_are_none(visits: list[Visit], seconds: float) -> None:
    assert seconds_at_work(visits) == seconds


def test_a_run_as_it_rests(contender: Any, store: Any) -> None:
    (entry,) = enter_runs([contender("a")], [Problem("first", {"sum": "2+2"}, "4")], 1, store).entries
    before = trial_of(entry, entry.run.row, answered=False)
    assert (before.status, before.calls, before.end, before.ok) == ("interrupted", 0, "", None)
    entry.run.resume()
    row = trial_of(entry, entry.run.row, answered=True).scored(1.0).to_row()
    assert row.pop("seconds") >= 0
    assert row == {
        "contender": "a",
        "problem": "first",
        "repetition": 1,
        "score": 1.0,
        "answered": True,
        "end": "said",
        "ok": True,
        "status": "finished",
        "calls": 1,
        "tokens_in": 10,
        "tokens_out": 2,
        "cost": 0.0,
        "unpriced": 0,
        "model": "adder 0",
        "run": entry.run.id,
        "reason": entry.run.reason,
        "fault": "",
        "over_budget": False,
        "result": "4",
        "expected": "4",
        "sum": "2+2",
    }


def test_an_input_with_the_name_of_a_column_is_told_apart(trial: Any) -> None:
    row = trial("a", "1", 1.0, inputs={"score": 3, "sum": "2+2"}).to_row()
    assert (row["score"], row["input_score"], row["sum"]) == (1.0, 3, "2+2")


def test_a_run_without_an_answer_says_why(contender: Any, store: Any) -> None:
    (entry,) = enter_runs([contender("a")], [Problem("1", {"sum": "2+2"})], 1, store).entries
    entry.run.resume()
    row = replace(entry.run.row, reason="")
    assert trial_of(entry, row, answered=False).reason == "it came to said without a result"
    failed = trial_of(entry, replace(row, ok=False, end="none"), answered=False)
    assert failed.reason == "it came to none, which is no success"
    over = trial_of(entry, replace(row, status="suspended", short={"calls": 1}), answered=False)
    assert (over.over_budget, over.result) == (True, None)


def test_means_so_far_are_of_what_has_a_score(trial: Any) -> None:
    trials = {
        "1": trial("a", "1", 1.0),
        "2": trial("a", "2", 0.0),
        "3": trial("b", "1"),
        "4": trial("a", "3", answered=False),
    }
    assert means_of(trials) == {"a": 0.5}
