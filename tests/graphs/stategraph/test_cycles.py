"""Cycles: a bound that can be seen, or a warning with the way round."""

from collections.abc import Callable
from typing import Any

import pytest

from loopwright.graphs.stategraph.cycles import unbounded
from loopwright.graphs.stategraph.reading import Reading

ReadingOf = Callable[..., Reading]
LOOP = ("start -> write", "write -> review", "review ? write | end")


def test_a_cycle_without_a_bound_is_a_warning(reading_of: ReadingOf) -> None:
    (finding,) = unbounded(reading_of(*LOOP))
    assert (finding.severity, finding.code) == ("warning", "unbounded-loop")
    assert (finding.nodes, finding.path) == (("write", "review"), ("write", "review", "write"))


@pytest.mark.parametrize(
    "fields",
    [
        {"bounded": "recursion_limit 25"},
        {"nodes": {"review": {"limits": (frozenset(),)}}},
        {"nodes": {"write": {"paced": True}}},
    ],
)
def test_a_bound_that_can_be_seen(reading_of: ReadingOf, fields: dict[str, Any]) -> None:
    assert [*unbounded(reading_of(*LOOP, **fields))] == []


def test_a_subgraph_that_waits_paces_the_loop(reading_of: ReadingOf) -> None:
    inner = reading_of("start -> x", "x -> end", nodes={"x": {"paced": True}})
    assert [*unbounded(reading_of(*LOOP, nodes={"write": {"body": inner}}))] == []


def test_a_cycle_beside_the_bound_is_told(reading_of: ReadingOf) -> None:
    reading = reading_of(*LOOP, "review ? check", "check -> review", nodes={"write": {"limits": (frozenset(),)}})
    assert [finding.path for finding in unbounded(reading)] == [("review", "check", "review")]


def test_a_node_that_leads_to_itself(reading_of: ReadingOf) -> None:
    assert [finding.path for finding in unbounded(reading_of("start -> a", "a ? a | end"))] == [("a", "a")]


def test_a_cycle_without_a_way_out_is_told_elsewhere(reading_of: ReadingOf) -> None:
    assert [*unbounded(reading_of("start -> a", "a -> b", "b -> a"))] == []
