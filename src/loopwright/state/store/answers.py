"""The answers that a run was given, each with its question, so that an answer which comes twice is known."""

import json
import sqlite3
from dataclasses import asdict

from loopwright.state.records import Answered, Question
from loopwright.state.store.runs import RunRow, already_answered

ANSWERS = (
    "CREATE TABLE IF NOT EXISTS answers (run TEXT NOT NULL, question TEXT NOT NULL, asked TEXT NOT NULL,"
    " answer TEXT NOT NULL, PRIMARY KEY (run, question)) WITHOUT ROWID"
)
_INSERT = "INSERT OR REPLACE INTO answers (run, question, asked, answer) VALUES (?, ?, ?, ?)"
_ALL = "SELECT asked, answer FROM answers WHERE run = ? ORDER BY question"
_SELECT = "SELECT asked, answer FROM answers WHERE run = ? AND question >= ? AND question < ? ORDER BY question"


def keep_answer(connection: sqlite3.Connection, run: str, answered: Answered) -> None:
    """Keep an answer, in the place of one that was never taken."""
    asked = answered.question
    connection.execute(_INSERT, (run, asked.id, json.dumps(asdict(asked)), json.dumps(answered.answer)))


def read_answers(connection: sqlite3.Connection, run: str, prefix: str = "") -> tuple[Answered, ...]:
    """The answers that a run was given, to questions whose ids begin so; where none does, whose former ids did."""
    rows = connection.execute(_SELECT, (run, prefix, f"{prefix}\U0010ffff")).fetchall()
    if rows or not prefix:
        return tuple(_answered(*row) for row in rows)
    every = (_answered(*row) for row in connection.execute(_ALL, (run,)).fetchall())
    return tuple(each for each in every if each.question.is_called(prefix))


def is_repeated(connection: sqlite3.Connection, row: RunRow, answered: Answered) -> bool:
    """Whether a run was given this answer before, and has taken it or is at work on it.

    Raises:
        AlreadyAnswered: It was given another one.
    """
    question = answered.question
    is_open = question.id in (asked.id for asked in row.questions)
    before = [kept.answer for kept in read_answers(connection, row.id, question.id)]
    if not before or (is_open and row.status == "waiting"):  # what it waits for it has not taken
        return False
    if before[0] != answered.answer:
        raise already_answered(row.id, Answered(question, before[0]))
    return not (is_open and row.status == "interrupted")


def ask_anew(connection: sqlite3.Connection, run: str, before: str, question: Question) -> None:
    """Have an answer that was not taken be one to a question in the place of that which it was given to."""
    found = connection.execute("SELECT answer FROM answers WHERE run = ? AND question = ?", (run, before)).fetchone()
    if found:
        connection.execute("DELETE FROM answers WHERE run = ? AND question = ?", (run, before))
        keep_answer(connection, run, Answered(question, json.loads(found[0])))


def _answered(asked: str, answer: str) -> Answered:
    data = json.loads(asked)
    return Answered(Question(**{**data, "formerly": tuple(data.get("formerly", ()))}), json.loads(answer))
