"""Bounds: cycles end or are paced, bounds count one loop each, and every count comes to an end."""

from collections.abc import Callable
from dataclasses import replace

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.graphs.plan import Bound, Plan, Way
from loopwright.graphs.verify.bounds import counts, cycles, places
from loopwright.nodes.code import CodeNode, CodeRef
from loopwright.nodes.wait import Wait

PlanOf = Callable[..., Plan]
LOOP = ("a -> b", "b [yes] -> end good")
TWO_LOOPS = ("a -> b", "b [on] -> c", "c [out] -> end good")


@pytest.mark.parametrize("at_most", [0, 1, 10**6])
def test_a_bound_is_a_number_from_0_up(plan_of: PlanOf, at_most: int) -> None:
    plan = plan_of(*LOOP, f"b [no] -> a, at most {at_most}, then fail late")
    assert [*counts(plan), *cycles(plan), *places(plan)] == []
    (finding,) = counts(replace(plan, bounds={"b no": Bound("b no", -1 - at_most, Way("late"))}))
    assert (finding.code, finding.message) == ("bad-bound", f"the bound 'b no' is at most {-1 - at_most}")
    assert finding.place == ("bounds", "b no")


def test_bounds_that_lead_into_each_other_come_to_no_place(plan_of: PlanOf) -> None:
    plan = plan_of(*LOOP, "b [no] -> a, at most 1 x, then end good")
    ways = {"x": Bound("x", 1, Way("a", "y")), "y": Bound("y", 1, Way("a", "x"))}
    (finding,) = counts(replace(plan, bounds=ways))
    assert (finding.code, finding.message) == (
        "bound-circle",
        "'b' [no] has no way on when 'x' and 'y' are used up",
    )
    assert list(counts(replace(plan, bounds={**ways, "y": Bound("y", 1, Way("good"))}))) == []
    (finding,) = counts(replace(plan, bounds={"x": Bound("x", 1, Way("a", "x"))}))
    assert finding.message == "'b' [no] has no way on when 'x' is used up"


def test_a_loop_without_a_bound_shows_its_way_round(plan_of: PlanOf) -> None:
    (finding,) = cycles(plan_of(*LOOP, "b [no] -> a"))
    assert (finding.code, finding.path, finding.nodes) == ("unbounded-loop", ("a", "b", "a"), ("a", "b"))
    assert finding.message == "the loop of 'a' has no bound: 'b' [no] leads back to it"
    assert finding.hint == "give it a bound, as in: b [no] -> a, at most 3 rounds, then fail max_rounds"


def test_every_way_back_needs_a_bound(plan_of: PlanOf) -> None:
    lines = (*TWO_LOOPS, "b [again] -> a, at most 1, then end good")
    (finding,) = cycles(plan_of(*lines, "c [again] -> a", "c [never] -> a"))
    assert finding.message == "the loop of 'a' has no bound: 'c' [again] and 'c' [never] lead back to it"
    assert finding.hint == (
        "give it a bound, as in: c [again] -> a, at most 3 rounds, then fail max_rounds; "
        "and c [never] -> a, bound rounds"
    )
    (finding,) = cycles(plan_of("a [again] -> a", "a [out] -> end good"))
    assert finding.path == ("a", "a")


def test_a_bound_inside_does_not_end_the_loop_around_it(plan_of: PlanOf) -> None:
    plan = plan_of(*TWO_LOOPS, "b [again] -> b, at most 2, then c", "c [again] -> a")
    (finding,) = cycles(plan)
    assert (finding.path, finding.message) == (
        ("a", "b", "c", "a"),
        "the loop of 'a' has no bound: 'c' [again] leads back to it",
    )


def test_a_bound_that_leads_back_when_it_is_used_up_ends_nothing(plan_of: PlanOf) -> None:
    lines = (*TWO_LOOPS, "b [again] -> b, at most 2 tries, then a", "c [again] -> a, at most 2 rounds, then end good")
    (finding,) = cycles(plan_of(*lines))
    assert finding.message == "the loop of 'a' has no bound: 'b' [again] leads back to it when 'tries' is used up"
    assert finding.hint == "let the `then` of 'tries' lead to an end, or on"


def test_a_wait_paces_a_loop(plan_of: PlanOf) -> None:
    lines = ("a [on] -> b", "b -> c", "c [again] -> a", "c [out] -> end good")
    ring = Wait("b", text="?")
    assert list(cycles(plan_of(*lines, nodes=(act("a", "on"), ring)))) == []
    (finding,) = cycles(plan_of(*lines, "a [skip] -> c", nodes=(act("a", "on", "skip"), ring)))
    assert (finding.code, finding.path) == ("unbounded-loop", ("a", "c", "a"))


def test_a_cycle_with_two_entries_shows_both(plan_of: PlanOf) -> None:
    lines = ("a [left] -> b", "a [right] -> c", "b -> c", "c [back] -> b", "c [out] -> end good")
    (finding,) = cycles(plan_of(*lines))
    assert (finding.code, finding.nodes, finding.path) == ("two-entries", ("b", "c"), ("b", "c", "b"))
    assert finding.hint == "let every way from outside come in at 'b'; 'a' [right] comes in at 'c'"


def test_a_second_entry_that_a_used_up_bound_makes_may_be_taken_away(plan_of: PlanOf) -> None:
    lines = ("a [yes] -> c", "a [no] -> b", "b -> a, at most 2 m, then c", "c [back] -> b", "c [out] -> end good")
    (finding,) = cycles(plan_of(*lines))
    assert finding.hint == (
        "let every way from outside come in at 'b'; 'a' [yes] comes in at 'c'; or let the `then` of 'm' lead to an end"
    )


def test_a_misplaced_bound_names_the_way_that_closes_the_loop(plan_of: PlanOf) -> None:
    lines = ("a -> b, at most 1 m, then end good", "b [yes] -> end good", "b [no] -> a, at most 1, then end good")
    (finding,) = places(plan_of(*lines))
    assert (finding.code, finding.place) == ("misplaced-bound", ("edges", "a", "done"))
    assert finding.message == "'a' [done] carries the bound 'm', but its way to 'b' closes no loop"
    assert finding.hint == "the loop of 'a' is closed by 'b' [no]: put the bound there"
    (finding,) = places(plan_of(lines[0], lines[1], "b [no] -> a"))
    assert finding.hint.endswith("put the bound there, as in: b [no] -> a, at most 1 m, then ...")
    (finding,) = places(plan_of("a -> end good, at most 1 m, then end good"))
    assert finding.hint == "no way leads back from here; a bound belongs on the edge that closes a loop"


def test_a_bound_counts_one_loop(plan_of: PlanOf) -> None:
    lines = (*TWO_LOOPS, "b [again] -> b, at most 2 n, then end good")
    (finding,) = places(plan_of(*lines, "c [again] -> a, bound n"))
    assert finding.message == "the bound 'n' counts the loops of 'b' and 'a' together"
    assert list(places(plan_of(*lines, "b [more] -> b, bound n", "c [again] -> end good"))) == []


def act(name: str, *outcomes: str) -> CodeNode:
    return CodeNode(name, code=CodeRef(name, "1"), outcomes=outcomes)


MOVES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=9, unique=True)


@given(moves=MOVES)
def test_without_bounds_and_waits_every_cycle_that_a_run_can_come_to_is_told(
    plan_of: PlanOf, moves: list[tuple[int, int]]
) -> None:
    lines = [f"n{a} [o{b}] -> {f'n{b}' if b < 5 else 'end out'}" for a, b in moves]
    outcomes = {a: [f"o{b}" for source, b in moves if source == a] for a in range(5)}
    nodes = tuple(act(f"n{a}", *words) for a, words in outcomes.items())
    graph: nx.DiGraph[int] = nx.DiGraph(moves)
    graph.add_node(0)
    reached = graph.subgraph({0, *nx.descendants(graph, 0)})
    told = {name for finding in cycles(plan_of(*lines, nodes=nodes)) for name in finding.path}
    assert bool(told) is not nx.is_directed_acyclic_graph(reached)
    assert told <= {f"n{name}" for part in nx.simple_cycles(reached) for name in part}


def test_cycles_with_two_entries_are_told_in_the_plans_order(plan_of: PlanOf) -> None:
    names = [(f"{place}a", f"{place}b") for place in "wxyz"]
    lines = [f"start [{name}] -> {name}" for pair in names for name in pair]
    lines += [f"{one} -> {other}" for one, other in names]
    lines += [line for one, other in names for line in (f"{other} [back] -> {one}", f"{other} [out] -> end good")]
    assert [finding.nodes for finding in cycles(plan_of(*lines))] == names
