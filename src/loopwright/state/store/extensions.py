"""What a run was given beyond its plan and its budget: each grant with the place in the record where it was made."""

import sqlite3
from collections.abc import Mapping
from typing import Any, Literal

from loopwright.state.records import Extension, Grant
from loopwright.state.store.columns import declared, names
from loopwright.state.store.visits import count_visits

EXTENSIONS = (
    f"CREATE TABLE IF NOT EXISTS extensions (run TEXT NOT NULL, {declared(Extension)});"
    f" CREATE TABLE IF NOT EXISTS grants (run TEXT NOT NULL, {declared(Grant)})"
)
_NAMES = ", ".join(names(Extension))
_INSERT = f"INSERT INTO extensions (run, {_NAMES}) VALUES (?, ?, ?, ?)"
_COPY = f"INSERT INTO extensions (run, {_NAMES}) SELECT ?, {_NAMES} FROM extensions WHERE run = ? AND visits <= ?"


def keep_more(
    connection: sqlite3.Connection, run: str, table: Literal["extensions", "grants"], more: Mapping[str, float]
) -> None:
    """Keep what a run is given: more of its bounds, or of its budgets, by their names."""
    visits = count_visits(connection, run)
    rows = [(run, name, number, visits) for name, number in more.items()]
    connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", rows)


def copy_extensions(connection: sqlite3.Connection, origin: str, run: str, at: int) -> None:
    """Give a run the bounds that another one was given before so many visits."""
    connection.execute(_COPY, (run, origin, at))


def read_extensions(connection: sqlite3.Connection, run: str) -> tuple[Extension, ...]:
    """The bounds that a run was given more of, in that order."""
    return tuple(Extension(*row) for row in _rows(connection, run, "extensions"))


def read_grants(connection: sqlite3.Connection, run: str) -> tuple[Grant, ...]:
    """The budgets that a run was given more of, in that order."""
    return tuple(Grant(*row) for row in _rows(connection, run, "grants"))


def _rows(connection: sqlite3.Connection, run: str, table: str) -> list[tuple[Any, ...]]:
    columns = ", ".join(names(Extension if table == "extensions" else Grant))
    return connection.execute(f"SELECT {columns} FROM {table} WHERE run = ? ORDER BY rowid", (run,)).fetchall()


def rename_extensions(connection: sqlite3.Connection, run: str, names: Mapping[str, str | None]) -> None:
    """Have what a run was given be of the bounds' new names; what has none is dropped."""
    given = [(extension, names.get(extension.bound, extension.bound)) for extension in read_extensions(connection, run)]
    connection.execute("DELETE FROM extensions WHERE run = ?", (run,))
    kept = [(run, name, extension.more, extension.visits) for extension, name in given if name is not None]
    connection.executemany(_INSERT, kept)
