"""Decisions about effects of which nobody knows: which one is meant, and what may have come of it."""

import asyncio
from typing import Any

import pytest

from loopwright.errors import NotWaiting, RunError, WrongAnswer
from loopwright.graphs.plan import End
from loopwright.graphs.run.decisions import undecided
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run, runs
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.functions import node
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store


class Shop:
    """Branches that pay, of which the first calls are cut off as by Ctrl-C."""

    def __init__(self, *items: str, cut: int = 1) -> None:
        self.calls: list[str] = []
        self.store = Store("memory:")
        self.loop = self._loop(items, cut)

    def _loop(self, items: tuple[str, ...], cut: int) -> Loop[Any]:
        def pay(item: str) -> str:
            self.calls.append(item)
            if len(self.calls) <= cut:
                raise KeyboardInterrupt
            return f"paid {item}"

        text = {"type": "string"}
        body = PlanBuilder("body", [Channel("item", text, input=True), Channel("paid", text)], result="paid")
        body.node(node(writes="paid", name="pay", version="1", effect="once")(pay)).edge("pay", "done", End("paid"))
        plan = PlanBuilder("shop", [Channel("items", default=list(items)), Channel("all")], result="all")
        plan.each("each", over="items", as_="item", do=body.build(), collect="all", at_most=3)
        plan.code.update(body.code)
        return plan.edge("each", "done", End("bought")).loop()

    def cut_off(self) -> Run:
        with pytest.raises(KeyboardInterrupt):
            self.loop.start(store=self.store)
        return open_run(self.store, next(iter(runs(self.store))).id, loop=self.loop)


def test_it_is_shown_and_decided() -> None:
    shop = Shop("oak")
    run = shop.cut_off()
    (effect,) = run.effects
    assert (run.status, undecided(run)) == ("interrupted", (effect,))
    assert (effect.node, effect.arguments) == ("each[0]/pay", {"item": "oak"})
    assert run.resume().status == "suspended"
    assert undecided(run) == (effect,)
    assert run.resume(effect="done", reply="by hand").result == ["by hand"]
    assert (shop.calls, undecided(run)) == (["oak"], ())
    with pytest.raises(NotWaiting, match="has ended"):
        run.resume(effect="again")


def test_it_is_called_again() -> None:
    shop = Shop("oak")
    run = shop.cut_off()
    key = run.effects[0].key
    asyncio.run(run.aresume(effect="again"))
    assert (run.result, shop.calls, run.effects[0].key) == (["paid oak"], ["oak", "oak"], key)
    assert (run.effects[0].attempts, run.effects[0].decision) == (2, "")


def test_a_stream_takes_a_decision() -> None:
    run = Shop("oak").cut_off()
    list(run.stream(effect="done", reply="by hand"))
    assert run.result == ["by hand"]


@pytest.mark.parametrize(
    ("decision", "error", "words"),
    [
        ({"effect": "maybe"}, RunError, """an effect is "done", or to be called "again"; 'maybe' is neither"""),
        ({"effect": "again", "reply": 1}, RunError, "a reply is what came of an effect that is done"),
        ({"reply": 1}, RunError, 'a reply and a key go with an effect: give effect="done", too'),
        ({"key": "r"}, RunError, "a reply and a key go with an effect"),
        ({"effect": "done", "reply": 7}, WrongAnswer, 'does not fit: 7 is not of type "string"; nothing was changed'),
        ({"effect": "done"}, WrongAnswer, "it did not write 'paid', which it declares; nothing was changed"),
        ({"effect": "done", "reply": "x", "key": "nowhere"}, NotWaiting, "no effect 'nowhere' is open; open is each"),
        ({"effect": "done", "reply": "x", "key": ""}, NotWaiting, "no effect '' is open"),
    ],
)
def test_what_is_no_decision(decision: dict[str, Any], error: type[Exception], words: str) -> None:
    run = Shop("oak").cut_off()
    before = run.row, run.effects
    with pytest.raises(error, match=words):
        run.resume(**decision)
    assert (run.row, run.effects) == before


def test_a_run_that_has_no_effect_to_decide_about() -> None:
    shop = Shop("oak", cut=0)
    run = shop.loop.enter_all(store=shop.store)[0]
    with pytest.raises(NotWaiting, match="there is no effect to be decided about"):
        run.resume(effect="again")


@pytest.mark.parametrize("by", ["key", "node"])
def test_of_several_one_is_named(by: str) -> None:
    shop = Shop("oak", "larch", cut=2)
    run = shop.cut_off()
    while len(undecided(run)) < 2:  # the engine may have stopped before the second branch was begun
        with pytest.raises(KeyboardInterrupt):
            run.resume()
    with pytest.raises(NotWaiting, match="say which effect is meant, by its key; open is each"):
        run.resume(effect="again")
    first, second = sorted(undecided(run), key=lambda effect: effect.node)
    run.resume(effect="done", reply="by hand", key=getattr(first, by))
    assert (run.status, undecided(run)) == ("suspended", (second,))
    assert run.resume(effect="again").result == ["by hand", "paid larch"]


def test_what_failed_or_gave_nothing_of_use_can_be_decided_too() -> None:
    def pay() -> Any:
        calls.append("pay")
        return 7

    calls: list[str] = []
    plan = PlanBuilder("shop", [Channel("paid", {"type": "string"})], result="paid")
    plan.node(node(writes="paid", name="pay", version="1", effect="once")(pay)).edge("pay", "done", End("paid"))
    run = plan.loop().start()
    assert (run.status, run.effects[0].state) == ("suspended", "finished")
    assert 'does not fit: 7 is not of type "string"' in run.reason
    assert run.resume().status == "suspended"  # it has happened, and is not called again
    assert calls == ["pay"]
    assert run.resume(effect="done", reply="7").result == "7"
