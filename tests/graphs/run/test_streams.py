"""What is told of a run while it runs."""

from dataclasses import replace
from typing import Any

import pytest

from loopwright.errors import NotWaiting
from loopwright.graphs.plan import End
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.loop.role_cycle import RoleCycle
from loopwright.nodes.events import (
    Retrying,
    RunEnded,
    RunStarted,
    RunSuspended,
    RunWaiting,
    VisitEnded,
    VisitStarted,
)
from loopwright.nodes.think import Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel

WORD = "Fluggaenkoechiebolsen"
REPLIES = {"solver": ["S0", "S1"], "detractor": ["D0"], "master": ["M0"], "boss": [WORD]}
ROLES = ["solver", "detractor", "master", "boss"]


def test_the_events_of_a_run(drive: Any, store: Store) -> None:
    events = drive.follow(RoleCycle(task="T"), store=store, model=RecordingModel(REPLIES))
    (row,) = store.registry.all()
    first, *middle, last = events
    assert first == RunStarted(row.id)
    assert last == RunEnded(row.id, "stopped", True, "boss said the stop word in round 1")
    started, ended = middle[::2], middle[1::2]
    assert [(event.node, event.kind, event.model) for event in started] == [
        (name, "think", "recording") for name in ROLES
    ]
    assert [event.task for event in started] == [event.task for event in ended]
    assert len({event.task for event in ended}) == 4
    kept = store.registry.visits(row.id)
    assert [event.visit for event in ended] == [replace(visit, checkpoint="") for visit in kept]
    assert [event.visit.index for event in ended] == [0, 1, 2, 3]


def test_events_are_json() -> None:
    events = list(RoleCycle(task="T").stream(model=RecordingModel(REPLIES)))
    data = [event.to_data() for event in events]
    assert [each["type"] for each in data] == ["run_started", *["visit_started", "visit_ended"] * 4, "run_ended"]


def test_a_retry_is_told(drive: Any) -> None:
    model = RecordingModel({**REPLIES, "solver": [{"error": "429", "retryable": True, "retry_after": 0}, "S0"]})
    events = drive.follow(RoleCycle(task="T"), model=model)
    started, retrying, ended = events[1:4]
    assert isinstance(ended, VisitEnded)
    assert retrying == Retrying("solver", started.task, "429", 0)


def test_a_suspension_and_going_on(drive: Any, store: Store) -> None:
    model = RecordingModel({**REPLIES, "detractor": [{"error": "down"}, "D0"]})
    events = drive.follow(RoleCycle(task="T"), store=store, model=model)
    (row,) = store.registry.all()
    assert events[-1] == RunSuspended(row.id, "detractor", "detractor: down")
    run = open_run(store, row.id, models={"default": model})
    events = drive.follow(run)
    assert events[0] == RunStarted(row.id, resumed=True)
    assert [event.visit.index for event in events if isinstance(event, VisitEnded)] == [1, 2, 3]


def asking() -> Loop[Any]:
    builder = PlanBuilder("asking", [Channel("draft")], result="draft").node(Think("write", prompt="?", writes="draft"))
    builder.node(Human("ask", text="<{draft}>?")).edge("write", "done", "ask").edge("ask", "done", End("good"))
    return builder.loop()


def test_a_question_is_told(drive: Any, store: Store) -> None:
    model = RecordingModel({"write": ["A"]})
    events = drive.follow(asking(), store=store, model=model)
    (row,) = store.registry.all()
    assert events[-1] == RunWaiting(row.id, row.questions)
    events = drive.follow(open_run(store, row.id, models={"default": model}), "")
    assert [type(event) for event in events] == [RunStarted, VisitStarted, VisitEnded, RunEnded]


def test_events_of_branches(drive: Any) -> None:
    builder = PlanBuilder("fork", [Channel("items", input=True), Channel("marks")], result="marks")
    body = PlanBuilder("body", [Channel("item", input=True), Channel("text"), Channel("mark")], result="mark")
    body.node(Think("write", prompt="<{item}>", writes="text")).edge("write", "done", "grade")
    body.node(Think("grade", prompt="<{text}>", writes="mark")).edge("grade", "done", End("graded"))
    builder.each("rate", over="items", as_="item", do=body.build(), collect="marks", at_most=3)
    loop = builder.edge("rate", "done", End("rated")).loop(model=RecordingModel(lambda call: call.node))
    events = drive.follow(loop, {"items": ["a", "b"]})
    ended = [event.visit for event in events if isinstance(event, VisitEnded)]
    nodes = [f"rate[{index}]/{node}" for index in range(2) for node in ("grade", "write")]
    assert sorted(visit.node for visit in ended) == ["rate", *nodes]
    assert ended[-1].node == "rate"
    assert [visit.index for visit in ended] == [0, 1, 2, 3, 4]
    assert sorted(event.node for event in events if isinstance(event, VisitStarted)) == nodes


@pytest.mark.parametrize("visits", [0, 1, 3])
def test_leaving_early_interrupts_and_the_run_goes_on(store: Store, visits: int) -> None:
    model = RecordingModel(REPLIES)
    stream = RoleCycle(task="T").stream(store=store, model=model)
    ended = 0
    for event in stream:
        ended += isinstance(event, VisitEnded)
        if ended == visits:
            break
    assert stream.run.status == "interrupted"
    assert len(stream.run.visits) >= visits
    stream.run.resume()
    assert [visit.node for visit in stream.run.visits] == ROLES
    assert model.asked == ROLES


def test_closing_a_stream_of_single_events(store: Store) -> None:
    stream = RoleCycle(task="T").stream(store=store, model=RecordingModel(REPLIES))
    assert next(stream) == RunStarted(stream.run.id)
    stream.close()
    assert stream.run.status == "interrupted"
    assert list(stream) == []


def test_leaving_the_block_of_a_stream(store: Store) -> None:
    with RoleCycle(task="T").stream(store=store, model=RecordingModel(REPLIES)) as stream:
        assert next(stream) == RunStarted(stream.run.id)
        within = stream.run.status
    assert (within, stream.run.status) == ("running", "interrupted")


async def test_leaving_the_block_of_a_stream_with_awaited_calls(store: Store) -> None:
    model = RecordingModel(REPLIES)
    async with RoleCycle(task="T").astream(store=store, model=model) as stream:
        async for event in stream:
            if isinstance(event, VisitEnded):
                break
        within = stream.run.status
    assert (within, stream.run.status) == ("running", "interrupted")
    await stream.run.aresume()
    assert ([visit.node for visit in stream.run.visits], model.asked) == (ROLES, ROLES)


async def test_leaving_early_with_awaited_calls(store: Store) -> None:
    model = RecordingModel(REPLIES)
    stream = RoleCycle(task="T").astream(store=store, model=model)
    async for event in stream:
        if isinstance(event, VisitEnded):
            break
    await stream.aclose()
    assert stream.run.status == "interrupted"
    await stream.run.aresume()
    assert ([visit.node for visit in stream.run.visits], model.asked) == (ROLES, ROLES)


def test_a_stream_of_a_run_that_has_ended_meanwhile_leaves_it_ended(store: Store) -> None:
    stream = RoleCycle(task="T").stream(store=store, model=RecordingModel(REPLIES))
    assert stream.run.resume().status == "finished"
    with stream, pytest.raises(NotWaiting, match=r"has ended \(stopped: boss said the stop word in round 1\)"):
        next(stream)
    assert (stream.run.status, [visit.node for visit in stream.run.visits]) == ("finished", ROLES)


def test_a_stream_of_a_run_that_asks_meanwhile_leaves_the_question(store: Store) -> None:
    model = RecordingModel(REPLIES)
    stream = RoleCycle(task="T", review="after_stop").stream(store=store, model=model)
    assert stream.run.resume().status == "waiting"
    with stream, pytest.raises(NotWaiting, match="has come to a question in the meantime; answer it"):
        next(stream)
    assert stream.run.status == "waiting"
