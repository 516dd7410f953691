"""Serving a store: the runs that an event or a timer wakes go on, and while nothing happens nothing is done."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from typing import Any, TypeAlias

from loopwright.errors import AlreadyAnswered, LeaseLost, LoopwrightError, NotWaiting, RunBusy, RunError, WrongAnswer
from loopwright.graphs.run.batch import require_at_once
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import Startable, open_run
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.store.inbox import Mark
from loopwright.state.store.lease import SILENT_AFTER
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store
from loopwright.state.values import Json

LOOK_EVERY = 0.2
"""Seconds between two looks at the number that says whether another process has changed the store."""

TAKEN = (RunBusy, NotWaiting, AlreadyAnswered, WrongAnswer, LeaseLost)
"""What a run says that another server, or a person, was quicker to let go on."""

Tell: TypeAlias = Callable[[str, str], None]
"""Takes the id of a run, and how it has come to rest or why it was left."""


def send(store: str | Store, type: str, payload: Json = None, *, to: str = "", id: str = "") -> bool:
    """Put an event into the inbox of a store, as `Store.send`.

    Args:
        store: The store, or its URL.
        type: What happened, in a word.
        payload: What there is to know of it, as JSON; an object where waits are to filter it.
        to: The id of the run that it is for, or the name of a plan, for all runs of it; "" for all that wait for it.
        id: An id of your own, so that sending it twice does no harm; a new one when left out.

    Returns:
        Whether it was put in: False where there was one of this id.

    Raises:
        StoreError: The store cannot be written, or this is no event.

    Example:
        >>> with Store("memory:") as store:
        ...     send(store, "rain", {"mm": 3})
        ...     [event.payload for event in store.inbox.all("rain")]
        True
        [{'mm': 3}]
    """
    if isinstance(store, Store):
        return store.send(type, payload, to=to, id=id)
    with Store(store) as opened:
        return opened.send(type, payload, to=to, id=id)


def serve(
    store: str | Store = DEFAULT_STORE,
    loops: Sequence[Startable[Any]] = (),
    *,
    once: bool = False,
    at_once: int = 8,
    tell: Tell | None = None,
) -> int:
    """Let the runs of a store go on whose event has come, or whose timer is due, until Ctrl-C.

    A run that waits costs nothing: the server sleeps until the next timer, and otherwise looks at one number, by which
    it knows that another process has changed the store. Several servers of one store do no harm. What was woken and
    interrupted, as when a server was killed, goes on, too.

    Args:
        store: The store, or its URL.
        loops: The loops of runs whose plans name live code, or whose models were given as live objects. A run whose
            code is not here is left as it is.
        once: Whether to come back as soon as no run can go on, instead of waiting for more.
        at_once: How many runs may be at work at the same time.
        tell: Called with the id of each run that has come to rest, or could not go on, and with how or why, in words.

    Returns:
        How often a run went on.

    Raises:
        StoreError: The store cannot be opened or read.
        RunError: `at_once` is no number of runs.

    Example:
        >>> from loopwright.graphs.plan import End
        >>> from loopwright.loop.plan_builder import PlanBuilder
        >>> from loopwright.nodes.wait import Wait
        >>> from loopwright.state.channels import Channel
        >>> plan = PlanBuilder("asleep", [Channel("rain", dict)], result="rain")
        >>> loop = plan.node(Wait("wait", event="rain", writes="rain")).edge("wait", "done", End("awake")).loop()
        >>> with Store("memory:") as store:
        ...     run = loop.start(store=store)
        ...     sent = send(store, "rain", {"mm": 3})
        ...     serve(store, once=True), run.result
        (1, {'mm': 3})
    """
    return asyncio.run(aserve(store, loops, once=once, at_once=at_once, tell=tell))


async def aserve(
    store: str | Store = DEFAULT_STORE,
    loops: Sequence[Startable[Any]] = (),
    *,
    once: bool = False,
    at_once: int = 8,
    tell: Tell | None = None,
) -> int:
    """Serve a store in a program that has an event loop; see `serve`. It ends when its task is cancelled.

    Args:
        store: As of `serve`, as are the others.
        loops: The loops of runs whose plans name live code.
        once: Whether to come back as soon as no run can go on.
        at_once: How many runs may be at work at the same time.
        tell: Called with each run that has come to rest, or could not go on.

    Returns:
        How often a run went on.
    """
    require_at_once(at_once)
    with nullcontext(store) if isinstance(store, Store) else Store(store) as opened:
        return await Server(opened, loops, at_once=at_once, tell=tell).work(once=once)


class Server:
    """What serves a store; it counts what it does.

    Args:
        store: The store.
        loops: The loops that are here.
        at_once: How many runs may be at work at the same time.
        tell: Whom it tells of each run that has come to rest, or could not go on.
    """

    def __init__(
        self, store: Store, loops: Sequence[Startable[Any]] = (), *, at_once: int = 8, tell: Tell | None = None
    ) -> None:
        self._store, self._loops, self._tell = store, tuple(loops), tell
        self._free = asyncio.Semaphore(at_once)
        self._seen = Mark()
        self._changes, self._looked = -1, 0.0
        self._busy: set[str] = set()
        self._later: set[str] = set()
        self._left: dict[str, int] = {}
        self._elsewhere = False
        self._rung = asyncio.Event()
        self.looks = self.glances = self.gone_on = 0

    async def work(self, *, once: bool) -> int:
        """Wake what can go on, again and again, or `once` until nothing can; how often a run went on."""
        loop = asyncio.get_running_loop()

        def ring() -> None:
            with suppress(RuntimeError):  # the event loop is at its end
                loop.call_soon_threadsafe(self._rung.set)

        bells = self._store.database.bells
        bells.append(ring)
        try:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    self._rung.clear()
                    for row in self._look():
                        self._busy.add(row.id)
                        tasks.create_task(self._go_on(row))
                    if once and not self._busy:
                        return self.gone_on
                    await self._sleep()
        except BaseExceptionGroup as group:  # the others were interrupted, and the first error says why
            raise group.exceptions[0] from None
        finally:
            bells.remove(ring)

    def _look(self) -> list[RunRow]:
        """The runs that can go on now. What was looked at before is not read again."""
        self.looks += 1
        self._changes = self._store.database.changes
        mark, now = self._store.inbox.mark(), time.time()
        self._looked = now  # a timer that is due from here on is for the next look
        found = self._store.inbox.awake(self._seen, now) | self._later
        self._seen, self._later = mark, found & self._busy  # what is at work may rest again before it is let go of
        rows = list(filter(None, map(self._row, sorted(found - self._busy))))
        self._elsewhere = any(row.status == "running" for row in rows)
        return [row for row in rows if self._left.get(row.id) != row.token and self._can_go_on(row, now)]

    def _can_go_on(self, row: RunRow, now: float) -> bool:
        return row.status == "interrupted" or self._store.inbox.ready(row, now) is not None

    def _row(self, run: str) -> RunRow | None:
        """The run as the registry has it; None where that cannot be read."""
        try:
            return self._store.registry.get(run)
        except LoopwrightError as error:
            if run not in self._left:
                self._leave(run, -1, str(error))
        return None

    async def _sleep(self) -> None:
        """Until there may be something to do."""
        due = self._store.inbox.next_due(self._looked)
        until = [] if due is None else [due]
        if self._elsewhere:  # whoever runs these may die, and nothing would say so
            until.append(time.time() + SILENT_AFTER)
        every = None if self._store.database.file is None else LOOK_EVERY
        while not self._rung.is_set():
            left = [max(0.0, when - time.time()) for when in until]
            with suppress(TimeoutError):  # wait_for would lose a cancellation that comes together with a ring
                async with asyncio.timeout(min([*left, *([every] if every else [])], default=None)):
                    await self._rung.wait()
            self.glances += 1
            if any(when <= time.time() for when in until) or self._store.database.changes != self._changes:
                return

    async def _go_on(self, row: RunRow) -> None:
        try:
            async with self._free:
                run = self._opened(row)
                await run.aresume(model=self._model_of(row))
            self.gone_on += 1
            if self._tell:
                self._tell(row.id, rest_words(run.row))
        except TAKEN:
            pass
        except LoopwrightError as error:
            self._leave(row.id, row.token, str(error))
        finally:
            self._busy.discard(row.id)
            self._rung.set()

    def _leave(self, run: str, token: int, why: str) -> None:
        """Leave a run as it is, until somebody else has taken it."""
        self._left[run] = token
        if self._tell:
            self._tell(run, f"does not go on: {why}")

    def _opened(self, row: RunRow) -> Run[Any]:
        """The run, with the loop that it was started from where that is here.

        Raises:
            RunError: It calls functions, and its loop is not here or has changed.
        """
        run = open_run(self._store, row.id)
        named = [loop for loop in self._loops if loop.plan.name == row.name]
        same = [loop for loop in named if loop.plan.fingerprint == row.fingerprint]
        for loop in same or (named[:1] if run.plan.code else ()):
            return open_run(self._store, row.id, loop=loop)
        if run.plan.code:
            names = ", ".join(ref.name for ref in run.plan.code)
            raise RunError(f"it is a run of {row.name!r}, which calls functions ({names}); give its loop, too")
        return run

    def _model_of(self, row: RunRow) -> Any:
        """The model of the run's loop, where the store could keep none."""
        live = any(isinstance(held, dict) and "live" in held for held in row.models.values())
        models = (getattr(loop, "model", None) for loop in self._loops if loop.plan.name == row.name)
        return next(filter(None, models), None) if live else None


def rest_words(row: RunRow) -> str:
    """How a run rests, in words.

    Example:
        >>> rest_words(RunRow("3f2a", "letter", "", status="finished", end="sent", reason="look answered 'send'"))
        "finished as sent: look answered 'send'"
    """
    asked = "; ".join(next(iter(question.text.splitlines()), "") for question in row.questions)
    said = {"finished": f"finished as {row.end}: {row.reason}", "waiting": f"waiting for {asked}"}
    return said.get(row.status, f"{row.status}: {row.reason}")
