"""A store that fails, and runs that are broken at every write, one after the other."""

import sqlite3
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from loopwright.errors import StoreError
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.store.lease import THREAD
from loopwright.state.store.store import Store
from loopwright.testing.histories import Decide, People, differences, outcome_of, settle, width_of
from loopwright.testing.scripts import Answers, RecordingModel

Made = TypeVar("Made")


class BreakingStore(Store):
    """A store that fails at one write and at all that follow, as that of a process which dies there.

    A write is all that is kept at once: a step of a run, an answer, how it rests. What is read afterwards through a
    `Store` of its own is what a new process would find.

    Args:
        url: The store, `sqlite:PATH`.
        at: Which write fails, counted from 1; none when it is 0.
        after: Whether that write is kept all the same, and fails only then.

    Raises:
        StoreError: It cannot be opened, or is kept in memory, where nothing of it would be left.

    Example:
        >>> from loopwright.loop.plan_builder import PlanBuilder
        >>> from loopwright.graphs.plan import End
        >>> from loopwright.nodes.think import Think
        >>> from loopwright.state.channels import Channel
        >>> plan = PlanBuilder("hello", [Channel("text")]).node(Think("say", prompt="Hello?", writes="text"))
        >>> loop = plan.edge("say", "done", End("said")).loop(model=ScriptedModel({"say": ["Hello."]}))
        >>> with tempfile.TemporaryDirectory() as folder, BreakingStore(f"sqlite:{folder}/runs.db", at=5) as store:
        ...     try:
        ...         loop.start(store=store)
        ...     except StoreError:
        ...         store.writes, len(store.registry.visits(next(store.registry.all()).id))
        (5, 0)
    """

    def __init__(self, url: str, *, at: int = 0, after: bool = False) -> None:
        super().__init__(url)
        if self.database.file is None:
            raise StoreError(f"store {url}: nothing would be left of what breaks in memory; give sqlite:PATH")
        self.database.connection.close()
        connection = sqlite3.connect(
            self.database.file, timeout=10.0, check_same_thread=False, factory=_BreakingConnection
        )
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.at, connection.after = at, after
        self.database.connection = self._breaking = connection
        self.database.keep_together(1)  # so that a run makes the same writes each time
        weakref.finalize(self, connection.close).atexit = False

    @property
    def writes(self) -> int:
        """How many writes were made so far, the one that failed included."""
        return self._breaking.writes


class _BreakingConnection(sqlite3.Connection):
    """A connection that counts its writes, and fails at one of them and from there on."""

    at, after, writes = 0, False, 0

    def commit(self) -> None:
        if self.in_transaction and threading.current_thread().name != THREAD:
            self._write(super().commit)
        else:
            super().commit()

    def executescript(self, sql_script: str, /) -> sqlite3.Cursor:
        make = super().executescript
        return self._write(lambda: make(sql_script))

    def _write(self, write: Callable[[], Made]) -> Made:
        is_last = self.at and self.writes >= self.at - 1
        if is_last and (self.writes >= self.at or not self.after):
            self.writes = self.at
            raise sqlite3.OperationalError("disk I/O error")
        written = write()
        self.writes += 1
        if is_last:
            raise sqlite3.OperationalError("disk I/O error")
        return written


@dataclass(frozen=True, slots=True)
class Breaks:
    """What breaking a loop came to, where nothing was lost.

    Args:
        writes: How many writes its run makes.
        breaks: How often it was broken: before and after each of them.
        calls: The model calls of a run that is not broken.
        repeated: The model calls that the broken runs made beyond these, all together.
        most: The most of one of them.
    """

    writes: int
    breaks: int
    calls: int
    repeated: int
    most: int


def break_at_every_write(
    loop: Loop[Any],
    inputs: Mapping[str, Any] | None = None,
    *,
    model: Answers | None = None,
    people: People | None = None,
    awaited: bool = False,
    decide: Decide | None = None,
) -> Breaks:
    """Run a loop again and again, break it before and after each of its writes in turn, and let it go on each time.

    Each of these runs must come to what a run comes to that is not broken: the same visits with the same replies, the
    same end, result and state, with at most one call of a model made again for each branch that was at work.

    Args:
        loop: The loop.
        inputs: Its inputs; the loop's own when left out.
        model: What answers: a script, or a function from the call to the reply, or a model. It must answer the same to
            the same call.
        people: For each node that asks a person its answers, the first one first.
        awaited: Whether calls are awaited.
        decide: What someone decides about an effect that was broken off, who looks in the world: `{"effect": "again"}`,
            or `{"effect": "done", "reply": ...}`.

    Returns:
        How many writes there were, and how many calls were made again.

    Raises:
        AssertionError: Something was lost, or done once more than that; it says where, for all such writes.

    Example:
        >>> from loopwright.loop.role_cycle import RoleCycle
        >>> loop = RoleCycle(task="Bridge?", roles={"solver": {}, "boss": {}})
        >>> broken = break_at_every_write(loop, model={"solver": ["Wood."], "boss": ["Fluggaenkoechiebolsen"]})
        >>> broken.breaks == 2 * broken.writes, broken.calls, broken.most <= 1
        (True, 2, True)
    """
    with tempfile.TemporaryDirectory(prefix="loopwright-") as folder:
        trial = _Trial(loop, inputs, model, people or {}, awaited, Path(folder), decide)
        with BreakingStore(trial.url("whole")) as store:
            whole = trial.run(store)
            expected, calls, width, writes = outcome_of(whole), len(trial.calls), width_of(whole), store.writes
        wrong, repeats = [], []
        for at in range(1, writes + 1):
            for after in (False, True):
                found = differences(expected, trial.broken(at, after=after))
                repeats.append(len(trial.calls) - calls)
                if repeats[-1] > width:
                    found.append(f"{repeats[-1]} calls were made again, where {width} could be at work at once")
                wrong += [f"broken {'after' if after else 'before'} write {at} of {writes}: {each}" for each in found]
    if wrong:
        raise AssertionError("\n".join(wrong))
    return Breaks(writes, len(repeats), calls, sum(repeats), max(repeats))


class _Trial:
    """Runs of one loop, each in a store of its own and with its model at the beginning."""

    def __init__(
        self,
        loop: Loop[Any],
        inputs: Mapping[str, Any] | None,
        model: Answers | None,
        people: People,
        awaited: bool,
        folder: Path,
        decide: Decide | None = None,
    ) -> None:
        self._decide = decide
        self._loop, self._inputs, self._answers, self._people = loop, inputs, model, people
        self._awaited, self._folder = awaited, folder
        self.calls: list[ModelCall] = []

    def url(self, name: str) -> str:
        return f"sqlite:{self._folder / name}.db"

    def run(self, store: Store) -> Run:
        """A run from its beginning until it rests for good."""
        self.calls = []
        run = self._loop.enter_all(
            [self._loop.inputs[0] if self._inputs is None else self._inputs], store=store, models=self._models()
        )[0]
        return settle(run, self._people, awaited=self._awaited, decide=self._decide)

    def broken(self, at: int, *, after: bool) -> dict[str, Any]:
        """What a run comes to that is broken at a write, and goes on in a store that is opened anew."""
        url = self.url(f"{at}-{'after' if after else 'before'}")
        try:
            with BreakingStore(url, at=at, after=after) as store:
                self.run(store)
        except StoreError:
            pass
        with Store(url) as store:
            known = list(store.registry.all())
            if not known:
                return outcome_of(self.run(store))
            run = open_run(store, known[0].id, loop=self._loop, models=self._models())
            return outcome_of(settle(run, self._people, awaited=self._awaited, decide=self._decide))

    def _models(self) -> dict[str, Any]:
        if self._answers is None:
            return {}
        model = _CountedScript(self._answers) if isinstance(self._answers, Mapping) else RecordingModel(self._answers)
        model.calls = self.calls
        return dict.fromkeys(self._loop.plan.model_names, model)


class _CountedScript(ScriptedModel):
    """A script that keeps its calls. It is read from where the run is, as any script."""

    calls: list[ModelCall]

    def ask(self, call: ModelCall) -> ModelReply:
        self.calls.append(call)
        return super().ask(call)

    async def aask(self, call: ModelCall) -> ModelReply:
        self.calls.append(call)
        return await super().aask(call)
