"""The record of visits: a table in which each completed visit of a run has its place, counted from 0 without a gap."""

import json
import sqlite3
from operator import attrgetter
from typing import Any

from loopwright.state.records import Usage, Visit
from loopwright.state.store.columns import declared, names
from loopwright.state.store.runs import HELD

_APART = ("index", "checkpoint", "usage", "reply", "raw")
"""Fields that a visit has only when it is kept, or that are not one plain value."""

_PLAIN, _USAGE = names(Visit, without=_APART), names(Usage)
_COLUMNS = ("place", "checkpoint", *_PLAIN, *_USAGE, "reply", "raw")

# What was said comes last: it may be long, and what is counted and added up is found without reading over it.
VISITS = (
    "CREATE TABLE IF NOT EXISTS visits (run TEXT NOT NULL, place INTEGER NOT NULL, checkpoint TEXT NOT NULL,"
    f" {declared(Visit, without=_APART)}, {declared(Usage)}, reply TEXT NOT NULL, raw TEXT NOT NULL,"
    " PRIMARY KEY (run, place))"
)
_INTO, _MARKS = f"INSERT INTO visits (run, {', '.join(_COLUMNS)})", f"?{', ?' * len(_COLUMNS)}"
_INSERT, _INSERT_HELD = f"{_INTO} VALUES ({_MARKS})", f"{_INTO} SELECT {_MARKS} WHERE {HELD}"
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM visits WHERE run = ? AND place >= ? ORDER BY place LIMIT ?"
_COPY = (
    f"INSERT INTO visits (run, {', '.join(_COLUMNS)})"
    f" SELECT ?, {', '.join(_COLUMNS)} FROM visits WHERE run = ? AND place < ?"
)
_COUNT = "SELECT coalesce(max(place) + 1, 0) FROM visits WHERE run = ?"
_SUMS = (
    f"SELECT model, {', '.join(f'sum({name})' for name in _USAGE)} FROM visits WHERE run = ? AND place >= ?"
    " GROUP BY model"
)
# The length of what all spans cover: of each the part that is later than the end of every one that began before it.
_SECONDS = (
    "SELECT coalesce(sum(max(0, ended - max(started, coalesce(before, started)))), 0) FROM ("
    "SELECT started, ended, max(ended) OVER"
    " (ORDER BY started, place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM ("
    "SELECT place, started, started + seconds AS ended FROM visits WHERE run = :run"
    " AND place >= coalesce((SELECT forked_at FROM runs WHERE id = :run), 0)))"
)

_plain, _usage = attrgetter(*_PLAIN), attrgetter(*_USAGE)


def insert_visit(
    run: str, place: int, checkpoint: str, visit: Visit, token: int | None = None
) -> tuple[str, tuple[Any, ...]]:
    """The statement that keeps a visit at its place in the run, for the saver's own transaction.

    With a token it keeps the visit only where the run is held with it, else nothing.
    """
    values = (run, place, checkpoint, *_plain(visit), *_usage(visit.usage), *_said(visit))
    if token is None:
        return _INSERT, values
    return _INSERT_HELD, (*values, run, token)


def read_visits(connection: sqlite3.Connection, run: str, start: int = 0, most: int = -1) -> tuple[Visit, ...]:
    """The visits of a run from a place on, in the order in which they were completed; all, or so many."""
    return tuple(_visit(row) for row in connection.execute(_SELECT, (run, start, most)).fetchall())


def count_visits(connection: sqlite3.Connection, run: str) -> int:
    """How many visits a run has completed, which is the place of its next one; no visit is read for it."""
    (count,) = connection.execute(_COUNT, (run,)).fetchone()
    return int(count)


def copy_visits(connection: sqlite3.Connection, source: str, target: str, before: int) -> None:
    """Give a run the visits of another one that come before a place."""
    connection.execute(_COPY, (target, source, before))


def add_usage(connection: sqlite3.Connection, run: str, start: int = 0) -> dict[str, Usage]:
    """What the visits of a run took from a place on, by the labels of the models that were asked."""
    return {model: Usage(*sums) for model, *sums in connection.execute(_SUMS, (run, start))}


def seconds_at_work(connection: sqlite3.Connection, run: str) -> float:
    """For how long at least one of the visits that a run made itself was being made; those of branches overlap."""
    (seconds,) = connection.execute(_SECONDS, {"run": run}).fetchone()
    return float(seconds)


def _visit(row: tuple[Any, ...]) -> Visit:
    place, checkpoint, *values, reply, raw = row
    if any(isinstance(value, bytes) for value in values):
        raise TypeError("a column has bytes")
    plain = dict(zip(_PLAIN, values, strict=False))
    usage = Usage(*values[len(_PLAIN) :])
    said = {"reply": json.loads(reply), "raw": json.loads(raw)}
    return Visit(index=place, checkpoint=checkpoint, usage=usage, **said, **plain)


def _said(visit: Visit) -> tuple[str, str]:
    """What was answered, and said, as JSON."""
    return json.dumps(visit.reply), "null" if visit.raw is None else json.dumps(visit.raw)
