"""The door to all pictures: by the name of a format, or by the name of a file."""

import os
import secrets
from collections.abc import Collection, Sequence
from pathlib import Path

from loopwright.errors import DrawError
from loopwright.graphs.draw.mermaid import to_mermaid
from loopwright.graphs.draw.page import to_html
from loopwright.graphs.draw.svg import to_svg
from loopwright.graphs.draw.text import to_text
from loopwright.graphs.draw.theme import ThemeName
from loopwright.graphs.plan import Plan
from loopwright.state.records import Visit

FORMATS = ("svg", "mmd", "txt", "html")
"""The formats, by the suffix of their files."""


def picture(
    plan: Plan,
    format: str = "svg",
    *,
    visits: Sequence[Visit] = (),
    at: Collection[str] = (),
    theme: ThemeName = "light",
    opened: bool = False,
) -> str:
    """A plan in one of the formats. Nothing is asked of any network.

    Args:
        plan: The plan; a faulty one is drawn too, with what is missing marked.
        format: `svg`, `mmd` (Mermaid), `txt` (a list for terminals) or `html` (a page with a legend).
        visits: The visits of a run: their path is emphasised.
        at: The nodes that a run waits or stopped at.
        theme: `light` or `dark`, for `svg` and `html`.
        opened: Whether the bodies of forks are drawn inside them, for `svg` and `html`.

    Raises:
        DrawError: There is no such format.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.nodes.think import Think
        >>> plan = one_node_plan(Think("greet", prompt="Hello"))
        >>> picture(plan, "txt").splitlines()[0]
        'greet'
    """
    match format:
        case "svg":
            return to_svg(plan, visits=visits, at=at, theme=theme, opened=opened)
        case "html":
            return to_html(plan, visits=visits, at=at, theme=theme, opened=opened)
        case "mmd":
            return to_mermaid(plan, visits=visits, at=at)
        case "txt":
            return to_text(plan, visits=visits, at=at)
        case unknown:
            raise DrawError(f"there is no picture format {unknown!r}; formats are {', '.join(FORMATS)}")


def write_picture(
    plan: Plan,
    path: str | os.PathLike[str],
    *,
    visits: Sequence[Visit] = (),
    at: Collection[str] = (),
    theme: ThemeName = "light",
    opened: bool = False,
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
    suffix = target.suffix.lower()
    known = {f".{name}": name for name in FORMATS}
    if suffix not in known:
        said = f"no picture can be written as {suffix}" if suffix else "a picture's file needs a suffix"
        raise DrawError(f"{target}: {said}; suffixes are {', '.join(known)}")
    text = picture(plan, known[suffix], visits=visits, at=at, theme=theme, opened=opened)
    try:
        _replace(target, text)
    except OSError as error:
        raise DrawError(f"{target}: cannot be written: {error.strerror or error}") from error
    return text


def _replace(target: Path, text: str) -> None:
    """Write beside the file, then take its place."""
    beside = target.with_name(f".{target.name[:32]}.{secrets.token_hex(4)}.part")
    try:
        with beside.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
