"""What is counted on walks: the visits of one node alone are what a weight of one for it alone counts."""

from collections.abc import Callable
from math import inf

from hypothesis import assume, given
from hypothesis import strategies as st

from loopwright.graphs.certificate.measures import Visits, Weighted, whole
from loopwright.graphs.certificate.regions import Walks
from loopwright.graphs.plan import Plan
from loopwright.graphs.verify.check import verify

PlanOf = Callable[..., Plan]
EXACT: frozenset[str] = frozenset()


@st.composite
def lines(draw: Callable[..., int]) -> list[str]:
    """Nodes in a row, with ways that skip some of them and ways back with bounds."""
    size = draw(st.integers(2, 5))
    found = []
    for place in range(size):
        ahead = [f"n{target}" for target in range(place + 1, size)] + ["end out"]
        found.append(f"n{place} [on] -> {ahead[0]}")
        if draw(st.booleans()):
            found.append(f"n{place} [skip] -> {ahead[draw(st.integers(0, len(ahead) - 1))]}")
        if draw(st.booleans()):
            back, then = draw(st.integers(0, place)), ahead[draw(st.integers(0, len(ahead) - 1))]
            found.append(f"n{place} [back] -> n{back}, at most {draw(st.integers(0, 2))}, then {then}")
    return found


@given(lines=lines(), weight=st.integers(0, 3))
def test_the_visits_of_a_node_are_its_weight_alone(plan_of: PlanOf, lines: list[str], weight: int) -> None:
    plan = plan_of(*lines)
    assume(not verify(plan).errors)
    walks = Walks(plan)
    alone = {name: whole(walks, Visits(walks, name), EXACT) for name in plan.nodes}
    for name in plan.nodes:
        weights = {**dict.fromkeys(plan.nodes, 0.0), name: float(weight)}
        counted = whole(walks, Weighted(weights), EXACT)
        assert max(counted.values()) == weight * max(alone[name].values())
    together = max(whole(walks, Weighted(dict.fromkeys(plan.nodes, 1.0)), EXACT).values())
    most = [max(reach.values()) for reach in alone.values()]
    assert max(most) <= together <= sum(most)


def test_what_is_collected_is_told_by_the_end(plan_of: PlanOf) -> None:
    walks = Walks(plan_of("a [short] -> end one", "a [long] -> b", "b -> c", "c -> end two"))
    weights = {"a": 1.0, "b": 10.0, "c": 100.0}
    assert whole(walks, Weighted(weights), EXACT) == {("one", ""): 1, ("two", ""): 111}
    assert whole(walks, Visits(walks, "b"), EXACT) == {("one", ""): 0, ("two", ""): 1}


def test_a_bound_is_spent_in_full_on_the_heaviest_round(plan_of: PlanOf) -> None:
    lines = (
        "a [light] -> c",
        "a [heavy] -> b",
        "b -> c",
        "c [again] -> a, at most 2, then end late",
        "c [out] -> end ok",
    )
    walks = Walks(plan_of(*lines))
    assert whole(walks, Weighted({"a": 1.0, "b": 10.0, "c": 1.0}), EXACT) == {("late", ""): 36, ("ok", ""): 36}


def test_a_loop_without_a_bound_collects_without_end_where_it_weighs_something(plan_of: PlanOf) -> None:
    walks = Walks(plan_of("a -> b", "b [again] -> a", "b [out] -> end ok"))
    assert whole(walks, Weighted({"a": 0.0, "b": 1.0}), EXACT) == {("ok", ""): inf}
    assert whole(walks, Weighted({"a": 0.0, "b": 0.0}), EXACT) == {("ok", ""): 0}
