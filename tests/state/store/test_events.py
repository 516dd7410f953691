"""The tables of the inbox."""

from typing import Any

import pytest

import loopwright as lw
from loopwright.errors import NotWaiting
from loopwright.state.records import Answered, Outgoing, Question
from loopwright.state.store.events import fits, insert_event, keep_sent, keep_waits, take_come, take_event


@pytest.mark.parametrize(
    ("where", "payload", "fit"),
    [
        ({}, None, True),
        ({}, [1], True),
        ({"to": "ada"}, {"to": "ada", "more": 1}, True),
        ({"to": "ada"}, {"to": "bob"}, False),
        ({"to": "ada"}, {}, False),
        ({"to": "ada"}, ["to", "ada"], False),
        ({"to": "ada"}, "to", False),
        ({"to": None}, {}, False),
        ({"to": None}, {"to": None}, True),
        ({"n": 1}, {"n": True}, False),
        ({"n": 1}, {"n": 1.0}, True),
        ({"n": {"a": 1, "b": 2}}, {"n": {"b": 2, "a": 1}}, True),
        ({"n": [1]}, {"n": [True]}, False),
    ],
)
def test_a_filter_is_equality_of_what_it_lists(where: Any, payload: Any, fit: bool) -> None:
    assert fits(where, {}, payload) is fit


def test_a_payload_of_another_shape_does_not_fit() -> None:
    shape: Any = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert (fits({}, shape, {"n": 1}), fits({}, shape, {"n": "one"}), fits({}, shape, 1)) == (True, False, False)


def test_an_id_is_put_in_once(store: lw.Store) -> None:
    connection = store.database.connection
    assert insert_event(connection, "a", Outgoing("rings", 1))
    assert not insert_event(connection, "a", Outgoing("rings", 2))
    keep_sent(connection, "r1", 4, [Outgoing("falls"), Outgoing("falls")])
    keep_sent(connection, "r1", 4, [Outgoing("falls"), Outgoing("falls")])
    kept = [(each.id, each.payload) for each in store.inbox.all()]
    assert kept == [("a", 1), ("r1/4/0", {}), ("r1/4/1", {})]


def test_a_run_takes_an_event_once(store: lw.Store) -> None:
    connection, question = store.database.connection, Question("q", "wait", "?", event="rings")
    take_event(connection, "r1", Answered(question, 1))
    take_event(connection, "r1", Answered(question, 1, event=7))
    take_event(connection, "r2", Answered(question, 1, event=7))
    with pytest.raises(NotWaiting, match="run r1 has taken this event before"):
        take_event(connection, "r1", Answered(Question("other", "wait", "?"), 1, event=7))


def test_a_visit_takes_what_has_come_and_a_wait_does_not_take_it_again(store: lw.Store) -> None:
    connection = store.database.connection
    take_come(connection, "r1", 3, [7, 8])
    take_come(connection, "r1", 3, [7])
    with pytest.raises(NotWaiting):
        take_event(connection, "r1", Answered(Question("q", "wait", "?"), 1, event=8))
    take_event(connection, "r2", Answered(Question("q", "wait", "?"), 1, event=8))


def test_only_the_waits_of_now_are_kept(store: lw.Store) -> None:
    connection = store.database.connection
    person, event, timer = Question("1", "a", "?"), Question("2", "b", "?", event="x"), Question("3", "c", "?", due=2.0)
    assert keep_waits(connection, "r1", [person, event, timer])
    assert connection.execute("SELECT question, event, due FROM waits").fetchall() == [("2", "x", None), ("3", "", 2.0)]
    assert not keep_waits(connection, "r1", [person])
    assert connection.execute("SELECT * FROM waits").fetchall() == []
