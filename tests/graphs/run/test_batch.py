"""Batches: several runs of one loop, none of which stops another, and none of which is lost."""

import asyncio
from typing import Any

import pytest

from loopwright.errors import ModelError, RunError, StoreError
from loopwright.graphs.plan import End
from loopwright.graphs.run.batch import Batch, state_of
from loopwright.graphs.run.opening import open_batch
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.loop.role_cycle import RoleCycle
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.think import Think
from loopwright.state.channels import Channel
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store
from loopwright.testing.model_server import ModelServer
from loopwright.testing.scripts import RecordingModel

WORD = "Fluggaenkoechiebolsen"
ROLES: Any = {"solver": {"brief": "Solve."}, "boss": {"brief": f"Say {WORD}."}}
TASKS = ("one", "two", "three")
DOWN = {"error": "503", "retryable": False}


def loop(**fields: Any) -> RoleCycle:
    return RoleCycle(**{"tasks": TASKS, "roles": ROLES, **fields})


def task_of(call: ModelCall) -> str:
    return str(call.messages[0]["content"]).rpartition("\n")[2]


def answering(**others: Any) -> RecordingModel:
    """The task is the answer and the boss stops; for some tasks the solver says something else, or fails."""

    def answer(call: ModelCall) -> Any:
        said = others.get(task_of(call), task_of(call))
        if isinstance(said, BaseException) and call.node == "solver":
            raise said
        return said if call.node == "solver" else WORD

    return RecordingModel(answer)


def states(batch: Batch) -> list[str]:
    return [state_of(run.row) for run in batch]


def start_all(drive: Any, made: Loop[Any], *args: Any, **options: Any) -> Batch:
    if drive.awaited:
        return asyncio.run(made.astart_all(*args, **options))
    return made.start_all(*args, **options)


def test_the_runs_are_in_the_order_of_their_inputs(drive: Any, store: Store) -> None:
    model = answering()
    batch = start_all(drive, loop(), store=store, model=model)
    assert [(run.row.inputs["task"], run.result, run.row.batch) for run in batch] == [
        (task, task, batch.id) for task in TASKS
    ]
    assert (len(batch), batch[0].id, batch[1:]) == (3, next(iter(batch)).id, tuple(batch)[1:])
    assert [task_of(call) for call in model.calls] == [task for task in TASKS for _ in ROLES]
    assert repr(batch) == f"Batch({batch.id!r}, 3 finished)"


def test_a_run_that_fails_or_waits_stops_no_other(drive: Any) -> None:
    model = answering(one=ModelError("gone"))
    batch = start_all(drive, loop(review="after_stop"), model=model)
    assert states(batch) == ["suspended", "waiting", "waiting"]
    assert batch.summary() == "2 waiting, 1 suspended"
    assert batch[0].reason == "solver: gone"
    assert [run.id for run in batch.ready] == [batch[0].id]
    batch[1].resume("accept")
    batch.resume(model=answering())
    assert states(batch) == ["waiting", "finished", "waiting"]


def test_inputs_are_given(drive: Any) -> None:
    batch = start_all(drive, RoleCycle(roles=ROLES), [{"task": "a"}, {"task": "b"}], model=answering(), batch="mine")
    assert [(run.result, run.row.batch) for run in batch] == [("a", "mine"), ("b", "mine")]


def test_one_run_is_a_batch_of_its_own_id() -> None:
    batch = RoleCycle(task="one", roles=ROLES).start_all(model=answering())
    assert (batch.id, batch[0].row.batch, batch[0].result) == (batch[0].id, batch[0].id, "one")


def test_each_run_begins_the_script_and_none_takes_from_another() -> None:
    script = ScriptedModel({"solver": ["first", "second"], "boss": ["no", {"delay": 0.01, "reply": WORD}]})
    at_once = asyncio.run(loop().astart_all(model=script, at_once=3))
    assert [run.result for run in at_once] == ["second"] * 3
    assert script.taken == {}
    assert [run.result for run in loop().start_all(model=script)] == ["second"] * 3


def test_entered_runs_are_not_begun_and_go_on_in_another_process(store: Store) -> None:
    entered = loop().enter_all(store=store, model=ScriptedModel({"solver": ["S"], "boss": [WORD]}))
    assert states(entered) == ["not begun"] * 3
    assert [len(run.visits) for run in entered] == [0, 0, 0]
    opened = open_batch(store, entered.id[:5])
    assert ([run.id for run in opened], opened.id) == ([run.id for run in entered], entered.id)
    assert states(opened.resume()) == ["finished"] * 3


def test_a_run_that_another_process_has_is_left_to_it(drive: Any, store: Store) -> None:
    batch = loop().enter_all(store=store, model=answering())
    store.registry.claim(batch[1].id)
    if drive.awaited:
        asyncio.run(batch.aresume(at_once=2))
    else:
        batch.resume()
    assert states(batch) == ["finished", "running", "finished"]


class Stopping:
    """A model at whose second call somebody presses Ctrl-C."""

    label, retries = "stopping", 0

    def __init__(self) -> None:
        self.calls = 0

    def ask(self, call: ModelCall) -> ModelReply:
        self.calls += 1
        if self.calls == 3:
            raise KeyboardInterrupt
        return ModelReply(WORD if call.node == "boss" else "S")

    async def aask(self, call: ModelCall) -> ModelReply:
        return self.ask(call)


def test_ctrl_c_loses_nothing_and_says_how_it_goes_on(tmp_path: Any) -> None:
    url = f"sqlite:{tmp_path}/runs.db"
    with pytest.raises(KeyboardInterrupt) as caught:
        loop().start_all(store=url, model=Stopping())
    with Store(url) as store:
        (id,) = {row.batch for row in store.registry.all()}
    assert caught.value.__notes__ == [
        f'batch {id}: 1 finished, 1 interrupted, 1 not begun; go on with open_batch("{url}", "{id}").resume()'
    ]
    batch = open_batch(url, id)
    model = answering()
    assert states(batch.resume(model=model)) == ["finished"] * 3
    assert [task_of(call) for call in model.calls] == ["two", "two", "three", "three"]


def test_a_batch_in_memory_is_gone_with_its_process() -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        loop().start_all(model=Stopping())
    assert caught.value.__notes__[0].endswith("not begun; it was kept in memory:, and is gone with this process")


class Hanging:
    """A model that never answers about one task."""

    label, retries = "hanging", 0

    def __init__(self, task: str) -> None:
        self.task = task

    def ask(self, call: ModelCall) -> ModelReply:
        raise NotImplementedError

    async def aask(self, call: ModelCall) -> ModelReply:
        await asyncio.sleep(60 if task_of(call) == self.task else 0.001)
        return ModelReply(WORD if call.node == "boss" else task_of(call))


class Together:
    """A model that answers when so many calls are open at the same time, and notes the most that were."""

    label, retries = "together", 0

    def __init__(self, several: int) -> None:
        self.several, self.now, self.most, self.met = several, 0, 0, asyncio.Event()

    def ask(self, call: ModelCall) -> ModelReply:
        raise NotImplementedError

    async def aask(self, call: ModelCall) -> ModelReply:
        self.now += 1
        self.most = max(self.now, self.most)
        if self.now == self.several:
            self.met.set()
        await self.met.wait()
        await asyncio.sleep(0.01)
        self.now -= 1
        return ModelReply(WORD if call.node == "boss" else task_of(call))


@pytest.mark.parametrize("at_once", [1, 2, 3])
async def test_so_many_are_at_work_at_once(at_once: int) -> None:
    model = Together(at_once)
    batch = await loop().astart_all(model=model, at_once=at_once)
    assert ([run.result for run in batch], model.most) == ([*TASKS], at_once)


async def test_a_cancelled_batch_is_interrupted(store: Store) -> None:
    batch = loop().enter_all(store=store, model=Hanging("two"))
    task = asyncio.create_task(batch.aresume())
    while batch[1].status != "running":
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert states(batch) == ["finished", "interrupted", "not begun"]
    assert states(await batch.aresume(model=answering(), at_once=2)) == ["finished"] * 3


async def test_an_error_of_the_store_stops_all_and_is_told_once(store: Store) -> None:
    batch = loop().enter_all(store=store, model=Hanging("none"))
    rest = store.registry.rest

    def broken(run: str, *args: Any, **options: Any) -> None:
        if run == batch[1].id:
            raise StoreError("the disk is full")
        rest(run, *args, **options)

    store.registry.rest = broken  # type: ignore[method-assign]
    with pytest.raises(StoreError, match="the disk is full") as caught:
        await batch.aresume()
    (note,) = caught.value.__notes__
    assert note.startswith(f"batch {batch.id}: 1 finished, ")
    assert batch[1].status == "interrupted"


@pytest.mark.parametrize("at_once", [0, -1, True, 1.5, "2"])
def test_at_once_is_a_number(store: Store, at_once: Any) -> None:
    with pytest.raises(RunError, match=r"^at_once is how many runs are at work at the same time, at least 1; "):
        asyncio.run(loop().astart_all(model=answering(), store=store, at_once=at_once))
    assert list(store.registry.all()) == []


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (RunRow("a", "n", "f", status="interrupted", created=1.0, updated=1.0), "not begun"),
        (RunRow("a", "n", "f", status="interrupted", created=1.0, updated=2.0), "interrupted"),
        (RunRow("a", "n", "f", status="waiting", created=1.0, updated=1.0), "waiting"),
    ],
)
def test_how_a_run_rests_in_words(row: RunRow, said: str) -> None:
    assert state_of(row) == said


def test_runs_of_a_batch_share_connections_and_what_was_found_out(drive: Any, store: Store) -> None:
    connections: set[Any] = set()

    def answer(_: object) -> Any:
        connections.update(server._server._open)
        return {"value": 4}

    plan = PlanBuilder("sums", [Channel("sum", str, input=True), Channel("four", int)], result="four")
    plan.node(Think("add", prompt="<{sum}>", writes="four", output=int)).edge("add", "done", End("added"))
    with ModelServer(answer, takes="tools") as server:
        made = plan.loop(model=ModelRef("small", base_url=server.base_url, api_key_env=""))
        inputs = [{"sum": str(number)} for number in range(4)]
        batch = start_all(drive, made, inputs, store=store)
    assert [run.result for run in batch] == [4] * 4
    assert len(connections) == 1
    assert len(server.requests) == 5  # one was refused, and no later run asks so again
