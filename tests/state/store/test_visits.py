"""The record of visits: what is kept of each, and what is read without reading them."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from loopwright.state.records import Usage, Visit
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store
from loopwright.state.store.visits import add_usage, count_visits, insert_visit, read_visits

FULL = Visit(
    index=0,
    node="rate[0]/write",
    kind="think",
    outcome="done",
    target="review",
    reason="why",
    reply={"x": [None, 1.5]},
    model="m",
    usage=Usage(1, 2, 3, 4, 5, 6, 7, 0.5, 8, 9),
    started=1.5,
    seconds=0.25,
    checkpoint="c0",
    note="read as JSON",
    raw='{"x": [null, 1.5]}',
    effect="r-07",
)


def keep(store: Store, run: str, *visits: Visit) -> tuple[Visit, ...]:
    for visit in visits:
        store.database.connection.execute(*insert_visit(run, visit.index, visit.checkpoint, visit))
    return visits


def steps(store: Store, read: Callable[[], Any]) -> int:
    """How many instructions SQLite needs to read it."""
    done: list[int] = []
    store.database.connection.set_progress_handler(lambda: done.append(1), 1)
    read()
    store.database.connection.set_progress_handler(None, 1)
    return len(done)


def test_every_field_comes_back(store: Store) -> None:
    plain = Visit(1, "a", "act", "done")
    assert [field.name for field in fields(Visit) if getattr(FULL, field.name) == getattr(plain, field.name)] == [
        "outcome"
    ]
    visits = keep(store, "r", FULL, plain)
    assert read_visits(store.database.connection, "r") == visits


def test_the_place_and_the_checkpoint_are_those_it_is_kept_with(store: Store) -> None:
    store.database.connection.execute(*insert_visit("r", 3, "c3", replace(FULL, index=-1, checkpoint="")))
    assert read_visits(store.database.connection, "r") == (replace(FULL, index=3, checkpoint="c3"),)


def test_reading_from_a_place_on(store: Store) -> None:
    visits = keep(store, "r", *(replace(FULL, index=index) for index in (0, 2, 1, 3)))
    keep(store, "other", FULL)
    ordered = tuple(sorted(visits, key=lambda visit: visit.index))
    connection = store.database.connection
    assert read_visits(connection, "r") == ordered
    assert read_visits(connection, "r", 2) == ordered[2:]
    assert read_visits(connection, "r", 4) == ()
    assert read_visits(connection, "absent") == ()


def test_counting_and_adding_up(store: Store) -> None:
    connection = store.database.connection
    assert (count_visits(connection, "r"), add_usage(connection, "r")) == (0, {})
    keep(store, "r", FULL, replace(FULL, index=1, usage=Usage(1, 1, 1, 1, 1)))
    keep(store, "other", FULL)
    assert (count_visits(connection, "r"), add_usage(connection, "r")) == (
        2,
        {FULL.model: Usage(2, 3, 4, 5, 6, 6, 7, 0.5, 8, 9)},
    )


def test_what_is_not_wanted_of_a_long_run_is_not_read(store: Store) -> None:
    for run, count in (("a short one", 5), ("long", 2000), ("one more", 1)):
        keep(store, run, *(replace(FULL, index=index) for index in range(count)))
    connection = store.database.connection
    few = steps(store, lambda: count_visits(connection, "a short one"))
    assert steps(store, lambda: count_visits(connection, "long")) == few
    few = steps(store, lambda: read_visits(connection, "a short one", 4))
    assert steps(store, lambda: read_visits(connection, "long", 1999)) == few
    assert steps(store, lambda: read_visits(connection, "long", 1998)) > few


def test_a_visit_is_kept_only_where_the_run_is_held_with_its_token(store: Store) -> None:
    store.registry.enter(RunRow("r", "plan", "f"), {})
    store.registry.claim("r")
    execute = store.database.connection.execute
    for token, count in ((0, 0), (2, 0), (1, 1)):
        assert execute(*insert_visit("r", 0, "c0", FULL, token)).rowcount == count
    assert execute(*insert_visit("none", 0, "c0", FULL, 1)).rowcount == 0
    assert read_visits(store.database.connection, "r") == (FULL,)
