"""Where a fork may stand, by a plan and the visits that were made of it."""

from typing import Any

import pytest

from loopwright.errors import RunError
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.run.standing import After, AtStart, Before, require_in_reach, standing_before
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.think import Think
from loopwright.state.channels import Channel
from loopwright.state.records import Visit
from loopwright.state.store.runs import RunRow


def rated() -> Plan:
    """Write, rate each item side by side, and end."""
    builder = PlanBuilder("rated", [Channel("items", list[str], input=True), Channel("marks"), Channel("text", str)])
    builder.node(Think("write", prompt="?", writes="text")).edge("write", "done", "rate")
    builder.each("rate", over="items", as_="item", do=Think("grade", prompt="{item}"), collect="marks", at_most=9)
    builder.edge("rate", "done", "close").node(Think("close", prompt="?", writes="text"))
    return builder.edge("close", "done", End("done")).build()


def visits(*nodes: str) -> list[Visit]:
    return [Visit(index, node, "think", "done", checkpoint=f"c{index}") for index, node in enumerate(nodes)]


def run(status: Any = "finished", **values: Any) -> RunRow:
    return RunRow(id="3f2a", name="rated", fingerprint="", status=status, **values)


PLAN = rated()
ALL = visits("write", "rate[0]/grade", "rate[1]/grade", "rate", "close")


def test_a_visit_outside_of_forks_is_stood_before() -> None:
    assert standing_before(PLAN, run(), ALL, 4) == Before(ALL[4])


def test_before_branches_a_fork_stands_after_what_came_before_them() -> None:
    assert standing_before(PLAN, run(), ALL, 1) == After(ALL[0], is_last=False)


def test_a_join_is_stood_before_unless_there_was_nothing_to_join() -> None:
    assert standing_before(PLAN, run(), ALL, 3) == Before(ALL[3])
    empty = visits("write", "rate", "close")
    assert standing_before(PLAN, run(), empty, 1) == After(empty[0], is_last=False)


def test_the_start_has_the_inputs_or_in_a_fork_a_state() -> None:
    assert standing_before(PLAN, run(), ALL, 0) == AtStart(given_inputs=True)
    forked = run(forked_from="77ab", forked_at=4)
    assert standing_before(PLAN, forked, ALL, 4) == AtStart(given_inputs=False)
    assert standing_before(PLAN, forked, ALL[:4], 4) == AtStart(given_inputs=False)


def test_where_a_run_rests_a_fork_stands_after_its_last_visit() -> None:
    assert standing_before(PLAN, run("waiting"), ALL[:1], 1) == After(ALL[0], is_last=True)


@pytest.mark.parametrize(
    ("made", "at", "instead"),
    [(5, 2, "1, before all of them, or 3, before its branches are joined"), (3, 3, "1, before all of them")],
)
def test_between_branches_is_no_place(made: int, at: int, instead: str) -> None:
    with pytest.raises(RunError) as caught:
        standing_before(PLAN, run("suspended"), ALL[:made], at)
    assert str(caught.value) == (
        f"run 3f2a cannot be forked at {at}, between the branches of 'rate', which run side by side; give {instead}"
    )


IN_REACH = pytest.mark.parametrize(
    ("status", "last"), [("finished", 4), ("running", 4), ("waiting", 5), ("interrupted", 5)]
)


@IN_REACH
def test_what_is_in_reach_depends_on_how_the_run_rests(status: str, last: int) -> None:
    for at in range(last + 1):
        require_in_reach(run(status), 5, at)
    if last < 5:
        with pytest.raises(RunError, match=f"^run 3f2a is {status} after its 5 visits; it can be forked at 0 to 4$"):
            require_in_reach(run(status), 5, 5)


@IN_REACH
@pytest.mark.parametrize("at", [-1, 6, True, "2", 1.0, None])
def test_what_is_no_visit_of_the_run_is_refused(status: str, last: int, at: Any) -> None:
    with pytest.raises(RunError, match=rf"^run 3f2a cannot be forked at {at!r}; it has 5 visits: give 0 to {last}$"):
        require_in_reach(run(status), 5, at)
