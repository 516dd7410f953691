"""Together: joins that are dropped, nodes that run twice, writes that clash, and keys that nothing wrote."""

from collections.abc import Callable
from typing import Any

import pytest

from loopwright.graphs.stategraph.reading import Reading, Writes
from loopwright.graphs.stategraph.together import side_by_side
from loopwright.graphs.verify.findings import Finding

ReadingOf = Callable[..., Reading]


def written(*keys: str, sure: bool = True) -> dict[str, Any]:
    return {"writes": Writes(frozenset(keys) if sure else frozenset(), frozenset(keys), known=True)}


def told(finding: Finding) -> tuple[str, str, tuple[str, ...]]:
    return finding.severity, finding.code, finding.path


CHOSEN = ("start -> a", "a ? b | c", "b & c -> d", "d -> end")
UNEQUAL = ("start -> a", "a -> b + c", "c -> e", "b -> d", "e -> d", "d -> f", "f -> end")


def test_a_join_after_a_choice_is_dropped(reading_of: ReadingOf) -> None:
    (finding,) = side_by_side(reading_of(*CHOSEN))
    assert told(finding) == ("error", "dropped-join", ("start", "a", "b", "end"))
    assert finding.nodes == ("d", "c")


def test_a_join_of_what_is_never_due_is_dropped(reading_of: ReadingOf) -> None:
    (finding,) = side_by_side(reading_of("start -> a", "a & b -> c", "b"))
    assert (finding.code, finding.nodes, finding.path) == ("dropped-join", ("c", "b"), ("start", "a", "end"))


def test_a_join_that_a_router_may_drop_is_a_warning(reading_of: ReadingOf) -> None:
    (finding,) = side_by_side(reading_of("start -> a", "a ? b~ | c~", "b & c -> d", "d -> end"))
    assert (finding.severity, finding.code) == ("warning", "dropped-join")
    assert finding.hint.endswith("(whether a router can choose so is not seen)")


def test_a_join_that_the_second_round_drops(reading_of: ReadingOf) -> None:
    (finding,) = side_by_side(reading_of("start -> a + b", "a & b -> c", "c ? a | end"))
    assert told(finding) == ("error", "dropped-join", ("start", "a + b", "c", "a", "end"))


def test_ways_of_unequal_length_run_a_node_twice(reading_of: ReadingOf) -> None:
    (finding,) = side_by_side(reading_of(*UNEQUAL))
    assert told(finding) == ("error", "double-run", ("start", "a", "b + c", "e + d", "d + f"))
    assert finding.nodes == ("d",)


def test_a_choice_that_may_lengthen_a_way(reading_of: ReadingOf) -> None:
    (finding,) = side_by_side(reading_of("start -> b + c", "c ? e | d", "b -> d", "e -> d", "d -> end"))
    assert told(finding) == ("error", "double-run", ("start", "b + c", "e + d", "d"))


GOOD = {
    "a chain": ("start -> a", "a -> b", "b -> end"),
    "a choice that meets again": ("start -> a", "a ? b | c", "b -> d", "c -> d", "d -> end"),
    "a fork and a join": ("start -> a", "a -> b + c", "b & c -> d", "d -> end"),
    "a fork of unequal ways and a join": ("start -> a", "a -> b + c", "c -> e", "b & e -> d", "d -> end"),
    "a fork of equal ways": ("start -> b + c", "b -> d", "c -> d", "d -> end"),
    "a router of lists": ("start -> a", "a ? b + c | c + d", "b -> e", "c -> e", "d -> e", "e -> end"),
    "a loop around a fork and a join": ("start -> a", "a -> b + c", "b & c -> d", "d ? a | end"),
    "a supervisor": ("start -> boss", "boss ? x | y | end", "x -> boss", "y -> boss"),
    "sent tasks": ("start -> a", "a ? b*", "b -> c", "c -> end"),
    "a leaf beside the way": ("start -> a", "a -> log + b", "b -> end"),
}


@pytest.mark.parametrize("lines", GOOD.values(), ids=GOOD)
def test_good_graphs_have_no_findings(reading_of: ReadingOf, lines: tuple[str, ...]) -> None:
    assert [*side_by_side(reading_of(*lines))] == []


def test_a_deferred_node_runs_once(reading_of: ReadingOf) -> None:
    assert [*side_by_side(reading_of(*UNEQUAL, nodes={"d": {"deferred": True}}))] == []


def test_two_writers_in_one_step(reading_of: ReadingOf) -> None:
    lines = ("start -> b + c", "b -> d", "c -> d", "d -> end")
    both = {"b": written("text", "notes"), "c": written("text", "notes")}
    (finding,) = side_by_side(reading_of(*lines, nodes=both, unreduced=frozenset({"text"})))
    assert told(finding) == ("error", "parallel-writers", ("start", "b + c"))
    assert finding.message == "'b' and 'c' write 'text' in the same step, and it has no reducer"
    one = {"b": written("text"), "c": written("text", sure=False)}
    (finding,) = side_by_side(reading_of(*lines, nodes=one, unreduced=frozenset({"text"})))
    assert (finding.severity, finding.message[:19]) == ("warning", "'b' and 'c' may wri")


def test_many_tasks_of_one_node_write_in_one_step(reading_of: ReadingOf) -> None:
    lines = ("start -> a", "a ? b*", "b -> c", "c -> end")
    (finding,) = side_by_side(reading_of(*lines, nodes={"b": written("text")}, unreduced=frozenset({"text"})))
    assert told(finding) == ("error", "parallel-writers", ("start", "a", "b + b"))


READS = ("start -> a", "a ? write | read", "write -> read", "read -> end")


def test_a_key_that_nothing_wrote_on_some_way(reading_of: ReadingOf) -> None:
    nodes = {"a": written(), "write": written("text"), "read": {**written(), "reads": frozenset({"text", "topic"})}}
    (finding,) = side_by_side(reading_of(*READS, nodes=nodes, empty=frozenset({"text"})))
    assert told(finding) == ("error", "read-before-write", ("start", "a", "read"))


@pytest.mark.parametrize("first", [written("text"), {}], ids=["written", "not known"])
def test_a_key_that_may_be_written_before(reading_of: ReadingOf, first: dict[str, Any]) -> None:
    nodes = {"a": first, "write": written("text"), "read": {**written(), "reads": frozenset({"text"})}}
    assert [*side_by_side(reading_of(*READS, nodes=nodes, empty=frozenset({"text"})))] == []


def test_a_sent_task_has_its_own_state(reading_of: ReadingOf) -> None:
    nodes = {"a": written(), "b": {**written(), "reads": frozenset({"text"})}}
    assert [*side_by_side(reading_of("start -> a", "a ? b*", nodes=nodes, empty=frozenset({"text"})))] == []


def test_a_spent_budget_is_said(reading_of: ReadingOf) -> None:
    wide = reading_of("start -> " + " + ".join(f"n{i}" for i in range(12)), *(f"n{i} ? a{i} | b{i}" for i in range(12)))
    (finding,) = side_by_side(wide, 500)
    assert (finding.severity, finding.code) == ("warning", "partly-explored")
    assert finding.message == "'small' has more ways side by side than could be played in 500 runs of its nodes"


def test_a_graph_with_edges_to_nowhere_is_not_played(reading_of: ReadingOf) -> None:
    assert [*side_by_side(reading_of(*CHOSEN, faults=(("a", "x"),)))] == []
