"""Group commit: what comes to be kept while something else is being kept is kept with the next, in one transaction."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(eq=False, slots=True)
class _Coming(Generic[Item]):
    """An item, and what became of it."""

    item: Item
    done: bool = False
    error: Exception | None = None


class Together(Generic[Item]):
    """Keeps items together: whoever comes first keeps all that have come by then, and the others find theirs kept.

    Args:
        lock: Held while items are kept; re-entrant.
        keep: Keeps some items, all or none of them.

    Example:
        >>> kept = []
        >>> together = Together(threading.RLock(), kept.append)
        >>> together.put("a")
        >>> kept
        [['a']]
    """

    def __init__(self, lock: threading.RLock, keep: Callable[[Sequence[Item]], None]) -> None:
        self._lock, self._keep = lock, keep
        self._coming: deque[_Coming[Item]] = deque()
        self._at_work: asyncio.Task[None] | None = None

    def put(self, item: Item) -> None:
        """Have an item kept; raises what `keep` raised of it."""
        mine = _Coming(item)
        self._coming.append(mine)
        self.keep_all()
        _require_kept(mine)

    async def aput(self, item: Item) -> None:
        """Have an item kept on a worker thread, which is one for all that wait."""
        mine = _Coming(item)
        self._coming.append(mine)
        while not mine.done:
            if self._at_work is None or self._at_work.done():
                self._at_work = asyncio.create_task(asyncio.to_thread(self.keep_all))
            await asyncio.shield(self._at_work)
        _require_kept(mine)

    def keep_all(self) -> None:
        """Keep what has come by now."""
        with self._lock:
            coming = [self._coming.popleft() for _ in range(len(self._coming))]
            if not coming:
                return
            try:
                self._keep([each.item for each in coming])
            except Exception as error:
                self._apart(coming, error)
            for each in coming:
                each.done = True

    def _apart(self, coming: Sequence[_Coming[Item]], error: Exception) -> None:
        """Keep each by itself, where not all can be: one that cannot be kept holds up no other."""
        if len(coming) == 1:
            coming[0].error = error
            return
        for each in coming:
            try:
                self._keep([each.item])
            except Exception as own:
                each.error = own


def _require_kept(mine: _Coming[Item]) -> None:
    if mine.error is not None:
        raise mine.error
