"""Places: how what runs inside a fork is called from outside, as `rate[2]/rater`."""

import re
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


def item_name(named_by: str, index: int, item: Any) -> str:
    """What the branch of an item is called.

    Args:
        named_by: The key of the item whose value says it, or "".
        index: The item's index, which does so else.
        item: The item.

    Example:
        >>> item_name("", 2, "oak"), place("turns", item_name("id", 2, {"id": "ada"}))
        ('2', 'turns[id=ada]')
    """
    return f"{named_by}={item[named_by]}" if named_by else str(index)


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
