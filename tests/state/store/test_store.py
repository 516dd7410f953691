"""A store that is open: what is in it, who shares it, and when its file is let go."""

import gc
import sqlite3
from pathlib import Path

import pytest

from loopwright.errors import StoreError
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store


def ids(store: Store) -> list[str]:
    return [row.id for row in store.registry.all()]


def test_two_stores_of_one_file_see_the_same_runs(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    with Store(url) as one, Store(url, create=False) as other:
        run = one.registry.enter(RunRow("", "essay", "f"), {}).id
        assert ids(other) == [run]
    with Store(url) as again:
        assert ids(again) == [run]


def test_stores_in_memory_are_apart() -> None:
    with Store("memory:") as one, Store("memory:") as other:
        one.registry.enter(RunRow("", "essay", "f"), {})
        assert (len(ids(one)), ids(other)) == (1, [])


def test_it_says_where_it_is() -> None:
    with Store("memory:") as store:
        assert (store.url, repr(store)) == ("memory:", "Store('memory:')")


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no such file"):
        Store(f"sqlite:{tmp_path / 'runs.db'}", create=False)
    assert list(tmp_path.iterdir()) == []


def test_leaving_it_closes_it_even_after_a_fault() -> None:
    with pytest.raises(ZeroDivisionError), Store("memory:") as store:
        _ = 1 / 0
    with pytest.raises(StoreError, match="closed"):
        ids(store)


def test_a_store_that_nobody_holds_lets_go_of_its_file(tmp_path: Path) -> None:
    store = Store(f"sqlite:{tmp_path / 'runs.db'}")
    connection = store.database.connection
    del store
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
