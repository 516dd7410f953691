"""Folds: nodes of a plan that closed pictures show as one box."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fold:
    """Some nodes that are one thing to whoever looks from outside, as those of a brain.

    Args:
        words: What they are together, as `multi_eval n=5`.
        start: The node that they are entered by; its visits are those of the box.
    """

    words: str
    start: str


def fold_around(name: str, folds: Iterable[str]) -> str | None:
    """The outermost fold that a node or a place is in, by its name; None where there is none.

    Example:
        >>> fold_around("think/rate[1]/judge", ["think"]), fold_around("thinker", ["think"]), fold_around("any", [""])
        ('think', None, '')
    """
    found = [fold for fold in folds if not fold or name == fold or name.startswith((f"{fold}/", f"{fold}["))]
    return min(found, key=len, default=None)
