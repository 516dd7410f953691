"""What a run was given beyond its plan: more of a bound, each grant with the place in the record where it was made."""

import sqlite3
from collections.abc import Mapping

from loopwright.state.records import Extension
from loopwright.state.store.columns import declared, names
from loopwright.state.store.visits import count_visits

EXTENSIONS = f"CREATE TABLE IF NOT EXISTS extensions (run TEXT NOT NULL, {declared(Extension)})"
_NAMES = ", ".join(names(Extension))
_INSERT = f"INSERT INTO extensions (run, {_NAMES}) VALUES (?, ?, ?, ?)"
_COPY = f"INSERT INTO extensions (run, {_NAMES}) SELECT ?, {_NAMES} FROM extensions WHERE run = ? AND visits <= ?"
_SELECT = f"SELECT {_NAMES} FROM extensions WHERE run = ? ORDER BY rowid"


def keep_extensions(connection: sqlite3.Connection, run: str, more: Mapping[str, int]) -> None:
    """Keep what a run is given, by the names of its bounds."""
    visits = count_visits(connection, run)
    connection.executemany(_INSERT, [(run, bound, number, visits) for bound, number in more.items()])


def copy_extensions(connection: sqlite3.Connection, origin: str, run: str, at: int) -> None:
    """Give a run what another one was given before so many visits."""
    connection.execute(_COPY, (run, origin, at))


def read_extensions(connection: sqlite3.Connection, run: str) -> tuple[Extension, ...]:
    """What a run was given, in that order."""
    return tuple(Extension(*row) for row in connection.execute(_SELECT, (run,)).fetchall())


def rename_extensions(connection: sqlite3.Connection, run: str, names: Mapping[str, str | None]) -> None:
    """Have what a run was given be of the bounds' new names; what has none is dropped."""
    given = [(extension, names.get(extension.bound, extension.bound)) for extension in read_extensions(connection, run)]
    connection.execute("DELETE FROM extensions WHERE run = ?", (run,))
    kept = [(run, name, extension.more, extension.visits) for extension, name in given if name is not None]
    connection.executemany(_INSERT, kept)
