"""The ledger of a run's effects: what is called, what is not, and who may write."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.errors import LeaseLost, NotWaiting, StoreError
from loopwright.state.records import Decided, Effect
from loopwright.state.store.effect_ledger import EffectLedger, effects_of
from loopwright.state.store.effects import CLOSE, keep_decision, rename_effects
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Store]:
    with Store(f"sqlite:{tmp_path / 'runs.db'}") as opened:
        yield opened


def held(store: Store) -> tuple[str, EffectLedger]:
    run = store.registry.enter(RunRow("", "shop", "f"), {}).id
    claimed = store.registry.claim(run)
    assert claimed is not None
    return run, EffectLedger(store.database, run, claimed.token)


def begun(ledger: EffectLedger, *, repeatable: bool = False, node: str = "pay") -> tuple[Effect, bool]:
    return ledger.begin(node, "shop:pay", {"euros": 3}, repeatable=repeatable)


def decide(store: Store, run: str, decided: Decided) -> None:
    with store.database.transaction() as connection:
        keep_decision(connection, run, decided)


def test_it_is_called_once(store: Store) -> None:
    run, ledger = held(store)
    effect, is_called = begun(ledger)
    assert is_called
    assert effects_of(store.database, run) == (effect,)
    assert (effect.is_open, effect.is_unknown, effect.state, effect.attempts) == (True, True, "started", 1)
    found, is_called = begun(ledger)
    assert (found, is_called) == (effect, False)
    ledger.finish(effect.key, {"x": [None, 1.5]})
    found, is_called = begun(ledger)
    assert (found.state, found.reply, is_called, found.is_unknown) == ("finished", {"x": [None, 1.5]}, False, False)
    assert found.ended >= found.started


def test_what_may_be_repeated_and_what_failed_is_called_with_the_same_key(store: Store) -> None:
    run, ledger = held(store)
    first, _ = begun(ledger, repeatable=True)
    again, is_called = begun(ledger, repeatable=True)
    assert (again.key, is_called) == (first.key, True)
    ledger.fail(first.key, "OSError: no connection")
    (failed,) = effects_of(store.database, run)
    assert (failed.state, failed.reason, failed.attempts) == ("failed", "OSError: no connection", 2)
    assert begun(ledger)[1]
    (third,) = effects_of(store.database, run)
    assert (third.key, third.state, third.reason, third.attempts, third.ended) == (first.key, "started", "", 3, 0.0)


def test_a_visit_that_is_complete_has_its_effect_alone(store: Store) -> None:
    run, ledger = held(store)
    first, _ = begun(ledger)
    ledger.finish(first.key, 1)
    with store.database.transaction() as connection:
        connection.execute(CLOSE, (4, run, first.key))
    second, is_called = begun(ledger)
    assert is_called
    assert second.key != first.key
    assert [effect.visit for effect in effects_of(store.database, run)] == [4, -1]


def test_other_places_and_other_runs_have_their_own(store: Store) -> None:
    run, ledger = held(store)
    other, elsewhere = held(store)
    keys = {begun(ledger)[0].key, begun(ledger, node="all[1]/pay")[0].key, begun(elsewhere)[0].key}
    assert len(keys) == 3
    assert sorted(key.partition("-")[0] for key in keys) == sorted([run, run, other])


def test_a_decision_is_used_once(store: Store) -> None:
    run, ledger = held(store)
    effect, _ = begun(ledger)
    decide(store, run, Decided(effect.key, "again"))
    assert not effects_of(store.database, run)[0].is_unknown
    assert begun(ledger)[1]
    assert effects_of(store.database, run)[0].is_unknown  # cut off again, it is to be decided again
    decide(store, run, Decided(effect.key, "done", {"outcome": "done"}))
    found, is_called = begun(ledger)
    assert (found.state, found.reply, found.decision, is_called) == ("finished", {"outcome": "done"}, "done", False)
    with store.database.transaction() as connection:
        connection.execute(CLOSE, (0, run, effect.key))
    with pytest.raises(NotWaiting, match=f"nothing is to be decided about the effect {effect.key}"):
        decide(store, run, Decided(effect.key, "again"))


def test_a_runner_that_has_lost_the_run_writes_nothing(file: Store) -> None:
    run, ledger = held(file)
    effect, _ = begun(ledger)
    file.registry.claim(run, take_over=True)
    for write in (
        lambda: begun(ledger, node="other"),
        lambda: ledger.finish(effect.key, 1),
        lambda: ledger.fail("", ""),
    ):
        with pytest.raises(LeaseLost):
            write()
    assert effects_of(file.database, run) == (effect,)
    (flushing,) = file.database.connection.execute("PRAGMA synchronous").fetchone()
    assert flushing == 1  # as it was


def test_what_cannot_be_written_is_not_called(file: Store) -> None:
    run, ledger = held(file)
    file.database.connection.execute("PRAGMA query_only=1")
    with pytest.raises(StoreError):
        begun(ledger)
    file.database.connection.execute("PRAGMA query_only=0")
    assert effects_of(file.database, run) == ()


def test_a_new_name_of_the_node(store: Store) -> None:
    run, ledger = held(store)
    effect, _ = begun(ledger)
    with store.database.transaction() as connection:
        rename_effects(connection, run, {"pay": "settle"}.__getitem__)
    found, is_called = begun(ledger, node="settle")
    assert (found.key, is_called) == (effect.key, False)


def test_a_damaged_row_is_told(store: Store) -> None:
    run, ledger = held(store)
    begun(ledger)
    store.database.connection.execute("UPDATE effects SET reply = '{'")
    with pytest.raises(StoreError, match=f"an effect of run {run} cannot be read"):
        effects_of(store.database, run)


def test_one_place_has_one_effect_under_way(store: Store) -> None:
    run, ledger = held(store)
    begun(ledger)
    with pytest.raises(sqlite3.IntegrityError):
        store.database.connection.execute(
            "INSERT INTO effects SELECT run, 'k', node, name, arguments, repeatable, state, reply, reason, attempts,"
            " started, ended, decision, visit FROM effects WHERE run = ?",
            (run,),
        )
