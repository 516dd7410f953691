"""A run's events, with the run itself at hand."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator

from loopwright.graphs.run.handle import Run
from loopwright.nodes.events import Event


class Stream(Iterator[Event]):
    """What happens in a run, as it happens. Leaving its `for` loop early interrupts the run, and `run` can be resumed.

    Whoever takes the events by `next` calls `close` to leave.
    """

    def __init__(self, run: Run, events: Generator[Event, None, None]) -> None:
        self.run, self._events = run, events

    def __iter__(self) -> Iterator[Event]:
        yield from self._events

    def __next__(self) -> Event:
        return next(self._events)

    def close(self) -> None:
        """Leave the run where it is; it is interrupted unless it rests already."""
        self._events.close()


class AsyncStream(AsyncIterator[Event]):
    """The same, with awaited calls. Await `aclose` after leaving its `async for` loop early."""

    def __init__(self, run: Run, events: AsyncGenerator[Event, None]) -> None:
        self.run, self._events = run, events

    async def __anext__(self) -> Event:
        return await anext(self._events)

    async def aclose(self) -> None:
        """Leave the run where it is; it is interrupted unless it rests already."""
        await self._events.aclose()
