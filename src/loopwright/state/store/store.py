"""A store: one file with checkpoints, the registry of runs, the record of visits and the inbox."""

import weakref
from typing import Self

from loopwright.state.store.database import DEFAULT_STORE, Database, open_database
from loopwright.state.store.inbox import Inbox
from loopwright.state.store.registry import Registry
from loopwright.state.values import Json


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
        self.inbox = Inbox(self.database)
        # Not at the interpreter's exit: a stream that was left may still have to let go of its run then.
        weakref.finalize(self, self.database.connection.close).atexit = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({self.url!r})"

    def send(self, type: str, payload: Json = None, *, to: str = "", id: str = "") -> bool:
        """Put an event into the inbox, for the runs that wait for it and those that will.

        Args:
            type: What happened, in a word.
            payload: What there is to know of it, as JSON; an object where waits are to filter it.
            to: The id of the run that it is for, or the name of a plan, for all runs of it; "" for all that wait for
                it.
            id: An id of your own: an event whose id is there already is not put in again, so that sending it twice does
                no harm. A new one when left out.

        Returns:
            Whether it was put in: False where there was one of this id.

        Raises:
            StoreError: The store cannot be written, or this is no event.

        Example:
            >>> with Store("memory:") as store:
            ...     store.send("rain", {"mm": 3}, id="today"), store.send("rain", {"mm": 3}, id="today")
            (True, False)
        """
        return self.inbox.send(type, {} if payload is None else payload, to=to, id=id)

    def close(self) -> None:
        """Close it; runs that were started in it are safe on disk, unless it is `memory:`."""
        self.database.close()
