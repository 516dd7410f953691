"""Places: how what runs inside a fork is called from outside, as `rate[2]/rater`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_BRANCH = re.compile(r"\[(\d+|\w+=[^\]]*)\]")


def place(fork: str, branch: str | int) -> str:
    """A branch of a fork, or its body where that has no name of its own.

    Args:
        fork: The fork's name, or its own place where it is inside another one.
        branch: The item's index or its name, the body's name, or "" for the only body.

    Example:
        >>> place("rate", 2), place("reviews", "style"), place("rate", "")
        ('rate[2]', 'reviews[style]', 'rate')
    """
    return fork if branch == "" else f"{fork}[{branch}]"


def item_names(named_by: str, items: Sequence[Any]) -> list[str]:
    """What the branches of items are called.

    Args:
        named_by: The key of each item whose value says it; "" for their index.
        items: The items.

    Raises:
        ValueError: An item has no such key, or its value is no name: a text without `/` and `]` that no other one has.

    Example:
        >>> item_names("", ["oak", "elm"]), place("turns", item_names("id", [{"id": "ada"}])[0])
        (['0', '1'], 'turns[id=ada]')
    """
    if not named_by:
        return [str(index) for index in range(len(items))]
    found: list[str] = []
    for item in items:
        value = item.get(named_by) if isinstance(item, Mapping) else None
        name = f"{named_by}={value}"
        if not isinstance(value, str) or "/" in value or "]" in value or name in found:
            raise ValueError(f"its items are called by {named_by!r}, and {value!r:.100} is no name of one alone")
        found.append(name)
    return found


def within(name: str, fork: str) -> tuple[str, str] | None:
    """The branch and the name inside it of what runs in a fork; None for what does not.

    Example:
        >>> within("rate[2]/rater", "rate"), within("rate[2]/pairs[0]/judge", "rate"), within("rate", "rate")
        (('2', 'rater'), ('2', 'pairs[0]/judge'), None)
    """
    branch, closed, inner = name.removeprefix(f"{fork}[").partition("]/")
    return (branch, inner) if closed and name.startswith(f"{fork}[") else None


def body(name: str) -> str:
    """A name in any item's branch, as the body has it.

    Example:
        >>> body("rate[2]/rater"), body("turns[id=ada]/look"), body("reviews[style]/writer")
        ('rate/rater', 'turns/look', 'reviews[style]/writer')
    """
    return _BRANCH.sub("", name)


def last(name: str) -> str:
    """The name without what it stands in.

    Example:
        >>> last("rate[2]/rater"), last("rater")
        ('rater', 'rater')
    """
    return name.rpartition("/")[2]
