"""Columns, told by the fields of a record."""

from dataclasses import fields

from loopwright.state.records import Question, Usage, Visit
from loopwright.state.store.columns import declared, names


def test_columns_are_the_fields_in_their_order() -> None:
    assert names(Usage) == tuple(field.name for field in fields(Usage))
    assert names(Visit, without=("index", "usage"))[:3] == ("node", "kind", "outcome")


def test_numbers_are_kept_as_numbers_and_the_rest_as_text() -> None:
    assert declared(Question, without=("id", *names(Question)[2:])) == "node TEXT NOT NULL"
    assert declared(Usage).startswith("calls INTEGER NOT NULL, tokens_in INTEGER NOT NULL")
    assert "cost REAL NOT NULL" in declared(Usage)
