"""Answers that are typed: what a line stands for, by the question's words or by the shape of its answer."""

from typing import Any

import pytest

from loopwright.errors import WrongAnswer
from loopwright.graphs.run.answers import fitting_answer
from loopwright.nodes.wait import Human
from loopwright.state.records import Question
from loopwright.state.schema import schema_from_word
from loopwright.state.values import Json, JsonSchema


def shaped(schema: JsonSchema, default: Json = None) -> Question:
    return Question("1", "ask", "What?", schema, default=default)


def worded() -> Question:
    asked: Any = Human("ask", text="Good?", outcomes=["yes", "no"], default="yes", on_text="no").ask({})
    return Question("1", "ask", asked.text, asked.reply, default=asked.default, shorthand=asked.shorthand)


@pytest.mark.parametrize(
    ("word", "line", "answer"),
    [
        ("str | None", "12", "12"),
        ("str", '{"a": 1}', '{"a": 1}'),
        ("str", "", ""),
        ("int", "12", 12),
        ("dict", '{"a": 1}', {"a": 1}),
        ("any", "12", 12),
        ("any", "twelve", "twelve"),
    ],
)
def test_a_line_goes_by_the_shape(word: str, line: str, answer: Json) -> None:
    assert fitting_answer(shaped(schema_from_word(word)), line) == answer


def test_a_line_may_be_a_choice() -> None:
    assert fitting_answer(shaped({"enum": ["12", "13"]}), "12") == "12"


@pytest.mark.parametrize("line", ["", "  "])
def test_an_empty_line_is_the_default(line: str) -> None:
    assert fitting_answer(shaped({"type": "integer"}, default=3), line) == 3


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("", {"action": "yes", "text": ""}),
        ("yes", {"action": "yes", "text": ""}),
        ("12", {"action": "no", "text": "12"}),
        ('"yes"', {"action": "no", "text": '"yes"'}),
        ("{sic}", {"action": "no", "text": "{sic}"}),
        ("NaN", {"action": "no", "text": "NaN"}),
        (' {"action": "yes", "text": "fine"}', {"action": "yes", "text": "fine"}),
    ],
)
def test_a_line_goes_by_the_words(line: str, answer: Json) -> None:
    assert fitting_answer(worded(), line) == answer


@pytest.mark.parametrize(
    ("question", "line", "words"),
    [
        (shaped({"type": "integer"}), "many", '"many" is not of type "integer". It takes int'),
        (shaped({"type": "integer", "minimum": 1}), "0", "0 is less than the minimum of 1. It takes int"),
        (shaped({"type": "number"}), "NaN", "NaN is not a JSON value. It takes float"),
        (
            shaped({"type": "object"}),
            '{"a": 1, "a": 2}',
            'the key "a" stands twice in one object. It takes {"type": "object"}',
        ),
    ],
)
def test_a_line_that_does_not_fit(question: Question, line: str, words: str) -> None:
    with pytest.raises(WrongAnswer) as caught:
        fitting_answer(question, line)
    assert str(caught.value) == f"ask cannot take {line!r}: {words}"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"action": "maybe"}', 'at action: "maybe" is not one of "yes" or "no"'),
        ('{"text": "fine"}', '"action" is a required property'),
        ('{"action": "yes", "action": "no"}', 'the key "action" stands twice in one object'),
    ],
)
def test_an_object_must_fit(line: str, words: str) -> None:
    with pytest.raises(WrongAnswer) as caught:
        fitting_answer(worded(), line)
    assert str(caught.value).startswith(f"ask cannot take {line!r}: {words}. It takes ")
