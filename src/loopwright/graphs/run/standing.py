"""Where a fork of a run may stand: before a visit, by the run's plan and what it has visited. No store is read here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.errors import RunError
from loopwright.graphs.plan import Fork, Plan
from loopwright.graphs.run.moments import locate
from loopwright.state.records import Visit
from loopwright.state.store.runs import RunRow


@dataclass(frozen=True, slots=True)
class AtStart:
    """Where the run's own way begins.

    Args:
        given_inputs: Whether it begins with inputs; a run that was forked itself begins with a state.
    """

    given_inputs: bool


@dataclass(frozen=True, slots=True)
class Before:
    """In the state that a visit started from.

    Args:
        visit: The visit.
    """

    visit: Visit


@dataclass(frozen=True, slots=True)
class After:
    """In the state that a visit led to: where the run rests, or where a fork's branches are not sent out yet.

    Args:
        visit: The visit.
        is_last: Whether the run rests there.
    """

    visit: Visit
    is_last: bool


Standing = AtStart | Before | After


def require_in_reach(row: RunRow, count: int, at: Any) -> None:
    """Refuse what is no visit of a run that a fork could stand before.

    Args:
        row: The run.
        count: How many visits it has completed.
        at: The visit's index, as it was given.

    Raises:
        RunError: It is none.
    """
    last = count - 1 if row.status in ("finished", "running") else count
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= count:
        raise RunError(f"run {row.id} cannot be forked at {at!r}; it has {count} visits: give 0 to {last}")
    if at > last:
        raise RunError(f"run {row.id} is {row.status} after its {count} visits; it can be forked at 0 to {last}")


def standing_before(plan: Plan, row: RunRow, visits: Sequence[Visit], at: int) -> Standing:
    """Where a fork stands before a visit that the run made itself; where that is a fork's first one, before the fork.

    Args:
        plan: The run's plan.
        row: The run.
        visits: All visits that it has completed.
        at: The visit's index, which is in reach.

    Raises:
        RunError: The visit is of a fork's branches, and not the first of them.
    """
    _require_outside(plan, row, visits, at)
    if at == 0 or (row.forked_from and at == row.forked_at):
        return AtStart(given_inputs=not row.forked_from)
    if at < len(visits) and _is_plain(plan, visits, at):
        return Before(visits[at])
    return After(visits[at - 1], is_last=at == len(visits))


def _require_outside(plan: Plan, row: RunRow, visits: Sequence[Visit], at: int) -> None:
    """Refuse a place between the visits of a fork's branches: they are made side by side."""
    fork = _fork_around(plan, visits[at - 1]) if at else ""
    joined_here = at < len(visits) and visits[at].node == fork
    if not fork or joined_here:
        return
    first = at - 1
    while first and _fork_around(plan, visits[first - 1]) == fork:
        first -= 1
    join = next((visit.index for visit in visits[at:] if visit.node == fork), None)
    later = f", or {join}, before its branches are joined" if join is not None else ""
    raise RunError(
        f"run {row.id} cannot be forked at {at}, between the branches of {fork!r}, which run side by side; give"
        f" {first}, before all of them{later}"
    )


def _is_plain(plan: Plan, visits: Sequence[Visit], at: int) -> bool:
    """Whether a run can stand right before a visit: before a fork's branches it stands before they are sent out.

    A visit that joins branches is plain, unless there were none.
    """
    placed = plan.nodes.get(visits[at].node)
    if placed is None or not isinstance(placed.node, Fork):
        return placed is not None
    return _fork_around(plan, visits[at - 1]) == placed.name


def _fork_around(plan: Plan, visit: Visit) -> str:
    """The outermost fork that a visit was made in; "" for none.

    A visit that the plan has no place for was made before the plan was changed, and no plan is changed inside a fork.
    """
    try:
        around = locate(plan, visit.node).around
    except RunError:
        return ""
    return around[0][0].name if around else ""
