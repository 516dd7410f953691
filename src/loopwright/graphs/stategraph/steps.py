"""Steps: which nodes can be due together, found by playing all choices of a graph through, as far as a budget goes.

This is exact for what was read: a moment holds the nodes that are due and what each join has seen, as LangGraph keeps
them, and a step is LangGraph's. Two arrivals at a node in the same step are one run of it; in different steps, two.

A token may be marked: what follows from a marked token is marked too. With the first run of a node marked, a run of it
that is not marked is a second one which does not follow from the first.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import product

from loopwright.graphs.stategraph.reading import END, START, Reading, shown

BUDGET = 50_000
"""Runs of nodes that are played for one graph, all questions together: about a second."""

Token = tuple[str, bool]
"""A node that is due, and whether it is marked."""

Arrival = tuple[int, str, bool]
"""What a join has seen: its number, the source, and whether that was marked."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What is due at the same time.

    Args:
        due: The nodes that run now.
        later: The deferred nodes that run when nothing else is due.
        arrived: What joins have seen while they wait for the rest.
    """

    due: frozenset[Token] = frozenset()
    later: frozenset[Token] = frozenset()
    arrived: frozenset[Arrival] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """The nodes that run now."""
        return frozenset(name for name, _ in self.due)

    @property
    def alone(self) -> bool:
        """Whether one node runs and nothing waits beside it."""
        return len(self.due) + len(self.later) + len(self.arrived) <= 1

    def marked(self, name: str) -> "Moment":
        """The same, with one of the nodes marked and nothing else."""
        return Moment(
            frozenset((due, due == name) for due, _ in self.due),
            frozenset((due, False) for due, _ in self.later),
            frozenset((join, source, False) for join, source, _ in self.arrived),
        )


FIRST = Moment(frozenset({(START, False)}))
"""How every run begins."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a node leads to by one of its options for each of its choices; None where it cannot be seen."""

    targets: tuple[str, ...] | None
    sure: bool


@dataclass
class Budget:
    """The runs of nodes that may still be played.

    Args:
        left: How many.
        spent: Whether there were too few.
    """

    left: int = BUDGET
    spent: bool = False

    def take(self, count: int = 1) -> bool:
        """Take some, if there is one left."""
        self.spent = self.spent or self.left <= 0
        self.left -= count
        return not self.spent


@dataclass
class Walk:
    """All moments that can be come to.

    Args:
        came: For each moment, in the order in which they were found, the one before it.
        doubtful: Those that can be come to only by choices that may not be so.
    """

    came: dict[Moment, Moment | None] = field(default_factory=dict)
    doubtful: set[Moment] = field(default_factory=set)

    def path(self, moment: Moment) -> tuple[Moment, ...]:
        """A way to a moment, that one included."""
        found: list[Moment] = []
        at: Moment | None = moment
        while at is not None:
            found.append(at)
            at = self.came[at]
        return tuple(reversed(found))


class Steps:
    """The steps of a graph.

    Args:
        reading: The graph.
        budget: The runs of nodes that may be played.

    Example:
        >>> from loopwright.graphs.stategraph.reading import ReadNode
        >>> nodes = [ReadNode(START, ("a", "b")), ReadNode("a", ("c",)), ReadNode("b", (END,)), ReadNode("c", (END,))]
        >>> steps = Steps(Reading("fork", {node.name: node for node in nodes}), Budget())
        >>> [sorted(moment.names) for moment in steps.walk([FIRST]).came]
        [['__start__'], ['a', 'b'], ['c'], []]
    """

    def __init__(self, reading: Reading, budget: Budget) -> None:
        self.reading, self.budget = reading, budget
        self._numbers = {join: number for number, join in enumerate(reading.joins)}
        self._outcomes: dict[str, tuple[_Outcome, ...]] = {}

    def walk(
        self,
        firsts: Iterable[Moment],
        *,
        found: Callable[[Moment], bool] = lambda _: False,
        closed: Callable[[Moment], bool] = lambda _: False,
        doubtful: Iterable[Moment] = (),
    ) -> Walk:
        """Play every choice, those that are sure first.

        Args:
            firsts: Where it begins.
            found: What is looked for: the walk ends at the first such moment, which is its last. `firsts` do not count.
            closed: From which moments it does not go on.
            doubtful: Further moments where it begins, which may not be so.
        """
        walk = Walk(dict.fromkeys(firsts))
        waiting = deque(walk.came)
        unsure: deque[tuple[Moment, Moment | None]] = deque((moment, None) for moment in doubtful)
        while waiting or unsure:
            if not waiting:
                moment, before = unsure.popleft()
                if moment in walk.came:
                    continue
                walk.came[moment] = before
                walk.doubtful.add(moment)
                if before is not None and found(moment):
                    break
                waiting.append(moment)
            moment = waiting.popleft()
            for after, sure in () if closed(moment) else self.after(moment):
                if after in walk.came:
                    continue
                if not sure:
                    unsure.append((after, moment))
                    continue
                walk.came[after] = moment
                if moment in walk.doubtful:
                    walk.doubtful.add(after)
                if found(after):
                    return walk
                waiting.append(after)
        return walk

    def after(self, moment: Moment) -> Iterable[tuple[Moment, bool]]:
        """What can follow a moment, and whether that is sure."""
        due = sorted(moment.due)
        for outcomes in product(*(self._of(name) for name, _ in due)):
            if not self.budget.take(len(due)):
                return
            reached: dict[str, bool] = {}
            for (_, mark), outcome in zip(due, outcomes, strict=True):
                for target in outcome.targets or ():
                    reached[target] = reached.get(target, False) or mark
            if all(outcome.targets is not None for outcome in outcomes):
                yield self._next(moment, reached), all(outcome.sure for outcome in outcomes)

    def _next(self, moment: Moment, reached: dict[str, bool]) -> Moment:
        arrived = {(join, source): mark for join, source, mark in moment.arrived}
        touched = set()
        for name, mark in moment.due:
            for join in self.reading.joined.get(name, ()):
                number = self._numbers[join]
                touched.add(number)
                arrived[number, name] = arrived.get((number, name), False) or mark
        for number in touched:
            join = self.reading.joins[number]
            if all((number, source) in arrived for source in join.sources):
                marks = [arrived.pop((number, source)) for source in dict.fromkeys(join.sources)]
                reached[join.target] = reached.get(join.target, False) or any(marks)
        later = dict(moment.later)
        due: dict[str, bool] = {}
        for target, mark in reached.items():
            if target != END:
                waits = self.reading.nodes[target].deferred
                (later if waits else due)[target] = mark or (waits and later.get(target, False))
        if not due:
            due, later = later, {}
        return Moment(
            frozenset(due.items()),
            frozenset(later.items()),
            frozenset((join, source, mark) for (join, source), mark in arrived.items()),
        )

    def _of(self, name: str) -> tuple[_Outcome, ...]:
        """What a node can lead to; each result once, the sure ones first."""
        if name not in self._outcomes:
            node = self.reading.nodes[name]
            found: dict[tuple[str, ...] | None, bool] = {}
            ways = [
                [(option.targets, option.sure) for option in choice.options]
                + [(None, True)] * (choice.open or bool(choice.lost))
                for choice in node.choices
            ]
            for chosen in product(*(way or [((), True)] for way in ways)):
                if found and not self.budget.take():
                    break
                targets = [*node.always]
                for more, _ in chosen:
                    targets += more or ()
                seen = None if any(more is None for more, _ in chosen) else tuple(sorted({*targets}))
                found[seen] = found.get(seen, False) or all(sure for _, sure in chosen)
            self._outcomes[name] = tuple(_Outcome(targets, sure) for targets, sure in found.items())
        return self._outcomes[name]


def in_words(reading: Reading, moments: Iterable[Moment]) -> tuple[str, ...]:
    """A way as findings show it: for each step the nodes that run in it, in the graph's order."""
    return tuple(
        " + ".join(shown(name) for name in sorted(moment.names, key=reading.order.__getitem__))
        for moment in moments
        if moment.due
    )
