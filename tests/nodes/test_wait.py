"""Human and Wait: the question, the answer, and what a line of text stands for."""

from typing import Any

import pytest

from loopwright.errors import ContractError, WrongAnswer
from loopwright.nodes.contract import Answer, AskOutside, Contract, Node
from loopwright.nodes.wait import Human, Wait, answer_from_line, due_at

ASK = Human("ask", text="Publish <{draft}>?", outcomes=["yes", "no"], writes="notes", default="no", on_text="yes")


def test_a_question_to_a_person() -> None:
    ask = ASK.ask({"draft": "A"})
    assert ask == AskOutside(
        "Publish A?",
        {
            "type": "object",
            "properties": {"action": {"type": "string", "enum": ["yes", "no"]}, "text": {"type": "string"}},
            "required": ["action"],
            "additionalProperties": False,
        },
        "person",
        {"action": "no", "text": ""},
        {
            "yes": {"action": "yes", "text": ""},
            "no": {"action": "no", "text": ""},
            "": {"action": "yes", "text": ""},
        },
    )
    assert ASK.contract == Contract("wait", ("draft",), ("notes",), ("yes", "no"), may_write=("notes",))


@pytest.mark.parametrize(
    ("fields", "default", "on_text"),
    [
        ({}, None, None),
        ({"default": "no"}, "no", None),
        ({"on_text": "no"}, None, "no"),
        ({"outcomes": ["done"]}, "done", "done"),
    ],
)
def test_nothing_is_guessed_where_there_are_several_actions(fields: Any, default: Any, on_text: Any) -> None:
    ask = Human("ask", text="?", **{"outcomes": ["yes", "no"], **fields}).ask({})
    assert isinstance(ask, AskOutside)
    assert ask.default == (default and {"action": default, "text": ""})
    assert ask.shorthand.get("") == (on_text and {"action": on_text, "text": ""})


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ({"action": "yes"}, Answer("yes")),
        ({"action": "yes", "text": ""}, Answer("yes")),
        ({"action": "no", "text": "long"}, Answer("no", {"notes": "long"}, "long")),
    ],
)
def test_what_a_person_answers(reply: Any, answer: Answer) -> None:
    assert ASK.answer({}, reply) == answer


@pytest.mark.parametrize(
    ("line", "action", "text"),
    [
        ("", "no", ""),
        ("  ", "no", ""),
        ("yes", "yes", ""),
        (" no\n", "no", ""),
        ("No", "no", ""),
        ("YES", "yes", ""),
        ("no.", "yes", "no."),
        ("yes please", "yes", "yes please"),
        ("not no", "yes", "not no"),
    ],
)
def test_lines_of_a_terminal(line: str, action: str, text: str) -> None:
    ask = ASK.ask({"draft": ""})
    assert isinstance(ask, AskOutside)
    assert answer_from_line(line, ask.default, ask.shorthand) == {"action": action, "text": text}


@pytest.mark.parametrize("line", ["No way", "n", "", " ", "yes no", "None"])
@pytest.mark.parametrize("fields", [{}, {"default": "yes"}, {"on_text": "yes"}])
def test_a_line_that_stands_for_nothing_is_no_answer(line: str, fields: Any) -> None:
    ask = Human("ask", text="?", outcomes=["yes", "no"], **fields).ask({})
    assert isinstance(ask, AskOutside)
    said = line.strip()
    if "on_text" in fields if said else "default" in fields:
        assert answer_from_line(line, ask.default, ask.shorthand) == {"action": "yes", "text": line if said else ""}
        return
    with pytest.raises(WrongAnswer) as caught:
        answer_from_line(line, ask.default, ask.shorthand)
    assert str(caught.value) == f"{repr(said) if said else 'an empty line'} is no answer here; answers are: yes, no"


@pytest.mark.parametrize(
    ("line", "near"), [("sned", "send"), ("Send.", "send"), ("reject", ""), ("sent it", ""), ("sen", ""), ("on", "")]
)
def test_a_slip_of_the_hand_is_no_text(line: str, near: str) -> None:
    ask = Human("ask", text="?", outcomes=["send", "redo", "no"], on_text="redo").ask({})
    assert isinstance(ask, AskOutside)
    if not near:
        assert answer_from_line(line, ask.default, ask.shorthand) == {"action": "redo", "text": line}
        return
    with pytest.raises(WrongAnswer) as caught:
        answer_from_line(line, ask.default, ask.shorthand)
    assert str(caught.value) == (
        f"{line!r} is nearly 'send': answer send, or, where it is meant as a text,"
        f' {{"action": "redo", "text": "{line}"}}'
    )


def test_actions_that_differ_in_capitals_are_told_apart() -> None:
    ask = Human("ask", text="?", outcomes=["Go", "go"]).ask({})
    assert isinstance(ask, AskOutside)
    assert answer_from_line("go", None, ask.shorthand) == {"action": "go", "text": ""}
    with pytest.raises(WrongAnswer):
        answer_from_line("GO", None, ask.shorthand)


def test_an_answer_without_an_action_is_none() -> None:
    with pytest.raises(ContractError, match="is no object with 'action'"):
        ASK.answer({}, {"text": "yes"})


@pytest.mark.parametrize(
    ("fields", "faults"),
    [
        ({"outcomes": ["yes", "no"], "default": "no", "on_text": "yes"}, []),
        (
            {"outcomes": ["yes", "no"], "default": "ys", "on_text": "maybe"},
            [
                "default: there is no action 'ys' (did you mean 'yes'? there are: no, yes)",
                "on_text: there is no action 'maybe' (there are: no, yes)",
            ],
        ),
        ({"outcomes": []}, ["outcomes: there are no outcomes (declare at least one)"]),
        ({"outcomes": ["failed"]}, []),
    ],
)
def test_what_is_wrong_with_a_question(fields: Any, faults: list[str]) -> None:
    assert [str(fault) for fault in Human("ask", text="?", **fields).faults()] == faults


def test_a_line_where_nothing_is_agreed_is_itself() -> None:
    assert answer_from_line("hello", None, {}) == "hello"
    assert answer_from_line("", None, {}) == ""


def test_a_value_from_outside() -> None:
    wait = Wait("mail", text="For <{who}>", reply={"type": "integer"}, source="event", writes="count")
    assert wait.ask({"who": "me"}) == AskOutside("For me", {"type": "integer"}, "event")
    assert wait.answer({}, 3) == Answer("done", {"count": 3})
    assert (wait.contract, wait.value_type) == (Contract("wait", ("who",), ("count",), ("done",)), {"type": "integer"})


def test_the_value_may_be_a_python_type() -> None:
    assert Wait("mail", text="?", reply=list[str]) == Wait(
        "mail", text="?", reply={"type": "array", "items": {"type": "string"}}
    )


@pytest.mark.parametrize("node", [ASK, Wait("mail", text="?", reply={"type": "integer"}, writes=("a",))])
def test_nodes_are_data(node: Node) -> None:
    assert Node.from_data(node.to_data()).to_data() == node.to_data()


GIFT = Wait("asleep", event="gives", where={"recipient": "<{me}>", "kind": "mic"}, writes="gift")


def test_an_event_with_a_filter() -> None:
    assert GIFT.ask({"me": "ada"}) == AskOutside(
        'the event gives with recipient "ada" and kind "mic"',
        {},
        "event",
        event="gives",
        where={"recipient": "ada", "kind": "mic"},
    )
    assert GIFT.contract.reads == ("me",)
    assert GIFT.answer({}, {"recipient": "ada"}) == Answer("done", {"gift": {"recipient": "ada"}})


def test_a_filter_wants_the_value_itself() -> None:
    ask: Any = Wait("asleep", text="sleeps", event="gives", where={"count": "<{count}>"}).ask({"count": 3})
    assert (ask.where, ask.text) == ({"count": 3}, "sleeps")


def test_a_timer_waits_for_a_time_or_until_one() -> None:
    after: Any = Wait("pause", source="timer", after=90, writes="at")
    until: Any = Wait("pause", source="timer", until="dawn")
    assert (after.ask({}).after, after.ask({}).due, after.value_type) == (90, None, {"type": "number"})
    asked = until.ask({"dawn": "1970-01-01T06:00:00+00:00"})
    assert (asked.after, asked.due, asked.text) == (None, 21600.0, "the time 1970-01-01T06:00:00+00:00")
    assert until.contract.reads == ("dawn",)


@pytest.mark.parametrize("value", ["tomorrow", "2026-12-01T09:00:00", True, None, [1]])
def test_what_is_no_time_is_refused(value: Any) -> None:
    with pytest.raises(ContractError, match="is no time: give seconds since the epoch, or a text as 2026-12-01"):
        due_at(value)


@pytest.mark.parametrize(
    ("fields", "faults"),
    [
        ({"event": "gives"}, []),
        ({"source": "timer", "until": "dawn"}, []),
        ({"text": "?", "source": "person"}, []),
        ({"source": "timer"}, ["source: a timer has one of `after` and `until` (as in after: 3600, for an hour)"]),
        (
            {"source": "timer", "after": -1},
            ["after: -1 is no number of seconds to wait (give one from 0 on)"],
        ),
        (
            {"source": "timer", "after": 1, "until": "dawn", "event": "gives"},
            [
                "source: a timer has one of `after` and `until` (as in after: 3600, for an hour)",
                "event: `event` is for source: event, and this one waits for: timer",
            ],
        ),
        (
            {"text": "?", "source": "person", "where": {"a": 1}, "after": 3},
            [
                "where: `where` is for source: event, and this one waits for: person",
                "after: `after` is for source: timer, and this one waits for: person",
            ],
        ),
        ({}, ["text: it does not say what is waited for (give a text, or the type of an event)"]),
        (
            {"text": "?", "where": {"a": 1}, "until": "dawn"},
            [
                "until: `until` is for source: timer, and this one waits for: event",
                "event: `where` is for an event, and none is named (give the type of the event)",
            ],
        ),
    ],
)
def test_fields_of_a_wait_that_do_not_go_together(fields: Any, faults: list[str]) -> None:
    assert [str(fault) for fault in Wait("asleep", **fields).faults()] == faults


@pytest.mark.parametrize("node", [GIFT, Wait("pause", source="timer", after=3.5)])
def test_waits_are_data(node: Node) -> None:
    assert Node.from_data(node.to_data()) == node
