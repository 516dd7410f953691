"""Effects that are under way when the plan changes: known by a new name, and never plain functions."""

from typing import Any

import pytest

from loopwright.errors import RunError
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import End
from loopwright.graphs.run.changed import migrate
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.functions import node
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store


def led(store: Store, run: Any, loop: Loop[Any], declared: Migration) -> Any:
    return open_run(store, run.id, loop=loop, changed_plan=declared)


def paying(name: str, *, effect: Any = "once", calls: list[str] | None = None) -> Loop[Any]:
    def pay(idempotency_key: str = "") -> str:
        (calls if calls is not None else []).append(idempotency_key)
        raise KeyboardInterrupt

    def paid(idempotency_key: str = "") -> str:
        (calls if calls is not None else []).append(idempotency_key)
        return "paid"

    function = pay if name == "pay" else paid
    plan = PlanBuilder("shop", [Channel("paid")], result="paid")
    plan.node(node(reads=(), writes="paid", name=name, version=name, effect=effect)(function))
    return plan.edge(name, "done", End("paid")).loop()


def cut_off(store: Store, calls: list[str]) -> Any:
    with pytest.raises(KeyboardInterrupt):
        paying("pay", calls=calls).start(store=store)
    (row,) = store.registry.all()
    return row


def test_an_effect_that_was_cut_off_is_known_by_its_new_name(store: Store) -> None:
    calls: list[str] = []
    run = led(store, cut_off(store, calls), paying("settle", calls=calls), Migration(nodes={"pay": "settle"}))
    assert run.resume().status == "suspended"
    assert len(calls) == 1
    assert run.resume(effect="again").result == "paid"
    assert calls == [run.effects[0].key] * 2


def test_an_effect_that_was_cut_off_does_not_become_a_plain_function(store: Store) -> None:
    calls: list[str] = []
    row = cut_off(store, calls)
    (looked,) = migrate(store, paying("settle", effect=None), Migration(nodes={"pay": "settle"}))
    assert (looked.group, looked.done) == ("breaking", False)
    assert looked.reasons[0].endswith("of 'pay' is under way, and 'settle' is none now")
    with pytest.raises(RunError, match="is under way"):
        led(store, row, paying("settle", effect=None), Migration(nodes={"pay": "settle"}))
