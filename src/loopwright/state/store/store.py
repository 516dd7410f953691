"""A store: one file with checkpoints, the registry of runs and the record of visits."""

import weakref
from typing import Self

from loopwright.state.store.database import DEFAULT_STORE, Database, open_database
from loopwright.state.store.registry import Registry


class Store:
    """A store that is open.

    Args:
        url: `memory:`, or `sqlite:PATH`.
        create: Whether a file that is not there is made.

    Raises:
        StoreError: It cannot be opened; see `database.open_database`.

    Example:
        >>> with Store("memory:") as store:
        ...     list(store.registry.all())
        []
    """

    def __init__(self, url: str = DEFAULT_STORE, *, create: bool = True) -> None:
        self.url = url
        self.database: Database = open_database(url, create=create)
        self.registry = Registry(self.database)
        # Not at the interpreter's exit: a stream that was left may still have to let go of its run then.
        weakref.finalize(self, self.database.connection.close).atexit = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({self.url!r})"

    def close(self) -> None:
        """Close it; runs that were started in it are safe on disk, unless it is `memory:`."""
        self.database.close()
