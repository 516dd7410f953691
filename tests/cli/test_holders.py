"""Holders on other hosts: a command waits for a sign of one, and does nothing meanwhile."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.holders import LOOK_EVERY, watch_holder
from loopwright.cli.output import Output
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.state.store import lease
from loopwright.state.store.holder import this_process

FAR = replace(this_process(), host="worker-2 (Linux)", pid=7)


class Watch:
    """A clock that runs when somebody waits, and what happens meanwhile."""

    def __init__(self) -> None:
        self.now, self.waits = 1000.0, 0
        self.meanwhile: Callable[[], object] = lambda: None

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.waits += 1
        self.meanwhile()


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    made = Watch()
    monkeypatch.setattr(time, "sleep", made.sleep)
    monkeypatch.setattr(time, "monotonic", lambda: made.now)
    monkeypatch.setattr(lease, "_SEEN", {})
    return made


@pytest.fixture
def run(loopwright: Any) -> Run:
    assert loopwright("run", "bridge.yaml", "--script", "bridge.script.yaml").code == 3
    return open_run("sqlite:.loopwright/runs.db", "")


def written(run: Run, **changes: Any) -> None:
    with run.store.database.transaction() as connection:
        for name, value in changes.items():
            connection.execute(f"UPDATE runs SET {name} = ? WHERE id = ?", (value, run.id))


def held(run: Run) -> None:
    written(run, status="running", token=9, beat=1.0, questions="[]", holder=json.dumps(asdict(FAR)))


def test_a_run_that_nobody_far_away_holds_is_not_waited_for(run: Run, watch: Watch) -> None:
    watch_holder(run, Output(as_json=False))
    written(run, status="running", holder=json.dumps(asdict(this_process())))
    watch_holder(run, Output(as_json=False))
    assert watch.waits == 0


def test_a_holder_that_stays_silent_has_lost_the_run(
    run: Run, watch: Watch, capsys: pytest.CaptureFixture[str]
) -> None:
    held(run)
    watch_holder(run, Output(as_json=False))
    assert run.status == "interrupted"
    assert watch.waits == lease.SILENT_AFTER / LOOK_EVERY
    assert capsys.readouterr().out == (
        f"run {run.id} is held by process 7 on worker-2 (Linux): waiting for a sign of it, which comes every 5 s; after"
        " 30 s without one the run goes on here\n"
    )


def test_a_sign_ends_the_wait(run: Run, watch: Watch) -> None:
    held(run)
    watch.meanwhile = lambda: written(run, beat=2.0) if watch.waits == 3 else None
    watch_holder(run, Output(as_json=False))
    assert (run.status, watch.waits) == ("running", 3)


def test_a_run_that_comes_to_rest_is_waited_for_no_longer(run: Run, watch: Watch) -> None:
    held(run)
    watch.meanwhile = lambda: written(run, status="suspended")
    watch_holder(run, Output(as_json=False))
    assert (run.status, watch.waits) == ("suspended", 1)


def test_a_run_that_is_held_far_away_is_told_to_be(loopwright: Any, run: Run, watch: Watch, place: Path) -> None:
    held(run)
    watch.meanwhile = lambda: written(run, beat=2.0)
    done = loopwright("resume", run.id)
    assert (done.code, run.row.token) == (75, 9)
    assert f"error: run {run.id} is being run by process 7 on worker-2 (Linux), which last said so " in done.err


def test_a_word_takes_it_over_at_once(loopwright: Any, run: Run, watch: Watch) -> None:
    held(run)
    done = loopwright("resume", run.id, "--take-over")
    assert (done.code, run.row.token, run.status) == (3, 10, "waiting")


def test_a_batch_is_not_taken_over(loopwright: Any, run: Run) -> None:
    done = loopwright("resume", "--batch", run.row.batch, "--take-over")
    assert (done.code, done.err) == (2, "error: one run is taken over at a time: loopwright resume RUN --take-over\n")
