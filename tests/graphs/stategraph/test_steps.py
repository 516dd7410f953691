"""Steps: which nodes run together, what joins wait for, and what a budget leaves out."""

from collections.abc import Callable

import pytest

from loopwright.graphs.stategraph.reading import Reading
from loopwright.graphs.stategraph.steps import FIRST, Budget, Moment, Steps, Walk, in_words

ReadingOf = Callable[..., Reading]


def walk_of(reading: Reading, most: int = 1000) -> Walk:
    return Steps(reading, Budget(most)).walk([FIRST])


def steps_of(reading: Reading) -> list[str]:
    """The nodes of every moment, in the order in which they are found."""
    return [" ".join(in_words(reading, [moment])) for moment in walk_of(reading).came]


@pytest.mark.parametrize(
    ("lines", "moments"),
    [
        (("start -> a", "a -> b", "b -> end"), ["start", "a", "b", ""]),
        (("start -> a + b", "a -> c", "b -> c", "c -> end"), ["start", "a + b", "c", ""]),
        (("start -> a", "a ? b | c", "b -> d", "c -> d"), ["start", "a", "b", "c", "d", ""]),
        (("start -> a", "a ? b + c | c", "b -> end"), ["start", "a", "b + c", "c", ""]),
        (("start -> a + b", "a -> c", "c & b -> d"), ["start", "a + b", "c", "d", ""]),
        (("start -> a", "a -> a"), ["start", "a"]),
        (("start ?? a",), ["start", "a", ""]),
    ],
)
def test_nodes_that_are_due_run_together(reading_of: ReadingOf, lines: tuple[str, ...], moments: list[str]) -> None:
    assert steps_of(reading_of(*lines)) == moments


def test_a_join_keeps_what_it_has_seen(reading_of: ReadingOf) -> None:
    reading = reading_of("start -> a", "a ? b | c", "b & c -> d")
    last = [moment for moment in walk_of(reading).came if not moment.due]
    assert sorted(moment.arrived for moment in last) == [{(0, "b", False)}, {(0, "c", False)}]


def test_a_deferred_node_waits_until_nothing_else_is_due(reading_of: ReadingOf) -> None:
    lines = ("start -> a + b", "a -> d", "b -> c", "c -> d", "d -> end")
    assert steps_of(reading_of(*lines)) == ["start", "a + b", "d + c", "d", ""]
    assert steps_of(reading_of(*lines, nodes={"d": {"deferred": True}})) == ["start", "a + b", "c", "d", ""]


def test_what_follows_from_a_mark_is_marked(reading_of: ReadingOf) -> None:
    reading = reading_of("start -> a + b", "a -> c", "b -> d", "c & d -> e")
    begun = Moment(frozenset({("a", False), ("b", False)})).marked("a")
    *_, joined, _ = Steps(reading, Budget()).walk([begun]).came
    assert joined == Moment(frozenset({("e", True)}))


def test_sure_ways_are_tried_first(reading_of: ReadingOf) -> None:
    reading = reading_of("start -> a", "a ? b~ | c", "c -> b", "b -> end", "a ? d~", "d -> e")
    walk = walk_of(reading_of("start -> a", "a ? b~ | c", "c -> b", "b -> end"))
    assert {name for moment in walk.doubtful for name in moment.names} == set()
    doubtful = {name for moment in walk_of(reading).doubtful for name in moment.names}
    assert doubtful == {"b", "c", "d", "e"}


def test_a_walk_ends_at_what_it_looks_for(reading_of: ReadingOf) -> None:
    reading = reading_of("start -> a", "a -> b", "b -> c", "c -> end")
    steps = Steps(reading, Budget())
    walk = steps.walk([FIRST], found=lambda moment: "b" in moment.names)
    assert in_words(reading, walk.path(next(reversed(walk.came)))) == ("start", "a", "b")
    assert len(steps.walk([FIRST], closed=lambda moment: "a" in moment.names).came) == 2


def test_a_budget_is_kept(reading_of: ReadingOf) -> None:
    wide = reading_of("start -> " + " + ".join(f"n{i}" for i in range(12)), *(f"n{i} ? a{i} | b{i}" for i in range(12)))
    budget = Budget(1200)
    walk = Steps(wide, budget).walk([FIRST])
    assert budget.spent
    assert len(walk.came) <= 101
