"""`loopwright draw`: the picture of a loop, or of a run with the path that it took."""

from pathlib import Path
from typing import Annotated

import typer

from loopwright.cli.exits import OK, WrongUse
from loopwright.cli.options import AsJson, StoreUrl, complete_run, refuse_python
from loopwright.cli.output import print_json, write_out
from loopwright.graphs.draw.formats import FORMATS, picture, write_picture
from loopwright.graphs.draw.theme import ThemeName
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.opening import open_run
from loopwright.loop import load
from loopwright.state.records import Visit
from loopwright.state.store.database import DEFAULT_STORE


def complete_format(incomplete: str) -> list[str]:
    """The formats of pictures, for the completion of a shell."""
    return [name for name in FORMATS if name.startswith(incomplete)]


def draw(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A loop, in YAML or JSON.", callback=refuse_python)
    ] = None,
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
    """Draw a loop, or a run with the path that it took. Nothing is asked of any network.

    Without -o the picture goes to standard output, as text for a terminal or in another format.

      $ loopwright draw bridge.yaml
      $ loopwright draw bridge.yaml -o bridge.svg
      $ loopwright draw bridge.yaml --format mmd
      $ loopwright draw bridge.yaml --theme dark -o bridge.svg
      $ loopwright draw panel.yaml --opened
      $ loopwright draw bridge.yaml --legend -o bridge.svg
      $ loopwright draw --run 3f2a -o path.svg
    """
    plan, visits, at = _subject(file, run, store)
    if out is None:
        text = picture(plan, format, visits=visits, at=at, theme=theme, opened=opened, legend=legend)
    else:
        write_picture(plan, out, visits=visits, at=at, theme=theme, opened=opened, legend=legend)
        text, format = f"wrote {out}\n", out.suffix.removeprefix(".").lower()
    if as_json:
        held = {"picture": text} if out is None else {"file": str(out)}
        print_json({"name": plan.name, "format": format, **held})
    else:
        write_out(text)
    return OK


def _subject(file: Path | None, run: str, store: str) -> tuple[Plan, tuple[Visit, ...], tuple[str, ...]]:
    """What is drawn: a plan, and the visits and the resting places of its run."""
    if (file is None) == (not run):
        raise WrongUse("give a FILE to draw a loop, or --run RUN to draw a run, and one of them only")
    if file is not None:
        return load(file).plan, (), ()
    opened = open_run(store, run)
    return opened.plan, opened.visits, opened.row.at
