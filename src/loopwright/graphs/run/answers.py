"""Answers: which question they are for, and what they are in the question's shape."""

import json
from collections.abc import Collection
from contextlib import suppress
from typing import Any

from loopwright.errors import NotWaiting, WrongAnswer
from loopwright.nodes.wait import answer_from_line
from loopwright.state.records import Answered, Question
from loopwright.state.schema import check_for, word_of
from loopwright.state.store.runs import RunRow, already_answered, has_ended
from loopwright.state.text import parsed, value_from_text
from loopwright.state.values import Json

_SHOWN = 300
"""So many characters of an answer, or of what is wrong with it, are shown."""


def question_for(row: RunRow, answer: Any, prefix: str, shown: Collection[str] = ()) -> Question | None:
    """The question that an answer is for; None where the run just goes on.

    Args:
        row: The run.
        answer: The answer, or None.
        prefix: The question's id, or the beginning of it, or "".
        shown: The ids of the questions that whoever answers has seen; where there are any, an answer without an id is
            for one of these only.

    Raises:
        NotWaiting: The run has ended, waits for nothing, it is not clear which question is meant, or the question has
            changed since it was seen.
        WrongAnswer: The run waits for an answer and there is none.
    """
    if row.status == "finished":
        raise has_ended(row)
    if row.status == "interrupted" and answer is None:
        return None
    if not row.questions:
        if answer is not None or prefix:
            raise NotWaiting(f"run {row.id} is {row.status} and waits for no answer; resume it without one")
        return None
    fitting = [question for question in row.questions if question.is_called(prefix)]
    listed = "; ".join(f"{asked.id[:8]} ({asked.node}): {_first_line(asked.text)}" for asked in row.questions)
    if len(fitting) != 1:
        fault = "say which question is answered, by its id" if fitting else f"no question {prefix!r} is open"
        raise NotWaiting(f"run {row.id}: {fault}; open is {listed}")
    if answer is None:
        raise WrongAnswer(f"run {row.id} waits for an answer to {listed}")
    if shown and not prefix and not {fitting[0].id, *fitting[0].formerly} & set(shown):
        raise NotWaiting(
            f"run {row.id}: the question has changed since it was looked at; open is {listed}:"
            " look at questions again, or give the question's id"
        )
    return fitting[0]


def require_same(run: str, answered: Answered, answer: Any) -> None:
    """Make sure that an answer to an answered question is the one that there is.

    Raises:
        AlreadyAnswered: It is another one.
    """
    with suppress(WrongAnswer):
        if fitting_answer(answered.question, answer) == answered.answer:
            return
    raise already_answered(run, answered)


def require_alone(run: str, bounds: Any, budget: Any, decided: Any) -> None:
    """Make sure that nothing else is wanted with an answer that was given before: it would be lost.

    Raises:
        NotWaiting: Something is.
    """
    if bounds or budget or decided:
        more = "a bound" if bounds else "a budget"
        deed = f"give more of {more}" if bounds or budget else "decide about the effect"
        raise NotWaiting(f"run {run}: this answer was given before; {deed} without it")


def fitting_answer(question: Question, answer: Any) -> Json:
    """The answer in the question's shape.

    A text is understood as a line on the command line. Where the question takes words, a JSON object is itself, and any
    other line goes by the words. Where it takes none, a line is a text if the shape takes one, and JSON if not.

    Raises:
        WrongAnswer: It does not fit.

    Example:
        >>> fitting_answer(Question("1", "ask", "How many?", {"type": "integer"}), "12")
        12
    """
    try:
        value = _from_text(question, answer) if isinstance(answer, str) else answer
        check_for(question.reply)(value)
    except ValueError as error:
        expected = word_of(question.reply)
        if question.reply.get("type") == "object":
            expected = json.dumps(dict(question.reply))
        why = f"{_shown(repr(answer))}: {_shown(str(error))}"
        raise WrongAnswer(f"{question.node} cannot take {why}. It takes {expected}") from error
    return value


def _from_text(question: Question, text: str) -> Json:
    if question.due is not None and not text.strip():
        return question.due
    if text.lstrip().startswith("{") and question.shorthand:
        with suppress(json.JSONDecodeError):
            return parsed(text)
    if question.shorthand or (question.default is not None and not text.strip()):
        return answer_from_line(text, question.default, question.shorthand)
    return value_from_text(text, question.reply)


def _first_line(text: str) -> str:
    return next(iter(text.splitlines()), "")


def _shown(words: str) -> str:
    """Long words without their middle: what somebody sent may be of any length."""
    return words if len(words) <= _SHOWN else f"{words[: _SHOWN // 2]} ... {words[-_SHOWN // 2 :]}"
