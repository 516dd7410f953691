"""A run and its row."""

from dataclasses import asdict, fields, replace

import pytest

from loopwright.state.records import Question, Usage
from loopwright.state.store.holder import this_process
from loopwright.state.store.runs import INSERT, SELECT, Rest, RunRow, from_row, to_columns
from loopwright.state.store.store import Store
from loopwright.state.values import Json

FULL = RunRow(
    id="r1",
    name="plan",
    fingerprint="f",
    token=4,
    beat=2.75,
    inputs={"task": "T", "list": [1, None]},
    models={"default": {"live": "m"}},
    batch="b",
    status="waiting",
    holder=this_process(),
    end="good",
    ok=True,
    reason="because",
    questions=(Question("q1", "approve", "Publish?", {"type": "string"}, "person", "yes", {"": "x"}),),
    at=("approve", "rate[0]/write"),
    created=1.25,
    updated=2.5,
    spent={"m": Usage(tokens_in=7, repeats=1)},
    budget={"calls": 3},
    short={"calls": 1.0},
    forked_from="r0",
    forked_at=3,
    since=4,
)


def kept(store: Store, row: RunRow) -> RunRow:
    store.database.connection.execute(INSERT, to_columns({**asdict(row), "plan": {}}))
    return from_row(store.database.connection.execute(f"{SELECT} WHERE id = ?", (row.id,)).fetchone())


def test_every_field_comes_back(store: Store) -> None:
    empty = RunRow("r0", "plan", "f")
    assert {field.name for field in fields(RunRow) if getattr(FULL, field.name) == getattr(empty, field.name)} == {
        "name",
        "fingerprint",
    }
    assert kept(store, FULL) == FULL
    assert kept(store, empty) == empty


@pytest.mark.parametrize("ok", [None, True, False])
def test_whether_an_end_is_a_success(store: Store, ok: bool | None) -> None:
    assert kept(store, replace(FULL, ok=ok)).ok is ok


def test_a_rest_is_told_by_the_fields_of_a_run() -> None:
    own = {**{field.name: field.type for field in fields(RunRow)}, "result": Json}
    assert {field.name: field.type for field in fields(Rest)}.items() <= own.items()
