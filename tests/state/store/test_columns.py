"""Columns, told by the fields of a record."""

from loopwright.state.records import Usage, Visit
from loopwright.state.store.columns import declared, names


def test_columns_are_the_fields_in_their_order() -> None:
    assert names(Usage) == ("calls", "tokens_in", "tokens_out", "retries", "repairs", "repeats")
    assert names(Visit, without=("index", "usage"))[:3] == ("node", "kind", "outcome")


def test_numbers_are_kept_as_numbers_and_the_rest_as_text() -> None:
    assert declared(Visit, without=("index", "kind", "outcome", "target", "reason", "model", "checkpoint", "note")) == (
        "node TEXT NOT NULL, reply TEXT NOT NULL, usage TEXT NOT NULL, started REAL NOT NULL, seconds REAL NOT NULL"
    )
    assert declared(Usage, without=("retries", "repairs", "repeats")) == (
        "calls INTEGER NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL"
    )
