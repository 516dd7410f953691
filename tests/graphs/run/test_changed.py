"""Runs whose plan has changed: what is told of each, and what is refused."""

import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import NotWaiting, PlanError, RunError, StoreError
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import End
from loopwright.graphs.run.changed import Looked, migrate
from loopwright.graphs.run.opening import open_batch, open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.think import Judge
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store


def asking(node: str = "approve", *, name: str = "ask", text: str = "Publish?", word: str = "yes") -> Loop[Any]:
    plan = PlanBuilder(name, [Channel("notes")], result="notes")
    plan.node(Human(node, text=text, outcomes=[word, "no"], writes="notes"))
    return plan.edge(node, word, End("sent")).edge(node, "no", End("kept")).loop()


SIGNED = Migration(nodes={"approve": "sign"})


def groups(looked: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in looked:
        found.setdefault(each.group, []).append(each.run)
    return found


def test_all_runs_of_the_plans_name_are_told_and_those_that_can_are_led_on(store: Store) -> None:
    waiting, ended, other = (
        asking().start(store=store),
        asking().start(store=store),
        asking(name="x").start(store=store),
    )
    ended.resume("yes")
    lost = asking(word="maybe").start(store=store)
    same = asking("sign").start(store=store)
    damaged = asking().start(store=store)
    with store.database.transaction() as connection:
        connection.execute("UPDATE runs SET plan = '{}' WHERE id = ?", (damaged.id,))
    dry = list(migrate(store, asking("sign"), SIGNED, dry_run=True))
    assert not any(each.done for each in dry)
    looked = list(migrate(store, asking("sign"), SIGNED))
    assert groups(looked) == groups(dry)
    assert groups(looked) == {
        "unreadable": [damaged.id],
        "same": [same.id],
        "breaking": [lost.id],
        "ended": [ended.id],
        "needs migration": [waiting.id],
    }
    assert [each.run for each in looked if each.done] == [waiting.id]
    assert other.plan == asking(name="x").plan
    assert [each.group for each in migrate(store, asking("sign"))] == [
        "unreadable",
        "same",
        "needs migration",
        "ended",
        "same",
    ]


def test_a_run_that_is_being_run_is_left_and_told(store: Store) -> None:
    run = asking().enter_all([{}], store=store)[0]
    row = store.registry.claim(run.id)
    assert row is not None
    (looked,) = migrate(store, asking(text="Send?"))
    assert (looked.group, looked.done) == ("running", False)
    assert looked.reasons[0].startswith("it is being run by ")
    assert store.registry.plan(run.id) == asking().plan.to_data()
    store.registry.interrupt(run.id)
    (looked,) = migrate(store, asking(text="Send?"))
    assert (looked.group, looked.done) == ("safe", True)


def test_plans_of_another_name_are_led_on_where_that_is_said(store: Store) -> None:
    run = asking().start(store=store)
    now = asking(name="publish")
    assert list(migrate(store, now)) == []
    (looked,) = migrate(store, now, name="ask")
    assert looked == Looked(run.id, "safe", True, (), ("it is called 'publish', and was 'ask'",), True)
    assert store.registry.get(run.id).name == "publish"


def test_what_is_wrong_is_told_before_a_run_is_looked_at(store: Store, tmp_path: Path) -> None:
    run = asking().start(store=store)
    with pytest.raises(RunError, match="this migration does not fit the plan 'ask': node 'approve' is to be 'sing'"):
        migrate(store, asking("sign"), Migration(nodes={"approve": "sing"}))
    loop: Any = asking().plan
    with pytest.raises(RunError, match=r"loop= is a loop, as lw.load gives it"):
        migrate(store, loop)
    endless = PlanBuilder("ask").node(Judge("approve", prompt="?", outcomes=["yes"])).edge("approve", "yes", "approve")
    with pytest.raises(PlanError, match="has no bound"):
        migrate(store, endless.loop())
    with pytest.raises(PlanError, match="has no bound"):
        open_run(store, run.id, loop=endless.loop(), changed_plan=True)
    with pytest.raises(StoreError, match="there is no such file"):
        migrate(f"sqlite:{tmp_path / 'runs.db'}", asking())


def test_a_run_that_has_ended_keeps_its_plan(store: Store) -> None:
    run = asking().start(store=store).resume("yes")
    with pytest.raises(RunError, match="It has ended, and keeps the plan that it was run with"):
        open_run(store, run.id, loop=asking("sign"))
    opened = open_run(store, run.id, loop=asking("sign"), changed_plan=True)
    assert (opened.plan, opened.end) == (asking().plan, End("sent"))
    with pytest.raises(NotWaiting, match="has ended"):
        opened.resume("yes")


def test_a_batch_is_led_on_and_those_that_have_ended_stay(store: Store) -> None:
    batch = asking().start_all([{}, {}], store=store)
    batch[0].resume("yes")
    led = open_batch(store, batch.id, loop=asking("sign"), changed_plan=SIGNED)
    assert [list(run.plan.nodes) for run in led] == [["approve"], ["sign"]]
    assert led[1].resume("no").end == End("kept")


def test_a_transaction_that_fails_leaves_the_run_as_it_was(store: Store) -> None:
    run = asking().start(store=store)
    before = list(store.database.connection.iterdump())
    store.database.connection.execute(
        "CREATE TEMP TRIGGER no BEFORE INSERT ON migrations BEGIN SELECT raise(ABORT, 'no'); END"
    )
    (looked,) = migrate(store, asking("sign"), SIGNED)
    assert (looked.group, looked.done) == ("unreadable", False)
    store.database.connection.execute("DROP TRIGGER no")
    assert list(store.database.connection.iterdump()) == before
    assert run.resume("yes").end == End("sent")


def test_two_migrations_at_once_lead_each_run_on_once(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    with Store(url) as store:
        runs = [asking().start(store=store) for _ in range(12)]
    found: list[list[Looked]] = []

    def work() -> None:
        with Store(url) as own:
            found.append(list(migrate(own, asking("sign"), SIGNED)))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done = [each.run for looked in found for each in looked if each.done]
    assert sorted(done) == sorted(run.id for run in runs)
    assert {each.group for looked in found for each in looked} <= {"needs migration", "same"}
    with Store(url) as store:
        connection: sqlite3.Connection = store.database.connection
        assert connection.execute("SELECT count(*) FROM migrations").fetchone() == (12,)
        for run in runs:
            assert open_run(store, run.id).resume("yes").end == End("sent")
