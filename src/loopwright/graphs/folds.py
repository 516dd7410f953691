"""Folds: nodes of a plan that closed pictures show as one box."""

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
