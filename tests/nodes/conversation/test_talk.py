"""What everybody knows of a conversation."""

import pytest

from loopwright.nodes.conversation.talk import Note, Said, StopRule, Talk, said_in, tally_of

TALK = Talk(agents=("ann", "bob"), most=4, opens="ann", stop=StopRule(by=("bob",)))


def test_who_may_stop() -> None:
    assert [TALK.may_stop(name) for name in TALK.agents] == [False, True]
    assert not Talk(agents=("ann",), most=2).may_stop("ann")


@pytest.mark.parametrize(
    ("count", "why"),
    [(3, ""), (4, "4 of at most 4 messages were sent"), (5, "5 messages were sent, and there may be 4 now")],
)
def test_when_it_is_over(count: int, why: str) -> None:
    assert TALK.over(count) == why
    assert TALK.given_more("messages", 2).over(count) == ""
    assert TALK.given_more("other", 2) is TALK


@pytest.mark.parametrize(
    ("rule", "text", "kept"),
    [
        (StopRule(), "Fine.\nTERMINATE\nBye.", "Fine.\nBye."),
        (StopRule(match="contains"), "Fine TERMINATE", "Fine"),
        (StopRule(match="verdict"), "TERMINATE", "TERMINATE"),
    ],
)
def test_a_summary_is_without_the_word(rule: StopRule, text: str, kept: str) -> None:
    assert rule.without_word(text) == kept


def test_notes_are_for_those_whom_they_name() -> None:
    talk = Talk(
        agents=("ann", "bob"), most=4, notes=(Note("all"), Note("one", "ann", ("bob",)), Note("own", "", ("ann",)))
    )
    assert [[each["content"] for each in talk.messages(name, "hi", [])] for name in talk.agents] == [
        ["all", "one", "own", "hi"],
        ["all", "one", "hi"],
    ]


def test_what_was_said_is_read_and_counted() -> None:
    said = said_in({"transcript": [{"speaker": "bob", "text": "x", "stops": True}]})
    assert said == [Said("bob", "x", stops=True)]
    assert tally_of(TALK, said).replies == {"ann": 0, "bob": 1}
    assert tally_of(TALK, []).last == "ann"
