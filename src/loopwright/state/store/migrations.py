"""The plans that runs had before they went on with a changed one, each with the place in the record where that was."""

import json
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loopwright.state.store.columns import declared, names
from loopwright.state.store.runs import to_columns
from loopwright.state.values import JsonObject


@dataclass(frozen=True, slots=True)
class Former:
    """A plan that a run had before.

    Args:
        visits: How many visits the run had completed when it went on with another plan.
        checkpoint: The id of the checkpoint that it stood at from then on; "" where it stands at none of its own.
        fingerprint: The plan's fingerprint.
        changed: Seconds since the epoch.
    """

    visits: int
    checkpoint: str
    fingerprint: str
    changed: float


MIGRATIONS = (
    f"CREATE TABLE IF NOT EXISTS migrations (run TEXT NOT NULL, {declared(Former)}, plan TEXT NOT NULL,"
    " PRIMARY KEY (run, changed)) WITHOUT ROWID"
)
_NAMES = ", ".join(names(Former))
_INSERT = f"INSERT INTO migrations (run, {_NAMES}, plan) SELECT id, ?, ?, fingerprint, ?, plan FROM runs WHERE id = ?"
_COPY = (
    f"INSERT INTO migrations (run, {_NAMES}, plan)"
    " SELECT ?, visits, '', fingerprint, changed, plan FROM migrations WHERE run = ? AND visits <= ? ORDER BY changed"
)
_SELECT = f"SELECT {_NAMES} FROM migrations WHERE run = ? ORDER BY changed"
_PLAN = "SELECT plan FROM migrations WHERE run = ? AND visits > ? ORDER BY changed LIMIT 1"


def change_plan(
    connection: sqlite3.Connection, run: str, visits: int, checkpoint: str, changes: Mapping[str, Any]
) -> None:
    """Give a run another plan, and keep the one that it had.

    Args:
        connection: The store's connection, in a transaction.
        run: The run's id.
        visits: How many visits it has completed.
        checkpoint: The id of the checkpoint that it stands at from now on, where it is a new one.
        changes: New fields of its row: `plan`, `fingerprint`, and what else is another one.
    """
    now = time.time()
    connection.execute(_INSERT, (visits, checkpoint, now, run))
    columns = to_columns({**changes, "updated": now})
    assignments = ", ".join(f"{name} = :{name}" for name in columns)
    connection.execute(f"UPDATE runs SET {assignments} WHERE id = :id", {**columns, "id": run})


def copy_migrations(connection: sqlite3.Connection, origin: str, run: str, at: int) -> None:
    """Give a run the former plans of another one, as far as it has that one's visits."""
    connection.execute(_COPY, (run, origin, at))


def read_migrations(connection: sqlite3.Connection, run: str) -> tuple[Former, ...]:
    """The plans that a run had before, the first one first; without the plans themselves, which may be long."""
    return tuple(Former(*row) for row in connection.execute(_SELECT, (run,)).fetchall())


def plan_before(connection: sqlite3.Connection, run: str, visit: int) -> JsonObject | None:
    """The plan that a run had when it made a visit; None where that is the plan that it has now."""
    found = connection.execute(_PLAN, (run, visit)).fetchone()
    plan: JsonObject | None = json.loads(found[0]) if found else None
    return plan
