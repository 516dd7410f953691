"""The registry of runs: what each is, who runs it, and what came of it."""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from loopwright.errors import LeaseLost, StoreError, UnknownRun
from loopwright.state.records import Answered, Decided, Extension, Grant, Usage, Visit
from loopwright.state.store.answers import is_repeated, keep_answer, read_answers
from loopwright.state.store.damage import readable
from loopwright.state.store.database import Database
from loopwright.state.store.effects import keep_decision
from loopwright.state.store.events import keep_waits, take_event
from loopwright.state.store.extensions import copy_extensions, keep_more, read_extensions, read_grants
from loopwright.state.store.holder import this_process
from loopwright.state.store.lease import HEART, LET_GO, lease_lost, require_free, told
from loopwright.state.store.migrations import copy_migrations
from loopwright.state.store.runs import (
    NEWEST,
    SELECT,
    Rest,
    RunRow,
    from_row,
    insert_run,
    to_columns,
)
from loopwright.state.store.visits import add_usage, copy_visits, count_visits, read_visits, seconds_at_work
from loopwright.state.values import Json, JsonObject

MOMENT = 1e-6
"""Seconds between two runs that are entered together, so that their order is kept."""

AT_ONCE = 100
"""Runs that are read at a time."""


class Registry:
    """The runs of a store.

    Args:
        database: The store's file.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def enter(self, row: RunRow, plan: JsonObject) -> RunRow:
        """Enter a new run, and give it an id. Nobody holds it: it is as one that was interrupted before it began."""
        return self.enter_all([row], plan)[0]

    def fork(
        self, origin: RunRow, at: int, models: JsonObject, plan: JsonObject, keep: Callable[[str], None]
    ) -> RunRow:
        """Enter a new run that has the visits of another one up to a place.

        Args:
            origin: The other run.
            at: How many of its visits it has.
            models: Its models.
            plan: The plan of both.
            keep: Keeps the new run's checkpoint, by its id; all is kept, or nothing.
        """
        new = RunRow("", origin.name, origin.fingerprint, origin.inputs, models, forked_from=origin.id, forked_at=at)
        new = replace(new, budget=origin.budget)
        with self._database.transaction() as connection:
            entered = insert_run(connection, new, plan, time.time())
            copy_visits(connection, origin.id, entered.id, at)
            copy_extensions(connection, origin.id, entered.id, at)
            copy_migrations(connection, origin.id, entered.id, at)
            keep(entered.id)
        return entered

    def enter_all(self, rows: Sequence[RunRow], plan: JsonObject) -> tuple[RunRow, ...]:
        """Enter new runs of one plan, all or none; each is a little younger than the one before it."""
        now = time.time()
        with self._database.transaction() as connection:
            return tuple(insert_run(connection, row, plan, now + index * MOMENT) for index, row in enumerate(rows))

    def claim(
        self,
        run: str,
        *,
        answered: Answered | None = None,
        models: JsonObject | None = None,
        more: Mapping[str, int] | None = None,
        budget: Mapping[str, float] | None = None,
        plan: str = "",
        take_over: bool = False,
        decided: Decided | None = None,
    ) -> RunRow | None:
        """Take a run that rests, or whose holder is gone, so that only this process runs it.

        Args:
            run: The run's id.
            answered: The answer that it goes on with, to a question that must still be open. It is kept from here on,
                and the run goes on with it even if it is interrupted before it could take it.
            models: The run's models from now on; as they were when left out.
            more: What it is given more of, by the names of its bounds. It is on record from here on, and a run that has
                ended is open again.
            budget: What it is given more of, by the names of its budgets; on record from here on, too.
            plan: The fingerprint that the run must have still.
            take_over: Whether it is taken from a living runner too, which then writes nothing more, or from quarantine.
            decided: What was decided about one of its effects; on record from here on, as an answer.

        Returns:
            The run as it was until now, with the token that it has from now on; None where it was given this very
            answer before and there is nothing to do.

        Raises:
            RunBusy: A living process runs it, or may.
            NotWaiting: The question is not open, the run has ended, or it waits for an answer and there is none.
            AlreadyAnswered: The question got another answer.
        """
        with self._database.transaction() as connection:
            row = self._find(connection, run)
            if take_over and row.status in ("running", "quarantined"):
                row = replace(row, status="interrupted")
            with readable(self._database.url, f"an answer to run {run}"):
                if answered and is_repeated(connection, row, answered):
                    return None
            require_free(row, plan, answered, more=bool(more))
            if answered:
                keep_answer(connection, row.id, answered)
                take_event(connection, row.id, answered)
            if decided:
                keep_decision(connection, row.id, decided)
            keep_more(connection, row.id, "extensions", more or {})
            keep_more(connection, row.id, "grants", budget or {})
            opened = {"end": "", "ok": None, "reason": "", "result": None} if row.status == "finished" else {}
            row = replace(row, token=row.token + 1)
            taken = {"holder": asdict(this_process()), "token": row.token, "beat": time.time()}
            _change(connection, row.id, None, status="running", **taken, **opened, **_given(models))
        LET_GO.discard(row.id)
        HEART.hold(self._database, row.id, row.token)
        return row

    def rest(
        self,
        run: str,
        rest: Rest,
        *,
        models: JsonObject | None = None,
        spent: Mapping[str, Usage] | None = None,
        token: int | None = None,
    ) -> None:
        """Write down how a run came to rest, and let go of it; `models` as of `claim`, `spent` as of `RunRow`.

        Raises:
            LeaseLost: The run is not held with this token any more.
        """
        with self._database.transaction() as connection:
            used = {"spent": {model: asdict(each) for model, each in spent.items()}} if spent else {}
            changes = {**asdict(rest), **_given(models), **used}
            _change(connection, run, token, holder=None, **changes)
            waits = keep_waits(connection, run, rest.questions)
        HEART.let_go(self._database, run, token)
        if waits:
            self._database.ring()

    def quarantine(self, run: str, reason: str, *, token: int | None = None) -> None:
        """Let go of a run of which something is damaged: nothing goes on with it, and its questions stay."""
        HEART.let_go(self._database, run, token)
        with suppress(LeaseLost, StoreError), self._database.transaction() as connection:
            _change(connection, run, token, status="quarantined", reason=reason, holder=None)

    def interrupt(self, run: str, *, token: int | None = None) -> None:
        """Let go of a run in the middle; its questions stay, since they may not have been answered.

        Where that cannot be written, as on a full disk, this process remembers it: for others it holds the run as long
        as it lives. A run that is not held with this token any more, or rests by now, is left as it is.
        """
        HEART.let_go(self._database, run, token)
        try:
            with suppress(LeaseLost), self._database.transaction() as connection:
                # A runner that is stopped while its run's rest is being written hears of it when that is there already.
                if token is None or self._find(connection, run).status == "running":
                    _change(connection, run, token, status="interrupted", holder=None)
        except StoreError:
            LET_GO.add(run)

    def get(self, prefix: str) -> RunRow:
        """The run of an id, or of a prefix that only one id has.

        Raises:
            UnknownRun: There is none, or there are several.
        """
        with self._database.reading() as connection:
            return self._find(connection, prefix)

    def batch(self, prefix: str) -> tuple[RunRow, ...]:
        """The runs of a batch, in the order in which they were entered, by its id or a prefix that only it has.

        Raises:
            UnknownRun: There is none, or there are several.
        """
        with self._database.reading() as connection:
            begins = "SELECT DISTINCT batch FROM runs WHERE batch >= ? AND batch < ? ORDER BY batch LIMIT 6"
            found = [batch for (batch,) in connection.execute(begins, (prefix, f"{prefix}\U0010ffff"))]
            if prefix and (prefix in found or len(found) == 1):
                rows = connection.execute(f"{SELECT} WHERE batch = ? ORDER BY created, id", (found[0],)).fetchall()
                with readable(self._database.url, f"what is written of a run of batch {found[0]}"):
                    return tuple(told(from_row(row)) for row in rows)
        if found and prefix:
            raise UnknownRun(f"{prefix!r} could be {', '.join(found)}: give more of the batch's id")
        raise UnknownRun(f"there is no batch {prefix!r} in store {self._database.url}; `loopwright runs` lists them")

    def plan(self, run: str) -> JsonObject:
        """The plan of a run as JSON.

        Raises:
            UnknownRun: There is no such run.
            DamagedRun: It cannot be read.
        """
        with self._database.reading() as connection:
            run = self._find(connection, run).id
            (plan,) = connection.execute("SELECT plan FROM runs WHERE id = ?", (run,)).fetchone()
        with readable(self._database.url, f"the plan of run {run}"):
            data: JsonObject = json.loads(plan)
        return data

    def result(self, run: str) -> Json:
        """The result of a run that has ended; None before that."""
        with readable(self._database.url, f"the result of run {run}"), self._database.reading() as connection:
            found = connection.execute("SELECT result FROM runs WHERE id = ?", (run,)).fetchone()
            result: Json = json.loads(found[0]) if found else None
        return result

    def all(self) -> Iterator[RunRow]:
        """All runs that can be read, the newest first; they are read some at a time, as they are asked for."""
        with self._database.reading() as connection:
            ids = [id for (id,) in connection.execute(f"SELECT id FROM runs {NEWEST}")]
        for start in range(0, len(ids), AT_ONCE):
            page = ids[start : start + AT_ONCE]
            for row in self._rows(f"WHERE id IN ({', '.join('?' * len(page))})", *page):
                with suppress(ValueError):
                    yield told(from_row(row))

    def damaged(self) -> tuple[str, ...]:
        """The ids of the runs that `all` leaves out, since what is written of them cannot be read."""
        return tuple(row[0] for row in self._rows() if not _is_readable(row))

    def _rows(self, which: str = "", *values: str) -> list[tuple[Any, ...]]:
        with self._database.reading() as connection:
            return connection.execute(f"{SELECT} {which} {NEWEST}", values).fetchall()

    def answers(self, run: str, prefix: str = "") -> tuple[Answered, ...]:
        """The answers that a run was given, to questions whose ids begin so."""
        with readable(self._database.url, f"an answer to run {run}"), self._database.reading() as connection:
            return read_answers(connection, run, prefix)

    def extensions(self, run: str) -> tuple[Extension, ...]:
        """What a run was given more of than its plan says, in that order."""
        with self._database.reading() as connection:
            return read_extensions(connection, run)

    def grants(self, run: str) -> tuple[Grant, ...]:
        """What a run was given more of than its budget says, in that order."""
        with self._database.reading() as connection:
            return read_grants(connection, run)

    def visits(self, run: str, start: int = 0, most: int = -1) -> tuple[Visit, ...]:
        """The completed visits of a run, in the order in which they were completed.

        Args:
            run: The run's id.
            start: The index of the first visit that is wanted, for those who have read the ones before.
            most: How many are wanted; all when left out.
        """
        with readable(self._database.url, f"a visit of run {run}"), self._database.reading() as connection:
            return read_visits(connection, run, start, most)

    def last_visit(self, run: str) -> Visit | None:
        """The latest completed visit of a run; None before the first one."""
        found = self.visits(run, max(self.count_visits(run) - 1, 0))
        return found[-1] if found else None

    def count_visits(self, run: str) -> int:
        """How many visits a run has completed."""
        with self._database.reading() as connection:
            return count_visits(connection, run)

    def usage(self, run: str) -> Usage:
        """What the visits of a run took, those included that were not completed and are made again.

        Visits that a run has of the one which it was forked from were paid there.
        """
        return sum(self.usage_by_model(run).values(), Usage())

    def usage_by_model(self, run: str) -> dict[str, Usage]:
        """The same, by the labels of the models that were asked."""
        with self._database.reading() as connection:
            found = connection.execute("SELECT spent, forked_at FROM runs WHERE id = ?", (run,)).fetchone()
            spent, start = found or ("{}", 0)
            usages = add_usage(connection, run, start)
        for model, again in json.loads(spent).items():
            usages[model] = usages.get(model, Usage()) + Usage(**again)
        return usages

    def seconds_at_work(self, run: str) -> float:
        """For how long at least one of the visits that a run made itself was being made."""
        with self._database.reading() as connection:
            return seconds_at_work(connection, run)

    def _find(self, connection: sqlite3.Connection, prefix: str) -> RunRow:
        found = connection.execute(f"{SELECT} WHERE id = ?", (prefix,)).fetchall()
        if not found:
            begins = f"{SELECT} WHERE id >= ? AND id < ? ORDER BY id LIMIT 6"
            found = connection.execute(begins, (prefix, f"{prefix}\U0010ffff")).fetchall()
        if len(found) == 1:
            with readable(self._database.url, f"what is written of run {found[0][0]}"):
                return told(from_row(found[0]))
        if found and prefix:
            several = ", ".join(row[0] for row in found)
            raise UnknownRun(f"{prefix!r} could be {several}: give more of the id")
        recent = connection.execute("SELECT id FROM runs ORDER BY created DESC LIMIT 5")
        known = ", ".join(run for (run,) in recent) or "none"
        raise UnknownRun(f"there is no run {prefix!r} in store {self._database.url}; the latest runs are: {known}")


def _is_readable(row: tuple[Any, ...]) -> bool:
    try:
        from_row(row)
    except ValueError:
        return False
    return True


def _change(connection: sqlite3.Connection, run: str, held: int | None, **changes: Any) -> None:
    """Change a run's row; with a token only where the run is held with it."""
    columns = to_columns({**changes, "updated": time.time()})
    assignments = ", ".join(f"{name} = :{name}" for name in columns)
    condition = "id = :id" if held is None else "id = :id AND token = :held"
    statement = f"UPDATE runs SET {assignments} WHERE {condition}"
    if connection.execute(statement, {**columns, "id": run, "held": held}).rowcount != 1 and held is not None:
        raise lease_lost(connection, run)


def _given(models: JsonObject | None) -> dict[str, Any]:
    return {} if models is None else {"models": models}
