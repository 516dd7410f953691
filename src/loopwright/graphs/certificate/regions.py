"""The walks that a run can take, loop by loop.

A region is a loop, or the plan as a whole. A walk through it is some rounds, each from its head to one of its back
moves, and then a last one that leaves it. Loops inside a region stand in its rounds as one item, so that a round never
goes in a circle.

Bounds of one loop can open ways to each other: when `a` is used up, its edges lead on by their `then`, and there
another bound may be met. Using more bounds up never closes a way. So every bound is spent in full before a region is
left, and what matters is only the order: a bound is spent after those that open ways to it. Where several open ways to
each other, all orders are tried, up to `TANGLED` of them; beyond it all their ways count as open, and the result is an
upper bound.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from math import inf
from typing import Protocol

import networkx as nx

from loopwright.graphs.loops import Loop, forward_order, loops
from loopwright.graphs.plan import Move, Plan

TANGLED = 8
"""As many bounds of one loop as may open ways to each other and still be tried in all orders."""

CONTEXTS = 64
"""As many states of the bounds around it as one loop is looked at in; beyond them, all ways count as open."""

Goal = tuple[str | None, str]
"""Where a part of a walk ends: the target of a move out of it, and the bound that this move spends."""

STOP: Goal = (None, "")
"""The goal of a walk that stops at a wait."""

Reach = dict[Goal, float]
"""What a walk to each goal can collect at most; goals that no walk comes to are left out."""


class Measure(Protocol):
    """What is counted on a walk."""

    def of_round(self, step: "Round") -> Reach:
        """The most that one round can collect, by where it ends."""


class Walks:
    """The walks of one plan.

    Args:
        plan: The plan; it has no errors.
        stops: Nodes at which a walk stops: the waits, for what happens between two replies.
    """

    def __init__(self, plan: Plan, stops: Iterable[str] = ()) -> None:
        self.plan = plan
        self.stops = frozenset(stops)
        self.loops = loops(plan)
        self.exact = True
        self.moves: dict[str, list[Move]] = {name: [] for name in plan.nodes}
        for move in plan.moves:
            self.moves[move.source].append(move)
        inner = {item for loop in self.loops.values() for item in loop.items if item != loop.head}
        self.root = Loop("", tuple(name for name in forward_order(plan) if name not in inner), ())
        self.around = {item: loop.head for loop in self.loops.values() for item in loop.items if item != loop.head}
        self._regions: dict[str, dict[frozenset[str] | None, Region]] = {}
        self._asked = self._conditions()

    def _conditions(self) -> dict[str, frozenset[str]]:
        """For each loop, the bounds around it that open ways in it when they are used up."""
        found: dict[str, frozenset[str]] = {}
        for head, loop in self.loops.items():
            direct = (move for item in loop.items if item not in found for move in self.moves[item])
            own = {name for move in direct for name in move.used_up}
            deeper = (found[item] for item in loop.items if item in found)
            found[head] = frozenset(own.union(*deeper)) - set(loop.bounds)
        return found

    def region(self, loop: Loop, used: frozenset[str] | None) -> "Region":
        """The region of a loop, where some bounds around it are used up; None for all ways open."""
        known = self._regions.setdefault(loop.head, {})
        state = None if used is None else used & self._asked.get(loop.head, frozenset())
        if state not in known and len(known) >= CONTEXTS:
            state, self.exact = None, False
        if state not in known:
            known[state] = Region(self, loop, state)
        return known[state]

    def steps(self, item: str, used: frozenset[str] | None) -> Iterator[Goal]:
        """Where a node can lead."""
        if item in self.stops:
            yield STOP
            return
        for move in self.moves[item]:
            if used is None or used.issuperset(move.used_up):
                yield (move.way.target, move.way.bound)

    def orders(self, loop: Loop) -> list[list[str]]:
        """The bounds of a loop in the order in which they are spent; together, those that open ways to each other."""
        opens: nx.DiGraph[str] = nx.DiGraph()
        opens.add_nodes_from(loop.bounds)
        for move in self._conditional.get(loop.head, ()):
            opened = self._bounds_behind(loop, move) - set(move.used_up)
            opens.add_edges_from((name, other) for name in move.used_up if name in opens for other in opened)
        parts = nx.condensation(opens)
        return [sorted(parts.nodes[part]["members"]) for part in nx.topological_sort(parts)]

    @cached_property
    def _conditional(self) -> dict[str, list[Move]]:
        """For each loop, the moves that need one of its bounds to be used up and stay in it."""
        head_of = {name: head for head, loop in self.loops.items() for name in loop.bounds}
        found: dict[str, list[Move]] = {}
        for move in self.plan.moves:
            for head in {head_of[name] for name in move.used_up if name in head_of}:
                if self._inside(move.way.target, head):
                    found.setdefault(head, []).append(move)
        return found

    def _inside(self, name: str, head: str) -> bool:
        while name != head and name in self.around:
            name = self.around[name]
        return name == head

    def _bounds_behind(self, loop: Loop, first: Move) -> set[str]:
        """The bounds of a loop that a round can come to after a move."""
        found, seen, waiting = set[str](), set[str](), [first]
        while waiting:
            move = waiting.pop()
            target = move.way.target
            if target == loop.head:
                found.add(move.way.bound)
            elif target not in seen and self._inside(target, loop.head):
                seen.add(target)
                waiting.extend(self.moves[target])
        return found & set(loop.bounds)


class Round:
    """All ways from the head of a region to where a round ends, with some bounds used up.

    Args:
        items: For each item, in order, where it can lead; for a loop inside, the goals that its walks come to.
        inner: The loops inside, as regions.
        head: The region's head: what leads to it ends the round.
    """

    def __init__(self, head: str, items: dict[str, tuple[Goal, ...]], inner: Mapping[str, "Region"]) -> None:
        self.head = head
        self.items = items
        self.inner = inner

    def following(self, goal: Goal) -> str | None:
        """The item that a goal of another item is, or None where the round ends."""
        target = goal[0]
        return target if target in self.items and target != self.head else None

    @cached_property
    def arrived(self) -> set[str]:
        """The items that a round from the head can come to."""
        found = {next(iter(self.items))}
        for item, goals in self.items.items():
            if item in found:
                found.update(following for goal in goals if (following := self.following(goal)) is not None)
        return found

    @cached_property
    def behind(self) -> dict[str, set[Goal]]:
        """For each item, the goals at which a round that has come to it can end."""
        found: dict[str, set[Goal]] = {}
        for item in reversed(self.items):
            found[item] = set()
            for goal in self.items[item]:
                following = self.following(goal)
                found[item] |= {goal} if following is None else found[following]
        return found


class Region:
    """One loop, or the whole plan, where some bounds around it are used up.

    Args:
        walks: The walks that it belongs to.
        loop: The loop.
        outer: The bounds around it that are used up; None for all ways open.
    """

    def __init__(self, walks: Walks, loop: Loop, outer: frozenset[str] | None) -> None:
        self.walks = walks
        self.loop = loop
        self.outer = outer
        self._at_most = {name: walks.plan.bounds[name].at_most for name in loop.bounds}
        self._rounds: dict[frozenset[str] | None, Round] = {}

    def round(self, used: frozenset[str] | None) -> Round:
        """A round where these bounds are used up."""
        if used not in self._rounds:
            walks, head = self.walks, self.loop.head
            loops_inside = [item for item in self.loop.items if item in walks.loops and item != head]
            inner = {item: walks.region(walks.loops[item], used) for item in loops_inside}
            items = {
                item: inner[item].goals if item in inner else tuple(dict.fromkeys(walks.steps(item, used)))
                for item in self.loop.items
            }
            self._rounds[used] = Round(head, items, inner)
        return self._rounds[used]

    @cached_property
    def goals(self) -> tuple[Goal, ...]:
        """Where walks through it can leave it."""
        return tuple(self.totals(_Nothing()))

    @cached_property
    def _orders(self) -> list[list[str]]:
        return self.walks.orders(self.loop)

    def totals(self, measure: Measure) -> Reach:
        """The most that a walk through it can collect, by where it leaves."""
        if self.outer is None:
            last = measure.of_round(self.round(None))
            total = sum(self._spend(name, last) for name in self._at_most)
        else:
            total, used = self._spend_all(measure, self.outer)
            last = measure.of_round(self.round(used))
        if last.get((self.loop.head, ""), 0) > 0:
            total = inf
        return {goal: total + value for goal, value in last.items() if goal[0] != self.loop.head}

    def _spend(self, name: str, reach: Reach) -> float:
        """What a bound can collect when all its rounds are taken."""
        times = self._at_most[name]
        return times * reach.get((self.loop.head, name), 0) if times > 0 else 0

    def _spend_all(self, measure: Measure, outer: frozenset[str]) -> tuple[float, frozenset[str]]:
        """What all rounds but the last can collect, and what is used up after them."""
        total: float = 0
        used = outer | {name for name, times in self._at_most.items() if times == 0}
        for names in self._orders:
            if len(names) > TANGLED:
                self.walks.exact = False
                total += sum(self._spend(name, measure.of_round(self.round(None))) for name in names)
                used |= set(names)
            else:
                gained, used = self._spend_together(measure, names, used)
                total += gained
        return total, used

    def _spend_together(self, measure: Measure, names: list[str], used: frozenset[str]) -> tuple[float, frozenset[str]]:
        """The best order of some bounds, found over the sets of them that are used up."""
        best: dict[frozenset[str], float] = {used: 0}
        for _ in set(names) - used:
            grown: dict[frozenset[str], float] = {}
            for spent, value in best.items():
                reach = measure.of_round(self.round(spent))
                for name in set(names) - spent:
                    more = value + self._spend(name, reach)
                    grown[spent | {name}] = max(more, grown.get(spent | {name}, 0))
            best = grown
        ((used, total),) = best.items()
        return total, used


class _Nothing:
    """Counts nothing: what is left is where walks lead."""

    def of_round(self, step: Round) -> Reach:
        first = next(iter(step.items))
        return dict.fromkeys(step.behind[first], 0)
