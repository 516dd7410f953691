"""More of a bound than the plan says, for one run: whether it can be given, and what the plan is then. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import networkx as nx

from loopwright.errors import NotWaiting, RunError
from loopwright.graphs.loops import node_graph
from loopwright.graphs.plan import Plan
from loopwright.hints import did_you_mean
from loopwright.nodes.contract import Node
from loopwright.state.records import Extension, Visit
from loopwright.state.store.runs import RunRow


def sums_of(extensions: Iterable[Extension]) -> dict[str, int]:
    """What a run was given in all, by bound.

    Example:
        >>> sums_of([Extension("rounds", 3, 8), Extension("rounds", 2, 14)])
        {'rounds': 5}
    """
    sums: dict[str, int] = {}
    for each in extensions:
        sums[each.bound] = sums.get(each.bound, 0) + each.more
    return sums


def raised(plan: Plan, more: Mapping[str, int]) -> Plan:
    """The plan with some of its bounds raised; nodes that say how often they come say the new number."""
    bounds = {name: replace(bound, at_most=bound.at_most + more.get(name, 0)) for name, bound in plan.bounds.items()}
    nodes = dict(plan.nodes)
    for bound, number in more.items():
        around, slash, own = bound.rpartition("/")
        for name, placed in nodes.items():
            if name.rpartition("/")[:2] == (around, slash) and isinstance(placed.node, Node):
                nodes[name] = replace(placed, node=placed.node.given_more(own, number))
    return replace(plan, nodes=nodes, bounds=bounds)


def require_more(run: RunRow, plan: Plan, more: Any, last: Visit | None) -> None:
    """Make sure that a run can be given this, and goes on with it.

    Args:
        run: The run.
        plan: Its plan, as it is for the run now.
        more: How many more times, by the names of bounds.
        last: The last of its visits; None before the first one.

    Raises:
        RunError: This is no mapping from the plan's bounds to numbers from 1 on.
        NotWaiting: The run has ended otherwise, or can come to this bound no more.
    """
    if not isinstance(more, Mapping) or not more:
        raise RunError(f"bounds are a mapping from names to numbers, as {{'rounds': 3}}; {more!r} is none")
    for name, number in more.items():
        if name not in plan.bounds:
            hint = did_you_mean(str(name), plan.bounds) if plan.bounds else "it has none"
            raise RunError(f"the plan of run {run.id} has no bound {name!r} ({hint})")
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise RunError(f"run {run.id} can be given 1 more of {name!r}, or more, and not {number!r}")
    if last and last.target in plan.ends:
        _require_reopened(run, plan, more, last)
        return
    here = [_node_of(plan, place) for place in run.at]
    if not here and last:
        here = [last.target if last.target in plan.nodes else _node_of(plan, last.node)]
    here = here or [plan.start]
    graph = node_graph(plan)
    for name in more:
        sources = {move.source for move in plan.moves if move.way.bound == name}
        if not any(nx.has_path(graph, place, source) for place in here if place in graph for source in sources):
            stands = ", ".join(map(repr, here))
            raise NotWaiting(f"run {run.id} is at {stands}, and comes to the bound {name!r} no more")


def bounds_that_led(plan: Plan, last: Visit) -> list[str]:
    """The bounds that were used up when a run came to its end by this visit; more of one of them lets it go on."""
    led = (
        bound
        for move in plan.moves
        if (move.source, move.outcome, move.way.target) == (last.node, last.outcome, last.target)
        for bound in move.used_up
    )
    return list(dict.fromkeys(led))


def _node_of(plan: Plan, place: str) -> str:
    """The plan's own node at a place, which may be inside of a fork: `rate` of `rate[2]/rater`."""
    around = (name for name in plan.nodes if place.startswith(f"{name}["))
    return place if place in plan.nodes else max(around, key=len, default=plan.start)


def _require_reopened(run: RunRow, plan: Plan, more: Mapping[str, int], last: Visit) -> None:
    """Make sure that a run which has ended would not have, with more of these bounds."""
    led = bounds_that_led(plan, last)
    ended = f"run {run.id} has ended as {last.target!r}"
    if not led:
        hint = "a fork of it that stands where the bound is still ahead can be given more"
        raise NotWaiting(f"{ended}, and no bound led there ({last.node} answered {last.outcome!r}); {hint}")
    if not more.keys() & set(led):
        given, needed = " and ".join(map(repr, more)), " or ".join(map(repr, led))
        raise NotWaiting(f"{ended}, where the bound {needed} led: more of {given} does not let it go on")
