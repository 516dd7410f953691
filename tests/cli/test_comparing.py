"""What is told while a comparison runs, with a terminal and without one."""

import io
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from loopwright.cli import comparing
from loopwright.cli.comparing import Comparing
from loopwright.graphs.compare.trials import Trial


def console(*, terminal: bool = False, width: int = 80) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=width, highlight=False, markup=False)


def said(progress: Any) -> str:
    return str(progress._console.file.getvalue())


def entry(contender: str, problem: str) -> Any:
    run = SimpleNamespace(id=f"{contender}-{problem}")
    return SimpleNamespace(contender=SimpleNamespace(name=contender), problem=SimpleNamespace(name=problem), run=run)


def trial(contender: str, problem: str, score: float | None, **fields: Any) -> Trial:
    told: dict[str, Any] = {
        "repetition": 1,
        "answered": True,
        "end": "said",
        "ok": True,
        "status": "finished",
        "calls": 1,
        "tokens_in": 0,
        "tokens_out": 0,
        "cost": 0.0,
        "unpriced": 0,
        "seconds": 1.0,
        "model": "m",
        "run": "3f2a",
        "reason": "",
    }
    return Trial(**{"contender": contender, "problem": problem, "score": score, **told, **fields})


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    made = SimpleNamespace(now=100.0)
    monkeypatch.setattr(comparing, "time", SimpleNamespace(monotonic=lambda: made.now))
    return made


def test_how_many_of_how_many_and_the_means_so_far(clock: SimpleNamespace) -> None:
    progress = Comparing(console(), ["a", "b"])
    progress.begin("b7c0", 4, 3, {"x": trial("a", "0", 1.0)})
    for name, score, seconds in (("a", 0.0, 1), ("b", 1.0, 10), ("b", 0.5, 1)):
        progress.began(entry(name, "1"))
        clock.now += seconds
        progress.rests(entry(name, "1"), trial(name, "1", score, run=f"{name}{seconds}"))
    assert said(progress).splitlines() == [
        "batch b7c0: 4 runs of 2 contenders, 3 of them to be done",
        "3 of 4 runs; so far a 0.5, b 1",
        "4 of 4 runs; so far a 0.5, b 0.75",
    ]
    assert progress.batch == "b7c0"


def test_a_run_without_an_answer_and_a_fault_are_told_at_once(clock: SimpleNamespace) -> None:
    progress = Comparing(console(), ["a"])
    progress.begin("b7c0", 9, 9, {})
    failed = trial("a", "1", None, answered=False, status="suspended", ok=None, reason="say: 503\nbusy")
    progress.rests(entry("a", "1"), failed)
    for _ in range(2):
        progress.rests(entry("a", "2"), trial("a", "2", None, fault="checks.py:3: bad\x1b[2J"))
    progress.rests(entry("a", "3"), trial("a", "3", None, answered=False, status="waiting", ok=None))
    assert said(progress).splitlines()[1:] == [
        "no answer: a, problem 1, run 3f2a: say: 503",
        "no score: a, problem 2, run 3f2a: checks.py:3: bad\ufffd[2J",
        "no answer: a, problem 3, run 3f2a: waiting",
    ]


def test_judgements_are_counted_as_runs_are(clock: SimpleNamespace) -> None:
    progress = Comparing(console(), ["a"])
    progress.begin("b7c0", 2, 0, {})
    progress.judge(2, 1)
    progress.rests(entry("judge", "1"), None)
    assert said(progress).splitlines() == [
        "batch b7c0: 2 runs of 1 contender, 0 of them to be done",
        "2 judgements, 1 of them to be done",
        "2 of 2 judgements",
    ]


def test_a_terminal_shows_what_is_running(clock: SimpleNamespace) -> None:
    progress = Comparing(console(terminal=True), ["a", "b"])
    progress.begin("b7c0", 4, 4, {})
    assert progress._now().plain == "0 of 4 runs"
    progress.began(entry("a", "first"))
    progress.began(entry("b", "first"))
    clock.now += 2.5
    assert progress._now().plain == "0 of 4 runs · a on problem first and 1 more, 2.5 s"
    progress.rests(entry("a", "first"), trial("a", "first", 1.0))
    assert progress._now().plain == "1 of 4 runs; so far a 1 · b on problem first, 2.5 s"
    narrow = Comparing(console(terminal=True, width=12), ["a"])
    narrow.begin("b7c0", 4, 4, {})
    narrow.began(entry("a", "first"))
    assert narrow._now().plain == "0 of 4 runs…"


def test_the_live_line_is_gone_when_it_is_over() -> None:
    with Comparing(console(terminal=True), ["a"]) as progress:
        progress.begin("b7c0", 1, 1, {})
        assert progress._live is not None
    assert progress._live is None
    with Comparing(console(), ["a"]) as plain:
        assert plain._live is None
