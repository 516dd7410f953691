"""The plot of a comparison: quality with its interval, beside what it took; below, the differences of each pair.

It is SVG in the manner of the pictures of loops: text as text, no styles, no references, light or dark.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from loopwright.graphs.compare.intervals import Interval
from loopwright.graphs.compare.results import Results
from loopwright.graphs.compare.standings import Pair, Standing
from loopwright.graphs.compare.table import cost_words, number_words
from loopwright.graphs.draw.lettering import NAME_SIZE, SMALL_SIZE, shorten, text_width, visible
from loopwright.graphs.draw.svg import FONT
from loopwright.graphs.draw.theme import Theme

MARGIN, GAP, ROW, HEAD = 18.0, 26.0, 34.0, 36.0
AXIS, BAR, BESIDE = 280.0, 84.0, 6.0
MOST_PAIRS = 15
"""Pairs that are drawn; the table has all."""

MOST_NAME = 28
SMALLEST = 1e-6
"""The least that an axis is long; a plot shows no smaller differences."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A line of numbers on the plot: where it begins, and which values its ends stand for."""

    left: float
    low: float
    high: float
    step: float

    def at(self, value: float) -> float:
        """Where a value lies; one beyond the ends lies at the end."""
        inside = min(max(value, self.low), self.high)
        return self.left + AXIS * (inside - self.low) / (self.high - self.low)

    @property
    def ticks(self) -> list[float]:
        """The values that are written."""
        count = round((self.high - self.low) / self.step)
        return [round(self.low + self.step * place, 9) for place in range(count + 1)]


def axis_for(values: Sequence[float], left: float) -> Axis:
    """An axis that has all values, and whose ticks are round numbers.

    Example:
        >>> axis_for([0.31, 0.72], 0.0).ticks
        [0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    """
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    room = max((high - low) or abs(high) or 1.0, SMALLEST)
    size = 10 ** math.floor(math.log10(room / 5))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor * 5.5 >= room)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    digits = max(0, 1 - math.floor(math.log10(step)))
    return Axis(left, round(first * step, digits), round(last * step, digits), step)


def plot_of(results: Results, theme: Theme) -> str:
    """The plot.

    Args:
        results: What is drawn.
        theme: Its colours.
    """
    pairs = results.pairs[:MOST_PAIRS]
    names = [standing.name for standing in results.contenders]
    labels = [*names, *(_pair_name(pair) for pair in pairs)]
    left = MARGIN + max((text_width(_shown(name)) for name in labels), default=0.0) + GAP / 2
    plot = _Plot(theme, left)
    parts = [*plot.standings(results.contenders), *(plot.pairs(pairs, more=len(results.pairs) - len(pairs)))]
    width, height = _number(plot.right + MARGIN), _number(plot.bottom + MARGIN)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="{FONT}">',
            f"<title>{escape(visible(', '.join(names)))}</title>",
            f'<rect width="{width}" height="{height}" fill="{theme.background}"/>',
            *parts,
            "</svg>\n",
        ]
    )


class _Plot:
    """Draws from top to bottom, and knows how far it has come."""

    def __init__(self, theme: Theme, left: float) -> None:
        self._theme, self._left = theme, left
        self.bottom, self.right = MARGIN, left + AXIS

    def standings(self, standings: Sequence[Standing]) -> Iterator[str]:
        """Each contender on a row: its quality, and what it took."""
        ends = [end for each in standings if (found := each.quality) for end in (found.mean, found.low, found.high)]
        axis = axis_for(ends, self._left)
        top = self.bottom
        yield from self._grid(axis, "quality, with the 95 % interval", len(standings))
        for place, standing in enumerate(standings):
            middle = top + HEAD + ROW * (place + 0.5)
            yield self._text(_shown(standing.name), self._left - GAP / 2, middle, NAME_SIZE, anchor="end")
            if standing.quality:
                yield from self._dot(axis, standing.quality, middle, self._theme.shapes["think"][1])
        x = self._left + AXIS + GAP
        for title, values, words in _measures(standings):
            yield from self._bars(x, top, title, values, words)
            x += max(text_width(title, SMALL_SIZE), *map(_length, values, words, [max(values)] * len(words))) + GAP
        self.right = max(self.right, x - GAP)

    def pairs(self, pairs: Sequence[Pair], *, more: int) -> Iterator[str]:
        """Each pair on a row: its difference, and what that shows."""
        if not pairs:
            return
        self.bottom += GAP
        ends = [end for each in pairs if (found := each.difference) for end in (found.mean, found.low, found.high)]
        axis = axis_for([0.0, *ends], self._left)
        top = self.bottom
        title = "difference of the two" if len(pairs) == 1 else "difference of each pair, all intervals together 95 %"
        yield from self._grid(axis, title, len(pairs))
        zero = _number(axis.at(0))
        yield (
            f'<path d="M{zero},{_number(top + HEAD)} V{_number(self.bottom - ROW * 0.7)}" '
            f'stroke="{self._theme.text}" stroke-width="1.2"/>'
        )
        for place, pair in enumerate(pairs):
            middle = top + HEAD + ROW * (place + 0.5)
            colour = self._theme.taken if pair.better else self._theme.line
            yield self._text(_shown(_pair_name(pair)), self._left - GAP / 2, middle, NAME_SIZE, anchor="end")
            if pair.difference:
                yield from self._dot(axis, pair.difference, middle, colour)
            words = shorten(visible(pair.verdict), 48)
            x = self._left + AXIS + GAP
            yield self._text(words, x, middle, NAME_SIZE, colour=colour if pair.better else self._theme.muted)
            self.right = max(self.right, x + text_width(words))
        if more:
            yield self._text(f"and {more:,} more pairs", self._left, self.bottom + ROW / 3, SMALL_SIZE)
            self.bottom += ROW

    def _grid(self, axis: Axis, title: str, rows: int) -> Iterator[str]:
        """The ticks of an axis, with its title above and its numbers below the rows."""
        top, foot = self.bottom + HEAD, self.bottom + HEAD + ROW * rows
        yield self._text(title, axis.left, self.bottom + HEAD / 3, SMALL_SIZE, colour=self._theme.muted)
        for tick in axis.ticks:
            x = _number(axis.at(tick))
            yield f'<path d="M{x},{_number(top)} V{_number(foot)}" stroke="{self._theme.label_edge}" stroke-width="1"/>'
            label = number_words(round(tick, 9) + 0.0)
            yield self._text(label, axis.at(tick), foot + 12, SMALL_SIZE, colour=self._theme.muted, anchor="middle")
        self.bottom = foot + ROW * 0.7

    def _dot(self, axis: Axis, found: Interval, y: float, colour: str) -> Iterator[str]:
        low, high, height = axis.at(found.low), axis.at(found.high), _number(y)
        if math.isfinite(found.low):
            yield f'<path d="M{_number(low)},{height} H{_number(high)}" stroke="{colour}" stroke-width="2.4"/>'
            for end in (low, high):
                yield (
                    f'<path d="M{_number(end)},{_number(y - 5)} V{_number(y + 5)}" stroke="{colour}" '
                    'stroke-width="1.6"/>'
                )
        yield f'<circle cx="{_number(axis.at(found.mean))}" cy="{height}" r="5" fill="{colour}"/>'

    def _bars(
        self, left: float, top: float, title: str, values: Sequence[float], words: Sequence[str]
    ) -> Iterator[str]:
        fill, stroke = self._theme.shapes["route"]
        yield self._text(title, left, top + HEAD / 3, SMALL_SIZE, colour=self._theme.muted)
        for place, (value, word) in enumerate(zip(values, words, strict=True)):
            y = top + HEAD + ROW * (place + 0.5)
            length = _length(value, "", max(values)) - BESIDE
            yield (
                f'<rect x="{_number(left)}" y="{_number(y - 8)}" width="{_number(max(length, 0.5))}" height="16" '
                f'rx="2" fill="{fill}" stroke="{stroke}"/>'
            )
            yield self._text(word, left + length + BESIDE, y, SMALL_SIZE)

    def _text(self, text: str, x: float, y: float, size: float, *, colour: str = "", anchor: str = "start") -> str:
        return (
            f'<text x="{_number(x)}" y="{_number(y + size * 0.35)}" font-size="{_number(size)}" '
            f'text-anchor="{anchor}" fill="{colour or self._theme.text}">{escape(text)}</text>'
        )


def _measures(standings: Sequence[Standing]) -> Iterator[tuple[str, list[float], list[str]]]:
    """What was taken, each with a value and its words for every contender; what nobody took is left out."""
    measures: list[tuple[str, Callable[[Standing], float], Callable[[Standing], str]]] = [
        ("cost", lambda each: each.cost, cost_words),
        ("calls of a run", lambda each: each.calls, lambda each: number_words(each.calls)),
        ("seconds of a run", lambda each: each.seconds, lambda each: number_words(each.seconds)),
        ("answered", lambda each: each.answered / each.runs, lambda each: f"{each.answered} of {each.runs}"),
    ]
    for title, value, words in measures:
        said = [words(each) for each in standings]
        if any(map(value, standings)) or (title == "cost" and any(said)):
            yield title, [value(each) for each in standings], said


def _length(value: float, words: str, most: float) -> float:
    """How long a bar is, with the words beside it."""
    return BAR * value / (most or 1.0) + BESIDE + text_width(words, SMALL_SIZE)


def _pair_name(pair: Pair) -> str:
    return f"{shorten(pair.first, MOST_NAME)} \N{MINUS SIGN} {shorten(pair.second, MOST_NAME)}"


def _shown(name: str) -> str:
    return shorten(visible(name), 2 * MOST_NAME + 3)


def _number(value: float) -> str:
    """One decimal at most; never a minus zero."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")
