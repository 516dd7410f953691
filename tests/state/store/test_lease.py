"""Leases: a runner that has lost its run writes nothing, and a silent holder on another host has lost it."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import LeaseLost, RunBusy, StoreError
from loopwright.state.store import lease
from loopwright.state.store.columns import names
from loopwright.state.store.holder import this_process
from loopwright.state.store.lease import BEAT_EVERY, HEART, SILENT_AFTER, Heart, busy, require_lease, told
from loopwright.state.store.runs import Rest, RunRow, to_columns
from loopwright.state.store.store import Store
from loopwright.testing.breaking import BreakingStore

ELSEWHERE = replace(this_process(), host="worker-2 (Linux)", pid=7)


class Clock:
    """What the clocks say that this process looks at: one that nobody sets, and the one on the wall."""

    def __init__(self) -> None:
        self.counted, self.wall = 1000.0, 5000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(time, "monotonic", lambda: made.counted)
    monkeypatch.setattr(time, "time", lambda: made.wall)
    monkeypatch.setattr(lease, "_SEEN", {})
    return made


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Store]:
    with Store(f"sqlite:{tmp_path / 'runs.db'}") as opened:
        yield opened


def entered(store: Store) -> str:
    return store.registry.enter(RunRow("", "plan", "f"), {}).id


def written(store: Store, run: str, **changes: Any) -> None:
    columns = to_columns(changes)
    assignments = ", ".join(f"{name} = :{name}" for name in columns)
    store.database.connection.execute(f"UPDATE runs SET {assignments} WHERE id = :id", {**columns, "id": run})
    store.database.connection.commit()


def test_each_claim_raises_the_token(store: Store) -> None:
    run = entered(store)
    assert store.registry.get(run).token == 0
    for token in (1, 2):
        claimed = store.registry.claim(run)
        assert claimed is not None
        assert (claimed.token, store.registry.get(run).token) == (token, token)
        store.registry.interrupt(run, token=token)


def test_who_has_lost_a_run_changes_nothing_of_it(store: Store) -> None:
    run = entered(store)
    store.registry.claim(run)
    store.registry.claim(run, take_over=True)
    before = store.registry.get(run)
    lost = f"run {run} was taken over by another runner; {this_process()} runs it now: this one writes nothing more"
    with pytest.raises(LeaseLost, match=lost.replace("(", r"\(").replace(")", r"\)")):
        store.registry.rest(run, Rest("finished", "good", True), token=1)
    store.registry.interrupt(run, token=1)
    with pytest.raises(LeaseLost), store.database.transaction() as connection:
        require_lease(connection, run, 1)
    assert store.registry.get(run) == before
    store.registry.rest(run, Rest("finished", "good", True), token=2)
    with pytest.raises(LeaseLost, match="taken over by another runner: this one writes nothing more of it"):
        store.registry.rest(run, Rest("suspended"), token=1)
    assert store.registry.get(run).status == "finished"


def test_a_living_holder_is_taken_over_by_a_word_only(store: Store) -> None:
    run = entered(store)
    store.registry.claim(run)
    with pytest.raises(RunBusy):
        store.registry.claim(run)
    claimed = store.registry.claim(run, take_over=True)
    assert claimed is not None
    assert (claimed.status, claimed.token) == ("interrupted", 2)


def test_a_holder_that_was_silent_says_so_in_the_refusal(clock: Clock) -> None:
    row = RunRow("3f2a", "plan", "f", holder=ELSEWHERE, beat=clock.wall - 2 * BEAT_EVERY)
    assert str(busy(row)).startswith("run 3f2a is being run by process 7 on worker-2 (Linux); wait for it, stop it")
    silent = replace(row, beat=clock.wall - 41)
    assert str(busy(silent)).startswith(
        "run 3f2a is being run by process 7 on worker-2 (Linux), which last said so 41 s ago;"
    )


def test_a_silent_holder_on_another_host_has_lost_its_lease(clock: Clock) -> None:
    row = RunRow("3f2a", "plan", "f", status="running", holder=ELSEWHERE, token=1, beat=10.0)
    assert told(row).status == "running"
    clock.counted += SILENT_AFTER - 1
    assert told(row).status == "running"
    clock.counted += 1
    assert told(row).status == "interrupted"
    again = replace(row, beat=11.0)
    assert told(again).status == "running"
    clock.counted += SILENT_AFTER - 1
    assert told(replace(again, token=2)).status == "running"
    clock.counted += SILENT_AFTER - 1
    assert told(replace(again, token=2)).status == "running"


@pytest.mark.parametrize("jump", [-1e9, -3600.0, 3600.0, 1e9])
def test_a_clock_that_is_set_takes_no_run_away_and_keeps_none(clock: Clock, jump: float) -> None:
    row = RunRow("3f2a", "plan", "f", status="running", holder=ELSEWHERE, token=1, beat=clock.wall)
    assert told(row).status == "running"
    clock.wall += jump  # that of whoever looks
    assert told(row).status == "running"
    beaten = replace(row, beat=row.beat + jump)  # that of the holder
    assert told(beaten).status == "running"
    clock.counted += SILENT_AFTER
    assert told(beaten).status == "interrupted"


def test_silence_takes_nothing_from_a_process_of_this_host(clock: Clock) -> None:
    row = RunRow("3f2a", "plan", "f", status="running", holder=this_process(), token=1, beat=0.0)
    for _ in range(3):
        assert told(row) == row
        clock.counted += 10 * SILENT_AFTER


def test_a_beat_is_for_the_runs_that_are_held_and_for_nothing_else(file: Store) -> None:
    heart, runs = Heart(), [entered(file) for _ in range(4)]
    for run in runs[:3]:
        file.registry.claim(run)
        written(file, run, beat=1.0)
    heart._thread = threading.current_thread()  # it beats when it is told to
    heart.hold(file.database, runs[0], 1)
    heart.hold(file.database, runs[1], 7)  # taken over by somebody else
    heart.hold(file.database, runs[2], 1)
    heart.let_go(file.database, runs[2], 1)
    before = [file.registry.get(run) for run in runs]
    assert heart.beat()
    after = [file.registry.get(run) for run in runs]
    assert after[0].beat > 1e9
    assert [replace(after[0], beat=1.0), *after[1:]] == before
    heart.let_go(file.database, runs[0], 2)
    assert heart.beat()
    heart.let_go(file.database, runs[0])
    heart.let_go(file.database, runs[1])
    assert not heart.beat()


def test_a_store_that_cannot_be_written_is_tried_again(file: Store) -> None:
    heart, run = Heart(), entered(file)
    file.registry.claim(run)
    written(file, run, beat=1.0)
    heart._thread = threading.current_thread()
    heart.hold(file.database, run, 1)
    file.database.connection.execute("PRAGMA query_only = 1")
    assert heart.beat()
    assert file.registry.get(run).beat == 1.0
    file.database.connection.execute("PRAGMA query_only = 0")
    assert heart.beat()
    assert file.registry.get(run).beat > 1e9


def test_the_thread_is_there_while_runs_are_held(file: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "BEAT_EVERY", 0.001)
    heart, run = Heart(), entered(file)
    file.registry.claim(run)
    written(file, run, beat=1.0)
    heart.hold(file.database, run, 1)
    thread = heart._thread
    assert thread is not None
    while file.registry.get(run).beat == 1.0:
        time.sleep(0.001)
    heart.let_go(file.database, run)
    thread.join(10)
    assert (thread.is_alive(), heart._thread) == (False, None)


def test_a_store_in_memory_needs_no_beat(store: Store) -> None:
    heart = Heart()
    heart.hold(store.database, entered(store), 1)
    assert heart._thread is None
    assert not heart.beat()


def test_runs_that_rest_are_held_no_more(file: Store) -> None:
    first, second = entered(file), entered(file)
    for run in (first, second):
        file.registry.claim(run)
        assert (id(file.database), run) in HEART._held
    file.registry.rest(first, Rest("suspended"), token=1)
    file.registry.interrupt(second, token=1)
    assert not {(id(file.database), first), (id(file.database), second)} & HEART._held.keys()


def test_a_forked_child_holds_nothing(file: Store) -> None:
    run = entered(file)
    file.registry.claim(run)
    assert HEART._held
    heart = Heart()
    heart._held = dict(HEART._held)
    heart.begin_anew()
    assert (heart._held, heart._thread) == ({}, None)
    file.registry.interrupt(run)


def test_what_is_looked_at_at_each_step_stands_before_what_may_be_long() -> None:
    assert names(RunRow).index("token") < names(RunRow).index("inputs")


def test_a_claim_that_cannot_be_written_holds_nothing(tmp_path: Path) -> None:
    with BreakingStore(f"sqlite:{tmp_path / 'runs.db'}", at=3) as store:
        run = store.registry.enter(RunRow("", "plan", "f"), {"format": 1}).id
        store.registry.claim(run)
        store.registry.interrupt(run)  # the disk fails from here on, and so this is only remembered
        with pytest.raises(StoreError):
            store.registry.claim(run)
        assert store.registry.get(run).status == "interrupted"
