"""`loopwright draw`: the picture of a loop or of a LangGraph graph, or of a run with the path that it took."""

from pathlib import Path
from typing import Annotated

import typer

from loopwright.cli.exits import OK, WrongUse
from loopwright.cli.options import AsJson, StoreUrl, complete_run
from loopwright.cli.output import print_json, write_out
from loopwright.cli.subjects import subject_at
from loopwright.graphs.draw.formats import FORMATS, format_of, rendered, require_known, write_text
from loopwright.graphs.draw.scene import Scene, scene_of
from loopwright.graphs.draw.theme import ThemeName
from loopwright.graphs.run.opening import open_run
from loopwright.graphs.stategraph.reading import Reading
from loopwright.graphs.stategraph.scene import scene_of_reading
from loopwright.state.store.database import DEFAULT_STORE


def complete_format(incomplete: str) -> list[str]:
    """The formats of pictures, for the completion of a shell."""
    return [name for name in FORMATS if name.startswith(incomplete)]


def draw(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="FILE|MODULE:NAME", help="A loop, or a LangGraph graph; as of check.", show_default=False
        ),
    ] = "",
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="Write it there: .svg, .mmd, .txt or .html.")
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            "--format", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}.", autocompletion=complete_format
        ),
    ] = "txt",
    run: Annotated[
        str, typer.Option("--run", metavar="RUN", help="Draw a run and its path.", autocompletion=complete_run)
    ] = "",
    theme: Annotated[
        ThemeName, typer.Option("--theme", metavar="THEME", help="The colours: light or dark; txt has none.")
    ] = "light",
    opened: Annotated[bool, typer.Option("--opened", help="Draw the bodies of forks inside them; not in mmd.")] = False,
    legend: Annotated[bool, typer.Option("--legend", help="Say in an svg what its shapes and lines mean.")] = False,
    store: StoreUrl = DEFAULT_STORE,
    as_json: AsJson = False,
) -> int:
    """Draw a loop, a LangGraph graph, or a run with the path that it took. Nothing is asked of any network.

    Without -o the picture goes to standard output, as text for a terminal or in another format.

      $ loopwright draw bridge.yaml
      $ loopwright draw bridge.yaml -o bridge.svg
      $ loopwright draw bridge.yaml --format mmd
      $ loopwright draw bridge.yaml --theme dark -o bridge.svg
      $ loopwright draw panel.yaml --opened
      $ loopwright draw bridge.yaml --legend -o bridge.svg
      $ loopwright draw app/agents.py:graph -o agent.svg
      $ loopwright draw --run 3f2a -o path.svg
    """
    kind = format if out is None else format_of(out)
    require_known(kind, theme)
    scene = _scene(subject, run, store, opened=opened and kind != "mmd")
    text = rendered(scene, kind, theme=theme, legend=legend)
    if out is not None:
        write_text(out, text)
    if as_json:
        held = {"picture": text} if out is None else {"file": str(out)}
        print_json({"name": scene.name, "format": kind, **held})
    else:
        write_out(text if out is None else f"wrote {out}\n")
    return OK


def _scene(subject: str, run: str, store: str, *, opened: bool) -> Scene:
    """What is drawn: a loop, a LangGraph graph, or a run with its visits and its resting places."""
    if (not subject) == (not run):
        raise WrongUse("give a FILE to draw a loop, or --run RUN to draw a run, and one of them only")
    if subject:
        found = subject_at(subject)
        return (
            scene_of_reading(found, opened=opened)
            if isinstance(found, Reading)
            else scene_of(found.plan, opened=opened)
        )
    held = open_run(store, run)
    return scene_of(held.plan, held.visits, held.row.at, opened=opened)
