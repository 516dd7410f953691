"""Where a command's words go: people read a console, programs read one JSON document."""

import json
import os
import sys
from io import TextIOWrapper
from typing import Any

from rich.console import Console
from rich.text import Text

PIPE_WIDTH = 100
"""Columns of a line where no terminal says how wide it is."""


def console_on(*, stderr: bool) -> Console:
    """A console for people. It is plain where there is no terminal, and where NO_COLOR is set.

    Texts of models and of users are printed as they are: nothing in them is markup.
    """
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    return console


class Output:
    """What a command says.

    Args:
        as_json: Whether standard output gets one JSON document, and all talk goes to standard error.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.console = console_on(stderr=as_json)

    @property
    def interactive(self) -> bool:
        """Whether a person sits there who can be asked."""
        return not self.as_json and sys.stdin.isatty() and sys.stdout.isatty()

    def say(self, text: str = "", style: str = "") -> None:
        """A text for people, in whole: lines are not broken, so that they can be copied."""
        self.console.print(Text(text, style=style), soft_wrap=True)

    def document(self, data: Any) -> None:
        """The JSON document, if one was asked for."""
        if self.as_json:
            print_json(data)


def print_json(data: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")


def accept_any_text() -> None:
    """Let a terminal that cannot show a character show its number, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
