"""Leading a run on that waits for an event or a timer: what it waits for goes with it."""

from typing import Any

from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import End
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.wait import Wait
from loopwright.state.channels import Channel
from loopwright.state.records import Answered
from loopwright.state.store.inbox import Mark
from loopwright.state.store.store import Store


def led(store: Store, run: Any, loop: Loop[Any], declared: Migration) -> Any:
    return open_run(store, run.id, loop=loop, changed_plan=declared)


def test_what_a_run_waits_for_goes_with_it(store: Store) -> None:
    def napping(nap: str, mail: str, event: str) -> Loop[Any]:
        plan = PlanBuilder("napping", [Channel("got")], result="got")
        plan.node(Wait(nap, source="timer", after=60)).node(Wait(mail, event=event, writes="got"))
        return plan.edge(nap, "done", mail).edge(mail, "done", End("awake")).loop()

    run = napping("nap", "mail", "mail").start(store=store)
    (asked,) = run.questions
    renamed = Migration(nodes={"nap": "sleep", "mail": "post"})
    now = led(store, run, napping("sleep", "post", "mail"), renamed)
    (moved,) = now.questions
    assert (moved.node, moved.due, moved.formerly) == ("sleep", asked.due, (asked.id,))
    assert store.inbox.next_due(0.0) == asked.due
    assert store.inbox.ready(now.row, asked.due) == Answered(moved, asked.due)
    now.resume("")
    later = led(store, now, napping("sleep", "letters", "mail"), Migration(nodes={"post": "letters"}))
    store.send("mail", "hello")
    assert store.inbox.awake(Mark(), 0.0) == {run.id}
    assert later.resume().result == "hello"
