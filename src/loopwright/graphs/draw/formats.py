"""The door to all pictures: by the name of a format, or by the name of a file."""

import os
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from loopwright.errors import DrawError
from loopwright.graphs.draw.layout import layout
from loopwright.graphs.draw.legend import legend_of
from loopwright.graphs.draw.mermaid import mermaid_of
from loopwright.graphs.draw.page import page_of
from loopwright.graphs.draw.scene import Scene, scene_of
from loopwright.graphs.draw.svg import markup, svg_of
from loopwright.graphs.draw.text import text_of
from loopwright.graphs.draw.theme import THEMES, Theme, ThemeName
from loopwright.graphs.plan import Plan
from loopwright.state.records import Visit

RENDERERS: Mapping[str, Callable[[Scene, Theme], str]] = {
    "svg": svg_of,
    "mmd": mermaid_of,
    "txt": lambda scene, _: text_of(scene),
    "html": page_of,
}
"""How a scene becomes a picture, by the name of the format, which is the suffix of its files."""

FORMATS = tuple(RENDERERS)
"""The names of the formats."""


def picture(
    plan: Plan,
    format: str = "svg",
    *,
    visits: Sequence[Visit] = (),
    at: Collection[str] = (),
    theme: ThemeName = "light",
    opened: bool = False,
    legend: bool = False,
) -> str:
    """A plan in one of the formats. Nothing is asked of any network.

    Args:
        plan: The plan; a faulty one is drawn too, with what is missing marked.
        format: `svg`, `mmd` (Mermaid), `txt` (a list for terminals) or `html` (a page with a legend).
        visits: The visits of a run: their path is emphasised.
        at: The nodes that a run waits or stopped at.
        theme: `light` or `dark`; a text has no colours.
        opened: Whether the bodies of forks are drawn inside them; Mermaid shows them closed.
        legend: Whether an SVG tells what its shapes and lines mean; a page always does.

    Raises:
        DrawError: There is no such format or theme.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.nodes.think import Think
        >>> plan = one_node_plan(Think("greet", prompt="Hello"))
        >>> picture(plan, "txt").splitlines()[0]
        'greet'
    """
    require_known(format, theme)
    return rendered(scene_of(plan, visits, at, opened=opened and format != "mmd"), format, theme=theme, legend=legend)


def require_known(format: str, theme: str) -> None:
    """Refuse a format or a theme that there is not.

    Raises:
        DrawError: There is no such format or theme.
    """
    if format not in RENDERERS:
        raise DrawError(f"there is no picture format {format!r}; formats are {', '.join(FORMATS)}")
    if theme not in THEMES:
        raise DrawError(f"there is no theme {theme!r}; themes are {', '.join(THEMES)}")


def rendered(scene: Scene, format: str = "svg", *, theme: ThemeName = "light", legend: bool = False) -> str:
    """A scene in one of the formats; arguments as of `picture`."""
    require_known(format, theme)
    if legend and format == "svg":
        return markup(layout(scene), scene.name, THEMES[theme], [*legend_of(scene)])
    return RENDERERS[format](scene, THEMES[theme])


def write_picture(
    plan: Plan,
    path: str | os.PathLike[str],
    *,
    visits: Sequence[Visit] = (),
    at: Collection[str] = (),
    theme: ThemeName = "light",
    opened: bool = False,
    legend: bool = False,
) -> str:
    """Write a plan's picture to a file, in the format of its suffix; whoever reads the file never sees half of it.

    Args:
        plan: The plan.
        path: A file that ends in .svg, .mmd, .txt or .html; other arguments as of `picture`.

    Returns:
        The picture, as it stands in the file.

    Raises:
        DrawError: No format has this suffix, or the file cannot be written.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.nodes.think import Think
        >>> with TemporaryDirectory() as folder:
        ...     text = write_picture(one_node_plan(Think("greet", prompt="Hello")), f"{folder}/greet.mmd")
        >>> text.splitlines()[0]
        'flowchart TD'
    """
    target = Path(path)
    format = format_of(target)
    text = picture(plan, format, visits=visits, at=at, theme=theme, opened=opened, legend=legend)
    write_text(target, text)
    return text


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


def write_text(target: Path, text: str) -> None:
    """Write a picture; whoever reads the file never sees half of it.

    Raises:
        DrawError: The file cannot be written.
    """
    try:
        _replace(target, text)
    except OSError as error:
        raise DrawError(f"{target}: cannot be written: {error.strerror or error}") from error


def _replace(target: Path, text: str) -> None:
    """Write beside the file, then take its place."""
    beside = target.with_name(f".{target.name[:32]}.{secrets.token_hex(4)}.part")
    try:
        with beside.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
