"""Folds: what a plan says of nodes that are one thing, and what becomes of it in another plan."""

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.folds import Fold, fold_around
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.think import Judge, Think


def pair() -> PlanBuilder:
    builder = PlanBuilder("pair", fold="two steps").node(Think("a", prompt="?")).node(Think("b", prompt="?"))
    return builder.edge("a", "done", "b").edge("b", "done", End("over"))


def test_a_plan_with_a_fold_is_data() -> None:
    plan = pair().build()
    assert plan.folds == {"": Fold("two steps", "a")}
    assert Plan.from_data(plan.to_data()) == plan
    plain = PlanBuilder("plain").node(Think("a", prompt="?")).edge("a", "done", End("over")).build()
    assert "folds" not in plain.to_data()


def test_a_nested_fold_has_the_name_of_its_node() -> None:
    outer = PlanBuilder("outer").node(pair(), name="x").edge("x", "over", End("over")).build()
    assert outer.folds == {"x": Fold("two steps", "x/a")}
    whole = PlanBuilder("whole").node(outer, name="y").edge("y", "over", End("over")).build()
    assert whole.folds == {"y/x": Fold("two steps", "y/x/a")}


def test_one_that_is_entered_by_a_node_of_its_own_is_counted_by_that() -> None:
    inner = PlanBuilder("inner", fold="a loop").node(Judge("j", prompt="?", outcomes=["ok", "no"]))
    inner.edge("j", "ok", End("over")).edge("j", "no", "j", at_most=1, then=End("over"))
    outer = PlanBuilder("outer").node(inner, name="x").edge("x", "over", End("over")).build()
    assert outer.folds == {"x": Fold("a loop", "x")}
    assert outer.start == "x"


def test_the_outermost_fold_counts() -> None:
    assert fold_around("y/x/a", ["y/x", "y"]) == "y"
    assert fold_around("y", ["y"]) == "y"
    assert fold_around("z", []) is None
