"""Cycles: a bound that can be seen, or a warning with the way round."""

from collections.abc import Callable
from typing import Any

import pytest

from loopwright.graphs.stategraph.cycles import unbounded
from loopwright.graphs.stategraph.reading import Reading, Writes

ReadingOf = Callable[..., Reading]
N = frozenset({"n"})
KNOWN = Writes(known=True)
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


def looped(reading_of: ReadingOf, write: dict[str, Any], review: dict[str, Any], **fields: Any) -> list[Any]:
    """The ways of the unbounded loops of a loop whose writes are known."""
    nodes = {"write": {"writes": KNOWN, **write}, "review": {"writes": KNOWN, **review}}
    return [finding.path for finding in unbounded(reading_of(*LOOP, nodes=nodes, **fields))]


@pytest.mark.parametrize(
    "write",
    [
        {"moves": N},
        {"writes": Writes()},
        {"moves": frozenset({"m"}), "follows": frozenset({("k", "m"), ("n", "k")})},
        {"moves": frozenset({"m"}), "follows": frozenset({("n", "m")}), "resets": N},
    ],
)
def test_a_limit_of_what_moves(reading_of: ReadingOf, write: dict[str, Any]) -> None:
    assert looped(reading_of, write, {"limits": (N,)}) == []


@pytest.mark.parametrize("write", [{"moves": N}, {"writes": Writes()}])
def test_a_list_that_is_used_up(reading_of: ReadingOf, write: dict[str, Any]) -> None:
    assert looped(reading_of, write, {"empties": N}, unreduced=N) == []


@pytest.mark.parametrize(
    ("write", "review"),
    [
        ({}, {"limits": (N,)}),
        ({"moves": N}, {}),
        ({"moves": N}, {"limits": (frozenset({"m"}),)}),
        ({"moves": N}, {"limits": (N,), "resets": N}),
        ({"follows": frozenset({("n", "m")})}, {"limits": (N,)}),
        ({"moves": N}, {"empties": N}),
        ({"moves": N}, {"empties": N, "resets": N}),
    ],
)
def test_a_limit_of_what_does_not_move(reading_of: ReadingOf, write: dict[str, Any], review: dict[str, Any]) -> None:
    assert looped(reading_of, write, review) == [("write", "review", "write")]


def test_what_moves_beside_the_loop_counts(reading_of: ReadingOf) -> None:
    nodes: dict[str, Any] = {"write": {"writes": KNOWN}, "review": {"writes": KNOWN, "limits": (N,)}}
    assert [*unbounded(reading_of(*LOOP, "write -> count", nodes={**nodes, "count": {"moves": N}}))] == []
    assert len([*unbounded(reading_of(*LOOP, "write -> count", nodes={**nodes, "count": {}}))]) == 1


def test_a_counter_of_the_loop_inside_is_set_back_by_the_loop_around_it(reading_of: ReadingOf) -> None:
    lines = ("start -> plan", "plan -> work", "work ? work | judge", "judge ? plan | end")
    plan, work = {"writes": KNOWN, "resets": N}, {"writes": KNOWN, "limits": (N,), "moves": N}
    judge = {"writes": KNOWN}
    (found,) = unbounded(reading_of(*lines, nodes={"plan": plan, "work": work, "judge": judge}))
    assert found.nodes == ("plan", "work", "judge")
    counted = {**judge, "limits": (frozenset({"m"}),), "moves": frozenset({"m"})}
    assert [*unbounded(reading_of(*lines, nodes={"plan": plan, "work": work, "judge": counted}))] == []
    still = {**work, "moves": frozenset()}
    (found,) = unbounded(reading_of(*lines, nodes={"plan": plan, "work": still, "judge": counted}))
    assert found.path == ("work", "work")


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
