"""Hints: what could have been meant by a name that is not known. This file imports nothing of the package."""

from collections.abc import Iterable
from difflib import get_close_matches

LISTED = 16
"""As many names as a hint lists."""


def did_you_mean(word: str, known: Iterable[str], *, rather: Iterable[str] = ()) -> str:
    """A hint for a word that is not known: the nearest one, and what exists.

    Args:
        word: The word.
        known: What exists.
        rather: Those of them that are meant rather than the others, when they are near.

    Example:
        >>> did_you_mean("sover", ["solver", "boss"])
        "did you mean 'solver'? there are: boss, solver"
    """
    existing = sorted(known)
    if not existing:
        return "there are none"
    near = get_close_matches(word, tuple(rather), n=1) or get_close_matches(word, existing, n=1)
    more = f" and {len(existing) - LISTED} more" if len(existing) > LISTED else ""
    listed = f"there are: {', '.join(existing[:LISTED])}{more}" if len(existing) > 1 else f"there is only {existing[0]}"
    return f"did you mean {near[0]!r}? {listed}" if near else listed
