"""Phrases: what is cut and padded fits its columns, and nothing that is shown is obeyed by a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.cli.phrases import (
    age_words,
    counted,
    cut,
    harmless,
    of_at_most,
    one_line,
    padded,
    said_in,
    seconds_words,
    usage_words,
    whole,
)
from loopwright.graphs.draw.lettering import columns_of
from loopwright.state.records import Usage, Visit
from loopwright.state.values import Json

WORDS = st.text(st.sampled_from("ab …漢字é\u0301") | st.characters(codec="utf-8"))


@given(WORDS, st.integers(0, 12))
def test_what_is_cut_fits_and_begins_as_before(text: str, width: int) -> None:
    line = cut(text, width)
    assert columns_of(line) <= width
    assert line == text or text.startswith(line.removesuffix("…"))
    if columns_of(text) <= width:
        assert line == text


@given(WORDS, st.integers(0, 12))
def test_what_is_padded_fits_to_the_column(text: str, width: int) -> None:
    assert columns_of(padded(text, width)) == width


@given(st.text())
def test_a_terminal_obeys_nothing(text: str) -> None:
    for shown in (harmless(text), one_line(text), whole(text)):
        assert not {unicodedata.category(char) for char in shown if char not in "\n\u200d"} & {"Cc", "Cf", "Zl", "Zp"}
    assert harmless(harmless(text)) == harmless(text)
    assert "\n" not in one_line(text)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (None, ""),
        ("", ""),
        ("\n \n a \nb", "a"),
        (0, "0"),
        ([], "[]"),
        ({"a": "ü\n"}, '{"a": "ü\\n"}'),
        (False, "false"),
    ],
)
def test_a_value_on_one_line(value: Json, line: str) -> None:
    assert one_line(value) == line


@pytest.mark.parametrize(
    ("reply", "reason", "said"),
    [
        ("Wood.\nMore.", "why", "Wood."),
        ({"message": "Go on.", "stop": False}, "why", "Go on."),
        ({"message": "Go on."}, "why", "why"),
        ({"message": "Go on.", "stop": "no"}, "", '{"message": "Go on.", "stop": "no"}'),
        ({"score": 8}, "", "score 8"),
        ({"score": 7.5, "reason": "Clear."}, "Clear.", "score 7.5: Clear."),
        ({"score": 8, "title": "a value"}, "", '{"score": 8, "title": "a value"}'),
        ({"outcome": "done"}, "", ""),
        ({"outcome": "done", "reason": ""}, "", ""),
        ({"outcome": "a value"}, "", '{"outcome": "a value"}'),
        ({"action": "done", "text": ""}, "", ""),
        ({"action": "done", "text": "Too long."}, "", "Too long."),
        ({"action": "a value"}, "", '{"action": "a value"}'),
        ({"outcome": "done", "update": {"n": 2, "words": ["a"]}, "reason": ""}, "", 'n: 2, words: ["a"]'),
        ({"outcome": "done", "update": {}, "reason": ""}, "", ""),
        ({"outcome": "done", "update": {"n": 2}, "reason": "counted"}, "counted", "counted"),
        (None, "why", "why"),
        (None, "", ""),
    ],
)
def test_what_a_visit_said(reply: Json, reason: str, said: str) -> None:
    assert said_in(Visit(0, "boss", "think", "done", reply=reply, reason=reason)) == said


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0.0 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 0 s"),
        (60, "1 min 0 s"),
        (119.6, "2 min 0 s"),
        (3725, "62 min 5 s"),
    ],
)
def test_how_long(seconds: float, words: str) -> None:
    assert seconds_words(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "0 s ago"),
        (59.9, "59 s ago"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3600, "1 h ago"),
        (86399, "23 h ago"),
        (86400, "1 day ago"),
        (172800, "2 days ago"),
    ],
)
def test_how_long_ago(seconds: float, words: str) -> None:
    assert age_words(seconds) == words


def test_counts() -> None:
    assert (counted(1, "visit"), counted(1200, "visit")) == ("1 visit", "1,200 visits")
    assert (of_at_most("calls", 0, 0), of_at_most("calls", 1200, None)) == ("calls 0 of at most 0", "calls 1,200")
    assert usage_words(0, Usage(), None, 3) == "visits 0, calls 0 of at most 3"
    assert usage_words(1, Usage(repairs=2, tokens_in=1), None, None) == "visits 1, calls 0, tokens 1, repairs 2"
