"""What is kept of effects in one process: keys, failures, rounds, forks, lost leases, and what costs nothing."""

from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import loopwright as lw
from loopwright.errors import StoreError
from loopwright.loop.loop import Loop
from loopwright.testing import BreakingStore, break_at_every_write

ways = pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])


class Shop:
    """What effects did in this process, by the run that their key names."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self.fails = 0

    def loop(self, care: Any = "once") -> Loop[Any]:
        """A payment for each item, then one for all of them."""

        def pay(item: str, idempotency_key: str) -> str:
            if self.fails:
                self.fails -= 1
                raise OSError("no connection")
            if care == "once" or idempotency_key not in self.rows:
                self.rows.append(idempotency_key)
            return f"paid {item}"

        def post(paid: list[str], idempotency_key: str) -> str:
            return pay(str(len(paid)), idempotency_key)

        items = lw.Channel("items", {"type": "array", "items": {"type": "string"}}, default=["oak", "larch"])
        plan = lw.PlanBuilder("shop", [items, lw.Channel("paid"), lw.Channel("sent")], result="sent")
        buy = lw.node(writes="paid", name="buy", version="1", effect=care)(pay)
        plan.each("all", over="items", as_="item", do=buy, collect="paid", at_most=2).edge("all", "done", "send")
        plan.node(lw.node(writes="sent", name="send", version="1", effect=care)(post))
        plan.edge("send", "done", lw.End("bought"))
        return plan.loop()

    def decide(self, effect: lw.Effect) -> dict[str, Any]:
        """Look whether it has happened."""
        if effect.key not in self.rows:
            return {"effect": "again"}
        what = effect.arguments.get("item", "2")
        return {"effect": "done", "reply": f"paid {what}"}


@ways
@pytest.mark.parametrize("care", ["once", "repeatable"])
def test_broken_at_every_write(care: str, awaited: bool) -> None:
    shop = Shop()
    decide = shop.decide if care == "once" else None
    broken = break_at_every_write(shop.loop(care), awaited=awaited, decide=decide)
    assert broken.breaks == 2 * broken.writes
    of_runs = Counter(key.partition("-")[0] for key in shop.rows)
    assert len(shop.rows) == len(set(shop.rows))
    assert set(of_runs.values()) == {3}


def test_a_broken_run_waits_where_nobody_decides() -> None:
    with pytest.raises(AssertionError, match='its status is "suspended", and not "finished"'):
        break_at_every_write(Shop().loop())


def test_what_failed_goes_on_from_there() -> None:
    """agent-framework#1695, #3758; llama_index#18019, #18267: resumed, a run did the first step again, or none."""
    called: list[tuple[str, str]] = []

    def step(number: int) -> Any:
        def act(idempotency_key: str) -> int:
            called.append((f"step {number}", idempotency_key))
            if number == 3 and len(called) == 3:
                raise OSError("no connection")
            return number

        return lw.node(writes="last", name=f"step {number}", version="1", effect="once")(act)

    plan = lw.PlanBuilder("steps", [lw.Channel("last")], result="last")
    for number in range(1, 6):
        plan.node(step(number))
        plan.edge(f"step {number}", "done", f"step {number + 1}" if number < 5 else lw.End("done"))
    run = plan.loop().start()
    assert (run.status, [effect.state for effect in run.effects]) == ("suspended", ["finished", "finished", "failed"])
    assert "no connection" in run.reason
    run.resume()
    assert (run.status, run.result) == ("finished", 5)
    assert [name for name, _ in called] == ["step 1", "step 2", "step 3", "step 3", "step 4", "step 5"]
    assert called[2][1] == called[3][1]
    assert len({key for _, key in called}) == 5
    assert [effect.attempts for effect in run.effects] == [1, 1, 2, 1, 1]


def test_a_runner_that_has_lost_its_run_starts_no_effect(tmp_path: Path) -> None:
    url, called = f"sqlite:{tmp_path / 'runs.db'}", []

    def lose(item: str) -> str:
        with lw.Store(url) as other:
            other.registry.claim(next(iter(other.registry.all())).id, take_over=True)
        return item

    def pay(item: str) -> str:
        called.append(item)
        return item

    plan = lw.PlanBuilder("shop", [lw.Channel("item", default="oak"), lw.Channel("paid")], result="paid")
    plan.node(lw.node(writes="item", name="look", version="1")(lose)).edge("look", "done", "pay")
    plan.node(lw.node(writes="paid", name="pay", version="1", effect="once")(pay)).edge("pay", "done", lw.End("paid"))
    with lw.Store(url) as store, pytest.raises(lw.LeaseLost, match="was taken over"):
        plan.loop().start(store=store)
    assert called == []


def test_a_runner_that_loses_its_run_in_an_effect_leaves_it_unknown(tmp_path: Path) -> None:
    url, called = f"sqlite:{tmp_path / 'runs.db'}", []

    def pay(item: str) -> str:
        called.append(item)
        with lw.Store(url) as other:
            run = next(iter(other.registry.all())).id
            lw.open_run(other, run, loop=loop).resume(take_over=True)
        return item

    plan = lw.PlanBuilder("shop", [lw.Channel("item", default="oak"), lw.Channel("paid")], result="paid")
    plan.node(lw.node(writes="paid", name="pay", version="1", effect="once")(pay)).edge("pay", "done", lw.End("paid"))
    loop = plan.loop()
    with lw.Store(url) as store, pytest.raises(lw.LeaseLost, match="was taken over"):
        loop.start(store=store)
    (run,) = lw.runs(url)
    assert (run.status, called, run.effects[0].is_unknown) == ("suspended", ["oak"], True)
    assert lw.open_run(url, run.id, loop=loop).resume(effect="done", reply="oak").result == "oak"


def test_a_frozen_effect_is_decided_by_whoever_takes_its_run(tmp_path: Path) -> None:
    url, called = f"sqlite:{tmp_path / 'runs.db'}", []

    def pay(item: str) -> str:
        called.append(item)
        with lw.Store(url) as other:
            taken = lw.open_run(other, next(iter(other.registry.all())).id, loop=loop)
            with pytest.raises(lw.RunBusy):
                taken.resume(effect="done", reply="by hand")
            taken.resume(effect="done", reply="by hand", take_over=True)
        return item

    plan = lw.PlanBuilder("shop", [lw.Channel("item", default="oak"), lw.Channel("paid")], result="paid")
    plan.node(lw.node(writes="paid", name="pay", version="1", effect="once")(pay)).edge("pay", "done", lw.End("paid"))
    loop = plan.loop()
    with lw.Store(url) as store, pytest.raises(lw.LeaseLost, match="was taken over"):
        loop.start(store=store)
    (run,) = lw.runs(url)
    assert (run.status, run.result, called) == ("finished", "by hand", ["oak"])


def test_a_decision_beside_an_answer_that_was_given_before() -> None:
    calls: list[str] = []

    def pay(item: str) -> str:
        calls.append(item)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return item

    plan = lw.PlanBuilder("shop", [lw.Channel("item", default="oak"), lw.Channel("paid")], result="paid")
    plan.node(lw.Human("ask", text="Pay?", outcomes=["yes", "no"])).edge("ask", "no", lw.End("not_paid", ok=False))
    plan.node(lw.node(writes="paid", name="pay", version="1", effect="once")(pay)).edge("pay", "done", lw.End("paid"))
    run = plan.edge("ask", "yes", "pay").loop().start()
    (question,) = run.questions
    with pytest.raises(KeyboardInterrupt):
        run.resume("yes")
    run.resume()
    with pytest.raises(lw.NotWaiting, match="this answer was given before; decide about the effect without it"):
        run.resume("yes", question=question.id, effect="again")
    assert run.resume(effect="again").result == "oak"


def test_a_fork_has_effects_of_its_own() -> None:
    shop, store = Shop(), lw.Store("memory:")
    loop = shop.loop()
    run = loop.start(store=store)
    forked = run.fork(3).resume()
    assert forked.result == run.result
    assert [key.partition("-")[0] for key in shop.rows].count(forked.id) == 1
    assert [visit.effect for visit in forked.visits[:2]] == [visit.effect for visit in run.visits[:2]]
    assert forked.visits[-1].effect == forked.effects[0].key != run.visits[-1].effect


def test_each_round_has_a_key_of_its_own() -> None:
    keys: list[str] = []

    def pay(idempotency_key: str) -> str:
        keys.append(idempotency_key)
        return "again" if len(keys) < 3 else "enough"

    plan = lw.PlanBuilder("rounds", [lw.Channel("x", default=0)])
    plan.node(lw.node(outcomes=["again", "enough"], name="pay", version="1", effect="once")(pay))
    plan.edge("pay", "again", "pay", at_most=5, then=lw.End("bad", ok=False)).edge("pay", "enough", lw.End("good"))
    run = plan.loop().start()
    assert keys == [visit.effect for visit in run.visits] == [effect.key for effect in run.effects]
    assert len(set(keys)) == 3
    assert all(key.startswith(f"{run.id}-") and len(key) == len(run.id) + 33 for key in keys)


def test_a_failure_with_an_edge_leads_on() -> None:
    shop = Shop()
    shop.fails = 1
    plan = lw.PlanBuilder("shop", [lw.Channel("item", default="oak"), lw.Channel("paid")])

    def pay(item: str, idempotency_key: str) -> str:
        del item
        shop.rows.append(idempotency_key)
        if len(shop.rows) == 1:
            raise OSError("no connection")
        return "paid"

    plan.node(lw.node(writes="paid", name="pay", version="1", effect="once")(pay)).edge("pay", "done", lw.End("paid"))
    plan.edge("pay", "failed", "pay", at_most=1, then=lw.End("poor", ok=False))
    run = plan.loop().start()
    assert (run.end, [effect.state for effect in run.effects]) == (lw.End("paid"), ["failed", "finished"])
    assert len(set(shop.rows)) == 2  # the second visit is another one


def test_words_that_cannot_be_kept_are_told_all_the_same() -> None:
    def pay() -> str:
        raise OSError("no file \udcff")

    plan = lw.PlanBuilder("shop", [lw.Channel("paid")])
    plan.node(lw.node(writes="paid", name="pay", version="1", effect="once")(pay)).edge("pay", "done", lw.End("paid"))
    run = plan.loop().start()
    assert (run.status, run.effects[0].state) == ("suspended", "failed")
    assert "no file \\udcff" in run.effects[0].reason


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_what_an_effect_sends_leaves_once(tmp_path: Path, after: bool) -> None:
    called: list[str] = []

    def pay(idempotency_key: str) -> lw.Answer:
        called.append(idempotency_key)
        return lw.Answer("done", {"paid": "oak"}, events=(lw.Outgoing("paid", {"for": "oak"}),))

    plan = lw.PlanBuilder("shop", [lw.Channel("paid")], result="paid")
    act = lw.node(writes="paid", name="pay", version="1", effect="repeatable")(pay)
    loop = plan.node(act).edge("pay", "done", lw.End("paid")).loop()

    def paid(at: int) -> int:
        url = f"sqlite:{tmp_path / f'{at}.db'}"
        with BreakingStore(url, at=at, after=after) as breaking, suppress(StoreError):
            loop.start(store=breaking)
        with lw.Store(url) as store:
            for row in [*store.registry.all()]:
                run = lw.open_run(store, row.id, loop=loop)
                assert (run if run.status == "finished" else run.resume(take_over=True)).result == "oak"
                assert [(each.id, each.payload) for each in store.inbox.all("paid")] == [
                    (f"{run.id}/0/0", {"for": "oak"})
                ]
        return breaking.writes

    writes, calls = paid(0), len(called)
    assert (writes > 4, calls) == (True, 1)
    for at in range(1, writes + 1):
        paid(at)
    assert max(Counter(called).values()) <= 2  # again only with the same key, where the ledger could not be told


def test_a_graph_on_its_own_has_no_effects() -> None:
    with pytest.raises(
        lw.RunError, match=r"the plan 'shop' has effects \(send, buy\), and a graph on its own has no ledger"
    ):
        Shop().loop().compile()


def test_a_plan_without_effects_pays_nothing(tmp_path: Path) -> None:
    said: dict[bool, list[str]] = {}
    for effect in (False, True):
        plan = lw.PlanBuilder("shop", [lw.Channel("item", default="oak"), lw.Channel("paid")], result="paid")
        plan.node(lw.node(writes="paid", name="a", version="1", effect="once" if effect else None)(lambda item: item))
        plan.edge("a", "done", lw.End("paid"))
        with lw.Store(f"sqlite:{tmp_path / f'{effect}.db'}") as store:
            said[effect] = []
            store.database.connection.set_trace_callback(said[effect].append)
            plan.loop().start(store=store)
    assert not [statement for statement in said[False] if "effects" in statement or "synchronous" in statement]
    flushed = [statement for statement in said[True] if "synchronous" in statement]
    assert flushed == ["PRAGMA synchronous=FULL", "PRAGMA synchronous=NORMAL"] * 2
