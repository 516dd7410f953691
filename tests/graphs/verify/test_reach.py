"""Reachability: what a run can never come to, and where it can never get out, told as a plain search tells it."""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from loopwright.graphs.plan import End, Plan
from loopwright.graphs.verify.reach import dead_parts, traps
from loopwright.nodes.code import CodeNode, CodeRef

PlanOf = Callable[..., Plan]


def test_a_dead_node_says_why_it_is_dead(plan_of: PlanOf) -> None:
    lost, after = dead_parts(plan_of("a -> end good", "lost -> after", "after [x] -> end good", "after [y] -> after"))
    assert (lost.code, lost.nodes, lost.hint) == ("unreachable-node", ("lost",), "no edge leads here")
    assert lost.message == "'lost' cannot be reached from 'a'"
    assert (after.nodes, after.hint) == (("after",), "only 'lost' leads here, and is as dead")


def test_the_way_of_a_bound_reaches_too(plan_of: PlanOf) -> None:
    plan = plan_of("a [again] -> a, at most 1, then late", "a [out] -> end good", "late -> fail gave_up")
    assert [*dead_parts(plan), *traps(plan)] == []


def test_an_end_that_no_run_comes_to_is_a_warning(plan_of: PlanOf) -> None:
    plan = plan_of("a -> end good", "lost -> end away")
    node, end = dead_parts(plan)
    assert (node.code, node.severity) == ("unreachable-node", "error")
    assert (end.code, end.severity, end.message) == ("unreachable-end", "warning", "no run comes to the end 'away'")


def test_a_plan_without_ends(plan_of: PlanOf) -> None:
    plan = plan_of("a -> b", "b -> a")
    (finding,) = dead_parts(plan)
    assert (finding.code, finding.message) == ("no-end", "the plan 'small' has no end")
    assert list(traps(plan)) == []


def test_a_trap_is_told_once_with_the_shortest_way_in(plan_of: PlanOf) -> None:
    lines = ("a [yes] -> end good", "a [no] -> b", "b [on] -> c", "b [off] -> end good", "c -> d", "d -> c")
    (finding,) = traps(plan_of(*lines, "a [far] -> b2", "b2 -> d"))
    assert (finding.code, finding.nodes, finding.path) == ("trap", ("c", "d", "b2"), ("a", "b2"))
    assert finding.message == "no end can be reached from 'c', 'd', 'b2'"


def test_traps_are_told_apart_in_the_plans_order(plan_of: PlanOf) -> None:
    lines = ("a [l] -> l", "a [r] -> r", "a [out] -> end good", "l -> l", "r -> r")
    assert [(finding.nodes, finding.path) for finding in traps(plan_of(*lines))] == [
        (("l",), ("a", "l")),
        (("r",), ("a", "r")),
    ]


def test_an_outcome_that_leads_nowhere_is_no_trap(plan_of: PlanOf) -> None:
    node = CodeNode("b", code=CodeRef("b", "1"), outcomes=("again", "out"))
    assert (
        list(traps(plan_of("a [x] -> b", "a [y] -> end good", "b [again] -> b", nodes=(act("a", "x", "y"), node))))
        == []
    )


def test_a_node_without_outcomes_is_no_trap(plan_of: PlanOf) -> None:
    """It is told for that, and not for where it does not lead."""
    assert list(traps(plan_of("a [x] -> b", "a [y] -> end good", nodes=(act("a", "x", "y"), act("b"))))) == []


def act(name: str, *outcomes: str) -> CodeNode:
    return CodeNode(name, code=CodeRef(name, "1"), outcomes=outcomes)


def reachable(begins: set[int], moves: list[tuple[int, int]]) -> set[int]:
    """A plain search."""
    found = set(begins)
    while more := {target for source, target in moves if source in found} - found:
        found |= more
    return found


@given(moves=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=9, unique=True))
def test_a_plain_search_finds_the_same(plan_of: PlanOf, moves: list[tuple[int, int]]) -> None:
    moves = [*moves, *((node, node) for node in range(5) if node not in {source for source, _ in moves})]
    nodes = tuple(act(f"n{a}", *(f"o{b}" for source, b in moves if source == a)) for a in range(5))
    lines = [f"n{a} [o{b}] -> {f'n{b}' if b < 5 else 'end out'}" for a, b in moves]
    plan = replace(plan_of(*lines, nodes=nodes), ends={"out": End("out")})
    reached = reachable({0}, moves)
    dead = {finding.nodes[0] for finding in dead_parts(plan) if finding.code == "unreachable-node"}
    assert dead == {f"n{node}" for node in range(5) if node not in reached}
    safe = reachable({5}, [(target, source) for source, target in moves])
    trapped = [name for finding in traps(plan) for name in finding.nodes]
    assert sorted(trapped) == [f"n{node}" for node in range(5) if node in reached and node not in safe]
