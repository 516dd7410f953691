"""Tables of runs and of visits, as plain aligned lines. They need no console, only a width."""

from collections.abc import Sequence

from loopwright.cli.phrases import age_words, columns_of, cut, padded, said_in, seconds_words
from loopwright.graphs.draw.lettering import visible
from loopwright.state.records import Visit
from loopwright.state.store.runs import RunRow

LONGEST_CELL = 28
"""Columns that a cell may take; the last one of a line takes what is left."""


def aligned(rows: Sequence[Sequence[str]], width: int) -> str:
    """Rows as lines with aligned columns; a column without a word is left out, and lines are cut at the width.

    Args:
        rows: The rows, the header first.
        width: Columns of the terminal.

    Example:
        >>> print(aligned([["run", "end", "name"], ["3f2a", "", "bridge"], ["91c0d", "", "essay"]], 40))
        run    name
        3f2a   bridge
        91c0d  essay
    """
    header, *body = rows
    kept = [place for place in range(len(header)) if any(row[place] for row in body)]
    widths = [min(LONGEST_CELL, max(columns_of(visible(row[place])) for row in rows)) for place in kept[:-1]]
    lines = []
    for row in rows:
        cells = [visible(row[place]) for place in kept]
        line = "  ".join([*(padded(cell, wide) for cell, wide in zip(cells, widths, strict=False)), *cells[-1:]])
        lines.append(cut(line, width).rstrip())
    return "\n".join(lines)


def runs_table(rows: Sequence[tuple[RunRow, int]], now: float, width: int) -> str:
    """Runs, with the visits that each has made.

    Args:
        rows: The runs and their visits.
        now: Seconds since the epoch.
        width: Columns of the terminal.
    """
    batches = [row.batch for row, _ in rows]
    table = [["run", "status", "end", "visits", "started", "batch", "name"]]
    for row, visits in rows:
        batch = row.batch if batches.count(row.batch) > 1 else ""
        table.append([row.id, row.status, row.end, f"{visits:,}", age_words(now - row.created), batch, row.name])
    return aligned(table, width)


def visits_table(visits: Sequence[Visit], width: int) -> str:
    """Visits, with what each came to.

    Args:
        visits: The visits.
        width: Columns of the terminal.
    """
    table = [["", "node", "outcome", "leads to", "took", "tokens", "what was said"]]
    for visit in visits:
        tokens = visit.usage.tokens_in + visit.usage.tokens_out
        numbers = [seconds_words(visit.seconds), f"{tokens:,}" if tokens else ""]
        table.append([str(visit.index + 1), visit.node, visit.outcome, visit.target, *numbers, said_in(visit)])
    return aligned(table, width)
