"""What is recalled of what is remembered."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loopwright.nodes.memory.recall import Recall, most_similar

WORDS = st.lists(st.sampled_from(["tea", "rain", "sun", "wind"]), max_size=3).map(" ".join)


@given(st.lists(WORDS, max_size=30), WORDS, st.integers(1, 5), st.integers(1, 5))
def test_the_last_are_all_shown_and_nothing_twice_and_in_order(texts: list[str], plan: str, n: int, m: int) -> None:
    events: list[Any] = [{"place": place, "said": text} for place, text in enumerate(texts)]
    view = {"memory": events, "plan": [plan]}
    update: Any = Recall("recall", n=n, m=m).answer(view, None).update
    assert update["recent_events"] == events[-n:]
    places = [event["place"] for event in (*update["similar_events"], *update["recent_events"])]
    assert places == sorted(set(places))
    assert len(update["similar_events"]) <= m
    assert Recall("recall", n=n, m=m).answer(view, None).update == update


def test_of_equals_the_newest_are_recalled() -> None:
    events: list[Any] = [{"at": place, "said": "tea"} for place in (11, 12, 13)]
    assert most_similar(events, "tea", 2) == events[1:]


def test_without_a_plan_the_goals_are_what_it_has_in_mind() -> None:
    view: Any = {"memory": [{"said": "tea"}, {"said": "sun"}], "plan": [], "goals": ["have tea"]}
    answer: Any = Recall("recall", n=1, m=1, goals="goals").answer(view, None)
    assert answer.update["similar_events"] == [{"said": "tea"}]
