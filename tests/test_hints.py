"""Hints: the nearest name first, then what exists, and never too much of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.hints import LISTED, did_you_mean


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("boss", [], "there are none"),
        ("boss", ["solver"], "there is only solver"),
        ("sover", ["solver"], "did you mean 'solver'? there is only solver"),
        ("x", ["solver", "boss"], "there are: boss, solver"),
        ("bos", iter(["solver", "boss"]), "did you mean 'boss'? there are: boss, solver"),
        ("", ["b", "a"], "there are: a, b"),
    ],
)
def test_what_a_hint_says(word: str, known: list[str], hint: str) -> None:
    assert did_you_mean(word, known) == hint


@pytest.mark.parametrize(("word", "meant"), [("causs", "cause"), ("causes", "cause"), ("topc", "topic")])
def test_what_is_rather_meant_comes_before_what_is_nearer(word: str, meant: str) -> None:
    known = ["cause", "causes!", "topic"]
    assert did_you_mean(word, known, rather=["cause"]).startswith(f"did you mean {meant!r}? ")


def test_a_long_list_is_cut_and_the_nearest_is_found_beyond_the_cut() -> None:
    known = [f"node {index:02}" for index in range(LISTED + 3)]
    hint = did_you_mean("nod 18", known)
    assert hint == f"did you mean 'node 18'? there are: {', '.join(known[:LISTED])} and 3 more"
    assert did_you_mean("", known[:LISTED]) == f"there are: {', '.join(known[:LISTED])}"


@given(st.text(), st.sets(st.text(min_size=1)))
def test_the_order_of_the_names_changes_nothing(word: str, known: set[str]) -> None:
    assert did_you_mean(word, sorted(known)) == did_you_mean(word, sorted(known, reverse=True))
