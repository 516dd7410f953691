"""The door to all pictures: by the name of a format, or by the name of a file."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, overload

from typing_extensions import Unpack

from loopwright.documents.files import write_file
from loopwright.errors import DrawError
from loopwright.graphs.draw.dot import dot_of
from loopwright.graphs.draw.layout import layout
from loopwright.graphs.draw.legend import legend_of
from loopwright.graphs.draw.mermaid import mermaid_of
from loopwright.graphs.draw.page import page_of
from loopwright.graphs.draw.png import png_of
from loopwright.graphs.draw.scene import Scene, scene_of
from loopwright.graphs.draw.svg import markup, svg_of
from loopwright.graphs.draw.text import text_of
from loopwright.graphs.draw.theme import THEMES, Theme, ThemeName
from loopwright.graphs.plan import Plan
from loopwright.state.records import Visit

TextFormat = Literal["svg", "mmd", "txt", "html", "dot"]
"""The formats that are text; `png` is bytes."""

RENDERERS: Mapping[str, Callable[[Scene, Theme], str]] = {
    "svg": svg_of,
    "mmd": mermaid_of,
    "txt": lambda scene, _: text_of(scene),
    "html": page_of,
    "dot": dot_of,
}
"""How a scene becomes text, by the name of the format, which is the suffix of its files."""

FORMATS = (*RENDERERS, "png")
"""The names of the formats."""


class _Shown:
    """What a notebook shows as a picture where it is the value of a cell, and never as its text."""

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        del cycle
        printer.text("<picture>")


class _Svg(_Shown, str):
    def _repr_svg_(self) -> str:
        return str(self)


class _Png(_Shown, bytes):
    def _repr_png_(self) -> bytes:
        return bytes(self)


class Look(TypedDict, total=False):
    """What a picture may be told besides what is drawn; see `picture`."""

    theme: ThemeName
    opened: bool
    legend: bool
    scale: float


class Traced(Look, total=False):
    """And what a run did."""

    visits: Sequence[Visit]
    at: Collection[str]


@overload
def picture(plan: Plan, format: TextFormat = "svg", **look: Unpack[Traced]) -> str: ...
@overload
def picture(plan: Plan, format: Literal["png"], **look: Unpack[Traced]) -> bytes: ...
@overload
def picture(plan: Plan, format: str, **look: Unpack[Traced]) -> str | bytes: ...


def picture(
    plan: Plan,
    format: str = "svg",
    *,
    visits: Sequence[Visit] = (),
    at: Collection[str] = (),
    theme: ThemeName = "light",
    opened: bool = False,
    legend: bool = False,
    scale: float = 2.0,
) -> str | bytes:
    """A plan in one of the formats. Nothing is asked of any network.

    Args:
        plan: The plan; a faulty one is drawn too, with what is missing marked.
        format: `svg`, `html` (a page with a legend, to walk through), `png`, `mmd` (Mermaid), `dot` (Graphviz) or `txt`
            (for terminals).
        visits: The visits of a run: their path is emphasised.
        at: The nodes that a run waits or stopped at.
        theme: `light` or `dark`; a text has no colours.
        opened: Whether brains are drawn node by node, and the bodies of forks inside them; Mermaid shows forks closed.
        legend: Whether an SVG or PNG tells what its shapes and lines mean; a page always does.
        scale: Pixels of a PNG for each of the SVG.

    Returns:
        Text; bytes for `png`. A notebook shows an SVG and a PNG as a picture.

    Raises:
        DrawError: There is no such format or theme, or the PNG cannot be made.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.nodes.think import Think
        >>> plan = one_node_plan(Think("greet", prompt="Hello"))
        >>> picture(plan, "txt").splitlines()[0]
        'greet'
    """
    require_known(format, theme)
    scene = scene_of(plan, visits, at, opened=opened, bodies=format != "mmd")
    return rendered(scene, format, theme=theme, legend=legend, scale=scale)


def require_known(format: str, theme: str) -> None:
    """Refuse a format or a theme that there is not.

    Raises:
        DrawError: There is no such format or theme.
    """
    if format not in FORMATS:
        raise DrawError(f"there is no picture format {format!r}; formats are {', '.join(FORMATS)}")
    if theme not in THEMES:
        raise DrawError(f"there is no theme {theme!r}; themes are {', '.join(THEMES)}")


def rendered(
    scene: Scene, format: str = "svg", *, theme: ThemeName = "light", legend: bool = False, scale: float = 2.0
) -> str | bytes:
    """A scene in one of the formats; arguments as of `picture`."""
    require_known(format, theme)
    if format not in ("svg", "png"):
        return RENDERERS[format](scene, THEMES[theme])
    svg = markup(layout(scene), scene.name, THEMES[theme], [*legend_of(scene)] if legend else ())
    return _Svg(svg) if format == "svg" else _Png(png_of(svg, scale))


def write_picture(plan: Plan, path: str | os.PathLike[str], **look: Unpack[Traced]) -> str | bytes:
    """Write a plan's picture to a file, in the format of its suffix; whoever reads the file never sees half of it.

    Args:
        plan: The plan.
        path: A file that ends in .svg, .html, .png, .mmd, .dot or .txt.
        **look: As of `picture`.

    Returns:
        The picture, as it stands in the file.

    Raises:
        DrawError: No format has this suffix, or the file cannot be written.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.nodes.think import Think
        >>> with TemporaryDirectory() as folder:
        ...     write_picture(one_node_plan(Think("greet", prompt="Hello")), f"{folder}/greet.mmd")[:12]
        'flowchart TD'
    """
    target = Path(path)
    made = picture(plan, format_of(target), **look)
    write_made(target, made)
    return made


def format_of(target: Path) -> str:
    """The format of a file, by its suffix.

    Raises:
        DrawError: No format has this suffix.
    """
    suffix = target.suffix.lower()
    known = {f".{name}": name for name in FORMATS}
    if suffix not in known:
        said = f"no picture can be written as {suffix}" if suffix else "a picture's file needs a suffix"
        raise DrawError(f"{target}: {said}; suffixes are {', '.join(known)}")
    return known[suffix]


def write_made(target: Path, made: str | bytes) -> None:
    """Write a picture; whoever reads the file never sees half of it.

    Raises:
        DrawError: The file cannot be written.
    """
    try:
        write_file(target, made)
    except OSError as error:
        raise DrawError(f"{target}: cannot be written: {error.strerror or error}") from error
