"""Runs that were started together: a batch."""

import asyncio
import json
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Generic, Self, overload

from typing_extensions import TypeVar

from loopwright.errors import NotWaiting, RunBusy, RunError, StoreError
from loopwright.graphs.run.budgets import budget_data, require_prices
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.models import AnyModel, Given, as_data, own, own_of
from loopwright.graphs.run.program import Program
from loopwright.nodes.budget import Budget
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject

Result = TypeVar("Result", default=Any)

READY = ("suspended", "interrupted")
"""How a run rests that can go on by itself. One that was not begun yet is `interrupted` too."""

STATES = ("finished", "waiting", "suspended", "interrupted", "running", "not begun", "quarantined")
"""What `state_of` says."""


class Batch(Sequence[Run[Result]], Generic[Result]):
    """Runs that were started together, in the order of their inputs.

    All of them are entered in the store before the first begins, so that nothing is lost when the process ends: those
    that were not begun go on as those do that were interrupted.

    Args:
        store: The store that they are in.
        id: The id that they share.
        runs: The runs.
    """

    def __init__(self, store: Store, id: str, runs: Sequence[Run[Result]]) -> None:
        self.store, self.id, self._runs = store, id, tuple(runs)

    @overload
    def __getitem__(self, index: int) -> Run[Result]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Run[Result]]: ...
    def __getitem__(self, index: int | slice) -> Run[Result] | Sequence[Run[Result]]:
        return self._runs[index]

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def ready(self) -> tuple[Run[Result], ...]:
        """The runs that can go on by themselves: those that were not begun, were interrupted, or are suspended."""
        return tuple(run for run in self._runs if run.status in READY)

    def resume(self, *, model: Given | None = None) -> Self:
        """Let each run that is ready go on until it rests, one after the other.

        A run that is suspended or waits stops no other. Where the process is told to stop, the run at work is
        interrupted, and the error says how the batch goes on.

        Args:
            model: A model that from now on answers for every name; each run has its script from the beginning.

        Returns:
            This batch.

        Raises:
            StoreError: The store cannot be written.
            RunError: A model is missing.
        """
        try:
            for run in self.ready:
                with suppress(RunBusy, NotWaiting):  # another process has taken it meanwhile
                    run.resume(model=own(model))
        except BaseException as error:
            self._say_how_on(error)
            raise
        return self

    async def aresume(self, *, model: Given | None = None, at_once: int = 1) -> Self:
        """The same with awaited calls.

        Args:
            model: As of `resume`.
            at_once: How many runs may be at work at the same time.

        Raises:
            RunError: A model is missing, or `at_once` is less than 1.
            StoreError: The store cannot be written.
        """
        require_at_once(at_once)
        free = asyncio.Semaphore(at_once)

        async def go_on(run: Run[Result]) -> None:
            async with free:
                with suppress(RunBusy, NotWaiting):
                    await run.aresume(model=own(model))

        try:
            async with asyncio.TaskGroup() as tasks:
                for run in self.ready:
                    tasks.create_task(go_on(run))
        except BaseExceptionGroup as group:  # the others were interrupted, and the first error says why
            self._say_how_on(group.exceptions[0])
            raise group.exceptions[0] from None
        return self

    def summary(self) -> str:
        """How many of the runs rest in which way."""
        counts = Counter(state_of(run.row) for run in self._runs)
        return ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state])

    def _say_how_on(self, error: BaseException) -> None:
        with suppress(StoreError):
            error.add_note(f"batch {self.id}: {self.summary()}; {self._how_on()}")

    def _how_on(self) -> str:
        if self.store.url == "memory:":
            return "it was kept in memory:, and is gone with this process"
        return f"go on with open_batch({json.dumps(self.store.url)}, {json.dumps(self.id)}).resume()"

    def __repr__(self) -> str:
        return f"Batch({self.id!r}, {self.summary()})"


def state_of(row: RunRow) -> str:
    """How a run of a batch rests, in words: its status, or `not begun`."""
    return row.status if row.status != "interrupted" or row.is_begun else "not begun"


def require_at_once(at_once: Any) -> None:
    """Refuse what is no number of runs.

    Raises:
        RunError: It is less than 1, or no whole number.
    """
    if isinstance(at_once, bool) or not isinstance(at_once, int) or at_once < 1:
        raise RunError(f"at_once is how many runs are at work at the same time, at least 1; {at_once!r} is not")


def enter(
    program: Program,
    inputs: Sequence[JsonObject],
    store: Store,
    models: Mapping[str, AnyModel],
    batch: str = "",
    budget: Budget | None = None,
) -> Batch[Any]:
    """Enter a run for each of some inputs, all or none. Nobody holds them, so that they can be resumed.

    Args:
        program: The plan with its code.
        inputs: The inputs of each run; they fit.
        store: Where they are kept.
        models: The models by name; each run of several has scripts of its own.
        batch: The id that they share; a new one if left out, where they are several.
        budget: What each of them may spend.

    Raises:
        RunError: It is of cost, and nobody knows the price of a model.
    """
    require_prices(budget, models)
    plan, several = program.plan, len(inputs) > 1
    if several and not batch:
        batch = secrets.token_hex(4)
    data = as_data(models)
    new = RunRow("", plan.name, plan.fingerprint, models=data, batch=batch, budget=budget_data(budget))
    rows = [replace(new, inputs=values) for values in inputs]
    entered = store.registry.enter_all(rows, plan.to_data())
    runs = [Run(store, row.id, program, own_of(models) if several else models) for row in entered]
    return Batch(store, entered[0].batch, runs)
