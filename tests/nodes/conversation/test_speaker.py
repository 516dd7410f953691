"""An agent of a conversation."""

from typing import Any

from loopwright.nodes.contract import AskModel
from loopwright.nodes.conversation.speaker import VERDICT, Speaker, spoken
from loopwright.nodes.conversation.talk import StopRule, Talk
from loopwright.nodes.history import Window

VIEW: Any = {"task": "hi", "transcript": [{"speaker": "bob", "text": "<{task}>", "stops": False}]}


def talk(**fields: Any) -> Talk:
    return Talk(agents=("ann", "bob"), most=9, **fields)


def asked(speaker: Speaker, view: Any = VIEW) -> AskModel:
    found = speaker.ask(view)
    assert isinstance(found, AskModel)
    return found


def test_a_prompt_has_its_placeholders_and_nothing_that_was_said_is_expanded() -> None:
    ann = Speaker(
        "ann", talk=talk(stop=StopRule("END")), prompt="<{name}>, <{others}>, <{stop_word}>, <{max_messages}>"
    )
    assert [message["content"] for message in asked(ann).messages] == ["ann, bob, END, 9", "hi", "<{task}>"]


def test_a_history_is_cut_and_says_so() -> None:
    found = asked(Speaker("ann", talk=talk(), history=Window(last=1)))
    assert ([message["content"] for message in found.messages][-1], found.note) == (
        "<{task}>",
        "1 earlier message left out",
    )


def test_a_verdict_is_asked_for_where_one_decides() -> None:
    ann = Speaker("ann", talk=talk(stop=StopRule(match="verdict")))
    assert (asked(ann).schema, asked(ann).says) == (VERDICT, "message")
    assert ann.answer(VIEW, {"message": "TERMINATE", "stop": False}).outcome == "said"
    assert ann.answer(VIEW, {"message": "Bye.", "stop": True}).reason == "ann decided to stop"


def test_who_may_not_stop_has_no_such_outcome() -> None:
    ann = Speaker("ann", talk=talk(stop=StopRule(by=("bob",))))
    assert ann.contract.outcomes == ("said",)
    assert ann.answer(VIEW, "TERMINATE").outcome == "said"


def test_a_stop_word_that_nobody_is_told_is_doubtful_once() -> None:
    untold = talk(stop=StopRule(), told=False)
    assert [len([*Speaker(name, talk=untold).doubts()]) for name in ("ann", "bob")] == [1, 0]


def test_more_messages_are_known() -> None:
    more = Speaker("ann", talk=talk()).given_more("messages", 3)
    assert isinstance(more, Speaker)
    assert more.talk.most == 12


def test_a_message_of_the_word_alone_leaves_the_summary() -> None:
    assert "summary" not in spoken("ann", talk(stop=StopRule()), VIEW, "TERMINATE").update
