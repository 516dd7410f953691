"""Leases: one runner per run. Whoever runs a run says so again and again, and whoever has lost it writes nothing more.

Each claim of a run raises its token, and a runner's writes are made only where the token in the run's row is still its
own. So nothing depends on clocks: a runner that was believed dead, and was not, can do no harm.
"""

import os
import sqlite3
import threading
import time
from contextlib import suppress
from dataclasses import replace

from loopwright.errors import DamagedRun, LeaseLost, NotWaiting, RunBusy, StoreError
from loopwright.state.records import Answered
from loopwright.state.store.database import Database
from loopwright.state.store.holder import Holder, this_process
from loopwright.state.store.runs import SELECT, RunRow, from_row, has_ended

BEAT_EVERY = 5.0
"""Seconds after which a process says again that it runs a run."""

SILENT_AFTER = 30.0
"""Seconds without a word after which a holder on another host has lost its lease, as whoever looks counts them."""

_HOLD = "UPDATE runs SET token = token WHERE id = ? AND token = ?"
_BEAT = "UPDATE runs SET beat = ? WHERE id = ? AND token = ?"

THREAD = "loopwright-leases"
"""The name of the thread that says so."""

LET_GO: set[str] = set()
"""Runs that this process has stopped running, though their rows could not be told."""

_SEEN: dict[tuple[str, Holder], tuple[tuple[int, float], float]] = {}
"""What holders on other hosts have last said, and when this process first saw it, by a clock that nobody sets."""


def require_lease(connection: sqlite3.Connection, run: str, token: int) -> None:
    """Make sure, as the first statement of a transaction, that its run is still held with this token.

    Raises:
        LeaseLost: Somebody else has taken the run.
    """
    if connection.execute(_HOLD, (run, token)).rowcount != 1:
        raise lease_lost(connection, run)


def lease_lost(connection: sqlite3.Connection, run: str) -> LeaseLost:
    """The error of a runner that has lost its run, with who has it now."""
    found = connection.execute(f"{SELECT} WHERE id = ?", (run,)).fetchone()
    holder = from_row(found).holder if found else None
    now = f"; {holder} runs it now" if holder else ""
    return LeaseLost(f"run {run} was taken over by another runner{now}: this one writes nothing more of it")


def require_free(row: RunRow, plan: str, answered: Answered | None, *, more: bool) -> None:
    """Make sure that a run can be taken.

    Args:
        row: The run as it is now.
        plan: The fingerprint that it must have still; "" for any.
        answered: The answer that it is to go on with.
        more: Whether it is given more of a bound, so that one that has ended is open again.

    Raises:
        RunBusy: Somebody runs it, or has changed its plan.
        DamagedRun: It is quarantined.
        NotWaiting: It has ended, or it waits for another answer.
    """
    if row.status == "running":
        raise busy(row)
    if row.status == "quarantined":
        raise quarantined(row)
    if plan not in ("", row.fingerprint):
        raise RunBusy(f"run {row.id} has been given a changed plan in the meantime; open it again")
    if row.status == "finished" and not more:
        raise has_ended(row)
    if row.status == "waiting" and not answered:
        raise NotWaiting(f"run {row.id} has come to a question in the meantime; answer it")
    if answered and answered.question.id not in (asked.id for asked in row.questions):
        raise NotWaiting(f"run {row.id}: the question {answered.question.id} is not open")


def busy(row: RunRow) -> RunBusy:
    """The refusal to run a run that somebody runs, with who does."""
    silence = time.time() - row.beat
    heard = f", which last said so {silence:.0f} s ago" if silence > 2 * BEAT_EVERY else ""
    return RunBusy(
        f"run {row.id} is being run by {row.holder}{heard}; wait for it, stop it there, or, if it is frozen, take it"
        " over with take_over=True (on the command line, resume --take-over)"
    )


def quarantined(row: RunRow) -> DamagedRun:
    """The refusal to go on with a run of which something is damaged, with the ways out."""
    return DamagedRun(
        f"run {row.id} is quarantined: {row.reason}; fork it at a visit before (loopwright fork {row.id} --at N), or,"
        " where the file has been put right, resume it with take_over=True (on the command line, --take-over)"
    )


def told(row: RunRow) -> RunRow:
    """A run as it is now; one whose holder is gone or silent, or has let go of it, was interrupted."""
    if row.status != "running":
        return row
    let_go = row.id in LET_GO and row.holder == this_process()
    held = row.holder is not None and not let_go and not row.holder.is_gone() and not _is_silent(row, row.holder)
    return row if held else replace(row, status="interrupted")


def _is_silent(row: RunRow, holder: Holder) -> bool:
    """Whether a holder on another host has said nothing for so long that its lease is over.

    Only what changes is looked at, and how long it did not by the clock of whoever looks: hosts whose clocks differ, or
    are set, take nothing from each other.
    """
    if holder.is_here:
        return False
    said, now = (row.token, row.beat), time.monotonic()
    before, since = _SEEN.get((row.id, holder), (None, now))
    if before != said:
        _SEEN[row.id, holder] = (said, now)
        return False
    return now - since >= SILENT_AFTER


class Heart:
    """Says of all runs that this process runs that it does: one thread, which is there while there are some."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Hold nothing, as in a child that was just forked: it is another process, without its parent's threads."""
        self._held: dict[tuple[int, str], tuple[Database, int]] = {}
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def hold(self, database: Database, run: str, token: int) -> None:
        """Say from now on that this process runs a run. A store in memory has nobody else to hear it."""
        if database.file is None:
            return
        with self._lock:
            self._held[id(database), run] = (database, token)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=THREAD, daemon=True)
                self._thread.start()

    def let_go(self, database: Database, run: str, token: int | None = None) -> None:
        """Say no more of a run; nothing where it is held with another token."""
        with self._lock:
            held = self._held.get((id(database), run))
            if held and token in (None, held[1]):
                del self._held[id(database), run]

    def beat(self) -> bool:
        """Say it once of each run; whether there are any.

        A store that cannot be written now may be at the next beat, and a run that was lost is found out by its runner.
        """
        with self._lock:
            held = [(database, run, token) for (_, run), (database, token) in self._held.items()]
            if not held:
                self._thread = None
                return False
        for database in {id(database): database for database, _, _ in held}.values():
            now = time.time()
            said = [(now, run, token) for where, run, token in held if where is database]
            with suppress(StoreError), database.transaction() as connection:
                connection.executemany(_BEAT, said)
        return True

    def _work(self) -> None:
        time.sleep(BEAT_EVERY)
        while self.beat():
            time.sleep(BEAT_EVERY)


HEART = Heart()
"""The heart of this process."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=HEART.begin_anew)
