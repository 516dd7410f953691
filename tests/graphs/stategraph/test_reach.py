"""Reach: edges to nowhere, nodes that nothing leads to, dead ends, and what never ends."""

from collections.abc import Callable

from loopwright.graphs.stategraph.reach import dead_ends, edges, endless, unreachable
from loopwright.graphs.stategraph.reading import Reading

ReadingOf = Callable[..., Reading]


def test_edges_join_nodes(reading_of: ReadingOf) -> None:
    reading = reading_of("start -> write", "write -> end", faults=(("wrte", "write"), ("write", "reveiw")))
    source, target = edges(reading)
    assert (source.code, source.hint) == ("unknown-source", "did you mean 'write'? there is only write")
    assert (target.code, target.message) == ("unknown-target", "'write' leads to 'reveiw', which is no node")


def test_something_leads_from_the_start(reading_of: ReadingOf) -> None:
    reading = reading_of("a -> end")
    assert [finding.code for finding in edges(reading)] == ["unknown-start"]
    assert [*unreachable(reading)] == []


def test_an_unreachable_node_says_why(reading_of: ReadingOf) -> None:
    lost, after = unreachable(reading_of("start -> a", "a -> end", "lost -> after", "after -> lost"))
    assert (lost.nodes, lost.hint) == (("lost",), "only 'after' leads here, and is as dead")
    assert (after.nodes, after.path) == (("after",), ("lost", "after"))


def test_where_something_may_lead_anywhere_nothing_is_dead(reading_of: ReadingOf) -> None:
    assert [*unreachable(reading_of("start -> a", "a ?? end", "b -> end"))] == []


def test_a_handler_is_no_dead_node_and_no_dead_end(reading_of: ReadingOf) -> None:
    reading = reading_of("start -> a", "a -> end", "h", nodes={"a": {"on_failure": "h"}, "h": {"handler": True}})
    assert [*unreachable(reading), *dead_ends(reading), *endless(reading)] == []


def test_a_dead_end_is_a_warning_with_the_way_to_it(reading_of: ReadingOf) -> None:
    (finding,) = dead_ends(reading_of("start -> a", "a ? b | end"))
    assert (finding.severity, finding.code, finding.path) == ("warning", "dead-end", ("start", "a", "b"))


def test_an_edge_to_nowhere_is_not_told_as_a_dead_end_too(reading_of: ReadingOf) -> None:
    assert [*dead_ends(reading_of("start -> a", faults=(("a", "x"),)))] == []


def test_a_trap_has_the_way_in_and_round(reading_of: ReadingOf) -> None:
    (finding,) = endless(reading_of("start -> a", "a ? c | end", "c -> d", "d -> e", "e -> d"))
    assert (finding.code, finding.nodes) == ("trap", ("c", "d", "e"))
    assert finding.path == ("start", "a", "c", "d", "e", "d")


def test_regions_are_told_apart(reading_of: ReadingOf) -> None:
    found = endless(reading_of("start -> a", "a ? b | c | end", "b -> b", "c -> c"))
    assert [(finding.nodes, finding.path) for finding in found] == [
        (("b",), ("start", "a", "b", "b")),
        (("c",), ("start", "a", "c", "c")),
    ]


def test_a_graph_that_nothing_ends_is_told_as_a_whole(reading_of: ReadingOf) -> None:
    (finding,) = endless(reading_of("start -> a", "a -> b", "b -> a"))
    assert (finding.code, finding.path) == ("no-end", ("a", "b", "a"))


def test_what_may_lead_anywhere_may_end(reading_of: ReadingOf) -> None:
    assert [*endless(reading_of("start -> a", "a ?? a"))] == []
