"""The inbox: what is put in, and whom it wakes."""

from dataclasses import replace
from typing import Any

import pytest

import loopwright as lw
from loopwright.errors import RunBusy, StoreError
from loopwright.state.records import Answered, Question
from loopwright.state.store.events import take_come
from loopwright.state.store.inbox import Mark
from loopwright.state.store.runs import Rest, RunRow
from loopwright.state.store.store import Store


def sleeper(name: str = "sleeper", **fields: Any) -> lw.Loop[Any]:
    plan = lw.PlanBuilder(name, [lw.Channel("me", str, input=True), lw.Channel("got")], result="got")
    plan.node(lw.Wait("asleep", writes="got", **{"event": "gives", "where": {"to": "<{me}>"}, **fields}))
    return plan.edge("asleep", "done", lw.End("awake")).loop()


def test_it_tells_whom_an_event_wakes(store: lw.Store) -> None:
    ada, bob = (sleeper().start({"me": me}, store=store) for me in ("ada", "bob"))
    start = store.inbox.mark()
    assert store.inbox.awake(Mark(), 0.0) == set()
    store.send("gives", {"to": "ada"})
    store.send("gives", {"what": "lacks it"})
    store.send("takes", {"to": "bob"})
    assert store.inbox.awake(Mark(), 0.0) == store.inbox.awake(start, 0.0) == {ada.id}
    assert store.inbox.awake(store.inbox.mark(), 0.0) == set()
    assert (store.inbox.ready(ada.row), store.inbox.ready(bob.row)) == (
        Answered(ada.questions[0], {"to": "ada"}, 1),
        None,
    )


def test_what_came_before_a_run_came_to_wait_counts_and_what_came_before_it_began_does_not(store: lw.Store) -> None:
    store.send("gives", {"to": "ada", "n": 0})
    run = sleeper().enter_all([{"me": "ada"}], store=store)[0]
    store.send("gives", {"to": "ada", "n": 1})
    seen = store.inbox.mark()
    run.resume()
    assert run.status == "waiting"
    assert store.inbox.awake(seen, 0.0) == {run.id}
    assert run.resume().result == {"to": "ada", "n": 1}


@pytest.mark.parametrize(("to", "woken"), [("", True), ("sleeper", True), ("other", False), ("RUN", True)])
def test_an_address_is_a_run_or_a_plan(store: lw.Store, to: str, woken: bool) -> None:
    run = sleeper().start({"me": "ada"}, store=store)
    store.send("gives", {"to": "ada"}, to=run.id if to == "RUN" else to)
    assert (store.inbox.awake(Mark(), 0.0) == {run.id}) is woken
    assert (store.inbox.ready(run.row) is not None) is woken


@pytest.mark.parametrize(("address", "woken"), [("", False), ("own id", True)])
def test_a_run_is_not_woken_by_what_it_sent_unless_it_sent_it_to_itself(
    store: lw.Store, address: str, woken: bool
) -> None:
    plan = lw.PlanBuilder("echo", [lw.Channel("id", str, input=True), lw.Channel("got")], result="got")
    plan.node(lw.Wait("start", text="go?", writes="id")).node(lw.Emit("say", event="said", to="<{id}>"))
    plan.node(lw.Wait("hear", event="said", writes="got"))
    plan.edge("start", "done", "say").edge("say", "done", "hear").edge("hear", "done", lw.End("heard"))
    run = plan.loop().start({"id": ""}, store=store)
    run.resume(run.id if address else "")
    assert [each.sender for each in store.inbox.all()] == [run.id]
    assert (store.inbox.ready(run.row) is not None) is woken
    assert (run.id in store.inbox.awake(Mark(), 0.0)) is woken


def test_what_has_come_is_found_in_its_order_and_until_it_is_taken(store: lw.Store) -> None:
    run = sleeper().start({"me": "ada"}, store=store)
    for number in range(3):
        store.send("rings", {"to": "ada" if number else "bob", "n": number})
    store.send("rings", {"to": "ada", "n": 3}, to="another")
    found = store.inbox.come(run.id, "rings", {"to": "ada"}, {})
    assert [payload for _, payload in found] == [{"to": "ada", "n": 1}, {"to": "ada", "n": 2}]
    shape: Any = {"type": "object", "properties": {"n": {"const": 2}}}
    assert [payload for _, payload in store.inbox.come(run.id, "rings", {}, shape)] == [{"to": "ada", "n": 2}]
    take_come(store.database.connection, run.id, 0, [found[0][0]])
    assert store.inbox.come(run.id, "rings", {"to": "ada"}, {}) == found[1:]
    assert store.inbox.come(run.id, "falls", {}, {}) == []


def test_a_timer_is_due_at_its_time(store: lw.Store) -> None:
    run = sleeper(event="", where={}, source="timer", after=60, text="pause").start({"me": "ada"}, store=store)
    due = run.questions[0].due
    assert due is not None
    assert (store.inbox.next_due(due - 1), store.inbox.next_due(due)) == (due, None)
    assert (store.inbox.awake(Mark(), due - 1), store.inbox.awake(Mark(), due)) == (set(), {run.id})
    assert store.inbox.ready(run.row, due - 1) is None
    assert store.inbox.ready(run.row, due).answer == due  # type: ignore[union-attr]


def test_an_end_is_no_wait(store: lw.Store) -> None:
    run = sleeper().start({"me": "ada"}, store=store)
    store.send("gives", {"to": "ada"})
    run.resume()
    assert (store.inbox.awake(Mark(), 0.0), store.inbox.ready(run.row)) == (set(), None)


def test_events_are_listed_in_their_order(store: lw.Store) -> None:
    for index, type in enumerate(("a", "b", "a")):
        store.send(type, index)
    assert [each.payload for each in store.inbox.all()] == [0, 1, 2]
    assert [each.payload for each in store.inbox.all("a")] == [0, 2]
    assert [each.payload for each in store.inbox.all("a", after=1)] == [2]


@pytest.mark.parametrize(("type", "payload", "to"), [("", 1, ""), ("a", {1}, ""), ("a", 1, 3), ("\udcff", 1, "")])
def test_what_is_no_event_is_refused(store: lw.Store, type: str, payload: Any, to: Any) -> None:
    with pytest.raises(StoreError, match="event"):
        store.send(type, payload, to=to)
    assert list(store.inbox.all()) == []


def test_an_event_is_taken_with_the_claim_or_not_at_all(store: Store) -> None:
    registry, question = store.registry, Question("q", "wait", "?", event="rings")
    run = registry.enter(RunRow("", "plan", "f"), {"format": 1}).id
    registry.claim(run)
    registry.rest(run, Rest("waiting", questions=(question,)))
    store.send("rings", 1)
    taken = store.inbox.ready(registry.get(run))
    assert taken == Answered(question, 1, event=1)
    with pytest.raises(RunBusy):
        registry.claim(run, answered=taken, plan="of another plan")
    assert store.inbox.ready(registry.get(run)) == taken
    registry.claim(run, answered=taken)
    registry.rest(run, Rest("waiting", questions=(replace(question, id="r"),)))
    assert store.inbox.ready(registry.get(run)) is None
    assert [(each.question.id, each.answer) for each in registry.answers(run)] == [("q", 1)]
