"""A run as the registry knows it, and as a row of the store's table of runs."""

import json
import secrets
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from loopwright.errors import AlreadyAnswered, NotWaiting, RunBusy
from loopwright.state.records import Answered, Question, Status, Usage
from loopwright.state.store.columns import declared, names
from loopwright.state.store.holder import Holder
from loopwright.state.values import Json, JsonObject


@dataclass(frozen=True, slots=True)
class RunRow:
    """What the registry knows of a run. What may be long, the plan and the result, is read apart by whoever wants it.

    Args:
        id: Its id.
        name: Its plan's name.
        fingerprint: The plan's fingerprint.
        token: How often a runner has taken it; what a runner writes is kept only while this is still its own.
        beat: When its holder last said that it runs it, in seconds since the epoch by the holder's clock.
        inputs: What it was started with.
        models: Its models as JSON, by name; what cannot be JSON (live objects) is named only.
        batch: The id that runs started together share; its own where it is alone.
        status: As written; a `running` one whose holder is gone is told as `interrupted`.
        holder: Who runs it, while it runs.
        end: The end it came to, or "".
        ok: Whether that end is a success; None before it.
        reason: Why it ended, or what it is suspended by.
        questions: What it waits for.
        at: The nodes where it rests: those that ask, and those that are suspended.
        created: Seconds since the epoch.
        updated: Seconds since the epoch.
        spent: What the visits took that were not completed, and are made again, by the labels of their models.
        budget: What it may take at most, as JSON; see `nodes.budget.Budget`.
        short: What it lacks of its budgets to go on, by their names, where it is suspended by that.
        forked_from: The run that it was forked from, or "".
        forked_at: The index of the visit before which it was forked: those before it are of that run.
        since: The place of the last event that was in the inbox when it was entered; it takes none of those.
    """

    id: str
    name: str
    fingerprint: str
    token: int = field(default=0, kw_only=True)
    beat: float = field(default=0.0, kw_only=True)
    inputs: JsonObject = field(default_factory=dict)
    models: JsonObject = field(default_factory=dict)
    batch: str = ""
    status: Status = "running"
    holder: Holder | None = None
    end: str = ""
    ok: bool | None = None
    reason: str = ""
    questions: tuple[Question, ...] = ()
    at: tuple[str, ...] = ()
    created: float = 0.0
    updated: float = 0.0
    spent: Mapping[str, Usage] = field(default_factory=dict)
    budget: JsonObject = field(default_factory=dict)
    short: Mapping[str, float] = field(default_factory=dict)
    forked_from: str = ""
    forked_at: int = 0
    since: int = 0

    @property
    def is_begun(self) -> bool:
        """Whether a process has ever taken it; of runs that were entered together, some may still be to come."""
        return self.holder is not None or self.updated != self.created


@dataclass(frozen=True, slots=True)
class Rest:
    """How a run came to rest; fields as of `RunRow`, and `result`: what came of a run that has ended."""

    status: Status
    end: str = ""
    ok: bool | None = None
    reason: str = ""
    result: Json = None
    questions: tuple[Question, ...] = ()
    at: tuple[str, ...] = ()
    short: Mapping[str, float] = field(default_factory=dict)


_JSON = frozenset({"plan", "inputs", "models", "holder", "ok", "result", "questions", "at", "spent", "budget", "short"})
"""Columns that hold JSON; the others hold the value itself."""

_ROW = TypeAdapter(RunRow)
_NAMES = names(RunRow)
_VALUES = ", ".join(f":{name}" for name in _NAMES)

# Result and plan come last: they may be long, and what is known of a run is found without reading over them.
_LONG = "result TEXT NOT NULL DEFAULT 'null', plan TEXT NOT NULL"
RUNS = (
    f"CREATE TABLE IF NOT EXISTS runs ({declared(RunRow)}, {_LONG}, PRIMARY KEY (id));"
    " CREATE INDEX IF NOT EXISTS runs_by_age ON runs (created DESC, id)"  # the newest are found without reading all
)
INSERT = f"INSERT OR IGNORE INTO runs ({', '.join(_NAMES)}, plan) VALUES ({_VALUES}, :plan)"
SELECT = f"SELECT {', '.join(_NAMES)} FROM runs"
HELD = "(SELECT token FROM runs WHERE id = ?) = ?"
"""The condition that a run is held with a token, for what its runner writes."""

NEWEST = "ORDER BY created DESC, id"
"""The newest run first."""


def to_columns(values: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a run as they stand in its row.

    Example:
        >>> to_columns({"status": "waiting", "at": ("approve",)})
        {'status': 'waiting', 'at': '["approve"]'}
    """
    return {name: json.dumps(value) if name in _JSON else value for name, value in values.items()}


def from_row(row: tuple[Any, ...]) -> RunRow:
    """The run of a row that was read with `SELECT`.

    Raises:
        ValueError: The row is damaged; with the column.
    """
    values: dict[str, Any] = {}
    for name, value in zip(_NAMES, row, strict=True):
        try:
            values[name] = json.loads(value) if name in _JSON else value
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(f"{name}: {error}") from error
    try:
        return _ROW.validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def has_ended(row: RunRow) -> NotWaiting:
    """What is wrong with going on with a run that has ended."""
    return NotWaiting(f"run {row.id} has ended ({row.end}: {row.reason}); start a new one")


def already_answered(run: str, answered: Answered) -> AlreadyAnswered:
    """The refusal of another answer, which names the one that there is."""
    said = json.dumps(answered.answer, ensure_ascii=False)
    return AlreadyAnswered(
        f"run {run}: question {answered.question.id[:8]} of {answered.question.node} was answered with {said}"
    )


def insert_run(connection: sqlite3.Connection, row: RunRow, plan: JsonObject, now: float) -> RunRow:
    """Enter a new run at this time, with an id of its own where it has none.

    Raises:
        RunBusy: There is such a run already.
    """
    (since,) = connection.execute("SELECT coalesce(max(place), 0) FROM events").fetchone()
    new = replace(row, status="interrupted", created=now, updated=now, since=since)
    for _ in range(100):
        run = row.id or secrets.token_hex(4)
        entered = replace(new, id=run, batch=row.batch or run)
        if connection.execute(INSERT, to_columns({**asdict(entered), "plan": plan})).rowcount:
            return entered
        if row.id:
            raise RunBusy(f"there is a run {run!r} already")
    raise RunBusy("no free id was found for a run")
