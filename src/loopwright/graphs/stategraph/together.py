"""Together: what goes wrong only because several nodes run side by side, with the steps that show it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import networkx as nx

from loopwright.graphs.stategraph.reading import END, START, Reading, shown
from loopwright.graphs.stategraph.steps import BUDGET, FIRST, Budget, Moment, Steps, Walk, in_words
from loopwright.graphs.verify.findings import Code, Finding, error, warning


def side_by_side(reading: Reading, most: int = BUDGET) -> Iterator[Finding]:
    """Joins that are dropped, nodes that run twice, writes that clash, and keys that are read before they are written.

    Args:
        reading: The graph; one with edges to nowhere is not played.
        most: The runs of nodes that may be played.
    """
    if START not in reading.nodes or reading.faults:
        return
    budget = Budget(most)
    steps = Steps(reading, budget)
    if not reading.sequential:
        walk = steps.walk([FIRST])
        yield from _dropped(reading, walk)
        yield from _clashes(reading, walk)
        yield from _twice(reading, steps, walk)
    yield from _clashes_with_itself(reading)
    yield from _unwritten(reading, steps)
    if budget.spent:
        message = f"{reading.name!r} has more ways side by side than could be played in {most:,} runs of its nodes"
        hint = "joins, double runs and parallel writes are proved only as far as that; split it into subgraphs"
        yield warning("partly-explored", message, hint)


def _found(sure: bool, code: Code, message: str, hint: str, nodes: Iterable[str], path: Iterable[str]) -> Finding:
    """A finding: an error where the way is sure, else what may be so."""
    if sure:
        return error(code, message, hint, nodes, path)
    return replace(
        warning(code, message, hint, nodes, path), hint=f"{hint} (whether a router can choose so is not seen)"
    )


def _dropped(reading: Reading, walk: Walk) -> Iterator[Finding]:
    """Runs that end while a join still waits."""
    told: set[int] = set()
    for moment in walk.came:
        if moment.due or moment.later:
            continue
        for number in sorted({join for join, _, _ in moment.arrived} - told):
            told.add(number)
            join = reading.joins[number]
            seen = {source for other, source, _ in moment.arrived if other == number}
            missing = [source for source in join.sources if source not in seen]
            message = (
                f"{join.target!r} is dropped, and what follows it: its join still waits for"
                f" {', '.join(map(repr, missing))} when the run ends"
            )
            hint = f"after a choice, lead each way to {join.target!r} by an edge of its own, without a list"
            path = (*in_words(reading, walk.path(moment)), shown(END))
            yield _found(moment not in walk.doubtful, "dropped-join", message, hint, (join.target, *missing), path)


def _clashes(reading: Reading, walk: Walk) -> Iterator[Finding]:
    """Keys without a reducer that several tasks write in one step."""
    told: set[tuple[str, ...]] = set()
    for moment in walk.came:
        if len(moment.due) < 2:
            continue
        writers: dict[str, list[str]] = {}
        for name in sorted(moment.names, key=reading.order.__getitem__):
            for key in reading.nodes[name].writes.may & reading.unreduced:
                writers.setdefault(key, []).append(name)
        for key, names in sorted(writers.items()):
            if len(names) < 2 or (key, *names) in told:
                continue
            told.add((key, *names))
            sure = all(key in reading.nodes[name].writes.sure for name in names)
            path = in_words(reading, walk.path(moment))
            yield _clash(sure and moment not in walk.doubtful, key, " and ".join(map(repr, names)), names, path)


def _clashes_with_itself(reading: Reading) -> Iterator[Finding]:
    """Nodes that `Send` runs many times at once, and that write a key without a reducer."""
    for source in reading.nodes:
        options = [option for choice in reading.nodes[source].choices for option in choice.options if option.many]
        for target in dict.fromkeys(target for option in options for target in option.targets):
            writes = reading.nodes[target].writes
            for key in sorted(writes.may & reading.unreduced) if source in reading.reached else ():
                path = [*map(shown, nx.shortest_path(reading.graph, START, source)), f"{target} + {target}"]
                yield _clash(key in writes.sure, key, f"several tasks of {target!r}", [target], path)


def _clash(sure: bool, key: str, who: str, names: Iterable[str], path: Iterable[str]) -> Finding:
    make = error if sure else warning
    message = f"{who} {'write' if sure else 'may write'} {key!r} in the same step, and it has no reducer"
    hint = "LangGraph refuses that when it runs; give the key a reducer: Annotated[..., reducer]"
    return make("parallel-writers", message, hint, names, path)


def _twice(reading: Reading, steps: Steps, walk: Walk) -> Iterator[Finding]:
    """Nodes that a run comes to twice, in different steps, where the second time does not follow from the first."""
    merging = {name for name in reading.names if reading.graph.in_degree(name) > 1}
    begins: dict[str, list[Moment]] = {}
    for moment in walk.came:
        if not moment.alone:
            for name in sorted(moment.names & merging):
                begins.setdefault(name, []).append(moment)
    told: set[str] = set()
    for name, moments in begins.items():
        if any(nx.has_path(reading.graph, other, name) for other in told):
            continue
        first = {moment.marked(name): moment for moment in reversed(moments)}
        sure = {marked: moment for marked, moment in first.items() if moment not in walk.doubtful}
        again = steps.walk(
            reversed(sure),
            found=partial(_comes_unmarked, name),
            closed=_all_marked,
            doubtful=[marked for marked in first if marked not in sure],
        )
        last = next(reversed(again.came))
        if last in first or (name, False) not in last.due:
            continue
        told.add(name)
        way = again.path(last)
        path = in_words(reading, [*walk.path(first[way[0]])[:-1], *way])
        message = f"{name!r} runs twice, and what follows it: the ways to it side by side have different lengths"
        hint = (
            f"join them: add_edge([...], {name!r}) with the last node of each way, or defer=True where ways are chosen"
        )
        yield _found(last not in again.doubtful, "double-run", message, hint, (name,), path)


def _comes_unmarked(name: str, moment: Moment) -> bool:
    return (name, False) in moment.due


def _all_marked(moment: Moment) -> bool:
    return all(mark for _, mark in (*moment.due, *moment.later)) and all(mark for _, _, mark in moment.arrived)


def _has_one_of(names: frozenset[str], moment: Moment) -> bool:
    return bool(moment.names & names)


def _unwritten(reading: Reading, steps: Steps) -> Iterator[Finding]:
    """Keys that are read on a way on which nothing can have written them."""
    readers: dict[str, list[str]] = {}
    sent = {
        target
        for node in reading.nodes.values()
        for choice in node.choices
        for option in choice.options
        if option.many or option.sent
        for target in option.targets
    }
    for name in reading.names:
        for key in sorted(reading.nodes[name].reads & reading.empty) if name not in sent else ():
            readers.setdefault(key, []).append(name)
    for key, names in readers.items():
        writers = frozenset(
            name for name in reading.names if not (writes := reading.nodes[name].writes).known or key in writes.may
        )
        walk = steps.walk(
            [FIRST],
            found=partial(_has_one_of, frozenset(names)),
            closed=partial(_has_one_of, writers),
        )
        last = next(reversed(walk.came))
        reader = next((name for name in names if name in last.names), None)
        if reader is not None:
            message = f"{reader!r} reads {key!r}, which is no input, before anything can have written it"
            hint = f"read it with state.get({key!r}), write it on every way here, or add it to the input schema"
            path = in_words(reading, walk.path(last))
            yield _found(last not in walk.doubtful, "read-before-write", message, hint, (reader,), path)
