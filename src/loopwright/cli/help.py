"""Help pages: a command's docstring as its text, and flags that ask for no value."""

import inspect
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
    return "\n\n".join(text if text.lstrip().startswith("$") else text.replace("\n", " ") for text in paragraphs)


class Command(TyperCommand):
    """A command whose help says no type of a flag, since a flag takes no value."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its parameters, `--help` among them."""
        return _untyped(super().get_params(ctx))


class Commands(TyperGroup):
    """The same for all commands together."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its parameters, `--help` among them."""
        return _untyped(super().get_params(ctx))


def _untyped(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if isinstance(parameter, TyperOption) and parameter.is_flag:
            parameter.metavar = ""
    return parameters
