"""A run as its users hold it. It needs no engine until it is told to go on."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping
from contextlib import aclosing, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Self

from typing_extensions import TypeVar

from loopwright.errors import NotWaiting, RunError
from loopwright.graphs.certificate.certify import Certificate
from loopwright.graphs.draw.formats import picture, write_picture
from loopwright.graphs.draw.theme import ThemeName
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.run.answers import fitting_answer, question_for, require_same
from loopwright.graphs.run.models import AnyModel, Given, as_data, by_name, models_for
from loopwright.graphs.run.moments import History, Moment
from loopwright.graphs.run.program import Past, Program, Session
from loopwright.nodes.events import Event, RunWaiting
from loopwright.state.records import Answered, Question, Status, Usage, Visit
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject

Result = TypeVar("Result", default=Any)


class Stream(Iterator[Event]):
    """What happens in a run, as it happens. Leaving its `for` loop early interrupts the run, and `run` can be resumed.

    Whoever takes the events by `next` leaves by `close`, or by the end of a `with` block that has the stream. The run
    goes on when the first event is asked for.
    """

    def __init__(self, run: "Run[Any]", events: Generator[Event, None, None]) -> None:
        self.run, self._events = run, events

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


class AsyncStream(AsyncIterator[Event]):
    """The same, with awaited calls. Take it by `async with` where its `async for` loop may be left early.

    Python does not tell an async iterator that its loop was left: without `async with`, or a call of `aclose`, the run
    is interrupted only when the stream is forgotten.

    Example:
        >>> async def first(loop):
        ...     async with loop.astream(model="gpt-4o-mini") as events:
        ...         async for event in events:
        ...             return event
    """

    def __init__(self, run: "Run[Any]", events: AsyncGenerator[Event, None]) -> None:
        self.run, self._events = run, events

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def __anext__(self) -> Event:
        return await anext(self._events)

    async def aclose(self) -> None:
        """Leave the run where it is; it is interrupted unless it rests already."""
        await self._events.aclose()


@dataclass(frozen=True, slots=True)
class _Order:
    """What a session is to do. It fits the run as it was found, and nothing was changed yet."""

    answered: Answered | None
    models: Mapping[str, AnyModel]


class Run(Generic[Result]):
    """A run in a store. What it tells is read from the store each time, so it is true for runs of other processes too.

    Args:
        store: The store that it is in.
        id: Its id.
        program: Its plan and the plan's live code.
        models: Models by name that are given for this process; the run's own, as they were started with, otherwise.
    """

    def __init__(self, store: Store, id: str, program: Program, models: Mapping[str, Given] | None = None) -> None:
        self.store, self.id = store, id
        self._program, self._models = program, by_name(models)
        self._shown: set[str] = set()

    @property
    def plan(self) -> Plan:
        """Its plan."""
        return self._program.plan

    @property
    def certificate(self) -> Certificate:
        """The worst case of its plan."""
        return self._program.certificate

    @property
    def row(self) -> RunRow:
        """All that the registry knows of it."""
        return self.store.registry.get(self.id)

    @property
    def status(self) -> Status:
        """`running`, `waiting` for an answer, `suspended` by a failure, `interrupted` in the middle, or `finished`."""
        return self.row.status

    @property
    def questions(self) -> tuple[Question, ...]:
        """What it waits for."""
        return self._seen(self.row.questions)

    @property
    def end(self) -> End | None:
        """The end that it came to; None before that."""
        row = self.row
        return End(row.end, bool(row.ok)) if row.status == "finished" else None

    @property
    def reason(self) -> str:
        """Why it ended, or what it is suspended by."""
        return self.row.reason

    @property
    def result(self) -> Result:
        """The result of a run that has ended; None before that."""
        result: Any = self.store.registry.result(self.id)
        return result  # type: ignore[no-any-return]

    @property
    def visits(self) -> tuple[Visit, ...]:
        """The completed visits, in the order in which they were completed."""
        return self.store.registry.visits(self.id)

    @property
    def usage(self) -> Usage:
        """What all visits took, those included that were not completed and are made again."""
        return self.store.registry.usage(self.id)

    @property
    def state(self) -> JsonObject:
        """The plan's channels as they are now."""
        return self._past.state()

    @property
    def history(self) -> History:
        """The visits as moments, each with the question, what was written, and the states before and after it.

        A sequence that reads a moment when it is asked for; `run.history[-1].asked`, for one.
        """
        registry = self.store.registry
        return History(
            self._past,
            lambda: registry.count_visits(self.id),
            lambda start, most: registry.visits(self.id, start, most),
        )

    def at(self, index: int) -> Moment:
        """One moment.

        Args:
            index: The visit's index, counted from 0.

        Raises:
            RunError: There is no such visit.
        """
        history = self.history
        if not isinstance(index, int) or not 0 <= index < len(history):
            raise RunError(f"run {self.id} has no visit {index!r}; it has {len(history)}, counted from 0")
        return history[index]

    def fork(self, at: int, set: Mapping[str, Any] | None = None) -> Self:
        """A new run that stands where this one stood before a visit, and can be resumed from there. This one stays.

        What came before is not made again: the new run has those visits as its own, and `row.forked_from` tells whose
        they were. `usage` is what the new run takes itself.

        Args:
            at: The visit's index, counted from 0; as many as there are visits for where the run rests now.
            set: New values of channels.

        Returns:
            The new run, which is interrupted until it is resumed.

        Raises:
            RunError: No run can stand there, as between a fork's branches, or a value does not fit its channel.
        """
        row = self._past.fork(at, set or {})
        return type(self)(self.store, row.id, self._program, self._models)

    def prune(self) -> int:
        """Drop the states that the run has left behind. How it rests, its visits and its answers stay.

        It can go on. What can no longer be had is the state at an earlier visit, and a fork from there.

        Returns:
            How many states were dropped.

        Raises:
            RunBusy: It is being run.
        """
        return self._past.prune()

    @property
    def _past(self) -> Past:
        return self._program.past(self.store, self.id)

    def resume(self, answer: Any = None, *, question: str | None = None, model: Given | None = None) -> Self:
        """Go on until the run rests again: with the answer it waits for, or by asking again where it stopped.

        An answer without an id is for the question that this object has shown, by `questions` or when it came to rest;
        one that has shown none answers what is open. An answer that was given before changes nothing.

        Args:
            answer: For a question of a person a line of text as on the command line (empty for the default), or the
                answer as the question's `reply` schema wants it.
            question: The question's id, or a prefix of it; needed only when several are open.
            model: A model that from now on answers for every name.

        Returns:
            This run.

        Raises:
            NotWaiting: It has ended, or the question is not open, or not the one that was shown.
            AlreadyAnswered: The question got another answer before.
            WrongAnswer: The answer is missing, or does not fit; nothing was changed.
            RunBusy: Another process is running it.
        """
        for _ in self._events(self._order(answer, question, model), listening=False):
            pass
        return self

    async def aresume(self, answer: Any = None, *, question: str | None = None, model: Given | None = None) -> Self:
        """Go on with awaited calls; see `resume`."""
        async for _ in self._aevents(self._order(answer, question, model), listening=False):
            pass
        return self

    def stream(self, answer: Any = None, *, question: str | None = None, model: Given | None = None) -> Stream:
        """Go on, and tell what happens; arguments as of `resume`."""
        return Stream(self, self._events(self._order(answer, question, model), listening=True))

    def astream(self, answer: Any = None, *, question: str | None = None, model: Given | None = None) -> AsyncStream:
        """Go on with awaited calls, and tell what happens; arguments as of `resume`."""
        return AsyncStream(self, self._aevents(self._order(answer, question, model), listening=True))

    def draw(
        self,
        path: str | Path | None = None,
        *,
        format: str = "svg",
        theme: ThemeName = "light",
        opened: bool = False,
        legend: bool = False,
    ) -> str:
        """The picture with the path that was taken and the places where it rests; arguments as of `Loop.draw`."""
        look: Any = {"theme": theme, "opened": opened, "legend": legend, "visits": self.visits, "at": self.row.at}
        return picture(self.plan, format, **look) if path is None else write_picture(self.plan, Path(path), **look)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": self.draw(), "text/plain": repr(self)}

    def __repr__(self) -> str:
        row = self.row
        end = f", end={row.end!r}" if row.end else ""
        return f"Run({self.id!r}, {row.name!r}, status={row.status!r}{end})"

    def _seen(self, questions: tuple[Question, ...]) -> tuple[Question, ...]:
        self._shown.update(question.id for question in questions)
        return questions

    def _order(self, answer: Any, question: str | None, model: Given | None) -> _Order | None:
        """What is to be done; None where the answer was given before, and its result is there."""
        row = self.row
        if question is not None and (not question or not isinstance(question, str)):
            raise NotWaiting(f"run {row.id}: {question!r} is the id of no question; leave it out, or give one")
        if question and not any(asked.id.startswith(question) for asked in row.questions):
            answers = self.store.registry.answers(self.id, question)
            if len(answers) == 1:
                require_same(self.id, answers[0], answer)
                return None
        asked = question_for(row, answer, question or "", self._shown)
        answered = Answered(asked, fitting_answer(asked, answer)) if asked else None
        return _Order(answered, models_for(self.plan, model, {} if model else self._models, row.models))

    def _events(self, order: _Order | None, *, listening: bool) -> Generator[Event, None, None]:
        if session := self._claimed(order, listening=listening):
            with closing(session.advance()) as events:
                for event in events:
                    yield self._noted(event)

    async def _aevents(self, order: _Order | None, *, listening: bool) -> AsyncGenerator[Event, None]:
        if session := self._claimed(order, listening=listening):
            async with aclosing(session.aadvance()) as events:
                async for event in events:
                    yield self._noted(event)

    def _noted(self, event: Event) -> Event:
        if isinstance(event, RunWaiting):
            self._seen(event.questions)
        return event

    def _claimed(self, order: _Order | None, *, listening: bool) -> Session | None:
        """A session of the run, which this process holds from here on; nothing was changed if this raises."""
        if order is None:
            return None
        machine, registry = self._program.machine, self.store.registry
        data = as_data(order.models, self.row.models, registry.count_visits(self.id))
        row = registry.claim(self.id, answered=order.answered, models=data)
        if row is None:
            return None
        self._models = dict(order.models)
        try:
            return machine.session(self.store, replace(row, models=data), order.models, listening=listening)
        except BaseException:
            registry.interrupt(self.id)
            raise
