"""Where an outcome leads, and what it counts."""

from collections.abc import Callable

import pytest

from loopwright.graphs.plan import End
from loopwright.graphs.transitions import Step, Transitions
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.think import Judge, Think


@pytest.fixture
def steps() -> Transitions:
    """A loop of pages in a loop of books; a page that is bad for too long ends the book."""
    builder = PlanBuilder("books").node(Think("open", prompt="?")).edge("open", "done", "book")
    builder.node(Think("book", prompt="?")).edge("book", "done", "page")
    builder.node(Judge("page", prompt="?", outcomes=["bad", "next", "last"])).edge("page", "last", End("read"))
    builder.edge("page", "bad", "page", at_most=2, bound="tries", then="book")
    builder.edge("page", "next", "book", at_most=3, bound="books", then=End("many", ok=False))
    return Transitions(builder.build())


def counted(**counts: int) -> Callable[[str], int]:
    return lambda bound: counts.get(bound, 0)


def test_plain_steps(steps: Transitions) -> None:
    assert steps.take("page", "last", counted(tries=2, books=3)) == Step("read")


def test_a_loop_that_is_entered_begins_to_count(steps: Transitions) -> None:
    assert steps.take("open", "done", counted(tries=2, books=3)) == Step("book", {"books": 0})
    assert steps.take("book", "done", counted(tries=2, books=3)) == Step("page", {"tries": 0})


def test_a_bound_is_spent_until_it_is_used_up(steps: Transitions) -> None:
    assert steps.take("page", "bad", counted()) == Step("page", {"tries": 1})
    assert steps.take("page", "bad", counted(tries=1)) == Step("page", {"tries": 2})
    assert steps.take("page", "bad", counted(tries=2)) == Step("book", {}, reached=("tries",))
    assert steps.take("page", "next", counted(books=3, tries=1)) == Step("many", {}, reached=("books",))
