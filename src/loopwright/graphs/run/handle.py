"""A run as its users hold it. It needs no engine until it is told to go on."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping
from typing import Any

from loopwright.errors import RunError, StoreError
from loopwright.graphs.draw.svg import to_svg
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.run.answers import fitting_answer, question_for
from loopwright.graphs.run.models import AnyModel, as_data, models_for
from loopwright.graphs.run.program import Program, engine
from loopwright.nodes.events import Event
from loopwright.state.records import Question, Status, Usage, Visit
from loopwright.state.store.registry import RunRow
from loopwright.state.store.store import Store
from loopwright.state.values import Json, JsonObject


class Run:
    """A run in a store. What it tells is read from the store each time, so it is true for runs of other processes too.

    Args:
        store: The store that it is in.
        id: Its id.
        program: Its plan and the plan's live code.
        models: Models by name that are given for this process; the run's own, as they were started with, otherwise.
    """

    def __init__(self, store: Store, id: str, program: Program, models: Mapping[str, AnyModel] | None = None) -> None:
        self.store, self.id = store, id
        self._program, self._models = program, dict(models or {})

    @property
    def plan(self) -> Plan:
        """Its plan."""
        return self._program.plan

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
        return self.row.questions

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
    def result(self) -> Any:
        """The result of a run that has ended; None before that."""
        return self.row.result

    @property
    def visits(self) -> tuple[Visit, ...]:
        """The completed visits, in the order in which they were completed."""
        return self.store.registry.visits(self.id)

    @property
    def usage(self) -> Usage:
        """What all completed visits took."""
        return self.store.registry.usage(self.id)

    @property
    def state(self) -> JsonObject:
        """The plan's channels as they are now."""
        return self._session({}).state()  # type: ignore[no-any-return]

    def resume(self, answer: Any = None, *, question: str = "", model: AnyModel | None = None) -> "Run":
        """Go on until the run rests again: with the answer it waits for, or by asking again where it stopped.

        Args:
            answer: For a question of a person a line of text as on the command line (empty for the default), or the
                answer as the question's `reply` schema wants it.
            question: The question's id, or a prefix of it; needed only when several are open.
            model: A model that from now on answers for every name.

        Returns:
            This run.

        Raises:
            NotWaiting: It has ended, or the question is not open.
            WrongAnswer: The answer is missing, or does not fit; nothing was changed.
            RunBusy: Another process is running it.
        """
        for _ in self._advance(answer, question, model, listening=False):
            pass
        return self

    async def aresume(self, answer: Any = None, *, question: str = "", model: AnyModel | None = None) -> "Run":
        """Go on with awaited calls; see `resume`."""
        async for _ in self._aadvance(answer, question, model, listening=False):
            pass
        return self

    def stream(self, answer: Any = None, *, question: str = "", model: AnyModel | None = None) -> Iterator[Event]:
        """Go on, and tell what happens; arguments as of `resume`. Leaving the loop early interrupts the run."""
        return self._advance(answer, question, model, listening=True)

    def astream(self, answer: Any = None, *, question: str = "", model: AnyModel | None = None) -> AsyncIterator[Event]:
        """Go on with awaited calls, and tell what happens; arguments as of `resume`."""
        return self._aadvance(answer, question, model, listening=True)

    def draw(self) -> str:
        """The picture as SVG, with the path that was taken and the place where it rests."""
        return to_svg(self.plan, visits=self.visits, at=[question.node for question in self.questions])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": self.draw(), "text/plain": repr(self)}

    def __repr__(self) -> str:
        row = self.row
        end = f", end={row.end!r}" if row.end else ""
        return f"Run({self.id!r}, {row.name!r}, status={row.status!r}{end})"

    def begin(self, models: Mapping[str, AnyModel], *, listening: bool) -> Generator[Event, None, None]:
        """The first session of a run that this process has just entered, with its models by name."""
        return self._session(models, listening=listening).advance()  # type: ignore[no-any-return]

    def abegin(self, models: Mapping[str, AnyModel], *, listening: bool) -> AsyncGenerator[Event, None]:
        """The first session, with awaited calls."""
        return self._session(models, listening=listening).aadvance()  # type: ignore[no-any-return]

    def _advance(self, answer: Any, question: str, model: AnyModel | None, *, listening: bool) -> Iterator[Event]:
        session, asked, value = self._claimed(answer, question, model, listening=listening)
        yield from session.advance(asked, value)

    async def _aadvance(
        self, answer: Any, question: str, model: AnyModel | None, *, listening: bool
    ) -> AsyncIterator[Event]:
        session, asked, value = self._claimed(answer, question, model, listening=listening)
        async for event in session.aadvance(asked, value):
            yield event

    def _claimed(self, answer: Any, question: str, model: AnyModel | None, *, listening: bool) -> tuple[Any, str, Json]:
        """A session of the run, which this process holds from here on; nothing was changed if this raises."""
        row = self.row
        asked = question_for(row, answer, question)
        value = fitting_answer(asked, answer) if asked else None
        models = models_for(self.plan, model, {} if model else self._models, row.models)
        data = as_data(models, row.models)
        self.store.registry.claim(self.id, question=asked.id if asked else "", models=data)
        self._models = models
        try:
            return self._session(models, listening=listening), asked.id if asked else "", value
        except BaseException:
            self.store.registry.interrupt(self.id)
            raise

    def _session(self, models: Mapping[str, AnyModel], *, listening: bool = False) -> Any:
        return engine().Session(self.store, self.id, self._program.machine, models, listening=listening)


def open_run(store: str | Store, id: str, *, loop: Any = None, models: Mapping[str, AnyModel] | None = None) -> Run:
    """Open a run that is in a store.

    Args:
        store: The store, or its URL.
        id: The run's id, or a prefix that only it has.
        loop: The loop that it was started from; needed where the plan names live code, since nothing is ever imported
            because a store names it.
        models: Models by name for this process, where the run was started with live objects.

    Raises:
        UnknownRun: There is no such run, or more than one.
        StoreError: The store cannot be opened, or the plan not be read.
        RunError: The plan needs code and there is none, or the loop's plan is another one.
    """
    opened = store if isinstance(store, Store) else Store(store, create=False)
    row = opened.registry.get(id)
    try:
        plan = Plan.from_data(row.plan)
    except ValueError as error:
        raise StoreError(f"store {opened.url}: the plan of run {row.id} cannot be read: {error}") from error
    if loop is None:
        if plan.code:
            names = ", ".join(ref.name for ref in plan.code)
            raise RunError(
                f"the plan of run {row.id} names code ({names}): open it with loop=, the loop it was started from"
            )
        return Run(opened, row.id, Program(plan, {}), models)
    if loop.plan.fingerprint != row.fingerprint:
        raise RunError(
            f"run {row.id} is of another plan than this loop ({row.fingerprint}, now {loop.plan.fingerprint});"
            " it is left as it is: open it with the loop that it was started from"
        )
    return Run(opened, row.id, loop.program, models)
