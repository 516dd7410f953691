"""Looking back: what a run has left behind is found, and dropped where it rests."""

from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig

from loopwright.errors import LeaseLost, RunBusy, RunError
from loopwright.graphs.plan import End
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.think import Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.records import Answered
from loopwright.state.store.archive import Archive
from loopwright.state.store.runs import Rest
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel

LONG = "a long text, " * 40


def asking() -> Loop[Any]:
    """A text, two people side by side who are asked twice, and a person who leads back."""
    body = PlanBuilder("body", [Channel("said", str), Channel("note", str)], result="said")
    body.node(Human("first", text="One?", outcomes=["ok"], on_text="ok", writes="note")).edge("first", "ok", "second")
    body.node(Human("second", text="Two?", outcomes=["ok"], on_text="ok", writes="said")).edge(
        "second", "ok", End("said")
    )
    builder = PlanBuilder("asking", [Channel("log", list[str], reduce="append"), Channel("both"), Channel("text", str)])
    builder.node(Think("write", prompt="<{log}>", writes="text")).edge("write", "done", "keep")
    builder.node(Think("keep", prompt="<{text}>", writes="log")).edge("keep", "done", "ask")
    builder.parallel("ask", {"left": body.build(), "right": body.build()}, collect="both").edge("ask", "done", "look")
    builder.node(Human("look", text="Again?", outcomes=["again", "stop"])).edge("look", "stop", End("stopped"))
    return builder.edge("look", "again", "write", at_most=3, bound="rounds", then=End("tired", ok=False)).loop()


def answered(run: Any, *, to: str) -> Any:
    """The run, every question answered with its own text, until one of a node is open."""
    while run.status == "waiting" and run.questions[0].node != to:
        question = run.questions[0]
        run.resume(question.text, question=question.id)
    return run


def model() -> RecordingModel:
    counts = iter(range(99))
    return RecordingModel(lambda call: f"{LONG}{next(counts)}")


def counts(store: Store) -> list[int]:
    tables = ("checkpoints", "writes", "blobs")
    return [store.database.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]


def test_the_checkpoints_of_a_graph_follow_each_other(store: Store) -> None:
    run = answered(asking().start(store=store, model=model()), to="look")
    archive = Archive(store.database)
    config: RunnableConfig = {"configurable": {"thread_id": run.id, "checkpoint_ns": ""}}
    found, seen = archive.first(config, begun=False), []
    while found is not None:
        seen.append(found.checkpoint["id"])
        found = archive.following(found.config)
    assert seen == [each.checkpoint["id"] for each in archive.list(config)][::-1]
    begun = archive.first(config, begun=True)
    assert begun is not None
    assert begun.checkpoint["id"] == seen[1] == run.visits[0].checkpoint
    inside = archive.find(run.id, next(visit for visit in run.visits if "second" in visit.node).checkpoint)
    assert inside is not None
    assert inside.config["configurable"]["checkpoint_ns"].startswith("ask body:")
    assert archive.find(run.id, "none") is None


@pytest.mark.parametrize("to", ["ask[left]/first", "ask[right]/second", "look", "never"])
def test_a_run_that_was_pruned_goes_on_as_before(store: Store, to: str) -> None:
    whole, asked = asking().start(store=store, model=model()), model()
    pruned = asking().start(store=store, model=asked)
    for run in (whole, pruned):
        answered(run, to="look").resume("again")
        answered(run, to="look" if to == "never" else to)
        if to == "never":
            run.resume("stop")
    before, rows = (pruned.row, pruned.visits, pruned.state, pruned.questions), counts(store)
    size = len(asked.calls)
    assert pruned.prune() > 5
    assert pruned.prune() == 0
    after = counts(store)
    assert all(now < then for now, then in zip(after, rows, strict=True))
    opened = open_run(store, pruned.id, models={"default": asked})
    assert (opened.row, opened.visits, opened.state, opened.questions) == before
    assert len(asked.calls) == size
    for run in (whole, opened):
        if run.status == "waiting":
            answered(run, to="look").resume("again")
            answered(run, to="look").resume("stop")
    assert (opened.end, opened.state, len(opened.visits)) == (whole.end, whole.state, len(whole.visits))
    assert (len(asked.calls) > size) is (to != "never")


def test_what_was_dropped_is_told(store: Store) -> None:
    run = answered(asking().start(store=store, model=model()), to="look")
    run.prune()
    first = run.history[0]
    assert first.visit.node == "write"
    words = f"run {run.id}: the state at visit 0 is not kept any more; the run was pruned"
    for part in ("before", "after", "asked", "written"):
        with pytest.raises(RunError) as caught:
            getattr(first, part)
        assert str(caught.value) == words
    with pytest.raises(RunError, match="is not kept any more"):
        run.fork(1)
    fork = run.fork(len(run.visits)).resume()
    assert fork.questions[0].text == run.questions[0].text
    assert fork.resume("stop").state == run.state
    halfway = asking().start(store=store, model=model())
    halfway.prune()
    with pytest.raises(RunError, match="the state at visit 2 is not kept any more"):  # its branches were sent out
        halfway.fork(2)


def test_a_run_that_is_being_run_is_left_alone(store: Store) -> None:
    run = answered(asking().start(store=store, model=model()), to="look")
    holder = '{"host": "x", "boot": 1, "pid": 1, "started": 1}'
    store.database.connection.execute("UPDATE runs SET status = 'running', holder = ?", (holder,))
    store.database.connection.commit()
    before = counts(store)
    with pytest.raises(RunBusy, match="it can be pruned when it rests"):
        run.prune()
    assert (counts(store), store.database.connection.in_transaction) == (before, False)


def test_an_interrupted_run_keeps_what_its_branches_did(store: Store) -> None:
    run = answered(asking().start(store=store, model=model()), to="ask[right]/second")
    store.registry.interrupt(run.id)
    assert run.prune() > 0
    run.resume(run.questions[0].text, question=run.questions[0].id)
    assert answered(run, to="look").state["both"] == {"left": "Two?", "right": "Two?"}


def test_a_runner_that_was_believed_gone_writes_nothing_to_what_is_left(store: Store) -> None:
    run = answered(asking().start(store=store, model=model()), to="look")
    claimed = store.registry.claim(run.id, answered=Answered(run.questions[0], {"action": "again"}))
    assert claimed is not None
    store.database.connection.execute("UPDATE runs SET holder = 'null' WHERE id = ?", (run.id,))
    store.database.connection.commit()
    assert run.status == "interrupted"
    run.prune()
    with pytest.raises(LeaseLost):
        store.registry.rest(run.id, Rest("suspended"), token=claimed.token)
