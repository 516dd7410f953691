"""The answers that a run was given, each with its question, so that an answer which comes twice is known."""

import json
import sqlite3
from dataclasses import asdict

from loopwright.state.records import Answered, Question

ANSWERS = (
    "CREATE TABLE IF NOT EXISTS answers (run TEXT NOT NULL, question TEXT NOT NULL, asked TEXT NOT NULL,"
    " answer TEXT NOT NULL, PRIMARY KEY (run, question)) WITHOUT ROWID"
)
_INSERT = "INSERT OR REPLACE INTO answers (run, question, asked, answer) VALUES (?, ?, ?, ?)"
_SELECT = "SELECT asked, answer FROM answers WHERE run = ? AND question >= ? AND question < ? ORDER BY question"


def keep_answer(connection: sqlite3.Connection, run: str, answered: Answered) -> None:
    """Keep an answer, in the place of one that was never taken."""
    asked = answered.question
    connection.execute(_INSERT, (run, asked.id, json.dumps(asdict(asked)), json.dumps(answered.answer)))


def read_answers(connection: sqlite3.Connection, run: str, prefix: str = "") -> tuple[Answered, ...]:
    """The answers that a run was given, to questions whose ids begin so."""
    rows = connection.execute(_SELECT, (run, prefix, f"{prefix}\U0010ffff")).fetchall()
    return tuple(Answered(Question(**json.loads(asked)), json.loads(answer)) for asked, answer in rows)
