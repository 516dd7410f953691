"""The registry of runs: what each is, who runs it, and what came of it. And the record of visits."""

import json
import secrets
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from loopwright.errors import NotWaiting, RunBusy, StoreError, UnknownRun
from loopwright.state.records import Question, Status, Usage, Visit
from loopwright.state.store.database import Database
from loopwright.state.store.holder import Holder, this_process
from loopwright.state.values import Json, JsonObject

_LET_GO: set[str] = set()
"""Runs that this process has stopped running, though their rows could not be told."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """What the registry knows of a run.

    Args:
        id: Its id.
        name: Its plan's name.
        batch: The id that runs started together share; its own where it is alone.
        plan: The plan as JSON.
        fingerprint: The plan's fingerprint.
        inputs: What it was started with.
        models: Its models as JSON, by name; what cannot be JSON (live objects) is named only.
        status: As written; a `running` one whose holder is gone is told as `interrupted`.
        holder: Who runs it, while it runs.
        end: The end it came to, or "".
        ok: Whether that end is a success; None before it.
        reason: Why it ended, or what it is suspended by.
        result: The result, when it has ended.
        questions: What it waits for.
        at: The nodes where it rests: those that ask, and those that are suspended.
        created: Seconds since the epoch.
        updated: Seconds since the epoch.
    """

    id: str
    name: str
    plan: JsonObject
    fingerprint: str
    inputs: JsonObject = field(default_factory=dict)
    models: JsonObject = field(default_factory=dict)
    batch: str = ""
    status: Status = "running"
    holder: Holder | None = None
    end: str = ""
    ok: bool | None = None
    reason: str = ""
    result: Json = None
    questions: tuple[Question, ...] = ()
    at: tuple[str, ...] = ()
    created: float = 0.0
    updated: float = 0.0


@dataclass(frozen=True, slots=True)
class Rest:
    """How a run came to rest; fields as of `RunRow`."""

    status: Status
    end: str = ""
    ok: bool | None = None
    reason: str = ""
    result: Json = None
    questions: tuple[Question, ...] = ()
    at: tuple[str, ...] = ()


class Registry:
    """The runs of a store.

    Args:
        database: The store's file.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def enter(self, row: RunRow) -> RunRow:
        """Enter a new run, held by this process. Gives it an id where it has none."""
        now = time.time()
        with self._database.transaction() as connection:
            for _ in range(100):
                run = row.id or secrets.token_hex(4)
                holder = json.dumps(asdict(this_process()))
                values = (run, row.name, row.batch or run, json.dumps(row.plan), row.fingerprint)
                more = (json.dumps(row.inputs), json.dumps(row.models), "running", holder, now, now)
                entered = connection.execute(
                    "INSERT OR IGNORE INTO runs (id, name, batch, plan, fingerprint, inputs, models, status, holder,"
                    " created, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (*values, *more),
                )
                if entered.rowcount:
                    return self._get(run)
                if row.id:
                    raise RunBusy(f"there is a run {run!r} already")
        raise RunBusy("no free id was found for a run")

    def claim(self, run: str, *, question: str = "", models: JsonObject | None = None) -> RunRow:
        """Take a run that rests, or whose holder is gone, so that only this process runs it.

        Args:
            run: The run's id.
            question: The id of the question that is going to be answered, which must still be open.
            models: The run's models from now on; as they were when left out.

        Raises:
            RunBusy: A living process runs it, or may.
            NotWaiting: The question is no longer open.
        """
        with self._database.transaction() as connection:
            row = self._get(run)
            if row.status == "running":
                raise RunBusy(f"run {run} is being run by {row.holder}; wait for it, or stop it there")
            if question and question not in (asked.id for asked in row.questions):
                raise NotWaiting(f"run {run}: the question {question} has been answered already")
            given = None if models is None else json.dumps(models)
            connection.execute(
                "UPDATE runs SET status = 'running', holder = ?, models = coalesce(?, models), updated = ?"
                " WHERE id = ?",
                (json.dumps(asdict(this_process())), given, time.time(), run),
            )
            _LET_GO.discard(run)
        return row

    def rest(self, run: str, rest: Rest, *, models: JsonObject | None = None) -> None:
        """Write down how a run came to rest, and let go of it; `models` as of `claim`."""
        questions = json.dumps([asdict(question) for question in rest.questions])
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE runs SET status = ?, holder = NULL, models = coalesce(?, models), end = ?, ok = ?, reason = ?,"
                " result = ?, questions = ?, at = ?, updated = ? WHERE id = ?",
                (
                    rest.status,
                    None if models is None else json.dumps(models),
                    rest.end,
                    rest.ok,
                    rest.reason,
                    json.dumps(rest.result),
                    questions,
                    json.dumps(rest.at),
                    time.time(),
                    run,
                ),
            )

    def interrupt(self, run: str) -> None:
        """Let go of a run in the middle; its questions stay, since they may not have been answered.

        Where that cannot be written, as on a full disk, this process remembers it: for others it holds the run as long
        as it lives.
        """
        try:
            with self._database.transaction() as connection:
                connection.execute(
                    "UPDATE runs SET status = 'interrupted', holder = NULL, updated = ? WHERE id = ?",
                    (time.time(), run),
                )
        except StoreError:
            _LET_GO.add(run)

    def get(self, prefix: str) -> RunRow:
        """The run of an id, or of a prefix that only one id has.

        Raises:
            UnknownRun: There is none, or there are several.
        """
        with self._database.reading() as connection:
            pattern = prefix.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
            query = "SELECT id FROM runs WHERE id LIKE ? ESCAPE '\\' ORDER BY id LIMIT 6"
            found = [run for (run,) in connection.execute(query, (pattern,))]
            if prefix in found or len(found) == 1:
                return self._get(prefix if prefix in found else found[0])
            recent = "SELECT id FROM runs ORDER BY created DESC LIMIT 5"
            known = ", ".join(run for (run,) in connection.execute(recent)) or "none"
        if found and prefix:
            raise UnknownRun(f"{prefix!r} could be {', '.join(found)}: give more of the id")
        raise UnknownRun(f"there is no run {prefix!r} in store {self._database.url}; the latest runs are: {known}")

    def all(self) -> Iterator[RunRow]:
        """All runs, the newest first."""
        with self._database.reading() as connection:
            ids = [run for (run,) in connection.execute("SELECT id FROM runs ORDER BY created DESC, id")]
        for run in ids:
            yield self.get(run)

    def visits(self, run: str) -> tuple[Visit, ...]:
        """The completed visits of a run, in the order in which they were completed."""
        query = f"SELECT {_VISIT} FROM visits WHERE run = ? ORDER BY place"
        with self._database.reading() as connection:
            rows = connection.execute(query, (run,)).fetchall()
        return tuple(_visit(index, row) for index, row in enumerate(rows))

    def count_visits(self, run: str) -> int:
        """How many visits a run has completed."""
        with self._database.reading() as connection:
            (count,) = connection.execute("SELECT count(*) FROM visits WHERE run = ?", (run,)).fetchone()
        return int(count)

    def usage(self, run: str) -> Usage:
        """What all completed visits of a run took."""
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in _USAGE)
        with self._database.reading() as connection:
            return Usage(*connection.execute(f"SELECT {sums} FROM visits WHERE run = ?", (run,)).fetchone())

    def _get(self, run: str) -> RunRow:
        query = (
            "SELECT id, name, batch, plan, fingerprint, inputs, models, status, holder, end, ok, reason, result,"
            " questions, at, created, updated FROM runs WHERE id = ?"
        )
        row = self._database.connection.execute(query, (run,)).fetchone()
        return _run_row(row)


_USAGE = tuple(name.name for name in fields(Usage))
_VISIT = ", ".join(
    (
        "node",
        "kind",
        "outcome",
        "target",
        "reason",
        "reply",
        "model",
        *_USAGE,
        "started",
        "seconds",
        "checkpoint",
        "note",
    )
)
_INSERT_VISIT = f"INSERT INTO visits (run, place, task, {_VISIT}) VALUES ({', '.join('?' * 19)})"


def insert_visit(run: str, place: int, task: str, checkpoint: str, visit: Visit) -> tuple[str, tuple[Any, ...]]:
    """The statement that keeps a visit at its place in the run, for the saver's own transaction."""
    usage = visit.usage
    return _INSERT_VISIT, (
        run,
        place,
        task,
        visit.node,
        visit.kind,
        visit.outcome,
        visit.target,
        visit.reason,
        json.dumps(visit.reply),
        visit.model,
        usage.calls,
        usage.tokens_in,
        usage.tokens_out,
        usage.retries,
        usage.repairs,
        visit.started,
        visit.seconds,
        checkpoint,
        visit.note,
    )


def next_place(connection: sqlite3.Connection, run: str) -> int:
    """The place of a run's next visit."""
    (last,) = connection.execute("SELECT max(place) FROM visits WHERE run = ?", (run,)).fetchone()
    return 0 if last is None else int(last) + 1


def _visit(index: int, row: tuple[Any, ...]) -> Visit:
    node, kind, outcome, target, reason, reply, model, *usage, started, seconds, checkpoint, note = row
    return Visit(
        index,
        node,
        kind,
        outcome,
        target,
        reason,
        json.loads(reply),
        model,
        Usage(*usage),
        started,
        seconds,
        checkpoint,
        note,
    )


def _run_row(row: tuple[Any, ...]) -> RunRow:
    (
        run,
        name,
        batch,
        plan,
        fingerprint,
        inputs,
        models,
        status,
        held,
        end,
        ok,
        reason,
        result,
        asked,
        at,
        created,
        updated,
    ) = row
    holder = Holder(**json.loads(held)) if held else None
    if status == "running" and (holder is None or holder.is_gone() or (run in _LET_GO and holder == this_process())):
        status = "interrupted"
    questions = tuple(Question(**question) for question in json.loads(asked))
    return RunRow(
        id=run,
        name=name,
        plan=json.loads(plan),
        fingerprint=fingerprint,
        inputs=json.loads(inputs),
        models=json.loads(models),
        batch=batch,
        status=status,
        holder=holder,
        end=end,
        ok=None if ok is None else bool(ok),
        reason=reason,
        result=json.loads(result) if result else None,
        questions=questions,
        at=tuple(json.loads(at)),
        created=created,
        updated=updated,
    )
