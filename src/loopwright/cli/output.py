"""Where a command's words go: people read a console, programs read one JSON document."""

import json
import os
import re
import sys
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from io import TextIOWrapper
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from loopwright.cli.exits import WrongUse
from loopwright.nodes.contract import Audience

PIPE_WIDTH = 100
"""Columns of a line where no terminal says how wide it is."""

_OBEYED = re.compile("[\x7f-\x9f]")
"""Control characters that a terminal may obey, and that JSON leaves as they are."""


class HonestConsole(Console):
    """A console that says when its reader has gone, rather than leave the process with an exit code of its own."""

    def on_broken_pipe(self) -> None:
        """Let the error out; `rich` calls this where it was caught."""
        raise BrokenPipeError("whoever read the output has gone")


def console_on(*, stderr: bool) -> Console:
    """A console for people. It is plain where there is no terminal, and where NO_COLOR is set.

    Texts of models and of users are printed as they are: nothing in them is markup.
    """
    console = HonestConsole(stderr=stderr, highlight=False, markup=False, emoji=False)
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

    @property
    def audience(self) -> Audience | None:
        """Who listens to a run: a terminal shows texts as they are said; where none is, nothing moves."""
        return "debug" if self.console.is_terminal else None

    def say(self, text: str = "", style: str = "") -> None:
        """A text for people, in whole: lines are not broken, so that they can be copied."""
        self.console.print(Text(text, style=style), soft_wrap=True)

    def apart(self) -> AbstractContextManager[object]:
        """While it lasts, what a run's functions print goes to standard error, if standard output gets a document."""
        return redirect_stdout(sys.stderr) if self.as_json else nullcontext()

    def document(self, data: Any) -> None:
        """The JSON document, if one was asked for."""
        if self.as_json:
            print_json(data)


def print_json(data: Any) -> None:
    """One JSON document on standard output.

    Raises:
        WrongUse: It holds a number that JSON has not.
        OSError: Standard output cannot be written.
    """
    try:
        text = json.dumps(data, ensure_ascii=not _takes_any_text(), indent=2, allow_nan=False)
    except ValueError as error:
        raise WrongUse(f"this cannot be told in JSON, which has no NaN and no Infinity ({error})") from error
    write_out(_OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def _takes_any_text() -> bool:
    return sys.stdout.encoding.lower().startswith("utf")


def write_out(text: str) -> None:
    """A text on standard output, at once: a disk that is full says so here, and not when the process ends.

    Raises:
        OSError: It cannot be written.
    """
    sys.stdout.write(text)
    sys.stdout.flush()


def write_bytes(data: bytes) -> None:
    """Bytes on standard output, at once.

    Raises:
        OSError: It cannot be written.
    """
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def can_write(text: str) -> bool:
    """Whether standard output has every character of a text."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def prepare_streams() -> None:
    """Let all streams be there, and let a terminal that cannot show a character show its number, rather than fail.

    A stream that was closed before this process began is replaced by one that is empty, so that no file which is opened
    later takes its place.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def drop_output(stream: TextIO | None = None) -> None:
    """Give up a stream that cannot be written: else Python flushes it at its end, and leaves with a code of its own.

    Args:
        stream: Standard output when left out.
    """
    given_up = stream or sys.stdout
    if isinstance(given_up, TextIOWrapper):
        os.dup2(os.open(os.devnull, os.O_WRONLY), given_up.fileno())
