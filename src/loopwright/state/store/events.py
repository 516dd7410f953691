"""The tables of the inbox: the events, who has taken which, and what runs wait for. No store is opened here."""

import json
import sqlite3
import time
from collections.abc import Mapping, Sequence

from loopwright.errors import NotWaiting
from loopwright.state.records import Answered, Outgoing, Question
from loopwright.state.schema import check_for
from loopwright.state.values import Json

INBOX = (
    "CREATE TABLE IF NOT EXISTS events (place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
    " type TEXT NOT NULL, address TEXT NOT NULL, sender TEXT NOT NULL, visit INTEGER, sent REAL NOT NULL,"
    " payload TEXT NOT NULL);"
    " CREATE INDEX IF NOT EXISTS events_by_type ON events (type, place);"
    " CREATE TABLE IF NOT EXISTS taken (run TEXT NOT NULL, event INTEGER NOT NULL, question TEXT NOT NULL,"
    " PRIMARY KEY (run, event)) WITHOUT ROWID;"
    " CREATE TABLE IF NOT EXISTS waits (place INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL,"
    " question TEXT NOT NULL, event TEXT NOT NULL, due REAL, asked TEXT NOT NULL);"
    " CREATE INDEX IF NOT EXISTS waits_by_run ON waits (run);"
    " CREATE INDEX IF NOT EXISTS waits_by_event ON waits (event, place);"
    " CREATE INDEX IF NOT EXISTS waits_by_due ON waits (due)"
)

_SEND = "INSERT OR IGNORE INTO events (id, type, address, sender, visit, sent, payload) VALUES (?, ?, ?, ?, ?, ?, ?)"
_WAIT = "INSERT INTO waits (run, question, event, due, asked) VALUES (?, ?, ?, ?, ?)"
_TAKE = "INSERT OR IGNORE INTO taken (run, event, question) VALUES (?, ?, ?)"


def insert_event(
    connection: sqlite3.Connection, id: str, event: Outgoing, sender: str = "", visit: int | None = None
) -> bool:
    """Put an event into the inbox; whether there was none of this id."""
    values = (id, event.type, event.to, sender, visit, time.time(), json.dumps(event.payload))
    return connection.execute(_SEND, values).rowcount == 1


def keep_sent(connection: sqlite3.Connection, run: str, visit: int, events: Sequence[Outgoing]) -> None:
    """Put the events of a visit into the inbox, in the transaction that keeps the visit."""
    for index, event in enumerate(events):
        insert_event(connection, f"{run}/{visit}/{index}", event, run, visit)


def take_event(connection: sqlite3.Connection, run: str, answered: Answered) -> None:
    """Write down that a run has taken the event which answers it, in the transaction that keeps the answer.

    Raises:
        NotWaiting: It has taken it before.
    """
    if answered.event is None:
        return
    if connection.execute(_TAKE, (run, answered.event, answered.question.id)).rowcount != 1:
        raise NotWaiting(f"run {run} has taken this event before")


def take_come(connection: sqlite3.Connection, run: str, visit: int, events: Sequence[int]) -> None:
    """Write down that a visit has taken events, in the transaction that keeps the visit.

    Args:
        connection: The store's connection, in a transaction.
        run: The run's id; whoever writes this holds it, so nobody else can take them.
        visit: The number of the visit.
        events: The places of the events.
    """
    connection.executemany(_TAKE, [(run, event, f"visit {visit}") for event in events])


def keep_waits(connection: sqlite3.Connection, run: str, questions: Sequence[Question]) -> bool:
    """Write down the events and the times that a run waits for now, and no others; whether there are any."""
    connection.execute("DELETE FROM waits WHERE run = ?", (run,))
    rows = [
        (run, each.id, each.event, each.due, json.dumps({"where": dict(each.where), "reply": dict(each.reply)}))
        for each in questions
        if each.event or each.due is not None
    ]
    connection.executemany(_WAIT, rows)
    return bool(rows)


def fits(where: Mapping[str, Json], reply: Mapping[str, Json], payload: Json) -> bool:
    """Whether an event is what a run waits for: its payload has what is wanted, and the shape that is wanted.

    A payload that lacks a property does not fit; nothing else is made of it.

    Example:
        >>> fits({"recipient": "ada"}, {}, {"recipient": "ada"}), fits({"recipient": "ada"}, {}, {"object": "mic"})
        (True, False)
    """
    parts = payload if isinstance(payload, dict) else {}
    if not all(name in parts and _is_same(parts[name], value) for name, value in where.items()):
        return False
    try:
        check_for(reply)(payload)
    except ValueError:
        return False
    return True


def _is_same(one: Json, other: Json) -> bool:
    """Whether two values are the same JSON: for Python true is 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True) or (
        one == other and isinstance(one, int | float) and not isinstance(one, bool) and not isinstance(other, bool)
    )
