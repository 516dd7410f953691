"""A comparison as its users hold it: numbers, rows for a data frame, a plot, files."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, overload

from loopwright.documents.files import write_file
from loopwright.errors import DrawError
from loopwright.graphs.compare.export import csv_of, json_of, rows_of
from loopwright.graphs.compare.page import page_of
from loopwright.graphs.compare.plot import plot_of
from loopwright.graphs.compare.results import Results
from loopwright.graphs.compare.standings import Pair, Standing
from loopwright.graphs.compare.table import text_of
from loopwright.graphs.draw.png import png_of
from loopwright.graphs.draw.theme import THEMES, Theme, ThemeName

WRITERS: Mapping[str, Callable[[Results, Theme], str]] = {
    "csv": lambda results, _: csv_of(results),
    "json": lambda results, _: json_of(results),
    "svg": plot_of,
    "html": page_of,
}
"""How results become text, by the name of the format, which is the suffix of its files."""

FORMATS = (*WRITERS, "png")


class Comparison:
    """What came of a comparison: it prints as its tables, and a notebook shows its plot. `compare` makes one.

    Args:
        results: All that came of it.
    """

    def __init__(self, results: Results) -> None:
        self.results = results

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A mapping for each run, as `pandas.DataFrame` takes them; the fields are those of the CSV."""
        return rows_of(self.results)

    @property
    def contenders(self) -> tuple[Standing, ...]:
        """What each contender came to: quality with its interval, calls, tokens, cost, time."""
        return self.results.contenders

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """What each two contenders show beside each other."""
        return self.results.pairs

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be known before the numbers are believed: runs without an answer, scores that failed."""
        return self.results.notes

    @property
    def complete(self) -> bool:
        """Whether every run has an answer, and every answer a score."""
        return self.results.complete

    @property
    def batch(self) -> str:
        """The id that its runs share in their store: `compare(..., batch=...)` goes on with them."""
        return self.results.batch

    @overload
    def draw(self, path: None = None, *, format: Literal["svg", "html"] = "svg", theme: ThemeName = "light") -> str: ...
    @overload
    def draw(
        self, path: None = None, *, format: Literal["png"], theme: ThemeName = "light", scale: float = 2.0
    ) -> bytes: ...
    @overload
    def draw(self, path: str | Path, *, theme: ThemeName = "light", scale: float = 2.0) -> str | bytes: ...
    def draw(
        self, path: str | Path | None = None, *, format: str = "svg", theme: ThemeName = "light", scale: float = 2.0
    ) -> str | bytes:
        """The plot: text, and bytes as `png`.

        Args:
            path: A file that it is written to as well, in the format of its suffix; `.csv` and `.json` are the data.
            format: `svg`, `html` or `png`, where there is no path.
            theme: Its colours: `light` or `dark`.
            scale: Pixels of a png for each of the svg.

        Returns:
            What was written, or would be.

        Raises:
            DrawError: There is no such format or theme, the extra `png` is missing, or the file cannot be written.
        """
        if path is None:
            return self._made(format, theme, scale)
        target = Path(path)
        made = self._made(format_of(target), theme, scale)
        try:
            write_file(target, made)
        except OSError as error:
            raise DrawError(f"{target}: cannot be written: {error.strerror or error}") from error
        return made

    def _made(self, format: str, theme: str, scale: float) -> str | bytes:
        if format not in FORMATS:
            raise DrawError(f"a comparison is not written as {format!r}; formats are {', '.join(FORMATS)}")
        if theme not in THEMES:
            raise DrawError(f"there is no theme {theme!r}; themes are {', '.join(THEMES)}")
        colours = THEMES["dark" if theme == "dark" else "light"]
        if format == "png":
            return png_of(plot_of(self.results, colours), scale)
        return WRITERS[format](self.results, colours)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": self.draw(), "text/plain": str(self)}

    def __str__(self) -> str:
        return text_of(self.results)

    def __repr__(self) -> str:
        scored = {
            each.name: round(each.quality.mean, 4) if each.quality else math.nan for each in self.results.contenders
        }
        return f"Comparison({self.batch!r}, problems={self.results.problems}, {scored})"


def format_of(target: Path) -> str:
    """The format of a file, by its suffix.

    Raises:
        DrawError: No format has this suffix.
    """
    suffix = target.suffix.lower()
    if suffix.removeprefix(".") not in FORMATS or not suffix:
        said = f"a comparison is not written as {suffix}" if suffix else "a file needs a suffix"
        raise DrawError(f"{target}: {said}; suffixes are {', '.join(f'.{name}' for name in FORMATS)}")
    return suffix.removeprefix(".")
