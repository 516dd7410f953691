"""`loopwright draw`: the picture of a loop, or of a run with the path that it took."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from loopwright.cli.exits import OK, WrongUse
from loopwright.cli.options import AsJson, StoreUrl, complete_run, refuse_python
from loopwright.cli.output import can_write, print_json, write_bytes, write_out
from loopwright.graphs.draw.formats import FORMATS, Traced, format_of, picture, write_picture
from loopwright.graphs.draw.scene import scene_of
from loopwright.graphs.draw.text import text_of
from loopwright.graphs.draw.theme import ThemeName
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.opening import open_run
from loopwright.loop import load
from loopwright.state.records import Visit
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.values import JsonObject


def complete_format(incomplete: str) -> list[str]:
    """The formats of pictures, for the completion of a shell."""
    return [name for name in FORMATS if name.startswith(incomplete)]


def draw(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A loop, in YAML or JSON.", callback=refuse_python)
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="Write it there, in the format of its suffix.")
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"One of {', '.join(FORMATS)}; txt when left out.",
            autocompletion=complete_format,
            show_default=False,
        ),
    ] = "",
    run: Annotated[
        str, typer.Option("--run", metavar="RUN", help="Draw a run and its path.", autocompletion=complete_run)
    ] = "",
    theme: Annotated[
        ThemeName, typer.Option("--theme", metavar="THEME", help="The colours: light or dark; txt has none.")
    ] = "light",
    opened: Annotated[bool, typer.Option("--opened", help="Draw the bodies of forks inside them; not in mmd.")] = False,
    legend: Annotated[bool, typer.Option("--legend", help="Say in an svg or png what its shapes mean.")] = False,
    scale: Annotated[float, typer.Option("--scale", metavar="N", help="Pixels of a png for each of the svg.")] = 2.0,
    store: StoreUrl = DEFAULT_STORE,
    as_json: AsJson = False,
) -> int:
    """Draw a loop, or a run with the path that it took. Nothing is asked of any network.

    Without -o the picture goes to standard output, as text for a terminal or in another format.

      $ loopwright draw bridge.yaml
      $ loopwright draw bridge.yaml -o bridge.html
      $ loopwright draw bridge.yaml --theme dark -o bridge.png
      $ loopwright draw bridge.yaml --legend -o bridge.svg
      $ loopwright draw bridge.yaml --format mmd
      $ loopwright draw panel.yaml --opened
      $ loopwright draw --run 3f2a -o path.svg
    """
    plan, visits, at = _subject(file, run, store)
    look: Traced = {"visits": visits, "at": at, "theme": theme, "opened": opened, "legend": legend, "scale": scale}
    if out is not None:
        if format and format != format_of(out):
            raise WrongUse(f"{out} is written as its suffix says; leave out --format {format}")
        write_picture(plan, out, **look)
        _tell(as_json, f"wrote {out}\n", {"name": plan.name, "format": format_of(out), "file": str(out)})
        return OK
    made = picture(plan, format or "txt", **look)
    if isinstance(made, bytes):
        if as_json or sys.stdout.isatty():
            raise WrongUse(f"a {format} is no text: write it to a file, with -o NAME.{format}")
        write_bytes(made)
        return OK
    if not format and not as_json and not can_write(made):
        made = text_of(scene_of(plan, visits, at, opened=opened), ascii=True)
    _tell(as_json, made, {"name": plan.name, "format": format or "txt", "picture": made})
    return OK


def _tell(as_json: bool, text: str, document: JsonObject) -> None:
    if as_json:
        print_json(document)
    else:
        write_out(text)


def _subject(file: Path | None, run: str, store: str) -> tuple[Plan, tuple[Visit, ...], tuple[str, ...]]:
    """What is drawn: a plan, and the visits and the resting places of its run."""
    if (file is None) == (not run):
        raise WrongUse("give a FILE to draw a loop, or --run RUN to draw a run, and one of them only")
    if file is not None:
        return load(file).plan, (), ()
    opened = open_run(store, run)
    return opened.plan, opened.visits, opened.row.at
