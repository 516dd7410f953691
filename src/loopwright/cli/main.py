"""The command `loopwright`: its commands in one place, and errors as one clear message."""

import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Annotated

import typer

from loopwright.cli.annotations import annotations_of_error
from loopwright.cli.check import check
from loopwright.cli.compare import compare
from loopwright.cli.convert import convert
from loopwright.cli.documents import error_document
from loopwright.cli.draw import draw
from loopwright.cli.exits import (
    BUG,
    EXIT_CODES,
    INTERRUPTED,
    NOT_WRITTEN,
    OK,
    READER_GONE,
    WRONG_USE,
    Stopped,
    WrongUse,
    code_of_error,
)
from loopwright.cli.explain import explain
from loopwright.cli.fork import fork
from loopwright.cli.help import Command, Commands, help_of
from loopwright.cli.history import history
from loopwright.cli.migrate import migrate
from loopwright.cli.output import console_on, drop_output, prepare_streams, print_json, write_out
from loopwright.cli.phrases import harmless, is_text
from loopwright.cli.prune import prune
from loopwright.cli.resume import resume
from loopwright.cli.run import run
from loopwright.cli.runs import runs
from loopwright.cli.schema import schema
from loopwright.cli.send import send
from loopwright.cli.serve import serve
from loopwright.cli.show import show
from loopwright.errors import LoopwrightError
from loopwright.state.store.exposure import ExposedStore
from loopwright.version import __version__

DEBUG_VARIABLE = "LOOPWRIGHT_DEBUG"
COMMANDS: tuple[Callable[..., int], ...] = (
    *(check, draw, run, compare, resume, send, serve, runs, show, history, fork, migrate, prune),
    *(convert, explain, schema),
)

app = typer.Typer(
    name="loopwright",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXIT_CODES,
)
for command in COMMANDS:
    app.command(cls=Command, help=help_of(command.__doc__))(command)


def print_version(wanted: bool) -> None:
    """Print the version and leave, where it is asked for."""
    if wanted:
        write_out(f"loopwright {__version__}\n")
        raise typer.Exit


@app.callback(cls=Commands)
def loopwright(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=print_version, is_eager=True)
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of a fault in loopwright itself.", envvar=DEBUG_VARIABLE)
    ] = False,
) -> None:
    """Agent loops as explicit state graphs: checked, drawn, run, stopped and resumed.

    $ loopwright check bridge.yaml
    $ loopwright run bridge.yaml --script bridge.script.yaml
    $ loopwright resume 3f2a "use metric units"
    """
    del version
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: The words after `loopwright`; those of this process when left out.

    Returns:
        The exit code; `exits` says what each means.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    prepare_streams()
    try:
        code = _code_of(words)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
        return READER_GONE
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # typer has seen it first, and leaves the process so
            return READER_GONE
        raise
    except OSError as error:
        drop_output()
        _tell_if_possible(LoopwrightError(f"the output cannot be written: {error}"))
        return NOT_WRITTEN
    return code


def _code_of(words: list[str]) -> int:
    try:
        _require_text(words)
        with warnings.catch_warnings():
            warnings.simplefilter("always", ExposedStore)
            warnings.showwarning = _say_warning
            return app(words, prog_name="loopwright", standalone_mode=False) or OK
    except typer.TyperException as error:
        return _refused(error, words)
    except Stopped as error:
        if not isinstance(error.__cause__, OSError):
            _tell(error, words)
            return INTERRUPTED
        drop_output()
        _tell_if_possible(error)
        return INTERRUPTED
    except LoopwrightError as error:
        _tell(error, words)
        return code_of_error(error)
    except (KeyboardInterrupt, typer.Abort):
        _say_on_stderr("interrupted")
        return INTERRUPTED
    except Exception as error:
        if isinstance(error, FileNotFoundError) and error.filename is None:  # no writing says so
            _tell(WrongUse("the current folder was deleted; go to another one"), words)
            return WRONG_USE
        if isinstance(error, OSError) and error.filename is None:
            raise
        return _failed(error, words)


def _say_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,
    line: object = None,
) -> None:
    """A warning of ours as a note, and others as Python has them."""
    del file, line
    ours = category is ExposedStore
    _say_on_stderr(f"note: {message}" if ours else warnings.formatwarning(message, category, filename, lineno).rstrip())


def _require_text(words: list[str]) -> None:
    """Refuse words that cannot be kept in a store or told in JSON.

    Raises:
        WrongUse: A word is not UTF-8; all of them are told.
    """
    wrong = [os.fsencode(word).decode(errors="backslashreplace") for word in words if not is_text(word)]
    if wrong:
        raise WrongUse(f"these arguments are no text in UTF-8, and nothing was done: {', '.join(wrong)}")


def _refused(error: typer.TyperException, words: list[str]) -> int:
    """Words that are no command, or an option that does not fit. Help that stands for no words has been printed."""
    message = error.format_message().replace("Value error, ", "")  # pydantic's own words before those of a type
    if message:
        names = [name for name in words[:1] if name in {command.__name__ for command in COMMANDS}]
        _tell(WrongUse(f"{message}\nSee: {' '.join(['loopwright', *names, '--help'])}"), words)
    return error.exit_code


def _failed(error: Exception, words: list[str]) -> int:
    """A fault of our own."""
    if os.environ.get(DEBUG_VARIABLE, "0") not in ("", "0"):
        traceback.print_exception(error)
    hint = "please report it, with what `loopwright --debug ...` shows"
    _tell(LoopwrightError(f"a fault in loopwright itself ({type(error).__name__}: {error}); {hint}"), words)
    return BUG


def _tell(error: LoopwrightError, words: list[str]) -> None:
    """One clear message: for people on standard error, for programs as a document."""
    match _format_of(words):
        case "json":
            print_json(error_document(error))
            return
        case "github":
            write_out("".join(f"{line}\n" for line in annotations_of_error(error)))
    _say_on_stderr(f"error: {harmless(str(error))}")


def _format_of(words: list[str]) -> str:
    """The format in which programs wish to be told, or ""."""
    if "--json" in words:
        return "json"
    options = [word.removeprefix("--format=") for word in words if word.startswith("--format=")]
    options += [value for name, value in pairwise(words) if name == "--format"]
    return options[-1] if options else ""


def _tell_if_possible(error: LoopwrightError) -> None:
    """Tell people, where standard error can still be written."""
    try:
        _tell(error, [])
        sys.stderr.flush()
    except OSError:
        drop_output(sys.stderr)


def _say_on_stderr(text: str) -> None:
    console_on(stderr=True).print(text, soft_wrap=True)
