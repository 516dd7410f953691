"""`loopwright draw`: the picture of a loop or of a LangGraph graph, or of a run with the path that it took."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from loopwright.cli.exits import OK, WrongUse
from loopwright.cli.options import AsJson, StoreUrl, Subject, complete_run
from loopwright.cli.output import can_write, print_json, write_bytes, write_out
from loopwright.cli.subjects import subject_at
from loopwright.graphs.draw.formats import FORMATS, format_of, rendered, require_known, write_made
from loopwright.graphs.draw.scene import Scene, scene_of
from loopwright.graphs.draw.text import text_of
from loopwright.graphs.draw.theme import ThemeName
from loopwright.graphs.run.opening import open_run
from loopwright.graphs.stategraph.reading import Reading
from loopwright.graphs.stategraph.scene import scene_of_reading
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.values import JsonObject


def complete_format(incomplete: str) -> list[str]:
    """The formats of pictures, for the completion of a shell."""
    return [name for name in FORMATS if name.startswith(incomplete)]


def draw(
    subject: Subject = "",
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
    opened: Annotated[
        bool, typer.Option("--opened", help="Draw brains node by node, and bodies inside forks; mmd: brains only.")
    ] = False,
    legend: Annotated[bool, typer.Option("--legend", help="Say in an svg or png what its shapes mean.")] = False,
    scale: Annotated[float, typer.Option("--scale", metavar="N", help="Pixels of a png for each of the svg.")] = 2.0,
    store: StoreUrl = DEFAULT_STORE,
    as_json: AsJson = False,
) -> int:
    """Draw a loop, a LangGraph graph, or a run with the path that it took. Nothing is asked of any network.

    Without -o the picture goes to standard output, as text for a terminal or in another format.

    $ loopwright draw bridge.yaml
    $ loopwright draw bridge.yaml -o bridge.html
    $ loopwright draw bridge.yaml --theme dark -o bridge.png
    $ loopwright draw bridge.yaml --legend -o bridge.svg
    $ loopwright draw bridge.yaml --format mmd
    $ loopwright draw panel.yaml --opened
    $ loopwright draw --run 3f2a -o path.svg
    """
    if out is not None and format and format != format_of(out):
        raise WrongUse(f"{out} is written as its suffix says; leave out --format {format}")
    kind = format_of(out) if out is not None else format or "txt"
    require_known(kind, theme)
    scene = _scene(subject, run, store, opened=opened, bodies=kind != "mmd")
    made = rendered(scene, kind, theme=theme, legend=legend, scale=scale)
    if out is not None:
        write_made(out, made)
        _tell(as_json, f"wrote {out}\n", {"name": scene.name, "format": kind, "file": str(out)})
        return OK
    if isinstance(made, bytes):
        if as_json or sys.stdout.isatty():
            raise WrongUse(f"a {kind} is no text: write it to a file, with -o NAME.{kind}")
        write_bytes(made)
        return OK
    if not format and not as_json and not can_write(made):
        made = text_of(scene, ascii=True)
    _tell(as_json, made, {"name": scene.name, "format": kind, "picture": made})
    return OK


def _tell(as_json: bool, text: str, document: JsonObject) -> None:
    if as_json:
        print_json(document)
    else:
        write_out(text)


def _scene(subject: str, run: str, store: str, *, opened: bool, bodies: bool) -> Scene:
    """What is drawn: a loop, a LangGraph graph, or a run with its visits and its resting places."""
    if (not subject) == (not run):
        raise WrongUse("give a FILE to draw a loop, or --run RUN to draw a run, and one of them only")
    if subject:
        found = subject_at(subject)
        return (
            scene_of_reading(found, opened=opened and bodies)
            if isinstance(found, Reading)
            else scene_of(found.plan, opened=opened, bodies=bodies)
        )
    held = open_run(store, run)
    return scene_of(held.plan, held.visits, held.row.at, opened=opened, bodies=bodies)
