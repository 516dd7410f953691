"""The nodes that decide by ratings alone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.errors import Unreadable
from loopwright.nodes.brains.picking import Gather, Keep, Pick, best
from loopwright.state.values import Json


def view(*ratings: Any) -> Any:
    return {
        "options": [f"option {place}" for place in range(len(ratings))],
        "ratings": [None if rating is None else {"rating": rating} for rating in ratings],
    }


def reference(ratings: list[float | None], threshold: float | None) -> int | str:
    """What a reader would do with pencil and paper: go through the list, and remember the best so far."""
    found, highest = -1, 0.0
    for place, rating in enumerate(ratings):
        if rating is not None and rating > highest:
            found, highest = place, rating
    if found < 0:
        return "unreadable"
    return "none" if threshold is not None and highest < threshold else found


RATINGS = st.lists(st.one_of(st.none(), st.integers(1, 10), st.floats(1, 10)), max_size=8)


@given(RATINGS, st.one_of(st.none(), st.integers(1, 10), st.floats(1, 10)))
def test_any_ratings_pick_what_a_reader_would(ratings: list[float | None], threshold: float | None) -> None:
    node = Pick("pick", prompt="", writes="answer", threshold=threshold, tells=True)
    expected = reference(ratings, threshold)
    if expected == "unreadable":
        with pytest.raises(Unreadable):
            node.answer(view(*ratings), None)
        return
    answer = node.answer(view(*ratings), None)
    if expected == "none":
        assert (answer.outcome, answer.update) == ("none", {"last_failure": answer.reason})
    else:
        update = {"answer": f"option {expected}", "chosen": expected, "last_failure": ""}
        assert (answer.outcome, answer.update) == ("done", update)


@given(RATINGS, st.integers(1, 9))
def test_what_is_kept_is_what_sorting_gives(ratings: list[float | None], count: int) -> None:
    kept = best(ratings, count)
    assert len(kept) == min(count, len(ratings))
    ranked = [(ratings[place] or 0, -place) for place in kept]
    assert ranked == sorted(ranked, reverse=True)
    left = [place for place in range(len(ratings)) if place not in kept]
    assert all((ratings[other] or 0, -other) < ranked[-1] for other in left) or not kept


@pytest.mark.parametrize(
    ("ratings", "threshold", "reason"),
    [
        ([3, 8, 5], None, "the 2nd of 3 options is the best, rated 8"),
        ([3, 8, 8], 8, "the 2nd of 3 options is the best, rated 8"),
        ([7], 7, "the only option, rated 7"),
        ([6.5], 7, "no option reaches 7: the only option is the best, rated 6.5"),
        ([None, 2, None], None, "the 2nd of 3 options is the best, rated 2; 2 ratings could not be read"),
    ],
)
def test_the_reasons_are_for_people(ratings: Any, threshold: Any, reason: str) -> None:
    node = Pick("pick", prompt="", writes="answer", threshold=threshold)
    assert node.answer(view(*ratings), None).reason == reason


@pytest.mark.parametrize(
    ("ratings", "words"), [([None], "the rating could be read"), ([None, None], "none of the 2 ratings could be read")]
)
def test_where_all_are_absent_it_is_unreadable(ratings: Any, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        Keep("keep", prompt="").answer(view(*ratings), None)


def test_it_asks_nobody_and_asks_for_all_ratings_after_a_resume() -> None:
    node = Pick("pick", prompt="A name?", asks="<{options}>", writes="answer", threshold=5)
    assert (node.ask(view(None, None)), node.calls, node.ask_again(view(None, 3))) == (None, 0, None)
    ask: Any = node.ask_again(view(None, None))
    assert ask.messages == [{"role": "user", "content": "A name?\n\n1. option 0\n2. option 1"}]
    assert ask.schema["properties"]["ratings"]["minItems"] == ask.schema["properties"]["ratings"]["maxItems"] == 2
    assert node.answer(view(None, None), {"ratings": [2, 6]}).update["answer"] == "option 1"
    assert node.answer(view(None, None), {"ratings": [2, 3]}).outcome == "none"


def test_of_lines_of_thought_the_last_step_is_the_answer() -> None:
    lines: Any = {"options": [["a", "x"], ["b", "y"]], "ratings": [{"rating": 4}, {"rating": 6}]}
    node = Pick("pick", prompt="", writes="answer", line="whole")
    assert node.answer(lines, None).update == {"answer": "y", "chosen": 1, "steps": ["b"]}
    kept = Keep("keep", prompt="", breadth=5).answer(lines, None)
    assert (kept.update, kept.reason) == ({"paths": [["b", "y"], ["a", "x"]]}, "of 2 kept: the 2nd (6), the 1st (4)")


@pytest.mark.parametrize(("closing", "outcomes"), [(False, ("options",)), (True, ("options", "none"))])
def test_lines_are_gathered(closing: bool, outcomes: tuple[str, ...]) -> None:
    node = Gather("gather", closing=closing, tells=closing)
    assert node.contract.outcomes == outcomes
    some: list[Json] = [{"paths": [["a"]], "left_out": ""}, {"paths": [], "left_out": "bad"}]
    assert node.answer({"expansions": some}, None).update == {"options": [["a"]]}
    if closing:
        none = node.answer({"expansions": [some[1], some[1]]}, None)
        assert (none.outcome, none.update) == ("none", {"options": [], "last_failure": "bad"})
