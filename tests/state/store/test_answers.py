"""Answers that are kept: each with its question, once, and read by the beginning of the question's id."""

from collections.abc import Iterator
from sqlite3 import Connection, connect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.errors import AlreadyAnswered
from loopwright.state.records import Answered, Question, Status
from loopwright.state.store.answers import ANSWERS, ask_anew, is_repeated, keep_answer, read_answers
from loopwright.state.store.runs import RunRow
from loopwright.state.values import Json


@pytest.fixture
def connection() -> Iterator[Connection]:
    opened = connect(":memory:")
    opened.execute(ANSWERS)
    yield opened
    opened.close()


def answered(question: str, answer: Json = "yes") -> Answered:
    return Answered(
        Question(question, "ask", "Good?", {"type": "string"}, default="no", shorthand={"y": "yes"}), answer
    )


@pytest.mark.parametrize("answer", ["yes", "", None, 0, False, [], {"action": "reject", "text": "ü"}])
def test_an_answer_comes_back_with_its_question(connection: Connection, answer: Json) -> None:
    keep_answer(connection, "r1", answered("q1", answer))
    (found,) = read_answers(connection, "r1")
    assert found == answered("q1", answer)
    assert type(found.answer) is type(answer)


def test_a_question_has_one_answer(connection: Connection) -> None:
    keep_answer(connection, "r1", answered("q1", "yes"))
    keep_answer(connection, "r1", answered("q1", "yes"))
    assert read_answers(connection, "r1") == (answered("q1", "yes"),)


def test_runs_have_their_own_answers(connection: Connection) -> None:
    keep_answer(connection, "r1", answered("q1", "yes"))
    keep_answer(connection, "r2", answered("q1", "no"))
    assert read_answers(connection, "r2") == (answered("q1", "no"),)
    assert read_answers(connection, "r") == ()


@given(ids=st.sets(st.text("ab%_", min_size=1, max_size=4)), prefix=st.text("ab%_", max_size=2))
def test_they_are_found_by_the_beginning_of_an_id(ids: set[str], prefix: str) -> None:
    opened = connect(":memory:")
    opened.execute(ANSWERS)
    for question in ids:
        keep_answer(opened, "r1", answered(question))
    found = [each.question.id for each in read_answers(opened, "r1", prefix)]
    opened.close()
    assert found == sorted(question for question in ids if question.startswith(prefix))


def test_an_answer_that_was_not_taken_goes_with_the_question_in_the_place_of_its_own(connection: Connection) -> None:
    keep_answer(connection, "r1", answered("q1", "yes"))
    anew = Question("q2", "sign", "Good?", formerly=("q0", "q1"))
    ask_anew(connection, "r1", "q1", anew)
    assert read_answers(connection, "r1") == (Answered(anew, "yes"),)
    assert read_answers(connection, "r1", "q0") == read_answers(connection, "r1", "q1") == (Answered(anew, "yes"),)
    assert read_answers(connection, "r1", "q3") == ()
    ask_anew(connection, "r1", "q4", Question("q5", "sign", "Good?"))
    assert read_answers(connection, "r1") == (Answered(anew, "yes"),)


@pytest.mark.parametrize(
    ("status", "is_open", "expected"),
    [
        ("waiting", True, False),
        ("interrupted", True, False),
        ("running", True, True),
        ("waiting", False, True),
        ("finished", False, True),
    ],
)
def test_an_answer_is_repeated_where_it_was_taken(
    connection: Connection, status: Status, is_open: bool, expected: bool
) -> None:
    kept = answered("q1", "yes")
    row = RunRow("r1", "p", "f", status=status, questions=(kept.question,) if is_open else ())
    assert not is_repeated(connection, row, kept)
    keep_answer(connection, "r1", kept)
    assert is_repeated(connection, row, kept) == expected


def test_another_answer_than_that_which_was_taken_is_refused(connection: Connection) -> None:
    keep_answer(connection, "r1", answered("q1", "yes"))
    with pytest.raises(AlreadyAnswered):
        is_repeated(connection, RunRow("r1", "p", "f", status="finished"), answered("q1", "no"))
