"""Budgets, as commands are told them: what a run may spend, and more of it."""

import math
import re
from collections.abc import Iterator, Sequence

from loopwright.cli.exits import WrongUse
from loopwright.hints import did_you_mean
from loopwright.nodes.budget import COUNTED, Budget, as_budget, is_whole

_MORE = re.compile(r"(?P<name>\S+)\s+\+(?P<amount>[0-9.]+(?:e-?[0-9]+)?)")


def complete_budget(incomplete: str) -> list[str]:
    """What a budget can limit, for the completion of a shell."""
    return [f"{name}=" for name in COUNTED if name.startswith(incomplete)]


def complete_more(incomplete: str) -> list[str]:
    """What a run can be given more of, for the completion of a shell."""
    return [name for name in COUNTED if name.startswith(incomplete)]


def parse_budget(words: Sequence[str]) -> Budget | None:
    """The budget of `--budget NAME=AMOUNT`; None where there is none.

    Raises:
        WrongUse: One is written otherwise, is not known, stands twice, or is no amount; all that is wrong is told.

    Example:
        >>> parse_budget(["calls=40", "cost=0.5"])
        Budget(calls=40, cost=0.5)
    """
    found: dict[str, float] = {}
    faults: list[str] = []
    for word in words:
        name, _, text = word.strip().partition("=")
        parts = re.split(r"[\s,;]+", word.strip())
        if parts[1:] and all("=" in part for part in parts):
            given = " ".join(f"--budget {part}" for part in parts)
            faults.append(f"--budget {word!r}: give it once for each, as in {given}")
        elif not text:
            faults.append(f"--budget {word}: write it as --budget NAME=AMOUNT, as in --budget calls=40")
        elif name not in COUNTED:
            faults.append(f"--budget {word}: there is no budget {name!r} ({did_you_mean(name, COUNTED)})")
        elif name in found:
            faults.append(f"--budget {name} stands twice; say once how much")
        else:
            faults += _amount(name, text, word, found)
    if not faults and found:
        try:
            return as_budget(found)
        except ValueError as error:
            faults.append(f"--budget: {error}")
    if faults:
        raise WrongUse("; ".join(faults))
    return None


def parse_more(words: Sequence[str]) -> dict[str, float]:
    """How much more of `--budget NAME +AMOUNT`, by name.

    Raises:
        WrongUse: One is written otherwise, or stands twice; all that is wrong is told.

    Example:
        >>> parse_more(["calls +20", "strong.cost +0.5"])
        {'calls': 20, 'strong.cost': 0.5}
    """
    found: dict[str, float] = {}
    faults: list[str] = []
    for word in words:
        match = _MORE.fullmatch(word.strip())
        if match is None:
            faults.append(f"--budget {word}: write it as --budget NAME +AMOUNT, as in --budget calls +20")
        elif match["name"] in found:
            faults.append(f"--budget {match['name']} stands twice; say once how much more")
        else:
            faults += _amount(match["name"], match["amount"], word, found)
    if faults:
        raise WrongUse("; ".join(faults))
    return found


def _amount(name: str, text: str, word: str, found: dict[str, float]) -> Iterator[str]:
    """Take an amount, and tell what is wrong with it."""
    whole = is_whole(name)
    try:
        amount = int(text) if whole else float(text)
    except ValueError:
        amount = math.nan
    if isinstance(amount, int) or math.isfinite(amount):
        found[name] = amount
    else:
        yield f"--budget {word}: {text!r} is no {'whole ' if whole else ''}number"
