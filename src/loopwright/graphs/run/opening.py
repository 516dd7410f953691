"""Opening a run that is in a store: by any process, and by code only where it is the run's own."""

from collections.abc import Mapping
from typing import Any

from loopwright.errors import RunError, StoreError
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.models import Given
from loopwright.graphs.run.program import Program
from loopwright.state.store.store import Store
from loopwright.state.values import Json


def open_run(
    store: str | Store,
    id: str,
    *,
    loop: Any = None,
    models: Mapping[str, Given] | None = None,
    changed_code: bool = False,
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

    Raises:
        UnknownRun: There is no such run, or more than one.
        StoreError: The store cannot be opened, or the plan not be read.
        RunError: The loop's plan is another one, or its code has changed.

    Example:
        >>> from loopwright.loop import RoleCycle
        >>> from loopwright.nodes.models.scripted import ScriptedModel
        >>> script = ScriptedModel({"default": ["Rot."], "boss": ["Fluggaenkoechiebolsen"]})
        >>> loop = RoleCycle(task="Name a risk.", roles={"solver": {}, "boss": {}}, review="after_stop", model=script)
        >>> with Store("memory:") as store:
        ...     started = loop.start(store=store)
        ...     open_run(store, started.id[:4]).resume("accept").reason
        'a person accepted the answer of round 1'
    """
    opened = store if isinstance(store, Store) else Store(store, create=False)
    row = opened.registry.get(id)
    try:
        plan = Plan.from_data(opened.registry.plan(row.id))
    except (ValueError, TypeError) as error:
        why = str(error).partition("\n")[0]
        raise StoreError(f"store {opened.url}: the plan of run {row.id} cannot be read: {why}") from error
    if loop is None:
        return Run(opened, row.id, Program(plan, {}), models)
    if loop.plan.fingerprint != row.fingerprint:
        _require_only_code_changed(row.id, plan, loop.plan, allowed=changed_code)
    return Run(opened, row.id, loop.program, models)


def _require_only_code_changed(run: str, started: Plan, now: Plan, *, allowed: bool) -> None:
    if _without_versions(started.to_data()) != _without_versions(now.to_data()):
        raise RunError(
            f"run {run} is of another plan than this loop ({started.fingerprint}, now {now.fingerprint}); it is left as"
            " it is: open it with the loop that it was started from"
        )
    if not allowed:
        versions = {ref.name: ref.version for ref in started.code}
        changed = ", ".join(repr(ref.name) for ref in now.code if versions.get(ref.name) != ref.version)
        raise RunError(
            f"the code of {changed} has changed since run {run} was started; it is left as it is: open it with"
            " changed_code=True if it may go on with the code of now"
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
