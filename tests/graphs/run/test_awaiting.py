"""The same answer from several at once: one goes on with it, the others wait for what comes of it."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import AlreadyAnswered, NotWaiting
from loopwright.graphs.plan import End
from loopwright.graphs.run.awaiting import LONGEST, rest_event, until_over
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.events import RunAwaited, RunEnded, RunSuspended, RunWaiting
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.think import Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.holder import this_process
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel

MANY = 20


def approval() -> Loop[Any]:
    builder = PlanBuilder("approval", [Channel("draft"), Channel("said")], result="said")
    builder.node(Human("ask", text="Well?", outcomes=["yes", "no"])).edge("ask", "yes", "thank")
    builder.edge("ask", "no", "ask", at_most=2, then=End("dropped", ok=False))
    return builder.node(Think("thank", prompt="?", writes="said")).edge("thank", "done", End("published")).loop()


class Slow:
    """A model that answers when it is let go, blocking or awaited."""

    label, retries = "slow", 0

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()
        self.error: BaseException | None = None

    async def aask(self, call: ModelCall) -> ModelReply:
        self.asked.set()
        while not self.go.is_set():
            await asyncio.sleep(0.001)
        return self.ask(call)

    def ask(self, call: ModelCall) -> ModelReply:
        self.asked.set()
        assert self.go.wait(60)
        if error := self.error:
            self.error = None
            raise error
        return ModelReply(f"said by {call.node}")


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture(params=["memory:", "sqlite:runs.db"])
def kept(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    with Store(request.param) as store:
        yield store


def copies(run: Run) -> list[Run]:
    return [open_run(run.store, run.id, models=run._models) for _ in range(MANY)]


def test_threads(kept: Store, slow: Slow) -> None:
    model = RecordingModel(slow)
    run = approval().start(store=kept, model=model)
    question = run.questions[0].id
    with ThreadPoolExecutor(MANY) as pool:
        answers = [pool.submit(each.resume, "yes", question=question) for each in copies(run)]
        assert slow.asked.wait(60)
        slow.go.set()
        results = [each.result(60) for each in answers]
    assert [(each.end, each.result) for each in results] == [(End("published"), "said by thank")] * MANY
    assert (model.asked, len(run.visits)) == (["thank"], 2)


def test_tasks(kept: Store, slow: Slow) -> None:
    model = RecordingModel(slow)
    run = approval().start(store=kept, model=model)
    question = run.questions[0].id

    async def answered() -> list[Run]:
        tasks = [asyncio.create_task(each.aresume("yes", question=question)) for each in copies(run)]
        while not slow.asked.is_set():
            await asyncio.sleep(0.001)
        slow.go.set()
        return await asyncio.gather(*tasks)

    assert [each.end for each in asyncio.run(answered())] == [End("published")] * MANY
    assert (model.asked, len(run.visits)) == (["thank"], 2)


@pytest.mark.parametrize("named", [True, False], ids=["by its id", "the open one"])
def test_one_that_waits_is_told_whom_for_and_how_the_run_rests(store: Store, slow: Slow, named: bool) -> None:
    run = approval().start(store=store, model=RecordingModel(slow))
    given: dict[str, Any] = {"question": run.questions[0].id} if named else {}
    first, second = copies(run)[:2]
    with ThreadPoolExecutor(1) as pool:
        at_work = pool.submit(first.resume, "yes")
        assert slow.asked.wait(60)
        with second.stream("yes", **given) as events:
            assert next(events) == RunAwaited(run.id, str(this_process()))
            slow.go.set()
            assert list(events) == [RunEnded(run.id, "published", True, "thank is done")]
        at_work.result(60)


def test_another_answer_is_refused_meanwhile(store: Store, slow: Slow) -> None:
    run = approval().start(store=store, model=RecordingModel(slow))
    first, second = copies(run)[:2]
    with ThreadPoolExecutor(1) as pool:
        at_work = pool.submit(first.resume, "yes")
        assert slow.asked.wait(60)
        with pytest.raises(AlreadyAnswered):
            second.resume("no")
        with pytest.raises(NotWaiting, match="this answer was given before; give more of a bound without it"):
            second.resume("yes", bounds={"ask no": 1})
        slow.go.set()
        at_work.result(60)


def test_where_the_first_is_stopped_one_of_the_others_goes_on(store: Store, slow: Slow) -> None:
    model = RecordingModel(slow)
    slow.error = KeyboardInterrupt()
    run = approval().start(store=store, model=model)
    question = run.questions[0].id
    first, *others = copies(run)
    with ThreadPoolExecutor(MANY) as pool:
        stopped = pool.submit(first.resume, "yes", question=question)
        assert slow.asked.wait(60)
        answers = [pool.submit(each.resume, "yes", question=question) for each in others]
        slow.go.set()
        assert isinstance(stopped.exception(60), KeyboardInterrupt)
        assert {each.result(60).end for each in answers} == {End("published")}
    assert (model.asked, len(run.visits)) == (["thank", "thank"], 2)


def test_looks_become_rare_and_end_with_the_run(store: Store) -> None:
    run = approval().enter_all([{}], store=store, model=RecordingModel(Slow()))[0]
    row = store.registry.claim(run.id)
    assert row
    pauses = until_over(store, store.registry.get(run.id))
    seen = [next(pauses) for _ in range(20)]
    assert (seen[0], seen[-1]) == (0.01, LONGEST)
    assert seen == sorted(seen)
    store.registry.interrupt(run.id, token=row.token)
    assert list(pauses) == []


def test_a_run_that_was_taken_anew_is_not_waited_for(store: Store) -> None:
    run = approval().enter_all([{}], store=store, model=RecordingModel(Slow()))[0]
    store.registry.claim(run.id)
    pauses = until_over(store, store.registry.get(run.id))
    next(pauses)
    assert store.registry.claim(run.id, take_over=True)
    assert list(pauses) == []


@pytest.mark.parametrize(
    ("row", "event"),
    [
        ({"status": "waiting"}, RunWaiting("r", ())),
        ({"status": "suspended", "at": ("write",), "reason": "down"}, RunSuspended("r", "write", "down")),
        ({"status": "running"}, None),
        ({"status": "interrupted"}, None),
    ],
)
def test_how_a_run_rests(row: Any, event: Any) -> None:
    assert rest_event(RunRow("r", "letter", "", **row)) == event
