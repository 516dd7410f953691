"""Nodes that take what has come without waiting for it: each event once, whatever happens to the run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import loopwright as lw
from loopwright.errors import StoreError
from loopwright.nodes.contract import View
from loopwright.state.values import Json
from loopwright.testing.breaking import BreakingStore


@dataclass(frozen=True)
class Collect(lw.Node, type="collect_in_test"):
    """Takes the events `rings`, and writes them down."""

    name: str

    @property
    def contract(self) -> lw.Contract:
        return lw.Contract("act", (), ("got",), ("done",))

    def ask(self, view: View) -> lw.AskInbox:
        del view
        return lw.AskInbox("rings", {"to": "ada"})

    def answer(self, view: View, reply: Json) -> lw.Answer:
        del view
        return lw.Answer("done", {"got": reply})


def collecting() -> lw.Loop[Any]:
    """Takes twice, with a call of a model before each, while which something may come."""
    channels = [lw.Channel("got", list, reduce="extend"), lw.Channel("text", str)]
    plan = lw.PlanBuilder("collecting", channels, result="got")
    for number in ("1", "2"):
        plan.node(lw.Think(f"think {number}", prompt="Go on.", writes="text")).node(Collect(f"collect {number}"))
        plan.edge(f"think {number}", "done", f"collect {number}")
    return plan.edge("collect 1", "done", "think 2").edge("collect 2", "done", lw.End("done")).loop()


class Ringing:
    """Rings once for each question, and says nothing of it."""

    label, retries = "ringing", 0

    def __init__(self, store: str) -> None:
        self.store = store

    def ask(self, call: lw.ModelCall) -> lw.ModelReply:
        lw.send(self.store, "rings", {"to": "ada", "at": call.node}, id=call.node)
        lw.send(self.store, "rings", {"to": "bob", "at": call.node}, id=f"not for ada, {call.node}")
        return lw.ModelReply("ok")

    async def aask(self, call: lw.ModelCall) -> lw.ModelReply:
        return self.ask(call)


RANG: Any = [{"to": "ada", "at": "think 1"}, {"to": "ada", "at": "think 2"}]


def test_it_takes_what_has_come_and_nothing_twice(drive: Any, tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path}/runs.db"
    run = drive.start(collecting(), store=url, model=Ringing(url))
    assert run.result == RANG
    assert [visit.reply for visit in run.visits if visit.node.startswith("collect")] == [RANG[:1], RANG[1:]]


def test_where_nothing_has_come_it_goes_on(store: lw.Store) -> None:
    assert collecting().start(store=store, model=lw.ScriptedModel({"default": ["a", "b"]})).result == []


def test_a_graph_that_another_program_runs_has_no_inbox() -> None:
    graph = collecting().compile(model=lw.ScriptedModel({"default": ["a", "b"]}))
    assert graph.invoke({})["got"] == []


@pytest.mark.parametrize("after", [False, True])
def test_broken_at_every_write_each_event_is_taken_once(tmp_path: Path, after: bool) -> None:
    with BreakingStore(f"sqlite:{tmp_path}/whole.db") as whole:
        collecting().start(store=whole, model=Ringing(whole.url))
        writes = whole.writes
    for at in range(1, writes + 1):
        url = f"sqlite:{tmp_path}/{at}.db"
        try:
            with BreakingStore(url, at=at, after=after) as store:
                collecting().start(store=store, model=Ringing(url))
        except StoreError:
            pass
        with lw.Store(url) as store:
            known = list(store.registry.all())
            if not known:
                continue
            run = lw.open_run(store, known[0].id, loop=collecting())
            if run.status != "finished":
                run = run.resume(model=Ringing(url), take_over=True)
            assert run.result == RANG, at
