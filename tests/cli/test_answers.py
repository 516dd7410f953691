"""Answers: what a question says may be answered, and the line that a person types."""

import io
from typing import Any

import pytest

from loopwright.cli.answers import ask_person, choices, show_question
from loopwright.cli.output import Output
from loopwright.errors import WrongAnswer
from loopwright.nodes.contract import AskOutside
from loopwright.nodes.wait import Human
from loopwright.state.records import Question


def asked(**fields: Any) -> Question:
    """The question of a person's node."""
    ask = Human("review", text="Good?", outcomes=["accept", "reject"], **fields).ask({})
    assert isinstance(ask, AskOutside)
    return Question("q", "review", ask.text, ask.reply, ask.source, ask.default, ask.shorthand)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (asked(), "accept, reject"),
        (asked(default="reject"), "reject (or an empty line), accept"),
        (asked(on_text="reject"), "accept, reject; any other text: reject, with the text"),
        (Question("q", "ask", "?", {"type": "integer"}), "the answer: int"),
        (Question("q", "ask", "?", {"enum": ["a", "b"]}), "the answer: a | b"),
    ],
)
def test_what_may_be_answered(question: Question, line: str) -> None:
    assert choices(question) == line


def test_a_question_is_shown_and_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    show_question(Output(as_json=False), Question("q", "ask", "Two\nlines\x1b[2J?", {"type": "integer"}))
    assert capsys.readouterr().out == "\nTwo\nlines\ufffd[2J?\nthe answer: int\n"


@pytest.mark.parametrize(
    ("typed", "line"), [("yes\n", "yes"), ("\n", ""), (" a b \n", " a b "), ("last", "last"), ("", None)]
)
def test_a_line_is_taken_as_it_is_typed(monkeypatch: pytest.MonkeyPatch, typed: str, line: str | None) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert ask_person(Output(as_json=False)) == line


@pytest.mark.parametrize("typed", [b"caf\xe9\n", b"\xff\n"])
@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_bytes_that_are_no_text_are_refused(monkeypatch: pytest.MonkeyPatch, typed: bytes, errors: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed), "utf-8", errors=errors))
    with pytest.raises(WrongAnswer, match="no text in UTF-8"):
        ask_person(Output(as_json=False))
