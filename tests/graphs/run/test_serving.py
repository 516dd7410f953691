"""Serving: who goes on when, and that nothing is done while nothing happens."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import loopwright as lw
from loopwright.errors import RunError, StoreError
from loopwright.graphs.run import serving
from loopwright.graphs.run.serving import Server
from loopwright.state.store.saver import Saver
from loopwright.testing.scripts import RecordingModel


def sleeper(name: str = "sleeper", **fields: Any) -> lw.Loop[Any]:
    plan = lw.PlanBuilder(name, [lw.Channel("got")], result="got")
    plan.node(lw.Wait("asleep", writes="got", **(fields or {"event": "rings"})))
    return plan.edge("asleep", "done", lw.End("awake")).loop()


def shouting(function: Callable[..., Any]) -> lw.Loop[Any]:
    plan = lw.PlanBuilder("shouting", [lw.Channel("got", str)], result="got")
    plan.node(lw.Wait("asleep", event="rings", reply=str, writes="got"))
    plan.node(lw.Act("shout", function, writes="got"))
    return plan.edge("asleep", "done", "shout").edge("shout", "done", lw.End("awake")).loop()


def upper(got: str) -> str:
    return got.upper()


async def until(true: Callable[[], Any]) -> None:
    """Let others go on until something is so."""
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.005)


def test_once_it_serves_until_nothing_can_go_on(store: lw.Store) -> None:
    first, second = sleeper().start(store=store), sleeper(event="falls").start(store=store)
    told: list[tuple[str, str]] = []
    lw.send(store, "rings", 1)
    assert lw.serve(store, once=True, tell=lambda run, words: told.append((run, words))) == 1
    assert (first.result, second.status) == (1, "waiting")
    assert told == [(first.id, "finished as awake: asleep is done")]
    assert lw.serve(store, once=True) == 0


def test_a_run_goes_on_from_wait_to_wait(store: lw.Store) -> None:
    plan = lw.PlanBuilder("catcher", [lw.Channel("got", list, reduce="append")], result="got")
    plan.node(lw.Wait("catch", event="ball", writes="got"))
    run = plan.edge("catch", "done", "catch", at_most=2, then=lw.End("full")).loop().start(store=store)
    for number in range(4):
        store.send("ball", number)
    assert lw.serve(store, once=True) == 3
    assert (run.end, run.result) == (lw.End("full"), [0, 1, 2])


@pytest.mark.parametrize("of_file", [False, True], ids=["memory", "file"])
def test_while_all_sleep_nothing_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of_file: bool) -> None:
    monkeypatch.setattr(serving, "LOOK_EVERY", 0.002)
    url = f"sqlite:{tmp_path / 'runs.db'}" if of_file else "memory:"

    async def scene(store: lw.Store) -> None:
        runs = [sleeper().start(store=store) for _ in range(3)]
        server = Server(store)
        task = asyncio.create_task(server.work(once=False))
        if of_file:
            await until(lambda: server.glances > 20)
        else:
            await asyncio.sleep(0.05)
            assert server.glances == 0
        assert server.looks == 1
        await asyncio.to_thread(store.send, "rings", 5)
        await until(lambda: all(run.status == "finished" for run in runs))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert store.database.bells == []

    with lw.Store(url) as store:
        asyncio.run(scene(store))


def test_an_event_from_elsewhere_is_seen(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"

    async def scene(store: lw.Store) -> None:
        run = sleeper().start(store=store)
        server = Server(store)
        task = asyncio.create_task(server.work(once=False))
        await until(lambda: server.looks)
        assert lw.send(url, "rings", 5)  # through a connection of its own, as another process has it
        await until(lambda: run.status == "finished")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with lw.Store(url) as store:
        asyncio.run(scene(store))


def test_a_timer_that_is_due_answers_itself(store: lw.Store) -> None:
    async def scene() -> None:
        run = sleeper(source="timer", after=0.05).start(store=store)
        server = Server(store)
        task = asyncio.create_task(server.work(once=False))
        await until(lambda: run.status == "finished")
        assert server.looks <= 3
        assert run.result == run.visits[0].reply
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scene())


def test_so_many_at_once_and_no_more(store: lw.Store) -> None:
    here, most = 0, 0

    async def shout(got: str) -> str:
        nonlocal here, most
        here += 1
        most = max(here, most)
        await asyncio.sleep(0.01)
        here -= 1
        return got

    loop = _named(shout)
    runs = [loop.start(store=store) for _ in range(5)]
    store.send("rings", "hello")
    assert lw.serve(store, [loop], once=True, at_once=2) == 5
    assert (most, {run.result for run in runs}) == (2, {"hello"})


def _named(function: Callable[..., Any]) -> lw.Loop[Any]:
    plan = lw.PlanBuilder("shouting", [lw.Channel("got", str)], result="got")
    plan.node(lw.Wait("asleep", event="rings", reply=str, writes="got"))
    plan.node(lw.node(name="shout", writes="got", version="1")(function))
    return plan.edge("asleep", "done", "shout").edge("shout", "done", lw.End("awake")).loop()


def test_a_run_whose_code_is_not_here_is_left_and_told(store: lw.Store) -> None:
    run = shouting(upper).start(store=store)
    told: list[str] = []
    store.send("rings", "hello")
    assert lw.serve(store, once=True, tell=lambda _, words: told.append(words)) == 0
    assert len(told) == 1
    assert re.search(r"does not go on: it is a run of 'shouting', which calls functions \(.*:upper\); give", told[0])
    assert (run.status, run.row.token) == ("waiting", 1)
    assert lw.serve(store, [shouting(upper)], once=True) == 1
    assert run.result == "HELLO"


def test_a_loop_that_has_changed_is_no_loop_of_the_run(store: lw.Store) -> None:
    run = sleeper().start(store=store)
    other = shouting(upper)
    told: list[str] = []
    lw.send(store, "rings", 1)
    changed = _named(upper).start(store=store)
    lw.send(store, "rings", "x")
    lw.serve(store, [other], once=True, tell=lambda _, words: told.append(words))
    (why,) = (words for words in told if words.startswith("does not go on"))
    assert (run.status, changed.status) == ("finished", "waiting")
    assert "has changed since run" in why


def test_what_fails_on_its_way_is_suspended_and_not_tried_again(store: lw.Store) -> None:
    def fail(got: str) -> str:
        raise ValueError("no voice")

    loop, told = _named(fail), []
    run = loop.start(store=store)
    store.send("rings", "hello")
    assert lw.serve(store, [loop], once=True, tell=lambda _, words: told.append(words)) == 1
    assert run.status == "suspended"
    assert told[0].startswith("suspended: shout: ValueError: no voice")
    assert lw.serve(store, [loop], once=True) == 0


def test_a_server_that_is_stopped_leaves_its_runs_to_the_next_one(tmp_path: Path) -> None:
    async def stuck(got: str) -> str:
        at_work.set()
        await asyncio.sleep(60 if patience else 0)
        return got

    async def scene(store: lw.Store) -> None:
        task = asyncio.create_task(lw.aserve(store, [loop]))
        await until(at_work.is_set)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    at_work, patience = asyncio.Event(), True
    loop = _named(stuck)
    with lw.Store(f"sqlite:{tmp_path / 'runs.db'}") as store:
        run = loop.start(store=store)
        store.send("rings", "hello")
        asyncio.run(scene(store))
        assert run.status == "interrupted"
        patience = False
        assert lw.serve(store, [loop], once=True) == 1
        assert run.result == "hello"


def test_the_model_of_a_live_loop_is_given_again(store: lw.Store) -> None:
    plan = lw.PlanBuilder("title", [lw.Channel("got", str), lw.Channel("title", str)], result="title")
    plan.node(lw.Wait("asleep", event="rings", reply=str, writes="got"))
    plan.node(lw.Think("name", prompt="A title for <{got}>", writes="title"))
    plan.edge("asleep", "done", "name").edge("name", "done", lw.End("named"))
    loop = plan.loop(model=RecordingModel(lambda call: "On bridges"))
    run = loop.start(store=store)
    store.send("rings", "bridges")
    assert lw.serve(store, [loop], once=True) == 1
    assert run.result == "On bridges"


def test_how_many_at_once_is_a_number(store: lw.Store) -> None:
    with pytest.raises(RunError, match="at_once is how many"):
        lw.serve(store, at_once=0)


@pytest.mark.parametrize("deed", ["answer", "event"])
def test_a_person_may_give_what_is_waited_for(store: lw.Store, deed: str) -> None:
    run = sleeper().start(store=store)
    if deed == "event":
        store.send("rings", 3)
        run.resume()
    else:
        run.resume("3")
    assert (run.end, run.result) == (lw.End("awake"), 3)


def test_an_empty_line_ends_a_pause(store: lw.Store) -> None:
    run = sleeper(source="timer", after=3600).start(store=store)
    assert run.resume("").result == run.visits[0].reply


def test_a_timer_runs_from_its_first_question_on(store: lw.Store) -> None:
    plan = lw.PlanBuilder("two", [lw.Channel("a"), lw.Channel("b")])
    ask, pause = lw.Wait("ask", text="?", writes="a"), lw.Wait("pause", source="timer", after=60, writes="b")
    plan.parallel("both", {"ask": ask, "pause": pause}, collect="a")
    run = plan.edge("both", "done", lw.End("done")).loop().start(store=store)
    (due,) = [each.due for each in run.questions if each.due]
    asked, _ = sorted(run.questions, key=lambda each: each.due is not None)
    run.resume("yes", question=asked.id)
    assert [each.due for each in run.questions] == [due]


def test_a_timer_is_not_set_anew_by_a_kill(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    with lw.Store(url) as store, pytest.MonkeyPatch.context() as broken:
        broken.setattr(store.registry, "rest", Mock(side_effect=StoreError("no room to say how it rests")))
        with pytest.raises(StoreError):
            sleeper(source="timer", after=60).start(store=store)
    with lw.Store(url) as store:
        (row,) = store.registry.all()
        stops = Saver(store.database).get_tuple({"configurable": {"thread_id": row.id, "checkpoint_ns": ""}})
        assert stops is not None
        (due,) = (each.value["question"]["due"] for _, _, told in stops.pending_writes or () for each in told)
        run = lw.open_run(store, row.id)
        assert (run.status, run.resume().questions[0].due) == ("interrupted", due)
