"""Which follow-ups can be pending."""

import pytest

from loopwright.graphs.actions.follow_ups import armed, name_of, queues


@pytest.mark.parametrize(
    ("action", "tail", "after"),
    [
        ("x", (), ("a", "b")),
        ("a", ("b",), ("b",)),
        ("b", (), ()),
        ("unknown", (), ("d",)),
    ],
)
def test_a_running_queue_suppresses_what_its_steps_would_call_for(
    action: str, tail: tuple[str, ...], after: tuple[str, ...]
) -> None:
    following = {"x": ["a", "b"], "a": ["c"], "b": [], "default": ["d"]}
    assert armed(action, tail, following) == after


def test_only_queues_that_can_be_come_to_are_found() -> None:
    assert queues({"a": [], "default": []}) == ()
    assert queues({"a": ["b", "c"], "b": ["never, by a"], "c": ["a"]}) == (
        ("b", "c"),
        ("c",),
        ("a",),
        ("never, by a",),
    )


def test_a_cycle_of_follow_ups_is_finite() -> None:
    assert queues({"a": ["b"], "b": ["a"]}) == (("b",), ("a",))
    assert queues({"a": ["a", "a"]}) == (("a", "a"), ("a",))


def test_a_follow_up_without_an_entry_has_those_of_default() -> None:
    assert queues({"a": ["free"], "default": ["end"], "end": []}) == (("free",), ("end",))


def test_a_step_is_called_after_what_is_pending() -> None:
    assert name_of(("give",)) == "then give"
