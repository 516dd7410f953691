"""Rails: the ways back of a text picture, as lines to the right of it."""

from collections.abc import Mapping, Sequence

from loopwright.graphs.draw.lettering import columns_of

WIDEST = 110
"""Columns of a text with rails; a wider one has none."""

MANY = 8
"""Rails beside each other; where there would be more, there are none."""

Span = tuple[int, int]


def railed(rows: Sequence[str], backs: Mapping[int, Sequence[int]]) -> list[str]:
    """The rows, with a rail from each that leads back to the row that it leads to.

    Args:
        rows: The rows of the text.
        backs: For each row that is led back to, the rows from which, in order and none above it.

    Example:
        >>> print("\\n".join(railed(["write", "- on", "judge", "- again", "- pass"], {0: [3]})))
        write ◀───╮
        - on      │
        judge     │
        - again ──╯
        - pass
    """
    columns = _columns({head: (head, rows_from[-1]) for head, rows_from in backs.items()})
    count = max(columns.values(), default=-1) + 1
    last = max((rows_from[-1] for rows_from in backs.values()), default=0)
    base = 3 + max((columns_of(row) for row in rows[min(backs, default=0) : last + 1]), default=0)
    if not count or count > MANY or base + 2 * count > WIDEST:
        return list(rows)
    signs: list[dict[int, str]] = [{} for _ in rows]
    for head, column in columns.items():
        for row in range(head + 1, backs[head][-1]):
            signs[row][base + 2 * column] = "│"
    for head, column in columns.items():
        at = base + 2 * column
        for row in (head, *backs[head]):
            start = columns_of(rows[row]) + 1
            crossed = {place: "┼" if place in signs[row] else "─" for place in range(start, at)}
            corner = "╮" if row == head else "╯" if row == backs[head][-1] else "┤"
            signs[row] |= {**crossed, at: corner, **({start: "◀"} if row == head else {})}
    return [_written(row, found) for row, found in zip(rows, signs, strict=True)]


def _columns(spans: Mapping[int, Span]) -> dict[int, int]:
    """A column for each rail: short ones inside, and none where another one is already."""
    taken: list[list[Span]] = []
    found = {}
    for head, (first, last) in sorted(spans.items(), key=lambda one: one[1][1] - one[1][0]):
        free = (place for place, used in enumerate(taken) if all(last < top or first > end for top, end in used))
        found[head] = next(free, len(taken))
        taken += [[]] if found[head] == len(taken) else []
        taken[found[head]].append((first, last))
    return found


def _written(row: str, signs: Mapping[int, str]) -> str:
    written, at = row, columns_of(row)
    for place in sorted(signs):
        written += " " * (place - at) + signs[place]
        at = place + 1
    return written
