"""Rate limits of a model: calls wait for their turn, in the order in which they came."""

import math
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.turns import Turn

MINUTE = 60.0

_LIMITERS: dict[ModelRef, "Limiter"] = {}
_LIMITERS_LOCK = threading.Lock()


def limiter_of(ref: ModelRef) -> "Limiter":
    """The limiter that all runs of this process share which use an equal reference."""
    with _LIMITERS_LOCK:
        if ref not in _LIMITERS:
            _LIMITERS[ref] = Limiter(ref.requests_per_minute, ref.tokens_per_minute, ref.max_concurrency)
        return _LIMITERS[ref]


def _begin_anew() -> None:
    """In a process that was forked: calls that the other one makes would never be over here."""
    _LIMITERS.clear()
    _LIMITERS_LOCK.release()


if sys.platform != "win32":
    os.register_at_fork(
        before=_LIMITERS_LOCK.acquire, after_in_parent=_LIMITERS_LOCK.release, after_in_child=_begin_anew
    )


class Entry(Turn):
    """A call's place in a limiter's queue.

    Attributes:
        tokens: How many tokens the call may take; how many it took, when that is known.
        began: When it began.
    """

    def __init__(self, tokens: int) -> None:
        super().__init__()
        self.tokens, self.began = tokens, 0.0


@dataclass(frozen=True, slots=True)
class Pause:
    """What a call has to wait for.

    Args:
        woken: Done when it should look again.
        seconds: How long it waits at most before it looks again; None where it is not first.
        why: The limit that holds it up, in words; "" where others are before it.
    """

    woken: Future[None]
    seconds: float | None
    why: str = ""


class Limiter:
    """Keeps calls within limits: never more of them, nor of their tokens, within any minute, nor at the same time.

    A call of more tokens than a minute has room for is made when nothing else is.

    Args:
        requests: The most calls that begin within a minute.
        tokens: The most tokens within a minute.
        at_once: The most calls at the same time.
        clock: Tells the time in seconds.

    Example:
        >>> now = 0.0
        >>> limiter = Limiter(requests=1, clock=lambda: now)
        >>> first, second = limiter.enter(), limiter.enter()
        >>> limiter.pause(first) is None, limiter.pause(second).seconds
        (True, 60.0)
        >>> now = 60.0
        >>> limiter.pause(second) is None
        True
    """

    def __init__(
        self,
        requests: int | None = None,
        tokens: int | None = None,
        at_once: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._requests, self._tokens, self._at_once, self._clock = requests, tokens, at_once, clock
        self.counts_tokens = tokens is not None
        self._unlimited = requests is tokens is at_once is None
        self._lock = threading.Lock()
        self._queue: deque[Entry] = deque()
        self._recent: deque[Entry] = deque()
        self._running = 0
        self._not_before = -math.inf

    @property
    def is_open(self) -> bool:
        """Whether any call may begin at once, and nothing has to be counted."""
        return self._unlimited and self._not_before <= self._clock()

    def enter(self, tokens: int = 0) -> Entry:
        """Take a place in the queue.

        Args:
            tokens: How many tokens the call may take.
        """
        entry = Entry(tokens)
        with self._lock:
            self._queue.append(entry)
            self._go_on()
        return entry

    def pause(self, entry: Entry) -> Pause | None:
        """What a call has to wait for; None when it may begin."""
        if entry.granted:
            return None
        with self._lock:
            self._go_on()
            if entry.granted:
                return None
            if self._queue[0] is not entry:
                return Pause(entry.woken, None)
            seconds, why = self._delay(entry)
            return Pause(entry.woken, None if seconds == math.inf else seconds, why)

    def leave(self, entry: Entry, tokens: int | None = None) -> None:
        """Give a place back, after the call or instead of it.

        Args:
            entry: The place.
            tokens: What the call took; None where it was not made.
        """
        with self._lock:
            if not entry.granted:
                self._queue.remove(entry)
            else:
                self._running -= 1
                if tokens is None:
                    tokens = 0
                    if entry in self._recent:
                        self._recent.remove(entry)
                entry.tokens = tokens
            self._go_on()
            if self._queue:
                self._queue[0].wake()

    def hold_back(self, seconds: float) -> None:
        """Let no call begin for so many seconds: the server has asked for it."""
        with self._lock:
            self._not_before = max(self._not_before, self._clock() + seconds)

    def _go_on(self) -> None:
        """Let calls begin, the first first, as long as the limits allow it."""
        while self._queue and self._delay(self._queue[0])[0] <= 0:
            entry = self._queue.popleft()
            entry.began = self._clock()
            self._running += 1
            if not self._unlimited:
                self._recent.append(entry)
            entry.grant()
            if self._queue:
                self._queue[0].wake()  # it is the first now, and has to know how long it waits

    def _delay(self, entry: Entry) -> tuple[float, str]:
        """Seconds until the first call may begin, as far as time alone decides, and by which limit; else infinity."""
        now = self._clock()
        delays = [(self._not_before - now, "the server's Retry-After")]
        if not self._unlimited:
            while self._recent and self._recent[0].began + MINUTE <= now:
                self._recent.popleft()
            delays += [self._by_requests(now), self._by_tokens(entry, now)]
            if self._at_once is not None and self._running >= self._at_once:
                delays.append((math.inf, f"max_concurrency={self._at_once}"))
        return max(delays)

    def _by_requests(self, now: float) -> tuple[float, str]:
        if self._requests is None or len(self._recent) < self._requests:
            return -math.inf, ""
        return self._recent[-self._requests].began + MINUTE - now, f"requests_per_minute={self._requests}"

    def _by_tokens(self, entry: Entry, now: float) -> tuple[float, str]:
        if self._tokens is None:
            return -math.inf, ""
        room, until = self._tokens - entry.tokens, -math.inf
        taken = sum(each.tokens for each in self._recent)
        for each in self._recent:
            if taken <= max(room, 0):
                break
            taken -= each.tokens
            until = each.began + MINUTE - now
        return until, f"tokens_per_minute={self._tokens}"
