"""Runs whose plan has changed: each is looked at, told in words, and led on to the plan of now where it can be."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from loopwright.errors import RunBusy, RunError, StoreError
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.program import Mover, Program
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store

Group = Literal["same", "safe", "needs migration", "breaking", "ended", "running", "unreadable"]

GROUPS: tuple[Group, ...] = ("safe", "needs migration", "breaking", "running", "unreadable", "same", "ended")
"""What a changed plan can mean for a run, in the order in which it is told."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What a changed plan means for one run of a store.

    Args:
        run: The run's id.
        group: `safe`: it goes on with the plan of now. `needs migration`: it does with what is declared; where that is
            not enough, `goes_on` is false and the reasons say what is missing. `breaking`: it cannot. `running`: a
            process is at work on it, and it is left alone. `unreadable`: it cannot be read. `same`: it has this plan
            already. `ended`: it has come to its end, and keeps the plan that it was run with.
        goes_on: Whether it can be led on to the plan of now.
        reasons: Why it cannot; else what becomes of it by what is declared.
        changes: What differs between its plan and that of now.
        done: Whether it has the plan of now from here on.
    """

    run: str
    group: Group
    goes_on: bool = False
    reasons: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    done: bool = False


class Looker:
    """Looks at runs of a store, and leads them on.

    Args:
        store: Where the runs are.
        program: The plan of now, and its code.
        declared: What is called otherwise now.
        move: Whether runs are led on to it, where they can be.
    """

    def __init__(self, store: Store, program: Program, declared: Migration, *, move: bool) -> None:
        self._store, self._program, self._declared, self._move = store, program, declared, move

    @cached_property
    def _mover(self) -> Mover:
        return self._program.mover(self._store)

    def look(self, row: RunRow) -> Looked:
        """What the plan of now means for a run."""
        if row.fingerprint == self._program.plan.fingerprint:
            return Looked(row.id, "same")
        if row.status == "finished":
            return Looked(row.id, "ended")
        if row.status == "running":
            return Looked(row.id, "running", reasons=(f"it is being run by {row.holder}",))
        mover, declared, move = self._mover, self._declared, self._move
        try:
            verdict = mover.move(row.id, declared) if move else mover.check(row.id, declared)
        except RunBusy as error:
            return Looked(row.id, "running", reasons=(str(error),))
        except (StoreError, ValueError) as error:
            return Looked(row.id, "unreadable", reasons=(str(error),))
        done = move and verdict.goes_on and verdict.kind != "same"
        return Looked(row.id, verdict.kind, verdict.goes_on, verdict.reasons, verdict.changes, done)


def migrate(
    store: str | Store,
    loop: Any,
    declared: Migration | None = None,
    *,
    name: str = "",
    dry_run: bool = False,
) -> Iterator[Looked]:
    """Lead all runs of a store that were started from a plan of this name on to the plan of now, each by itself.

    A run that can go on is written in one transaction, after its new position was tried on a copy; every other one is
    left as it is. Its id, its visits, its answers and what it waits for stay.

    Args:
        store: The store, or its URL.
        loop: The loop of now.
        declared: What is called otherwise now, and what stands where nothing was.
        name: The name that the plan had when they were started, where it was another one.
        dry_run: Whether they are only looked at.

    Returns:
        What the plan of now means for each run, the newest run first; one is looked at when it is come to.

    Raises:
        StoreError: The store cannot be opened.
        PlanError: The plan of now has findings that are errors.
        RunError: The loop is none, or what is declared does not fit its plan.

    Example:
        >>> from loopwright.graphs.plan import End
        >>> from loopwright.loop.plan_builder import PlanBuilder
        >>> from loopwright.nodes.wait import Human
        >>> def asking(node):
        ...     return PlanBuilder("ask").node(Human(node, text="Publish?")).edge(node, "done", End("sent")).loop()
        >>> with Store("memory:") as store:
        ...     run = asking("approve").start(store=store)
        ...     for looked in migrate(store, asking("sign"), Migration(nodes={"approve": "sign"})):
        ...         print(looked.group, looked.done, looked.reasons)
        needs migration True ("node 'approve' is 'sign' now",)
    """
    opened = store if isinstance(store, Store) else Store(store, create=False)
    program = program_of(loop)
    declared = declared or Migration()
    declared.require_fitting(program.plan)
    program.findings.raise_for_errors()
    looker = Looker(opened, program, declared, move=not dry_run)
    return (looker.look(row) for row in opened.registry.all() if row.name == (name or program.plan.name))


def program_of(loop: Any) -> Program:
    """The plan of a loop, with its code.

    Raises:
        RunError: It is no loop.
    """
    program = getattr(loop, "program", None)
    if not isinstance(program, Program):
        raise RunError(f"loop= is a loop, as lw.load gives it; {loop!r} is none")
    return program


def require_changed(store: Store, row: RunRow, program: Program, changed: bool | Migration) -> None:
    """Lead a run on to a plan that has changed, where that is allowed and can be done.

    Args:
        store: Where the run is.
        row: The run, which is of another plan.
        program: The plan of now, and its code.
        changed: Whether it may go on with it, or what is declared for that.

    Raises:
        RunError: It may not, or cannot; what differs is told, and what would let it go on. It is left as it is.
        PlanError: The plan of now has findings that are errors.
    """
    declared = changed if isinstance(changed, Migration) else Migration()
    declared.require_fitting(program.plan)
    program.findings.raise_for_errors()
    looked = Looker(store, program, declared, move=changed is not False).look(row)
    if looked.done or looked.group == "same":
        return
    started = Plan.from_data(store.registry.plan(row.id))
    alone = "" if started.code else ", or without one: then it goes on with the plan that it was started with"
    raise RunError(
        f"run {row.id} is of another plan than this loop ({started.fingerprint}, now {program.plan.fingerprint}):"
        f" {'; '.join(looked.changes) or 'they differ'}. {_advice(looked)} It is left as it is: open it with the loop"
        f" that it was started from{alone}"
    )


def _advice(looked: Looked) -> str:
    """What would let a run go on with the plan of now."""
    why = "; ".join(looked.reasons)
    match looked.group:
        case "ended":
            return "It has ended, and keeps the plan that it was run with."
        case "safe":
            return "It can go on with the plan of now: changed_plan=True (on the command line, --changed-plan)."
        case "needs migration" if not looked.goes_on:
            return f"To go on with the plan of now it needs a migration: {why}."
        case _:
            return f"It cannot go on with the plan of now: {why}."
