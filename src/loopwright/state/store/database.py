"""Opening the file that a store is: made if it is not there, refused if it is something else."""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from loopwright.errors import StoreError
from loopwright.state.store.runs import RUNS
from loopwright.state.store.visits import VISITS

DEFAULT_STORE = "sqlite:.loopwright/runs.db"
APPLICATION_ID = 0x6C6F6F70
VERSION = 1


@dataclass
class Database:
    """One SQLite connection that several threads share, each statement or transaction at a time.

    Args:
        url: The store's URL, as it was given.
        connection: The connection.
        lock: Held by whoever uses the connection; re-entrant, so that a saver can hold it around several steps.
    """

    url: str
    connection: sqlite3.Connection
    lock: threading.RLock = field(default_factory=threading.RLock)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it, or nothing; other processes wait.

        Raises:
            StoreError: The file cannot be written or read.
        """
        with self.lock, errors_of(self.url):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
            except BaseException:
                self.connection.rollback()
                raise
            self.connection.commit()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, to read from."""
        with self.lock, errors_of(self.url):
            yield self.connection

    def close(self) -> None:
        """Close the connection."""
        with self.lock:
            self.connection.close()


@contextmanager
def errors_of(url: str) -> Iterator[None]:
    """SQLite's errors in our words."""
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(url, error) from error


def store_error(url: str, error: sqlite3.Error) -> StoreError:
    """An error of SQLite's in our words."""
    text = str(error)
    hints = {
        "file is not a database": "this file is not a database; give another --store, or move the file away",
        "attempt to write a readonly database": "it can only be read; check the permissions of the file and its folder",
        "database or disk is full": "the disk is full; nothing of this step was written, and the run can be resumed",
        "database is locked": "another process has been writing for too long; try again",
        "unable to open database file": "it cannot be opened; check that the folder exists and may be written",
    }
    said = next((f"{hint} ({text})" for words, hint in hints.items() if words in text), text)
    return StoreError(f"store {url}: {said}")


def open_database(url: str, *, create: bool = True) -> Database:
    """Open the store of a URL.

    Args:
        url: `memory:` for one that is gone with its last user, or `sqlite:PATH`.
        create: Whether a file that is not there is made, folders included.

    Raises:
        StoreError: The URL is not understood, the file is no store of ours, or it cannot be opened.
    """
    if url == "memory:":
        return _prepared(url, sqlite3.connect(":memory:", check_same_thread=False))
    scheme, _, rest = url.partition(":")
    if scheme != "sqlite" or not rest:
        raise StoreError(f"{url!r} is not a store; a store is memory: or sqlite:PATH, as in {DEFAULT_STORE}")
    path = Path(rest)
    if path.is_dir():
        raise StoreError(f"store {url}: this is a folder; name a file in it, as in sqlite:{path / 'runs.db'}")
    if not path.exists():
        if not create:
            raise StoreError(f"store {url}: there is no such file, so no run was started there yet")
        _make(url, path)
    with errors_of(url):
        connection = sqlite3.connect(path, timeout=10.0, check_same_thread=False)
    return _prepared(url, connection)


def _make(url: str, path: Path) -> None:
    """An empty file that only its owner reads: state holds what people wrote."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreError(f"store {url}: it cannot be made: {error.strerror}") from error


def _prepared(url: str, connection: sqlite3.Connection) -> Database:
    try:
        with errors_of(url):
            made = _is_made(url, connection)
            # After a power cut the last visits may have to be made again; after a kill of the process none.
            _set_wal(connection)
            connection.execute("PRAGMA synchronous=NORMAL")
            if not made:
                marks = f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={VERSION}"
                connection.executescript(f"BEGIN IMMEDIATE; {RUNS}; {VISITS}; {marks}; COMMIT;")
    except BaseException:
        connection.close()
        raise
    return Database(url, connection)


def _set_wal(connection: sqlite3.Connection) -> None:
    """Write ahead. SQLite never waits here, and processes that make one file at once are in each other's way."""
    for _ in range(100):
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode=WAL")
            return
        time.sleep(0.01)
    connection.execute("PRAGMA journal_mode=WAL")


def _is_made(url: str, connection: sqlite3.Connection) -> bool:
    """Whether the file has our tables already; looked at as a whole, since another process may be making them."""
    connection.execute("BEGIN")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    connection.execute("COMMIT")
    if application != APPLICATION_ID and tables:
        raise StoreError(f"store {url}: this is another program's database; give another --store")
    if application == APPLICATION_ID and version > VERSION:
        raise StoreError(
            f"store {url}: it was written by a newer loopwright (version {version}, this one reads {VERSION}); upgrade"
        )
    return bool(application == APPLICATION_ID)
