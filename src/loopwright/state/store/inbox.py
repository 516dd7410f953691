"""The inbox of a store: events from runs and from outside, and which of them wake which run."""

import json
import secrets
import sqlite3
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from loopwright.errors import StoreError
from loopwright.state.records import Answered, Delivery, Outgoing, Question
from loopwright.state.schema import is_json
from loopwright.state.store.damage import DAMAGE, readable
from loopwright.state.store.database import Database
from loopwright.state.store.events import fits, insert_event
from loopwright.state.store.runs import RunRow
from loopwright.state.values import Json

_FOR = "e.address IN ('', r.id, r.name) AND (e.sender <> r.id OR e.address = r.id)"
"""The condition that an event may be for a run: its own are not, unless it sent them to itself."""

_READY = (
    f"SELECT e.place, e.payload FROM runs r JOIN events e ON e.type = ? AND e.place > r.since AND {_FOR}"
    " WHERE r.id = ? AND NOT EXISTS (SELECT 1 FROM taken t WHERE t.run = r.id AND t.event = e.place) ORDER BY e.place"
)
_MARK = "SELECT coalesce((SELECT max(place) FROM events), 0), coalesce((SELECT max(place) FROM waits), 0)"
_CAME = (
    "SELECT r.id, w.asked, e.payload FROM events e JOIN waits w ON w.event = e.type AND w.place <= :wait"
    f" JOIN runs r ON r.id = w.run WHERE e.place > :event AND e.place > r.since AND r.status = 'waiting' AND {_FOR}"
)
_BEGAN = (
    "SELECT r.id, w.asked, e.payload FROM waits w JOIN runs r ON r.id = w.run JOIN events e ON e.type = w.event"
    f" WHERE w.place > :wait AND w.event <> '' AND e.place > r.since AND r.status = 'waiting' AND {_FOR}"
    " AND NOT EXISTS (SELECT 1 FROM taken t WHERE t.run = r.id AND t.event = e.place)"
)
_DUE = "SELECT w.run FROM waits w JOIN runs r ON r.id = w.run WHERE w.due <= ? AND r.status = 'waiting'"
_NEXT = "SELECT min(due) FROM waits WHERE due > ?"
_WOKEN = "SELECT DISTINCT w.run FROM waits w JOIN runs r ON r.id = w.run WHERE r.status IN ('running', 'interrupted')"
_ALL = "SELECT place, id, type, payload, address, sender, visit, sent FROM events"


class Mark(NamedTuple):
    """How far the inbox was looked at.

    Args:
        event: The place of the last event that was looked at.
        wait: The place of the last wait that was looked at.
    """

    event: int = 0
    wait: int = 0


class Inbox:
    """The inbox of a store.

    Args:
        database: The store's file.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def send(self, type: str, payload: Json, *, to: str = "", id: str = "") -> bool:
        """Put an event into the inbox; see `Store.send`."""
        words = {"type": type, "to": to, "id": id}
        wrong = [f"{name}={word!r}" for name, word in words.items() if not isinstance(word, str) or not is_json(word)]
        if wrong or not type:
            raise StoreError(f"an event has a type, and its address and id are texts; {', '.join(wrong) or 'type=``'}")
        if not is_json(payload):
            raise StoreError(f"the payload of an event is JSON; {payload!r:.200} is none")
        with self._database.transaction() as connection:
            is_new = insert_event(connection, id or secrets.token_hex(8), Outgoing(type, payload, to))
        if is_new:
            self._database.ring()
        return is_new

    def all(self, type: str = "", after: int = 0) -> Iterator[Delivery]:
        """The events, in the order in which they came.

        Args:
            type: Only those of this type.
            after: Only those of a higher place.
        """
        condition, values = ("type = ? AND place > ?", (type, after)) if type else ("place > ?", (after,))
        with self._database.reading() as connection:
            rows = connection.execute(f"{_ALL} WHERE {condition} ORDER BY place", values).fetchall()
        for place, id, kind, payload, *rest in rows:
            with readable(self._database.url, f"the event {id!r}"):
                event = Delivery(place, id, kind, json.loads(payload), *rest)
            yield event

    def ready(self, row: RunRow, now: float | None = None) -> Answered | None:
        """The first of a run's questions that a timer or an event answers now, with the answer.

        Args:
            row: The run, as it rests.
            now: Seconds since the epoch.
        """
        if row.status != "waiting":
            return None
        now = time.time() if now is None else now
        found = (self._timed(each, now) or self._told(row, each) for each in row.questions)
        return next(filter(None, found), None)

    def come(self, run: str, type: str, where: Mapping[str, Json], reply: Mapping[str, Json]) -> list[tuple[int, Json]]:
        """The events that have come for a run and that it has not taken: the place of each, and its payload.

        Args:
            run: The run's id.
            type: Their type.
            where: What their payloads have, by property.
            reply: JSON Schema of their payloads.
        """
        with self._database.reading() as connection:
            rows = connection.execute(_READY, (type, run)).fetchall()
        return [(place, json.loads(text)) for place, text in rows if is_met(where, reply, text)]

    def _timed(self, question: Question, now: float) -> Answered | None:
        return Answered(question, question.due) if question.due is not None and question.due <= now else None

    def _told(self, row: RunRow, question: Question) -> Answered | None:
        if not question.event:
            return None
        with self._database.reading() as connection:
            for place, text in connection.execute(_READY, (question.event, row.id)):
                if is_met(question.where, question.reply, text):
                    return Answered(question, json.loads(text), place)
        return None

    def mark(self) -> Mark:
        """How far there is anything to look at."""
        with self._database.reading() as connection:
            return Mark(*connection.execute(_MARK).fetchone())

    def awake(self, seen: Mark, now: float) -> set[str]:
        """The runs that an event or a timer wakes, and those that were woken and left before they rested again.

        Args:
            seen: How far the inbox was looked at before: neither the events nor the waits up to there are met again.
            now: Seconds since the epoch.
        """
        with self._database.reading() as connection:
            runs = {run for (run,) in connection.execute(_DUE, (now,))}
            runs |= {run for (run,) in connection.execute(_WOKEN)}
            for statement in (_CAME, _BEGAN):
                runs |= {run for run, asked, text in _rows(connection, statement, seen) if _wakes(asked, text)}
        return runs

    def next_due(self, now: float) -> float | None:
        """When the next timer is due, in seconds since the epoch; None where no run waits for one."""
        with self._database.reading() as connection:
            (due,) = connection.execute(_NEXT, (now,)).fetchone()
        return None if due is None else float(due)


def _rows(connection: sqlite3.Connection, statement: str, seen: Mark) -> list[tuple[Any, ...]]:
    return connection.execute(statement, seen._asdict()).fetchall()


def _wakes(asked: str, payload: str) -> bool:
    try:
        question = json.loads(asked)
        return is_met(question["where"], question["reply"], payload)
    except DAMAGE:  # the run itself says so, when it is opened
        return False


def is_met(where: Mapping[str, Json], reply: Mapping[str, Json], payload: str) -> bool:
    """Whether an event as it stands in the inbox is what a run waits for; one that cannot be read is for nobody."""
    try:
        return fits(where, reply, json.loads(payload))
    except DAMAGE:
        return False
