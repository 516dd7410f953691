"""How often a picture is drawn: when something is new, and never more often than can be looked at."""

import threading
import time
from collections.abc import Callable
from typing import Protocol

LEAST_WAIT = 0.2
"""Seconds from one picture to the next at least, so that there are at most five in a second."""

SHARE = 4
"""The wait is this many times as long as the last picture took, too: drawing takes a fifth of the time at most."""


class Timer(Protocol):
    """A call that is still to be made."""

    def cancel(self) -> None:
        """Do not make it."""


Later = Callable[[float, Callable[[], None]], Timer]
"""Calls a function after so many seconds."""


class Pace:
    """Draws when something is new, but never more often than can be looked at; what came last is always drawn.

    Args:
        draw: Draws what is so now.
        later: Calls a function after so many seconds.
        clock: Tells the seconds.
    """

    def __init__(self, draw: Callable[[], None], later: Later, clock: Callable[[], float] = time.monotonic) -> None:
        self._draw, self._later, self._clock = draw, later, clock
        self._lock = threading.RLock()
        self._next, self._over = clock(), False
        self._timer: Timer | None = None

    def note(self, change: Callable[[], None]) -> None:
        """Make a change, and have it drawn in time."""
        with self._lock:
            change()
            if self._timer is not None or self._over:
                return
            wait = self._next - self._clock()
            if wait > 0:
                self._timer = self._later(wait, self._due)
            else:
                self._now()

    def finish(self) -> None:
        """Draw for the last time."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._over = True
            self._draw()

    def _due(self) -> None:
        with self._lock:
            self._timer = None
            if not self._over:
                self._now()

    def _now(self) -> None:
        begun = self._clock()
        self._draw()
        ended = self._clock()
        self._next = ended + max(LEAST_WAIT, SHARE * (ended - begun))
