"""What is read from a transcript, without a node."""

import pytest

from loopwright.nodes.contract import View
from loopwright.nodes.transcript import Entry, Summary, continues, summary_of, title_of, transcript_of


def test_entries_and_the_summary_are_read_from_the_channels() -> None:
    view: View = {
        "transcript": [{"speaker": "solver", "text": "Wood.", "round": 1}],
        "summary": {"text": "Short.", "covers": 3},
    }
    assert transcript_of(view) == [Entry("solver", "Wood.", 1)]
    assert summary_of(view) == Summary("Short.", 3)


@pytest.mark.parametrize(
    ("speakers", "index", "after", "expected"),
    [
        ("", 0, "solver", False),
        ("solver", 0, "boss", False),
        ("solver boss", 2, "solver", True),
        ("solver boss", 2, "boss", False),
        ("solver boss person", 3, "solver", False),
        ("solver boss solver", 2, "boss", True),
    ],
)
def test_where_a_round_begins_that_nobody_opened(speakers: str, index: int, after: str, expected: bool) -> None:
    transcript = [Entry(speaker, "", 1) for speaker in speakers.split()]
    assert continues(transcript, index, "solver", after) is expected


def test_a_summary_is_one_message_and_none_where_it_covers_nothing() -> None:
    assert (list(Summary().messages()), Summary().note) == ([], "")
    one = Summary("Short.", 1)
    assert list(one.messages()) == [
        {"role": "user", "content": "(What was said before, summed up: 1 message.)\nShort."}
    ]
    assert (one.note, Summary("", 2).note) == ("1 message summed up", "2 messages summed up")


def test_a_person_has_a_title_and_a_name_without_one_is_its_own() -> None:
    assert [title_of({"a": "A"}, name) for name in ("a", "b", "person")] == ["A", "b", "Person"]
