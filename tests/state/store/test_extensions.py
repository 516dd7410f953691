"""What a run was given more of: kept in order, each with its place in the record."""

from typing import Any

import pytest

from loopwright.errors import NotWaiting
from loopwright.state.records import Extension
from loopwright.state.store.extensions import rename_extensions
from loopwright.state.store.runs import Rest, RunRow
from loopwright.state.store.store import Store


@pytest.fixture
def run(store: Store) -> str:
    return store.registry.enter(RunRow(id="", name="p", fingerprint="f"), {}).id


def test_what_a_run_is_given_is_kept_in_order(store: Store, run: str) -> None:
    assert store.registry.extensions(run) == ()
    store.registry.claim(run, more={"rounds": 3, "tries": 1})
    store.registry.rest(run, Rest("suspended"))
    store.registry.claim(run, more={"rounds": 2})
    given = [Extension("rounds", 3, 0), Extension("tries", 1, 0), Extension("rounds", 2, 0)]
    assert list(store.registry.extensions(run)) == given
    assert store.registry.extensions("another") == ()


def test_a_run_that_has_ended_is_open_again(store: Store, run: str) -> None:
    store.registry.claim(run)
    store.registry.rest(run, Rest("finished", "max_rounds", False, "used up", "a draft"))
    with pytest.raises(NotWaiting):
        store.registry.claim(run)
    store.registry.claim(run, more={"rounds": 1})
    row: Any = store.registry.get(run)
    assert (row.status, row.end, row.ok, row.reason) == ("running", "", None, "")
    assert store.registry.result(run) is None


def test_what_was_given_goes_with_the_bounds_names(store: Store, run: str) -> None:
    store.registry.claim(run, more={"rounds": 3, "tries": 1, "turns": 2})
    with store.database.transaction() as connection:
        rename_extensions(connection, run, {"rounds": "wishes", "tries": None})
    assert list(store.registry.extensions(run)) == [Extension("wishes", 3, 0), Extension("turns", 2, 0)]
