"""The command `loopwright`: its commands in one place, and errors as one clear message."""

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from loopwright.cli.check import check
from loopwright.cli.documents import error_document
from loopwright.cli.draw import draw
from loopwright.cli.exits import BUG, EXIT_CODES, INTERRUPTED, OK, WrongUse, code_of_error
from loopwright.cli.explain import explain
from loopwright.cli.output import accept_any_text, console_on, print_json
from loopwright.cli.phrases import harmless
from loopwright.cli.resume import resume
from loopwright.cli.run import run
from loopwright.cli.runs import runs
from loopwright.cli.schema import schema
from loopwright.cli.show import show
from loopwright.errors import LoopwrightError
from loopwright.version import __version__

DEBUG_VARIABLE = "LOOPWRIGHT_DEBUG"
COMMANDS: tuple[Callable[..., int], ...] = (check, draw, run, resume, runs, show, explain, schema)

app = typer.Typer(
    name="loopwright",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXIT_CODES,
)
for command in COMMANDS:
    app.command()(command)


def print_version(wanted: bool) -> None:
    """Print the version and leave, where it is asked for."""
    if wanted:
        sys.stdout.write(f"loopwright {__version__}\n")
        raise typer.Exit


@app.callback()
def loopwright(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=print_version, is_eager=True)
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of a fault in loopwright itself.", envvar=DEBUG_VARIABLE)
    ] = False,
) -> None:
    """Agent loops as explicit state graphs: checked, drawn, run, stopped and resumed.

    \b
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
    accept_any_text()
    try:
        return app(words, prog_name="loopwright", standalone_mode=False) or OK
    except typer.TyperException as error:
        return _refused(error, words)
    except LoopwrightError as error:
        _tell(error, words)
        return code_of_error(error)
    except (KeyboardInterrupt, typer.Abort):
        console_on(stderr=True).print("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone. Python would say so once more when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERRUPTED
    except Exception as error:
        return _failed(error, words)


def _refused(error: typer.TyperException, words: list[str]) -> int:
    """Words that are no command, or an option that does not fit. Help that stands for no words has been printed."""
    message = error.format_message()
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
    if "--json" in words:
        print_json(error_document(error))
        return
    console_on(stderr=True).print(f"error: {harmless(str(error))}", soft_wrap=True)
