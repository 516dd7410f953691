"""What is damaged in a store, or was tampered with, in words."""

from collections.abc import Iterator
from contextlib import contextmanager

from loopwright.errors import DamagedRun

DAMAGE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What reading raises where a column holds what was never written there."""


@contextmanager
def readable(url: str, what: str) -> Iterator[None]:
    """Tell in words what cannot be read.

    Args:
        url: The store's URL.
        what: What is read.

    Raises:
        DamagedRun: It cannot be read.

    Example:
        >>> import json
        >>> with readable("sqlite:runs.db", "the result of run 3f2a"):
        ...     json.loads("{")
        Traceback (most recent call last):
        loopwright.errors.DamagedRun: store sqlite:runs.db: the result of run 3f2a cannot be read: Expecting property \
name enclosed in double quotes: line 1 column 2 (char 1)
    """
    try:
        yield
    except DAMAGE as error:
        raise DamagedRun(f"store {url}: {what} cannot be read: {str(error).partition(chr(10))[0]}") from error
