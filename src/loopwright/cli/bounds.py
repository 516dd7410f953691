"""More of a bound, as a command is told it."""

import re
from collections.abc import Sequence

from loopwright.cli.exits import WrongUse

_MORE = re.compile(r"(?P<name>.*\S)\s+\+(?P<number>[0-9]{1,9})", re.DOTALL)


def parse_bounds(words: Sequence[str]) -> dict[str, int]:
    """The bounds of `--bound NAME +N`, and how much more of each.

    Raises:
        WrongUse: One is written otherwise, or stands twice.

    Example:
        >>> parse_bounds(["rounds +3"])
        {'rounds': 3}
    """
    found: dict[str, int] = {}
    for word in words:
        match = _MORE.fullmatch(word.strip())
        if match is None:
            raise WrongUse(f"--bound {word}: write it as --bound NAME +N, as in --bound rounds +3")
        if match["name"] in found:
            raise WrongUse(f"--bound {match['name']} stands twice; say once how many more")
        found[match["name"]] = int(match["number"])
    return found
