"""Waiting for what comes of an answer that somebody else gave, too, and is at work on."""

from collections.abc import Iterator

from loopwright.nodes.events import Event, RunEnded, RunSuspended, RunWaiting
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store

SHORTEST, LONGEST = 0.01, 0.25
"""Seconds between two looks: the first is soon, and each later one comes after half as long again."""


def until_over(store: Store, row: RunRow) -> Iterator[float]:
    """Seconds to wait before the next look, again and again, until what somebody does with a run is over.

    It is over when the run rests, when its holder is gone, and when it was taken anew since, of which nothing is known
    to whoever waits. Who is waited for is looked at, too, and so this ends where a holder is killed.

    Args:
        store: The store that the run is in.
        row: The run as it was found, at work.

    Example:
        >>> list(until_over(Store("memory:"), RunRow("3f2a", "letter", "", status="waiting")))
        []
    """
    token, pause = row.token, SHORTEST
    while row.status == "running" and row.token == token:
        yield pause
        row = store.registry.get(row.id)
        pause = min(pause * 1.5, LONGEST)


def rest_event(row: RunRow) -> Event | None:
    """How a run rests, as whoever ran it was told; None where it does not, or nobody was told.

    Example:
        >>> rest_event(RunRow("3f2a", "letter", "", status="finished", end="sent", ok=True, reason="as wished"))
        RunEnded(run='3f2a', end='sent', ok=True, reason='as wished')
    """
    match row.status:
        case "finished":
            return RunEnded(row.id, row.end, bool(row.ok), row.reason)
        case "waiting":
            return RunWaiting(row.id, row.questions)
        case "suspended":
            return RunSuspended(row.id, next(iter(row.at), ""), row.reason)
    return None
