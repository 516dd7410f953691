"""Walks, loop by loop: where they lead, what stands around what, and in which order bounds are spent."""

from collections.abc import Callable

import pytest

from loopwright.graphs.certificate import regions
from loopwright.graphs.certificate.regions import STOP, Walks
from loopwright.graphs.plan import Plan

PlanOf = Callable[..., Plan]
BOOKS = (
    "open -> page",
    "page [bad] -> page, at most 2 tries, then look",
    "page [good] -> look",
    "look [more] -> open, at most 3 books, then fail many",
    "look [enough] -> end read",
)
NONE: frozenset[str] = frozenset()


def test_loops_stand_inside_of_each_other(plan_of: PlanOf) -> None:
    walks = Walks(plan_of(*BOOKS, "begin -> open", start="begin"))
    assert list(walks.loops) == ["page", "open"]
    assert walks.around == {"page": "open", "look": "open"}
    assert (walks.root.items, walks.loops["open"].items) == (("begin", "open"), ("open", "page", "look"))


def test_where_a_node_can_lead_goes_by_what_is_used_up(plan_of: PlanOf) -> None:
    walks = Walks(plan_of(*BOOKS))
    assert list(walks.steps("page", NONE)) == [("page", "tries"), ("look", "")]
    assert list(walks.steps("page", frozenset({"tries"}))) == [("page", "tries"), ("look", ""), ("look", "")]
    assert list(walks.steps("look", None)) == [("open", "books"), ("many", ""), ("read", "")]


def test_a_walk_stops_at_a_wait(plan_of: PlanOf) -> None:
    walks = Walks(plan_of(*BOOKS), stops=["look"])
    assert list(walks.steps("look", None)) == [STOP]
    assert walks.region(walks.loops["open"], None).goals == (STOP,)


def test_a_region_is_left_by_its_goals(plan_of: PlanOf) -> None:
    walks = Walks(plan_of(*BOOKS))
    assert set(walks.region(walks.loops["page"], NONE).goals) == {("look", "")}
    assert set(walks.region(walks.loops["open"], NONE).goals) == {("many", ""), ("read", "")}


def test_a_round_goes_forward_only(plan_of: PlanOf) -> None:
    walks = Walks(plan_of(*BOOKS))
    step = walks.region(walks.loops["open"], NONE).round(NONE)
    assert list(step.items) == ["open", "page", "look"]
    assert step.arrived == {"open", "page", "look"}
    assert [step.following(goal) for goal in (("look", ""), ("open", "books"), ("read", ""), STOP)] == [
        "look",
        None,
        None,
        None,
    ]
    assert step.behind["open"] == {("open", "books"), ("read", "")}


OPENING = (
    "a [x] -> b",
    "a [y] -> end out",
    "b [again] -> a, at most 1 second, then end out",
    "b [out] -> end out",
    "a [z] -> a, at most 1 first, then c",
    "c [again] -> a, at most 1 third, then end out",
    "c [out] -> end out",
)


def test_a_bound_is_spent_after_those_that_open_ways_to_it(plan_of: PlanOf) -> None:
    walks = Walks(plan_of(*OPENING))
    order = walks.orders(walks.loops["a"])
    assert sorted(order) == [["first"], ["second"], ["third"]]
    assert order.index(["first"]) < order.index(["third"])


def test_a_loop_is_looked_at_once_for_each_state_that_matters(plan_of: PlanOf, monkeypatch: pytest.MonkeyPatch) -> None:
    walks = Walks(plan_of(*BOOKS))
    page = walks.loops["page"]
    assert walks.region(page, NONE) is walks.region(page, frozenset({"books"}))
    assert walks.exact
    monkeypatch.setattr(regions, "CONTEXTS", 1)
    walks = Walks(plan_of(*OPENING))
    loop = walks.loops["a"]
    first = walks.region(loop, NONE)
    assert walks.region(loop, NONE) is first
    assert walks.region(loop, None).outer is None
    assert not walks.exact
