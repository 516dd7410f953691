"""Results as tables: cells, which a terminal aligns as its width allows, and plain text."""

import math
from collections.abc import Sequence

from loopwright.graphs.compare.intervals import LEVEL, Interval
from loopwright.graphs.compare.results import Results
from loopwright.graphs.compare.standings import Standing
from loopwright.graphs.draw.lettering import columns_of, visible
from loopwright.nodes.budget import money_words

Rows = list[list[str]]

SPARE = ("tokens", "at most", "cost")
"""Columns of the contenders' table that a narrow terminal can do without, the first to be left out first."""


def standing_cells(results: Results) -> Rows:
    """A row for each contender, and a header."""
    header = ["contender", "quality", "95 % interval", "answered", "calls", "at most", "tokens", "cost"]
    return [[*header, "seconds", "9 of 10 within"], *(_cells(standing) for standing in results.contenders)]


def _cells(standing: Standing) -> list[str]:
    quality = standing.quality
    return [
        standing.name,
        f"{quality.mean:.{quality.digits}f}" if quality else "-",
        interval_words(quality),
        f"{standing.answered} of {standing.runs}",
        number_words(standing.calls),
        f"{standing.most_calls:,}" if standing.most_calls is not None else "no bound",
        f"{standing.tokens:,.0f}" if standing.tokens else "",
        cost_words(standing),
        f"{standing.seconds:.2f}",
        f"{standing.slow_seconds:.2f}",
    ]


def pair_cells(results: Results) -> Rows:
    """A row for each pair, and a header."""
    rows = [["pair", "difference", "interval", "problems", "what is shown"]]
    for pair in results.pairs:
        found = pair.difference
        mean = f"{found.mean:+.{found.digits}f}" if found else "-"
        count = str(found.count) if found else "0"
        rows.append([f"{pair.first} - {pair.second}", mean, interval_words(found), count, pair.verdict])
    return rows


def pairs_words(results: Results) -> str:
    """How the intervals of the pairs are to be read; "" where there is no pair."""
    count = len(results.pairs)
    if not count:
        return ""
    if count == 1:
        return "The interval is for the paired difference, and holds the true one in 95 of 100 comparisons."
    level = 100 * (1 - (1 - LEVEL) / count)
    return (
        f"The {count} intervals hold all {count} true differences together in 95 of 100 comparisons: each is one of"
        f" {level:.1f} % (Bonferroni)."
    )


def judging_words(results: Results) -> str:
    """What the judge took, apart from the contenders; "" where a function was the judge."""
    if not results.judgements:
        return ""
    taken = results.judging
    parts = [
        f"{results.judgements:,} judgements",
        f"{taken.attempts:,} calls",
        *([f"{taken.tokens:,} tokens"] if taken.tokens else []),
    ]
    cost = money_words(taken.cost) if taken.cost else ""
    unknown = f"{taken.unpriced:,} calls of unknown price" if taken.unpriced else ""
    return f"The judge, counted apart: {', '.join([*parts, *filter(None, [cost, unknown])])}."


def interval_words(interval: Interval | None) -> str:
    """The two ends of an interval.

    Example:
        >>> interval_words(Interval(0.5, 0.25, 0.75, 8)), interval_words(Interval(0.5, -math.inf, math.inf, 1))
        ('0.25 to 0.75', '')
    """
    if interval is None or math.isinf(interval.low):
        return ""
    return f"{interval.low:.{interval.digits}f} to {interval.high:.{interval.digits}f}"


def number_words(value: float) -> str:
    """A number, short.

    Example:
        >>> number_words(3.0), number_words(0.6667), number_words(12345.6)
        ('3', '0.67', '12,346')
    """
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) >= 0.01 or value == 0 else f"{value:.2g}"


def cost_words(standing: Standing) -> str:
    """What a run of a contender costs, and how many calls of all its runs have no known price."""
    unknown = f"{standing.unpriced:,} unpriced in all" if standing.unpriced else ""
    return " + ".join(filter(None, [money_words(standing.cost) if standing.cost else "", unknown]))


def text_of(results: Results) -> str:
    """Results as plain text: both tables, how they are read, and what has to be known."""
    parts = [lines_of(standing_cells(results))]
    if results.pairs:
        parts.append(lines_of(pair_cells(results)) + "\n" + pairs_words(results))
    parts += [judging_words(results), *(f"Note: {note}" for note in results.notes)]
    return "\n\n".join(filter(None, parts))


def lines_of(rows: Sequence[Sequence[str]]) -> str:
    """Rows as aligned lines; a column without a word is left out.

    Example:
        >>> print(lines_of([["name", "cost", "n"], ["zero", "", "1"], ["a", "", "12"]]))
        name  n
        zero  1
        a     12
    """
    shown = [[visible(cell) for cell in row] for row in rows]
    places = [place for place in range(len(rows[0])) if any(row[place] for row in rows[1:])]
    widths = {place: max(columns_of(row[place]) for row in shown) for place in places}
    return "\n".join(
        "  ".join(row[place] + " " * (widths[place] - columns_of(row[place])) for place in places).rstrip()
        for row in shown
    )
