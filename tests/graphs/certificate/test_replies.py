"""Between two replies: from the start or a wait, to the next wait or the end."""

from collections.abc import Callable

import pytest

from loopwright.graphs.certificate.measures import Weighted, whole
from loopwright.graphs.certificate.regions import Walks
from loopwright.graphs.certificate.replies import per_reply
from loopwright.graphs.plan import Plan

PlanOf = Callable[..., Plan]


def counted(plan: Plan, *stops: str, **weights: float) -> tuple[float, float]:
    return per_reply(Walks(plan, stops), {**dict.fromkeys(plan.nodes, 1.0), **weights})


@pytest.mark.parametrize(
    "lines",
    [
        ("a -> b", "b -> end out"),
        ("a -> b", "b [again] -> a, at most 3, then end late", "b [out] -> end out"),
        (
            "a -> b",
            "b [in] -> b, at most 2, then c",
            "b [on] -> c",
            "c [again] -> a, at most 2, then d",
            "d -> end out",
        ),
    ],
)
def test_without_waits_it_is_the_whole_run(plan_of: PlanOf, lines: tuple[str, ...]) -> None:
    plan = plan_of(*lines)
    run = whole(Walks(plan), Weighted(dict.fromkeys(plan.nodes, 1.0)), None)
    assert counted(plan) == (0, max(run.values()))


ROW = ("a -> b", "b -> wait", "wait -> c", "c -> d", "d -> e", "e -> end out")


def test_a_wait_parts_a_row(plan_of: PlanOf) -> None:
    """The wait is not counted by the walk that comes to it, and is by the one that begins with it."""
    assert counted(plan_of(*ROW), "wait") == (2, 4)
    assert counted(plan_of(*ROW), "wait", wait=10) == (2, 13)
    assert counted(plan_of(*ROW), "wait", a=100) == (101, 4)


def test_two_waits_part_it_twice(plan_of: PlanOf) -> None:
    assert counted(plan_of(*ROW), "wait", "d") == (2, 2)
    assert counted(plan_of(*ROW), "a") == (0, 6)


def test_a_loop_after_a_wait_takes_all_its_rounds(plan_of: PlanOf) -> None:
    lines = ("wait -> a", "a -> b", "b [again] -> a, at most 2, then end late", "b [out] -> end out")
    assert counted(plan_of(*lines), "wait") == (0, 1 + 3 * 2)


def test_a_paced_loop_is_counted_once_round(plan_of: PlanOf) -> None:
    lines = (
        "greet -> ask",
        "ask [more] -> think",
        "think -> speak",
        "speak -> ask",
        "ask [enough] -> bye",
        "bye -> end out",
    )
    assert counted(plan_of(*lines), "ask") == (3, 2)


def test_a_way_around_the_wait_takes_all_its_rounds(plan_of: PlanOf) -> None:
    """After a wait inside a loop the rounds that do not come to it again count in full."""
    lines = (
        "a [ask] -> wait",
        "a [skip] -> b",
        "wait -> b",
        "b [again] -> a, at most 3, then end late",
        "b [out] -> end out",
    )
    stopped, ended = counted(plan_of(*lines), "wait")
    # From the start: a and b three times, then a. From the wait: wait, b, then what a loop that is begun anew takes.
    assert stopped >= 3 * 2 + 1
    assert ended >= 2 + 3 * 2
    assert max(stopped, ended) <= 2 + 4 * 2
