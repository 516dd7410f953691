"""A run as its users hold it. It needs no engine until it is told to go on."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping
from contextlib import aclosing, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Literal, Self, overload

from typing_extensions import TypeVar, Unpack

from loopwright.errors import NotWaiting, RunError
from loopwright.graphs.certificate.certify import Certificate
from loopwright.graphs.draw.formats import Look, TextFormat, picture, write_picture
from loopwright.graphs.draw.theme import ThemeName
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.run.answers import fitting_answer, question_for, require_same
from loopwright.graphs.run.bounds import require_more, sums_of
from loopwright.graphs.run.models import AnyModel, Given, as_data, by_name, models_for
from loopwright.graphs.run.program import Program, Session
from loopwright.nodes.audience import heard_by, require_audience, shown_to
from loopwright.nodes.contract import Audience
from loopwright.nodes.events import Event, RunWaiting
from loopwright.state.rebuilt import rebuilt_result
from loopwright.state.records import Answered, Extension, Question, Status, Usage, Visit
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject

Result = TypeVar("Result", default=Any)


class Stream(Iterator[Event]):
    """What happens in a run, as it happens. Leaving its `for` loop early interrupts the run, and `run` can be resumed.

    Whoever takes the events by `next` leaves by `close`, or by the end of a `with` block that has the stream. The run
    goes on when the first event is asked for.

    Args:
        run: The run.
        events: What happens in it.
        audience: Who listens; see `Run.stream`.
    """

    def __init__(self, run: "Run[Any]", events: Generator[Event, None, None], audience: Audience | None = None) -> None:
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


class AsyncStream(AsyncIterator[Event]):
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

    def __init__(self, run: "Run[Any]", events: AsyncGenerator[Event, None], audience: Audience | None = None) -> None:
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


@dataclass(frozen=True, slots=True)
class _Order:
    """What a session is to do. It fits the run as it was found, and nothing was changed yet."""

    answered: Answered | None
    models: Mapping[str, AnyModel]
    more: Mapping[str, int]


class Run(Generic[Result]):
    """A run in a store. What it tells is read from the store each time, so it is true for runs of other processes too.

    `Loop.start` and `open_run` give one; nobody else makes one. A notebook shows it as its picture.

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
        """Its plan; where it was given more of a bound, with that."""
        return self._now().plan

    @property
    def certificate(self) -> Certificate:
        """The worst case of its plan."""
        return self._now().certificate

    @property
    def extensions(self) -> tuple[Extension, ...]:
        """What it was given more of than its plan says."""
        return self.store.registry.extensions(self.id)

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
        """The result of a run that has ended, in the type that its loop declares for it; None before that.

        Raises:
            RunError: It does not fit that type, as when the class was changed meanwhile.
        """
        try:
            result: Result = rebuilt_result(self._program.code, self.row.result)
        except ValueError as error:
            raise RunError(
                f"the result of run {self.id} does not fit the type that the loop declares: {error}; a run of a plan "
                "without code has it as JSON when it is opened without loop="
            ) from error
        return result

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
        return self._now().machine.state(self.store, self.id)

    def resume(
        self,
        answer: Any = None,
        *,
        question: str | None = None,
        model: Given | None = None,
        bounds: Mapping[str, int] | None = None,
    ) -> Self:
        """Go on until the run rests again: with the answer it waits for, or by asking again where it stopped.

        An answer without an id is for the question that this object has shown, by `questions` or when it came to rest;
        one that has shown none answers what is open. An answer that was given before changes nothing.

        Args:
            answer: For a question of a person a line of text as on the command line (empty for the default), or the
                answer as the question's `reply` schema wants it.
            question: The question's id, or a prefix of it; needed only when several are open.
            model: A model that from now on answers for every name.
            bounds: More of some bounds, for this run, as `{"rounds": 3}`. A run that ended because a bound was used up
                goes on from there, with all that it holds.

        Returns:
            This run.

        Raises:
            NotWaiting: It has ended, or the question is not open, or not the one that was shown.
            RunError: There is no such bound.
            AlreadyAnswered: The question got another answer before.
            WrongAnswer: The answer is missing, or does not fit; nothing was changed.
            RunBusy: Another process is running it.
        """
        for _ in self._events(self._order(answer, question, model, bounds), listening=False):
            pass
        return self

    async def aresume(
        self,
        answer: Any = None,
        *,
        question: str | None = None,
        model: Given | None = None,
        bounds: Mapping[str, int] | None = None,
    ) -> Self:
        """Go on with awaited calls; see `resume`."""
        async for _ in self._aevents(self._order(answer, question, model, bounds), listening=False):
            pass
        return self

    def stream(
        self,
        answer: Any = None,
        *,
        question: str | None = None,
        model: Given | None = None,
        bounds: Mapping[str, int] | None = None,
        audience: Audience | None = None,
    ) -> Stream:
        """Go on, and tell what happens.

        Args:
            answer: With the others as of `resume`.
            audience: Who listens: None to all events without texts; `debug` to all events and, as models say them, all
                texts; `user` to what a person in front should see and nothing else: texts that are for the user,
                questions to a person, and how the run rests.

        Raises:
            RunError: There is no such audience; other errors as of `resume`.
        """
        require_audience(audience)
        order = self._order(answer, question, model, bounds)
        return Stream(self, self._events(order, listening=True, audience=audience), audience)

    def astream(
        self,
        answer: Any = None,
        *,
        question: str | None = None,
        model: Given | None = None,
        bounds: Mapping[str, int] | None = None,
        audience: Audience | None = None,
    ) -> AsyncStream:
        """Go on with awaited calls, and tell what happens; arguments as of `stream`."""
        require_audience(audience)
        order = self._order(answer, question, model, bounds)
        return AsyncStream(self, self._aevents(order, listening=True, audience=audience), audience)

    @overload
    def draw(self, path: None = None, *, format: TextFormat = "svg", **look: Unpack[Look]) -> str: ...
    @overload
    def draw(self, path: None = None, *, format: Literal["png"], **look: Unpack[Look]) -> bytes: ...
    @overload
    def draw(self, path: str | Path, **look: Unpack[Look]) -> str | bytes: ...
    def draw(
        self,
        path: str | Path | None = None,
        *,
        format: str = "svg",
        theme: ThemeName = "light",
        opened: bool = False,
        legend: bool = False,
        scale: float = 2.0,
    ) -> str | bytes:
        """The picture with the path that was taken and the places where it rests; arguments as of `Loop.draw`."""
        look: Any = {"theme": theme, "opened": opened, "legend": legend, "scale": scale}
        look |= {"visits": self.visits, "at": self.row.at}
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

    def _now(self, more: Mapping[str, int] | None = None) -> Program:
        """Its plan with what it was given beyond it, and is given now."""
        given = [Extension(bound, number, 0) for bound, number in (more or {}).items()]
        return self._program.given_more(sums_of([*self.extensions, *given]))

    def _order(
        self, answer: Any, question: str | None, model: Given | None, bounds: Mapping[str, int] | None
    ) -> _Order | None:
        """What is to be done; None where the answer was given before, and its result is there."""
        row = self.row
        if bounds is not None:
            registry = self.store.registry
            require_more(row, self.plan, bounds, registry.visits(self.id, max(registry.count_visits(self.id) - 1, 0)))
            row = replace(row, status="interrupted") if row.status == "finished" else row
        if question is not None and (not question or not isinstance(question, str)):
            raise NotWaiting(f"run {row.id}: {question!r} is the id of no question; leave it out, or give one")
        if question and not any(asked.id.startswith(question) for asked in row.questions):
            answers = self.store.registry.answers(self.id, question)
            if len(answers) == 1:
                require_same(self.id, answers[0], answer)
                if bounds:
                    raise NotWaiting(f"run {row.id}: this answer was given before; give more of a bound without it")
                return None
        asked = question_for(row, answer, question or "", self._shown)
        answered = Answered(asked, fitting_answer(asked, answer)) if asked else None
        models = models_for(self.plan, model, {} if model else self._models, row.models)
        return _Order(answered, models, bounds or {})

    def _events(
        self, order: _Order | None, *, listening: bool, audience: Audience | None = None
    ) -> Generator[Event, None, None]:
        if session := self._claimed(order, listening, audience):
            with closing(session.advance()) as events:
                for event in events:
                    yield from self._told(event, audience)

    async def _aevents(
        self, order: _Order | None, *, listening: bool, audience: Audience | None = None
    ) -> AsyncGenerator[Event, None]:
        if session := self._claimed(order, listening, audience):
            async with aclosing(session.aadvance()) as events:
                async for event in events:
                    for told in self._told(event, audience):
                        yield told

    def _told(self, event: Event, audience: Audience | None) -> Iterator[Event]:
        """The event as whoever listens is told it, where it is for them."""
        if told := shown_to(audience, event):
            if isinstance(told, RunWaiting):
                self._seen(told.questions)
            yield told

    def _claimed(self, order: _Order | None, listening: bool, audience: Audience | None) -> Session | None:
        """A session of the run, which this process holds from here on; nothing was changed if this raises."""
        if order is None:
            return None
        registry = self.store.registry
        machine = self._now(order.more).machine
        data = as_data(order.models, self.row.models, registry.count_visits(self.id))
        row = registry.claim(self.id, answered=order.answered, models=data, more=order.more)
        if row is None:
            return None
        self._models = dict(order.models)
        try:
            row = replace(row, models=data)
            return machine.session(self.store, row, order.models, listening=listening, heard=heard_by(audience))
        except BaseException:
            registry.interrupt(self.id)
            raise
