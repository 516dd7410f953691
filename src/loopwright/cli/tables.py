"""Tables of runs and of visits, as plain aligned lines. They need no console, only a width."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from loopwright.cli.phrases import (
    LEAST_TEXT,
    age_words,
    cut,
    one_line,
    padded,
    said_in,
    seconds_words,
    stacked,
)
from loopwright.errors import RunError
from loopwright.graphs.draw.lettering import columns_of, visible
from loopwright.graphs.run.batch import state_of
from loopwright.graphs.run.moments import Moment
from loopwright.nodes.contract import AskModel
from loopwright.nodes.places import body
from loopwright.state.records import Visit
from loopwright.state.store.runs import RunRow
from loopwright.state.values import Json

LONGEST_CELL = 28
"""Columns that a cell may take; the last one of a line takes what is left."""


def aligned(rows: Sequence[Sequence[str]], width: int, *, spare: Sequence[str] = ()) -> str:
    """Rows as lines with aligned columns; a column without a word is left out, and the last cell is cut at the width.

    Where that leaves too little of the last cell, spare columns are left out, one after the other; where even that is
    not enough, there are no columns: each row has its cells first and then its last cell on a line of its own.

    Args:
        rows: The rows, the header first.
        width: Columns of the terminal.
        spare: The headers of columns that a narrow terminal can do without, the first to be left out first.

    Example:
        >>> print(aligned([["run", "end", "name"], ["3f2a", "", "bridge"], ["91c0d", "", "essay"]], 40))
        run    name
        3f2a   bridge
        91c0d  essay
    """
    header, *body = rows
    widths = {
        place: min(LONGEST_CELL, max(columns_of(visible(row[place])) for row in rows))
        for place in range(len(header))
        if any(row[place] for row in body)
    }
    *columns, last = widths
    for name in spare:
        if _room(columns, widths, width) < min(widths[last], LEAST_TEXT):
            columns = [place for place in columns if header[place] != name]
    if _room(columns, widths, width) < min(widths[last], LEAST_TEXT):
        return "\n".join(stacked([visible(row[place]) for place in columns], visible(row[last]), width) for row in body)
    lines = []
    for row in rows:
        cells = (padded(visible(row[place]), widths[place]) for place in columns)
        lines.append(cut("  ".join([*cells, visible(row[last])]), width).rstrip())
    return "\n".join(lines)


def left_out(rows: Sequence[Sequence[str]], table: str, spare: Sequence[str]) -> list[str]:
    """The spare columns that say something and have no place in the table that was made of them.

    Example:
        >>> rows = [["run", "age", "name"], ["3f2a", "2 days", "a bridge of wood"]]
        >>> left_out(rows, aligned(rows, 24, spare=["age"]), ["age"])
        ['age']
    """
    header, *body = rows
    shown = re.split(r"  +", table.partition("\n")[0])
    return [name for name in spare if name not in shown and any(row[header.index(name)] for row in body)]


def _room(columns: Sequence[int], widths: Mapping[int, int], width: int) -> int:
    """Columns of the terminal that are left for the last cell."""
    return width - sum(widths[place] + 2 for place in columns)


def origin_words(row: RunRow) -> str:
    """The run that a run was forked from, and where; "" for one that was not.

    Example:
        >>> origin_words(RunRow("91c0", "bridge", "", forked_from="3f2a", forked_at=5))
        '3f2a at 5'
    """
    return f"{row.forked_from} at {row.forked_at}" if row.forked_from else ""


def runs_table(rows: Sequence[tuple[RunRow, int]], now: float, width: int, leads: Sequence[str] = ()) -> str:
    """Runs, with the visits that each has made.

    Args:
        rows: The runs and their visits.
        now: Seconds since the epoch.
        width: Columns of the terminal.
        leads: What stands before the id of each; nothing when left out.
    """
    sizes = Counter(row.batch for row, _ in rows)
    table = [["run", "status", "end", "visits", "started", "batch", "forked from", "name"]]
    for (row, visits), lead in zip(rows, leads or [""] * len(rows), strict=True):
        batch = row.batch if sizes[row.batch] > 1 else ""
        table.append(
            [
                lead + row.id,
                state_of(row),
                row.end,
                f"{visits:,}",
                age_words(now - row.created),
                batch,
                origin_words(row),
                row.name,
            ]
        )
    return aligned(table, width, spare=("batch", "forked from", "started", "visits"))


def moments_table(moments: Sequence[Moment], width: int) -> str:
    """Moments, with what was asked and what was written.

    Args:
        moments: The moments.
        width: Columns of the terminal.
    """
    table = [["at", "node", "outcome", "leads to", "took", "tokens", "asked", "written"]]
    exchanges = [_exchange(moment) for moment in moments]
    questions: dict[str, list[str]] = {}
    for moment, (question, _) in zip(moments, exchanges, strict=True):
        questions.setdefault(body(moment.visit.node), []).append(question)
    for moment, (question, written) in zip(moments, exchanges, strict=True):
        visit = moment.visit
        numbers = [seconds_words(visit.seconds), f"{visit.usage.tokens:,}" if visit.usage.tokens else ""]
        asked = _telling(question, questions[body(visit.node)])
        table.append([str(visit.index), visit.node, visit.outcome, visit.target, *numbers, asked, written])
    return aligned(table, width, spare=("tokens", "took", "leads to", "asked"))


def _telling(question: str, alike: Sequence[str]) -> str:
    """The first line of a question; of those of one node that begin alike, the first one that not all have."""
    begin = one_line(question)
    if any(one_line(other) != begin for other in alike):
        return begin
    lines = [set(other.splitlines()) for other in alike]
    own = (line for line in question.splitlines() if line.strip() and any(line not in other for other in lines))
    return one_line(next(own, begin))


def _exchange(moment: Moment) -> tuple[str, str]:
    """What was asked, and what was written on a line; of a run that was pruned what is left."""
    try:
        asked, written = moment.asked, moment.written
    except RunError:
        return "", f"(pruned) {said_in(moment.visit)}"
    question = ""
    if asked is not None:
        question = asked.messages[-1]["content"] if isinstance(asked, AskModel) else asked.text
    told = ", ".join(f"{name}: {one_line(value)}" for name, value in written.items())
    return question, _cached(moment.visit) + told


def _cached(visit: Visit) -> str:
    """What marks a visit for which no model was asked, as a file had the answer; "" for all others."""
    return "(cached) " if visit.usage.cached and not visit.usage.attempts else ""


class BatchLine(NamedTuple):
    """What is told of one run of a batch.

    Args:
        subject: What it is for.
        run: Its id.
        state: How it rests.
        end: The end that it came to, or "".
        rounds: The rounds that it made; 0 where its plan has no one loop.
        calls: The model calls of its completed visits.
        said: Its result; of one that has not ended, why, or what it asks.
    """

    subject: str
    run: str
    state: str
    end: str
    rounds: int
    calls: int
    said: Json


def batch_table(subject: str, lines: Sequence[BatchLine], width: int) -> str:
    """The runs of a batch, in their order.

    Args:
        subject: The word above what the runs are for.
        lines: The runs.
        width: Columns of the terminal.

    Example:
        >>> lines = [BatchLine("Bridge?", "3f2a", "finished", "stopped", 2, 8, "Wood."),
        ...          BatchLine("Tower?", "91c0", "not begun", "", 0, 0, "")]
        >>> print(batch_table("task", lines, 80))
        task     run   status     end      rounds  calls  answer
        Bridge?  3f2a  finished   stopped  2       8      Wood.
        Tower?   91c0  not begun
    """
    table = [[subject, "run", "status", "end", "rounds", "calls", "answer"]]
    for line in lines:
        numbers = [f"{number:,}" if number else "" for number in (line.rounds, line.calls)]
        table.append([line.subject, line.run, line.state, line.end, *numbers, one_line(line.said)])
    return aligned(table, width, spare=("calls", "rounds", "end"))


def visits_table(visits: Sequence[Visit], width: int) -> str:
    """Visits, with what each came to.

    Args:
        visits: The visits.
        width: Columns of the terminal.
    """
    table = [["at", "node", "outcome", "leads to", "took", "tokens", "what was said"]]
    for visit in visits:
        numbers = [seconds_words(visit.seconds), f"{visit.usage.tokens:,}" if visit.usage.tokens else ""]
        said = _cached(visit) + said_in(visit)
        table.append([str(visit.index), visit.node, visit.outcome, visit.target, *numbers, said])
    return aligned(table, width, spare=("tokens", "took", "leads to"))
