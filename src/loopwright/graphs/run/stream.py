"""A run's events, with the run itself at hand."""

from collections.abc import AsyncIterator, Iterator

from loopwright.graphs.run.handle import Run
from loopwright.nodes.events import Event


class Stream(Iterator[Event]):
    """What happens in a run, as it happens. Leaving it early interrupts the run, and `run` can be resumed."""

    def __init__(self, run: Run, events: Iterator[Event]) -> None:
        self.run, self._events = run, events

    def __next__(self) -> Event:
        return next(self._events)


class AsyncStream(AsyncIterator[Event]):
    """The same, with awaited calls."""

    def __init__(self, run: Run, events: AsyncIterator[Event]) -> None:
        self.run, self._events = run, events

    async def __anext__(self) -> Event:
        return await anext(self._events)
