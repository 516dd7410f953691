"""Loops of small plans: heads, items, back moves, and what each entry zeroes."""

import networkx as nx
import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.loops import Loop, dominance, forward_order, loops, zeroed
from loopwright.graphs.plan import Bound, Edge, End, Plan, PlanNode, Way
from loopwright.nodes.code import CodeNode, CodeRef


def plan_of(start: str, *edges: str, bounds: dict[str, Bound] | None = None) -> Plan:
    """A plan of edges written `source outcome target [bound]`; what leaves no edge is an end."""
    parts = [edge.split() for edge in edges]
    outcomes: dict[str, list[str]] = {}
    for source, outcome, *_ in parts:
        outcomes.setdefault(source, []).append(outcome)
    nodes = {
        name: PlanNode(name, CodeNode(name, code=CodeRef(name, "1"), outcomes=tuple(words)))
        for name, words in outcomes.items()
    }
    targets = {part[2] for part in parts} | {bound.then.target for bound in (bounds or {}).values()}
    return Plan(
        name="small",
        start=start,
        nodes=nodes,
        edges=tuple(Edge(part[0], part[1], Way(part[2], "".join(part[3:]))) for part in parts),
        ends={name: End(name) for name in targets - set(nodes)},
        channels={},
        bounds=bounds or {},
    )


def items(plan: Plan) -> dict[str, tuple[str, ...]]:
    return {head: loop.items for head, loop in loops(plan).items()}


def test_a_row_has_no_loops() -> None:
    plan = plan_of("a", "a done b", "b done out")
    assert loops(plan) == {}
    assert zeroed(plan) == {}


def test_back_moves_of_one_head_are_one_loop() -> None:
    stop = Way("out")
    bounds = {"again": Bound("again", 2, stop), "redo": Bound("redo", 1, stop)}
    plan = plan_of("a", "a done b", "b done c", "b no b redo", "c no b again", "c ok out", bounds=bounds)
    (loop,) = loops(plan).values()
    assert (loop.head, loop.items, loop.bounds) == ("b", ("b", "c"), ("redo", "again"))
    assert [move.source for move in loop.backs] == ["b", "c"]
    assert zeroed(plan) == {("a", "b"): ("redo", "again")}


def test_an_inner_loop_stands_in_the_outer_one_as_its_head() -> None:
    bounds = {"in": Bound("in", 2, Way("c")), "out": Bound("out", 3, Way("end"))}
    plan = plan_of("a", "a done b", "b more b in", "b done c", "c again a out", "c done end", bounds=bounds)
    assert items(plan) == {"b": ("b",), "a": ("a", "b", "c")}
    assert list(loops(plan)) == ["b", "a"]
    assert zeroed(plan) == {("a", "b"): ("in",)}


def test_the_way_of_a_bound_can_close_a_loop() -> None:
    bounds = {"in": Bound("in", 2, Way("a", "out")), "out": Bound("out", 3, Way("end"))}
    plan = plan_of("a", "a done b", "b more b in", "b done end", bounds=bounds)
    assert loops(plan)["a"].bounds == ("out",)
    assert loops(plan)["a"].backs[0].used_up == ("in",)


def test_a_cycle_with_two_entries_has_no_head() -> None:
    plan = plan_of("a", "a left b", "a right c", "b done c", "c done b")
    assert loops(plan) == {}


def test_a_loop_around_a_cycle_with_two_entries_stays_inside_its_head() -> None:
    plan = plan_of("s", "s left a", "s right c", "a done b", "b done a", "b on c", "c done b")
    assert set(items(plan)) <= {"a", "b", "c", "s"}
    assert loops(plan) == {}


def test_what_cannot_be_reached_and_what_is_not_there_do_not_count() -> None:
    plan = plan_of("a", "a done out", "x done y", "y done x")
    assert loops(plan) == {}
    assert loops(plan_of("nowhere", "a done a")) == {}
    assert forward_order(plan_of("nowhere", "a done a")) == ()


def test_a_plan_that_is_inlined_keeps_its_loop_apart() -> None:
    inner = PlanBuilder("inner").node(CodeNode("try", code=CodeRef("t", "1"), outcomes=("ok", "no")))
    inner.edge("try", "ok", End("done")).edge("try", "no", "try", at_most=2, then=End("done"))
    outer = PlanBuilder("outer").node(inner.build())
    outer.node(CodeNode("look", code=CodeRef("l", "1"), outcomes=("good", "bad"))).edge("inner", "done", "look")
    outer.edge("look", "good", End("fine")).edge("look", "bad", "inner", at_most=1, then=End("poor"))
    plan = outer.build()
    assert items(plan) == {"inner/try": ("inner/try",), "inner": ("inner", "inner/try", "look")}
    assert zeroed(plan) == {("inner", "inner/try"): ("inner/try no",)}


def test_a_loop_has_each_bound_once() -> None:
    plan = plan_of("a", "a x a n", "a y a n", "a z out", bounds={"n": Bound("n", 1, Way("out"))})
    assert loops(plan)["a"] == Loop("a", ("a",), tuple(move for move in plan.moves if move.way.target == "a"))
    assert loops(plan)["a"].bounds == ("n",)


@pytest.mark.parametrize("size", [2000])
def test_deep_nests_are_found_without_recursion(size: int) -> None:
    edges = [f"n{i} done n{i + 1}" for i in range(size)] + [f"n{i} back n0" for i in range(1, size, 2)]
    found = loops(plan_of("n0", *edges))
    assert len(found["n0"].backs) == size // 2


def test_dominance_agrees_with_removing_the_node() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph(
        [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e"), ("e", "b"), ("e", "f")]
    )
    dominates = dominance(graph, "a")
    for above in "abcdef":
        rest = graph.subgraph(set("abcdef") - {above})
        reached = {"a"} | nx.descendants(rest, "a") if above != "a" else set()
        assert {below for below in "abcdef" if dominates(above, below)} == set("abcdef") - reached
