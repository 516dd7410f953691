"""What happens in a run, as it happens, for those who follow it."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from typing import Any, Generic, Self

from typing_extensions import TypeVar

from loopwright.nodes.contract import Audience
from loopwright.nodes.events import Event

Followed = TypeVar("Followed", default=Any)
"""The run that is followed: a `Run`."""


class Stream(Iterator[Event], Generic[Followed]):
    """What happens in a run, as it happens. Leaving its `for` loop early interrupts the run, and `run` can be resumed.

    Whoever takes the events by `next` leaves by `close`, or by the end of a `with` block that has the stream. The run
    goes on when the first event is asked for.

    Args:
        run: The run.
        events: What happens in it.
        audience: Who listens; see `Run.stream`.
    """

    def __init__(self, run: Followed, events: Generator[Event, None, None], audience: Audience | None = None) -> None:
        self.run, self._events, self.audience = run, events, audience

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Event]:
        yield from self._events

    def __next__(self) -> Event:
        return next(self._events)

    def close(self) -> None:
        """Leave the run where it is; it is interrupted unless it rests already."""
        self._events.close()


class AsyncStream(AsyncIterator[Event], Generic[Followed]):
    """The same, with awaited calls. Take it by `async with` where its `async for` loop may be left early.

    Python does not tell an async iterator that its loop was left: without `async with`, or a call of `aclose`, the run
    is interrupted only when the stream is forgotten.

    Args:
        run: The run.
        events: What happens in it.
        audience: Who listens; see `Run.stream`.

    Example:
        >>> async def first(loop):
        ...     async with loop.astream(model="gpt-4o-mini") as events:
        ...         async for event in events:
        ...             return event
    """

    def __init__(self, run: Followed, events: AsyncGenerator[Event, None], audience: Audience | None = None) -> None:
        self.run, self._events, self.audience = run, events, audience

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def __anext__(self) -> Event:
        return await anext(self._events)

    async def aclose(self) -> None:
        """Leave the run where it is; it is interrupted unless it rests already."""
        await self._events.aclose()
