"""The plans that a run had before."""

from typing import Any

from loopwright.state.store.migrations import change_plan, copy_migrations, plan_before, read_migrations
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store


def entered(store: Store, plan: Any) -> str:
    return store.registry.enter(RunRow("", "p", "one"), plan).id


def test_a_plan_is_changed_and_the_former_one_is_kept(store: Store) -> None:
    run = entered(store, {"name": "first"})
    with store.database.transaction() as connection:
        change_plan(connection, run, 2, "c1", {"plan": {"name": "second"}, "fingerprint": "two", "at": ["sign"]})
        change_plan(connection, run, 5, "", {"plan": {"name": "third"}, "fingerprint": "three"})
        formers = read_migrations(connection, run)
        plans = [plan_before(connection, run, visit) for visit in (0, 1, 2, 4, 5)]
    assert [(each.visits, each.checkpoint, each.fingerprint) for each in formers] == [(2, "c1", "one"), (5, "", "two")]
    assert plans == [{"name": "first"}, {"name": "first"}, {"name": "second"}, {"name": "second"}, None]
    assert store.registry.plan(run) == {"name": "third"}
    row = store.registry.get(run)
    assert (row.fingerprint, row.at, row.updated > row.created) == ("three", ("sign",), True)


def test_a_fork_has_the_former_plans_of_the_visits_that_it_has(store: Store) -> None:
    run, fork = entered(store, {"name": "first"}), entered(store, {"name": "second"})
    with store.database.transaction() as connection:
        change_plan(connection, run, 2, "c1", {"plan": {"name": "second"}, "fingerprint": "two"})
        change_plan(connection, run, 5, "c2", {"plan": {"name": "third"}, "fingerprint": "three"})
        copy_migrations(connection, run, fork, 3)
        assert [(each.visits, each.checkpoint) for each in read_migrations(connection, fork)] == [(2, "")]
        assert plan_before(connection, fork, 1) == {"name": "first"}
        assert plan_before(connection, fork, 2) is None
