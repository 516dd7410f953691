"""Opening the file that a store is: made if it is not there, refused if it is something else."""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from loopwright.errors import StoreError
from loopwright.state.store.answers import ANSWERS
from loopwright.state.store.effects import EFFECTS
from loopwright.state.store.events import INBOX
from loopwright.state.store.exposure import warn_if_exposed
from loopwright.state.store.extensions import EXTENSIONS
from loopwright.state.store.migrations import MIGRATIONS
from loopwright.state.store.runs import RUNS
from loopwright.state.store.together import Together
from loopwright.state.store.visits import VISITS

DEFAULT_STORE = "sqlite:.loopwright/runs.db"
APPLICATION_ID = 0x6C6F6F70
VERSION = 7
LOOK_EVERY = 1.0
"""Seconds between two looks at the file while runs write: a look costs as much as a tenth of a step."""

PAGE = 8192
"""Bytes of a page. Each step writes its pages whole; a text of some thousand still shares one with others."""


@dataclass
class Database:
    """One SQLite connection that several threads share, each statement or transaction at a time.

    Args:
        url: The store's URL, as it was given.
        connection: The connection.
        file: The file; None for one in memory.
        lock: Held by whoever uses the connection; re-entrant, so that a saver can hold it around several steps.
        bells: Called when an event has come, or a run has come to wait for one, by whoever uses this object.
        has_checkpoints: Whether the engine's tables are known to be there.

    `together` keeps the steps of all its runs: those that come at once in one transaction.
    """

    url: str
    connection: sqlite3.Connection
    file: Path | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)
    bells: list[Callable[[], None]] = field(default_factory=list)
    has_checkpoints: bool = False

    def __post_init__(self) -> None:
        self.keep_together(None)
        self._identity, self._looked = _identity(self.file), time.monotonic()

    def keep_together(self, most: int | None) -> None:
        """Keep so many changes in one transaction from now on; as many as come at once, where None is given."""
        keeping = partial(self.transaction, look_every=LOOK_EVERY)
        self.together = Together(self.lock, keeping, waits=self.file is not None, most=most)

    def require_file(self, *, not_before: float = 0.0) -> None:
        """Make sure that what is written will be found: SQLite goes on writing to a file that was deleted.

        Args:
            not_before: Seconds since the last look before which it is not looked at again.

        Raises:
            StoreError: The file is gone, or another one stands in its place.
        """
        now = time.monotonic()
        if now - self._looked < not_before:
            return
        self._looked = now
        if _identity(self.file) != self._identity:
            raise StoreError(
                f"store {self.url}: the file was deleted or replaced while it was open, so nothing more is kept;"
                " put it back and resume the run, or start anew"
            )

    @contextmanager
    def transaction(self, *, look_every: float = 0.0) -> Iterator[sqlite3.Connection]:
        """All of it, or nothing; other processes wait. One inside of another is part of it.

        Args:
            look_every: As `not_before` of `require_file`.

        Raises:
            StoreError: The file cannot be written or read, or is gone.
        """
        with self.lock, errors_of(self.url):
            if self.connection.in_transaction:
                yield self.connection
                return
            self.require_file(not_before=look_every)
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.commit()
            except BaseException:
                self.connection.rollback()
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, to read from."""
        with self.lock, errors_of(self.url):
            yield self.connection

    def ring(self) -> None:
        """Tell those who wait for it that there is something new in the inbox."""
        for bell in tuple(self.bells):
            bell()

    @property
    def changes(self) -> int:
        """A number that is another one after each change by anybody else; a look at it reads no table."""
        with self.reading() as connection:
            (version,) = connection.execute("PRAGMA data_version").fetchone()
        return int(version)

    @property
    def size(self) -> int:
        """Bytes on disk, or in memory."""
        with self.reading() as connection:
            (pages,), (page,) = (
                connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size")
            )
        return int(pages) * int(page)

    def shrink(self) -> bool:
        """Give room that is free in the file back to the disk.

        Returns:
            Whether that was done. Where others use the file, or there is no room for a copy of it, the room stays in it
            and is written to again.
        """
        with self.lock:
            try:
                self.connection.execute("VACUUM")
            except sqlite3.OperationalError:
                return False
        return True

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
    except UnicodeEncodeError as error:
        raise StoreError(f"store {url}: {error.object!r} is no text that can be kept or found") from error


def store_error(url: str, error: sqlite3.Error) -> StoreError:
    """An error of SQLite's in our words."""
    text = str(error)
    hints = {
        "file is not a database": "this file is not a database; give another --store, or move the file away",
        "attempt to write a readonly database": "it can only be read; check the permissions of the file and its folder",
        "database or disk is full": "the disk is full; nothing of this step was written, and the run can be resumed",
        "database is locked": "another process has been writing for too long; try again",
        "malformed": "the file is damaged; put back a copy of it, or give another --store",
        "disk I/O error": "the disk fails; nothing of this step was written, and the run can be resumed",
        "unable to open database file": "it cannot be opened; check that the folder exists and may be written",
    }
    said = next((f"{hint} ({text})" for words, hint in hints.items() if words in text), text)
    return StoreError(f"store {url}: {said}")


def path_of(url: str) -> Path | None:
    """The file of a store's URL; None for one in memory.

    Args:
        url: `memory:` or `sqlite:PATH`; after `sqlite:///` the path is relative and after `sqlite:////` absolute, as
            those are used to who know such URLs of other libraries.

    Raises:
        StoreError: It is no such URL.

    Example:
        >>> [str(path_of(url)) for url in ("sqlite:runs.db", "sqlite:///runs.db", "sqlite:////srv/runs.db")]
        ['runs.db', 'runs.db', '/srv/runs.db']
    """
    scheme, _, rest = url.partition(":") if isinstance(url, str) else ("", "", "")
    if (scheme, rest) == ("memory", ""):
        return None
    place = rest.removeprefix("///")
    if scheme != "sqlite" or not place or place.startswith("//"):
        raise StoreError(f"{url!r} is not a store; a store is memory: or sqlite:PATH, as in {DEFAULT_STORE}")
    return Path(place)


def open_database(url: str, *, create: bool = True) -> Database:
    """Open the store of a URL. A file that can only be read is opened for that.

    Args:
        url: `memory:` for one that is gone with its last user, or `sqlite:PATH`; see `path_of`.
        create: Whether a file that is not there is made, folders included.

    Raises:
        StoreError: The URL is not understood, the file is no store of ours, or it cannot be opened.
    """
    named = path_of(url)
    if named is None:
        return _prepared(url, sqlite3.connect(":memory:", check_same_thread=False))
    path = named.absolute()  # it stays the same when the process goes to another folder
    if looked_at(url, path.is_dir):
        raise StoreError(f"store {url}: this is a folder; name a file in it, as in sqlite:{named / 'runs.db'}")
    if not looked_at(url, path.exists):
        if not create:
            raise StoreError(f"store {url}: there is no such file, so no run was started there yet")
        _make(url, path)
    if not all(os.access(place, os.W_OK) for place in (path, path.parent)):
        return Database(url, _connected_to_look(url, path), path)
    with errors_of(url):
        connection = sqlite3.connect(path, timeout=10.0, check_same_thread=False)
    opened = _prepared(url, connection, path)
    warn_if_exposed(path)
    return opened


def _connected_to_look(url: str, path: Path) -> sqlite3.Connection:
    """A connection that only reads; `immutable` where SQLite could not even make the files that it reads by."""
    last: StoreError | None = None
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        with errors_of(url):
            connection = sqlite3.connect(f"{path.as_uri()}?{mode}", uri=True, timeout=10.0, check_same_thread=False)
        try:
            with errors_of(url):
                made = _is_made(url, connection)
        except StoreError as error:
            connection.close()
            last = error
            continue
        if made:
            return connection
        connection.close()
        last = StoreError(f"store {url}: there is nothing in it yet, and it cannot be written")
    assert last is not None
    raise last


def _identity(path: Path | None) -> tuple[int, int] | None:
    """What tells a file from another one of the same name; None where there is none."""
    if path is None:
        return None
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def looked_at(url: str, asked: Callable[[], bool]) -> bool:
    """What the file system says of a path.

    Raises:
        StoreError: It says nothing: the name is too long, or a folder is closed to us.
    """
    try:
        return asked()
    except OSError as error:
        raise StoreError(f"store {url}: it cannot be looked at: {error.strerror}") from error


def _make(url: str, path: Path) -> None:
    """An empty file that only its owner reads: state holds what people wrote."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreError(f"store {url}: it cannot be made: {error.strerror}") from error


def _prepared(url: str, connection: sqlite3.Connection, path: Path | None = None) -> Database:
    try:
        with errors_of(url):
            made = _is_made(url, connection)
            # After a power cut the last visits may have to be made again; after a kill of the process none.
            connection.execute(f"PRAGMA page_size={PAGE}")
            _set_wal(connection)
            connection.execute("PRAGMA synchronous=NORMAL")
            if not made:
                marks = f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={VERSION}"
                tables = f"{RUNS}; {VISITS}; {ANSWERS}; {EXTENSIONS}; {MIGRATIONS}; {EFFECTS}; {INBOX}"
                connection.executescript(f"BEGIN IMMEDIATE; {tables}; {marks}; COMMIT;")
    except BaseException:
        connection.close()
        raise
    return Database(url, connection, path)


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
    if application == APPLICATION_ID and version != VERSION:
        which, advice = ("a newer", "upgrade") if version > VERSION else ("an older", "give another --store")
        raise StoreError(
            f"store {url}: it was written by {which} loopwright (version {version}, this one reads {VERSION}); {advice}"
        )
    return bool(application == APPLICATION_ID)
