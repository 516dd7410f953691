"""Opening runs that are in a store, one or all: by any process, and by code only where it is the run's own."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, overload

from typing_extensions import TypeVar

from loopwright.errors import DamagedRun, RunError
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.batch import Batch
from loopwright.graphs.run.changed import require_changed
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.models import Given
from loopwright.graphs.run.program import Program
from loopwright.state.store.damage import readable
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store
from loopwright.state.values import Json

Result = TypeVar("Result", default=Any)


class Startable(Protocol[Result]):
    """What a loop has, as far as it is used here; its `start` says of which type its runs' results are."""

    plan: Plan
    program: Program

    def start(self) -> Run[Result]:
        """Start a run."""


@overload
def open_run(
    store: str | Store,
    id: str,
    *,
    loop: Startable[Result],
    models: Mapping[str, Given] | None = None,
    changed_code: bool = False,
    changed_plan: bool | Migration = False,
) -> Run[Result]: ...


@overload
def open_run(
    store: str | Store,
    id: str,
    *,
    loop: None = None,
    models: Mapping[str, Given] | None = None,
    changed_code: bool = False,
    changed_plan: bool | Migration = False,
) -> Run[Any]: ...


def open_run(
    store: str | Store,
    id: str,
    *,
    loop: Startable[Any] | None = None,
    models: Mapping[str, Given] | None = None,
    changed_code: bool = False,
    changed_plan: bool | Migration = False,
) -> Run[Any]:
    """Open a run that is in a store.

    Args:
        store: The store, or its URL.
        id: The run's id, or a prefix that only it has.
        loop: The loop that it was started from. A run whose plan names live code can be looked at without it, and goes
            on only with it: nothing is ever imported because a store names it.
        models: Models by name for this process, where the run was started with live objects.
        changed_code: Whether the run may go on with functions that have changed since it was started, as after a fault
            in one was mended; the plan itself must be the same.
        changed_plan: Whether it may go on with the plan of the loop where that has changed, its code included; a
            `Migration` says what is called otherwise now. It has that plan from here on.

    Raises:
        UnknownRun: There is no such run, or more than one.
        StoreError: The store cannot be opened, or the plan not be read.
        RunError: The loop is none, its plan is another one with which the run may not or cannot go on, or its code has
            changed; the run is left as it is.
        PlanError: It may go on with a changed plan, which has findings that are errors.

    Example:
        >>> from loopwright.loop.role_cycle import RoleCycle
        >>> from loopwright.nodes.models.scripted import ScriptedModel
        >>> script = ScriptedModel({"default": ["Rot."], "boss": ["Fluggaenkoechiebolsen"]})
        >>> loop = RoleCycle(task="Name a risk.", roles={"solver": {}, "boss": {}}, review="after_stop", model=script)
        >>> with Store("memory:") as store:
        ...     started = loop.start(store=store)
        ...     open_run(store, started.id[:4]).resume("accept").reason
        'a person accepted the answer of round 1'
    """
    opened = store if isinstance(store, Store) else Store(store, create=False)
    return _opened(opened, opened.registry.get(id), loop, models, _Allowed(changed_code, changed_plan))


@overload
def open_batch(
    store: str | Store,
    id: str,
    *,
    loop: Startable[Result],
    models: Mapping[str, Given] | None = None,
    changed_code: bool = False,
    changed_plan: bool | Migration = False,
) -> Batch[Result]: ...


@overload
def open_batch(
    store: str | Store,
    id: str,
    *,
    loop: None = None,
    models: Mapping[str, Given] | None = None,
    changed_code: bool = False,
    changed_plan: bool | Migration = False,
) -> Batch[Any]: ...


def open_batch(
    store: str | Store,
    id: str,
    *,
    loop: Startable[Any] | None = None,
    models: Mapping[str, Given] | None = None,
    changed_code: bool = False,
    changed_plan: bool | Migration = False,
) -> Batch[Any]:
    """Open the runs that were started together, in the order of their inputs.

    Args:
        store: The store, or its URL.
        id: The batch's id, or a prefix that only it has.
        loop: The loop that they were started from; it is needed to go on where the plan names live code.
        models: Models by name for this process, where they were started with live objects.
        changed_code: Whether they may go on with functions that have changed since.
        changed_plan: Whether they may go on with a plan that has changed, as of `open_run`, one after the other until
            one cannot; those that have ended keep the plan that they were run with.

    Raises:
        UnknownRun: There is no such batch, or more than one.
        StoreError: The store cannot be opened, or a run not be read.
        RunError: The loop is none, its plan is another one with which a run may not or cannot go on, or its code has
            changed.
        PlanError: They may go on with a changed plan, which has findings that are errors.
    """
    opened = store if isinstance(store, Store) else Store(store, create=False)
    rows = opened.registry.batch(id)
    allowed = _Allowed(changed_code, changed_plan)
    return Batch(opened, rows[0].batch, [_opened(opened, row, loop, models, allowed) for row in rows])


def runs(store: str | Store, *, batch: str = "") -> Iterator[Run[Any]]:
    """The runs of a store, the newest first. Each is read when it is come to, so the first is there at once.

    They can be looked at as they are; one whose plan names live code goes on after `open_run` with its loop. A run that
    cannot be read is left out, and `open_run` says why.

    Args:
        store: The store, or its URL.
        batch: The id of a batch, or a prefix that only it has: only its runs, in the order of their inputs.

    Raises:
        UnknownRun: There is no such batch, or more than one.
        StoreError: The store cannot be opened, or a run of the batch not be read.

    Example:
        >>> from itertools import islice
        >>> from loopwright.loop.role_cycle import RoleCycle
        >>> from loopwright.nodes.models.scripted import ScriptedModel
        >>> script = ScriptedModel({"default": ["Rot."], "boss": ["Fluggaenkoechiebolsen"]})
        >>> loop = RoleCycle(task="Name a risk.", roles={"solver": {}, "boss": {}}, model=script)
        >>> with Store("memory:") as store:
        ...     started = loop.start(store=store)
        ...     [(run.id == started.id, run.status) for run in islice(runs(store), 5)]
        [(True, 'finished')]
    """
    opened = store if isinstance(store, Store) else Store(store, create=False)
    registry = opened.registry
    return _readable(opened, registry.batch(batch) if batch else registry.all())


def _readable(opened: Store, rows: Iterable[RunRow]) -> Iterator[Run[Any]]:
    for row in rows:
        try:
            plan = _plan_of(opened, row)
        except DamagedRun:
            continue
        yield Run(opened, row.id, Program(plan, {}), kept=row.fingerprint)


def _plan_of(opened: Store, row: RunRow) -> Plan:
    with readable(opened.url, f"the plan of run {row.id}"):
        return Plan.from_data(opened.registry.plan(row.id))


@dataclass(frozen=True, slots=True)
class _Allowed:
    """What may be another than it was when a run was started."""

    code: bool
    plan: bool | Migration


def _opened(
    opened: Store, row: RunRow, loop: Startable[Any] | None, models: Mapping[str, Given] | None, allowed: _Allowed
) -> Run[Any]:
    plan = _plan_of(opened, row)
    if loop is None:
        return Run(opened, row.id, Program(plan, {}), models, row.fingerprint)
    program = getattr(loop, "program", None)
    if not isinstance(program, Program):
        raise RunError(f"loop= is the loop that run {row.id} was started from, as lw.load gives it; {loop!r} is none")
    if program.plan.fingerprint == row.fingerprint:
        return Run(opened, row.id, program, models)
    if allowed.plan is False and _without_versions(plan.to_data()) == _without_versions(program.plan.to_data()):
        _require_allowed(row.id, plan, program.plan, allowed=allowed.code)
        return Run(opened, row.id, program, models, row.fingerprint)
    if allowed.plan is not False and row.status == "finished":
        return Run(opened, row.id, Program(plan, program.code), models, row.fingerprint)
    require_changed(opened, row, program, allowed.plan)
    return Run(opened, row.id, program, models)


def _require_allowed(run: str, started: Plan, now: Plan, *, allowed: bool) -> None:
    if not allowed:
        versions = {ref.name: ref.version for ref in started.code}
        changed = ", ".join(repr(ref.name) for ref in now.code if versions.get(ref.name) != ref.version)
        raise RunError(
            f"the code of {changed} has changed since run {run} was started; it is left as it is: open it with"
            " changed_code=True (on the command line, --changed-code) if it may go on with the code of now"
        )


def _without_versions(data: Json) -> Json:
    """A plan's JSON without the versions of its code."""
    if isinstance(data, list):
        return [_without_versions(item) for item in data]
    if not isinstance(data, dict):
        return data
    code = data.get("code")
    rest = {key: _without_versions(value) for key, value in data.items()}
    return {**rest, "code": code["name"]} if isinstance(code, dict) and "name" in code else rest
