"""Exit codes: each way in which a run rests has its own, and of several runs the worst counts."""

from itertools import permutations
from typing import get_args

import pytest

from loopwright.cli.exits import (
    BUSY,
    EXIT_CODES,
    FINDINGS,
    INTERRUPTED,
    OK,
    OTHER_END,
    SUSPENDED,
    WAITING,
    WRONG_USE,
    WrongUse,
    code_of_error,
    code_of_run,
    worst,
)
from loopwright.errors import LeaseLost, LoopwrightError, PlanError, RunBusy, SourceError, UnknownRun
from loopwright.state.records import Status

RESTING = [
    ("finished", True, OK),
    ("finished", False, OTHER_END),
    ("waiting", None, WAITING),
    ("suspended", None, SUSPENDED),
    ("interrupted", None, INTERRUPTED),
    ("running", None, BUSY),
    ("quarantined", None, WRONG_USE),
]


@pytest.mark.parametrize(("status", "ok", "code"), RESTING)
def test_the_code_of_a_run(status: Status, ok: bool | None, code: int) -> None:
    assert code_of_run(status, ok) == code
    assert f" {code} " in EXIT_CODES


def test_every_status_has_a_code() -> None:
    assert {status for status, _, _ in RESTING} == set(get_args(Status))


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PlanError("bad"), FINDINGS),
        (SourceError([]), WRONG_USE),
        (WrongUse("no"), WRONG_USE),
        (UnknownRun("no"), WRONG_USE),
        (RunBusy("no"), BUSY),
        (LeaseLost("no"), BUSY),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_code_of_an_error(error: LoopwrightError, code: int) -> None:
    assert code_of_error(error) == code


def test_the_worst_of_several_runs_counts_in_any_order() -> None:
    rising = [OK, WAITING, OTHER_END, SUSPENDED, BUSY, INTERRUPTED]
    for one, other in permutations(rising, 2):
        assert worst([one, other]) == max(one, other, key=rising.index)
    assert worst(rising) == INTERRUPTED
    assert worst([]) == OK
