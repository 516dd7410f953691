"""Group commit: what comes to be kept while something else is being kept is kept with the next, in one transaction."""

import asyncio
import sqlite3
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Protocol

MOST = 16
"""So many changes that are awaited are kept at once: those whose turn it was go on while the next are written."""


class Change(Protocol):
    """What is kept whole or not at all, in a transaction by itself or with others."""

    def write(self, connection: sqlite3.Connection) -> None:
        """Write it. It is written again, by itself, where it could not be kept with others."""

    def kept(self) -> None:
        """It is on disk now."""

    def undone(self) -> None:
        """What was written of it is not on disk."""


@dataclass(eq=False, slots=True)
class _Coming:
    """A change, and what became of it."""

    change: Change
    told: asyncio.Future[None] | None = None
    done: bool = False
    error: Exception | None = None


class Together:
    """Keeps changes together: whoever comes first keeps all that have come by then, and the others find theirs kept.

    Args:
        lock: Held while changes are kept; re-entrant.
        transaction: A transaction of the store.
        waits: Whether keeping something may take long, as where there is a disk; who awaits it then goes to a thread.
        most: So many changes are kept at once; all that have come when left out, and `MOST` of those that are awaited.
    """

    def __init__(
        self,
        lock: threading.RLock,
        transaction: Callable[[], AbstractContextManager[sqlite3.Connection]],
        *,
        waits: bool = True,
        most: int | None = None,
    ) -> None:
        self._lock, self._transaction, self._waits = lock, transaction, waits
        self._most = most
        self._coming: deque[_Coming] = deque()
        self._called = False

    def put(self, change: Change) -> None:
        """Have a change kept; raises what keeping it raised."""
        mine = _Coming(change)
        self._coming.append(mine)
        while not mine.done:
            self._keep_some(self._most)
        _require_kept(mine)

    async def aput(self, change: Change) -> None:
        """Have a change kept on a worker thread, which is one for all that come meanwhile."""
        if not self._waits:
            return self.put(change)
        loop = asyncio.get_running_loop()
        mine = _Coming(change, loop.create_future())
        self._coming.append(mine)
        if not self._called:
            self._called = True
            loop.call_soon(loop.run_in_executor, None, self.keep_all)  # so late that all come along who can go on now
        assert mine.told is not None
        await mine.told
        return _require_kept(mine)

    def keep_all(self) -> None:
        """Keep what has come by now."""
        self._called = True
        while self._called:
            self._called = False  # before the look: whoever comes after it calls anew
            self._called = self._keep_some(self._most or MOST)

    def _keep_some(self, most: int | None = None) -> bool:
        """Keep what has come, or the first so many of it; whether there is any."""
        with self._lock:
            coming = [
                self._coming.popleft()
                for _ in range(len(self._coming) if most is None else min(most, len(self._coming)))
            ]
            if not coming:
                return False
            try:
                self._keep_each(coming)
            except BaseException:  # whoever keeps is stopped; the others are not, and keep what is theirs themselves
                self._coming.extendleft(each for each in reversed(coming) if not each.done)
                raise
        _tell(coming)
        return True

    def _keep_each(self, coming: Sequence[_Coming]) -> None:
        """Keep all, or each by itself where not all can be: one that cannot be kept holds up no other."""
        try:
            self._keep([each.change for each in coming])
        except Exception as error:
            if len(coming) == 1:
                coming[0].error = error
            else:
                for each in coming:
                    self._keep_each([each])
        for each in coming:
            each.done = True

    def _keep(self, changes: Sequence[Change]) -> None:
        try:
            with self._transaction() as connection:
                for change in changes:
                    change.write(connection)
        except BaseException:
            for change in changes:
                change.undone()
            raise
        for change in changes:
            change.kept()


def _tell(coming: Iterable[_Coming]) -> None:
    """Wake those who await it, each event loop once."""
    waiting: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = defaultdict(list)
    for each in coming:
        if each.told is not None:
            waiting[each.told.get_loop()].append(each.told)
    for loop, told in waiting.items():
        with suppress(RuntimeError):  # that loop has ended, and with it who waited
            loop.call_soon_threadsafe(_wake, told)


def _wake(told: Iterable[asyncio.Future[None]]) -> None:
    for each in told:
        if not each.done():
            each.set_result(None)


def _require_kept(mine: _Coming) -> None:
    if mine.error is not None:
        raise mine.error
