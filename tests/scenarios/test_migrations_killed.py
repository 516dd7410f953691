"""Migrations that are killed with SIGKILL: each run has the old plan or the new one, and never something between."""

import json
import random
import runpy
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopwright.graphs.plan import End
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel

WORKER = Path(__file__).with_name("migration_worker.py")
LETTERS = runpy.run_path(str(WORKER))["letters"]
OLD, NEW = LETTERS(), LETTERS("sign", "text")


class Worker:
    """The process that makes the processes; see `migration_worker.py`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def migrate(self, url: str, statement: int = 0) -> int:
        """Have a store migrated; the signal that killed the process, or 0."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"store": url, "statement": statement}) + "\n")
        return int(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.close()


def entered(url: str, count: int) -> dict[str, str]:
    """Letters that wait for a person; their ids with those of their questions."""
    with Store(url) as store:
        inputs = [{"to": f"person {number}"} for number in range(count)]
        batch = OLD.start_all(inputs, store=store, model=RecordingModel(lambda call: "Dear."))
        return {run.id: run.questions[0].id for run in batch}


def is_led_on(run: Run[Any], question: str) -> bool:
    """Whether a run has the new plan; that it has one of the two, in all its parts, is made sure of."""
    row, (asked,) = run.row, run.questions
    now = asked.node == "sign"
    plan = NEW.plan if now else OLD.plan
    assert (run.plan, row.fingerprint) == (plan, plan.fingerprint)
    assert run.state.keys() == {"to", "text" if now else "draft"}
    assert (row.status, row.at, len(run.visits)) == ("waiting", ("sign",) if now else ("approve",), 1)
    assert question in (asked.formerly if now else [asked.id])
    with run.store.database.reading() as connection:
        found = connection.execute("SELECT count(*) FROM migrations WHERE run = ?", (run.id,)).fetchone()
    assert found == (int(now),)
    return now


def led_on(url: str, questions: dict[str, str]) -> int:
    with Store(url) as store:
        return sum(is_led_on(open_run(store, run), question) for run, question in questions.items())


def test_killed_before_any_statement_a_run_is_old_or_new_and_goes_on(worker: Worker, tmp_path: Path) -> None:
    whole = tmp_path / "whole.db"
    questions = entered(f"sqlite:{whole}", 1)
    statement = 0
    found: list[tuple[int, int]] = []
    while not found or found[-1][0]:
        statement += 1
        copy = tmp_path / f"{statement}.db"
        shutil.copy(whole, copy)
        went = worker.migrate(f"sqlite:{copy}", statement)
        found.append((went, led_on(f"sqlite:{copy}", questions)))
        with Store(f"sqlite:{copy}") as store:
            ((run, question),) = questions.items()
            model = RecordingModel(lambda call: "Other.")
            ended = open_run(store, run, models={"default": model}).resume("send", question=question)
            assert (ended.end, ended.result, model.calls) == (End("sent"), "Dear.", [])
    assert {went for went, _ in found[:-1]} == {signal.SIGKILL}
    assert [now for _, now in found] == sorted(now for _, now in found)
    assert (found[0][1], found[-1][1]) == (0, 1)
    assert len(found) > 10, found


def test_fifty_runs_are_led_on_however_often_that_is_killed(worker: Worker, tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    questions = entered(url, 50)
    chance = random.Random(5)
    progress, kills = [0], 0
    while progress[-1] < 50 and kills < 30:
        assert worker.migrate(url, chance.randint(20, 150)) in (0, signal.SIGKILL)
        kills += 1
        progress.append(led_on(url, questions))
    assert progress == sorted(progress)
    assert kills > 3
    assert worker.migrate(url) == 0
    assert led_on(url, questions) == 50
    with Store(url) as store:
        model = RecordingModel(lambda call: "Other.")
        ends = [open_run(store, run, models={"default": model}).resume("send").end for run in questions]
    assert (ends, model.calls) == ([End("sent")] * 50, [])
