"""Help pages: a command's docstring as its text, and flags that ask for no value."""

import inspect
import re
from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup, TyperOption


def help_of(docstring: str | None) -> str:
    """A docstring as the text of a help page: its paragraphs are broken by the terminal, its examples are kept.

    Example:
        >>> print(help_of('''List the runs,
        ...     the newest first.
        ...
        ...       $ loopwright runs
        ...       $ loopwright runs --all
        ...     '''))
        List the runs, the newest first.
        <BLANKLINE>
        $ loopwright runs
        $ loopwright runs --all
    """
    paragraphs = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(
        inspect.cleandoc(text) if text.lstrip().startswith("$") else text.replace("\n", " ") for text in paragraphs
    )


class Command(TyperCommand):
    """A command whose help says no type of a flag, since a flag takes no value."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its parameters, `--help` among them."""
        return _untyped(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read its words."""
        return super().parse_args(ctx, joined(args))


class Commands(TyperGroup):
    """The same for all commands together."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its parameters, `--help` among them."""
        return _untyped(super().get_params(ctx))


_AMOUNT = r"\+?[0-9.]+(e-?[0-9]+)?"
"""What stands after the name of a bound or a budget; a small cost has an exponent."""


def joined(words: Sequence[str]) -> list[str]:
    """The words of a command line, the two that `--bound` and `--budget` take made one, as such an option takes one.

    Example:
        >>> joined(["3f2a", "--bound", "rounds", "+3", "--bound", "tries", "+1"])
        ['3f2a', '--bound', 'rounds +3', '--bound', 'tries +1']
        >>> joined(["--budget", "cost", "+4.1e-05"])
        ['--budget', 'cost +4.1e-05']
    """
    found: list[str] = []
    rest = list(words)
    while rest:
        found.append(rest.pop(0))
        if found[-1] in ("--bound", "--budget") and len(rest) > 1 and re.fullmatch(_AMOUNT, rest[1]):
            found.append(f"{rest.pop(0)} {rest.pop(0)}")
    return found


def _untyped(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if isinstance(parameter, TyperOption) and parameter.is_flag:
            parameter.metavar = ""
    return parameters
