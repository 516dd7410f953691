"""A run as its users hold it: what can be asked of it, answered and refused."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import LeaseLost, NotWaiting, RunBusy, RunError, StoreError, UnknownRun, WrongAnswer
from loopwright.graphs.plan import End
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.loop.role_cycle import RoleCycle
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.role import Rounds
from loopwright.nodes.think import Think
from loopwright.nodes.wait import Human, Wait
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel, assert_path

WORD = "Fluggaenkoechiebolsen"
ROUND = {"solver": ["S0", "S1"], "detractor": ["D0", "D1"], "master": ["M0", "M1"], "boss": ["B0", WORD]}


def approval() -> Loop[Any]:
    builder = PlanBuilder("approval", [Channel("draft"), Channel("notes")], result="notes")
    builder.node(Think("write", prompt="Write.", writes="draft")).edge("write", "done", "approve")
    shorthand = {"default": "yes", "on_text": "no"}
    node = Human("approve", text="Publish?\n<{draft}>", outcomes=["yes", "no"], writes="notes", **shorthand)
    builder.node(node).edge("approve", "yes", End("published")).edge("approve", "no", End("dropped", ok=False))
    return builder.loop()


def amount() -> Loop[Any]:
    builder = PlanBuilder("amount", [Channel("count", {"type": "integer"})], result="count")
    builder.node(Wait("ask", text="How many?", reply={"type": "integer", "minimum": 1}, writes="count"))
    return builder.edge("ask", "done", End("known")).loop()


@pytest.fixture
def waiting(store: Store) -> Run:
    return approval().start(store=store, model=RecordingModel({"write": ["A bridge."]}))


@pytest.mark.parametrize(
    ("answer", "end", "result"),
    [
        ("", "published", None),
        ("yes", "published", None),
        (" no ", "dropped", None),
        ("too long", "dropped", "too long"),
        ("yes, but shorter", "dropped", "yes, but shorter"),
        ({"action": "yes", "text": "fine"}, "published", "fine"),
        ('{"action": "yes", "text": "fine"}', "published", "fine"),
        ('["fine"]', "dropped", '["fine"]'),
    ],
)
def test_answers(drive: Any, waiting: Run, answer: Any, end: str, result: Any) -> None:
    assert drive.resume(waiting, answer) is waiting
    assert (waiting.status, waiting.result) == ("finished", result)
    assert waiting.end is not None
    assert waiting.end.name == end


SHAPE = (
    '{"type": "object", "properties": {"action": {"type": "string", "enum": ["yes", "no"]}, '
    '"text": {"type": "string"}}, "required": ["action"], "additionalProperties": false}'
)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"action": "maybe"}, 'at action: "maybe" is not one of "yes" or "no"'),
        ({"text": "fine"}, '"action" is a required property'),
        (3, '3 is not of type "object"'),
        (["yes"], '["yes"] is not of type "object"'),
    ],
)
def test_an_answer_that_does_not_fit_changes_nothing(drive: Any, waiting: Run, answer: Any, words: str) -> None:
    before = waiting.row
    with pytest.raises(WrongAnswer) as caught:
        drive.resume(waiting, answer)
    assert str(caught.value) == f"approve cannot take {answer!r}: {words}. It takes {SHAPE}"
    assert waiting.row == before
    assert drive.resume(waiting, "yes").status == "finished"


@pytest.mark.parametrize(("answer", "count"), [(3, 3), ("3", 3), (" 12 ", 12)])
def test_a_number_as_it_is_typed(drive: Any, answer: Any, count: int) -> None:
    assert drive.resume(drive.start(amount()), answer).result == count


@pytest.mark.parametrize("answer", ["many", "0", 0, "", True, 1.5, "null"])
def test_what_is_no_number(answer: Any) -> None:
    run = amount().start()
    with pytest.raises(WrongAnswer, match=r"It takes int$"):
        run.resume(answer)
    assert run.status == "waiting"


def test_an_answer_must_be_given(drive: Any, waiting: Run) -> None:
    with pytest.raises(WrongAnswer) as caught:
        drive.resume(waiting)
    listed = f"{waiting.questions[0].id[:8]} (approve): Publish?"
    assert str(caught.value) == f"run {waiting.id} waits for an answer to {listed}"


def test_an_answer_to_another_question(drive: Any, waiting: Run) -> None:
    with pytest.raises(NotWaiting, match="no question 'nope' is open; open is "):
        drive.resume(waiting, "yes", question="nope")
    assert drive.resume(waiting, "yes", question=waiting.questions[0].id[:5]).status == "finished"


def test_many_answers_at_once_are_one(waiting: Run, store: Store) -> None:
    told: list[str] = []
    begin = threading.Barrier(8)

    def answer(word: str) -> None:
        begin.wait(10)
        try:
            open_run(store, waiting.id, models={"default": RecordingModel({"default": ["x"]})}).resume(word)
            told.append(word)
        except (NotWaiting, RunBusy) as error:
            told.append(type(error).__name__)

    threads = [threading.Thread(target=answer, args=(["yes", "no"][place % 2],)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = {word for word in told if word in ("yes", "no")}
    assert len(told) == 8
    assert_path(waiting, ["write done", f"approve {winner}"])


def test_an_answer_that_nobody_waits_for(drive: Any) -> None:
    run = RoleCycle(task="T").start(model=RecordingModel({"default": [{"error": "down"}]}))
    with pytest.raises(NotWaiting) as caught:
        drive.resume(run, "hello")
    assert str(caught.value) == f"run {run.id} is suspended and waits for no answer; resume it without one"


def test_a_run_that_has_ended_does_not_go_on(drive: Any) -> None:
    run = drive.start(RoleCycle(task="T"), model=RecordingModel({**ROUND, "boss": [WORD]}))
    with pytest.raises(NotWaiting, match=r"has ended \(stopped: boss said the stop word in round 1\); start a new one"):
        drive.resume(run)


def test_another_model_goes_on_from_here(drive: Any, store: Store) -> None:
    run = drive.start(RoleCycle(task="T"), store=store, model=RecordingModel({"solver": ["S0"]}))
    assert run.status == "suspended"
    other = RecordingModel({**ROUND, "boss": [{"error": "down"}, WORD]}, label="other")
    drive.resume(run, model=other)
    assert (run.status, other.asked) == ("suspended", ["detractor", "master", "boss"])
    drive.resume(run)
    assert [visit.model for visit in run.visits] == ["recording", "other", "other", "other"]


def test_a_script_goes_on_where_it_was_in_another_process(drive: Any, tmp_path: Path) -> None:
    """What is in the store is enough: the failed replies are behind it, and so are those of completed visits."""
    down, busy = {"error": "down"}, {"error": "503", "retryable": True, "retry_after": 0}
    script = {**ROUND, "detractor": [down, busy, "D0", "D1"], "boss": ["B0", down, WORD]}
    url = f"sqlite:{tmp_path / 'runs.db'}"
    loop = RoleCycle(task="T", rounds=Rounds(max=2))
    run = drive.start(loop, store=url, model=ScriptedModel(script))
    seen = []
    while run.status == "suspended":
        seen.append(run.reason)
        run = drive.resume(open_run(url, run.id))
    assert seen == ["detractor: down", "boss: down"]
    assert [visit.reply for visit in run.visits] == ["S0", "D0", "M0", "B0", "S1", "D1", "M1", WORD]
    assert run.usage.retries == 1


def test_a_live_model_must_be_given_again(store: Store) -> None:
    run = RoleCycle(task="T").start(store=store, model=RecordingModel({"solver": ["S0"]}))
    with pytest.raises(RunError) as caught:
        open_run(store, run.id).resume()
    assert str(caught.value) == (
        "no model is given for 'default': give model= or models= (--model or --script on the command line),"
        " or name it under the plan's models"
    )
    with pytest.raises(RunError, match="no node asks for a model 'strong'; this plan asks for: default"):
        open_run(store, run.id, models={"strong": RecordingModel({"default": ["x"]})}).resume()
    assert run.status == "suspended"


def test_runs_that_are_not_there(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UnknownRun, match="there is no run 'abc' in store memory:"):
        open_run(store, "abc")
    with pytest.raises(StoreError, match="there is no such file"):
        open_run(f"sqlite:{tmp_path / 'none.db'}", "abc")


def shout(text: str) -> str:
    return text.upper()


def whisper(text: str) -> str:
    return text.lower()


def test_a_disk_that_is_full_loses_nothing(drive: Any, tmp_path: Path) -> None:
    model = RecordingModel(lambda call: f"{call.node} {len(call.messages)} " + "x" * 4000)
    loop = RoleCycle(task="T", rounds=Rounds(max=4))
    whole = drive.start(loop, model=model)
    with Store(f"sqlite:{tmp_path / 'runs.db'}") as store:
        store.database.connection.execute("PRAGMA max_page_count=28")
        with pytest.raises(StoreError, match="the disk is full; nothing of this step was written, and the run can be"):
            drive.start(loop, store=store, model=model)
        (row,) = store.registry.all()
        run = open_run(store, row.id, models={"default": model})
        assert run.status == "interrupted"
        assert 0 < len(run.visits) < 16
        store.database.connection.execute("PRAGMA max_page_count=100000")
        drive.resume(run)
        assert (run.end, [visit.reply for visit in run.visits]) == (whole.end, [visit.reply for visit in whole.visits])


def test_runs_in_threads_share_a_store(tmp_path: Path) -> None:
    runs: list[Run] = []
    with Store(f"sqlite:{tmp_path / 'runs.db'}") as store:

        def work() -> None:
            runs.append(RoleCycle(task="T", rounds=Rounds(max=2)).start(store=store, model=ScriptedModel(ROUND)))

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [(run.result, len(run.visits)) for run in runs] == [("S1", 8)] * 6
        assert len({run.id for run in runs}) == 6


async def test_two_coroutines_cannot_go_on_with_one_run(store: Store) -> None:
    run = RoleCycle(task="T").start(store=store, model=RecordingModel({"solver": ["S0"]}))
    model = ScriptedModel({**ROUND, "detractor": [{"reply": "D0", "delay": 0.05}], "boss": [WORD]})
    ends = await asyncio.gather(run.aresume(model=model), run.aresume(model=model), return_exceptions=True)
    assert sorted(type(end).__name__ for end in ends) == ["Run", "RunBusy"]
    assert run.status == "finished"


class Stopping:
    """A model at whose second call somebody presses Ctrl-C."""

    label, retries = "stopping", 0

    def __init__(self) -> None:
        self.model = RecordingModel({**ROUND, "boss": [WORD]})

    def ask(self, call: Any) -> Any:
        if len(self.model.calls) == 1 and self.label == "stopping":
            self.label = "stopped"
            raise KeyboardInterrupt
        return self.model.ask(call)

    async def aask(self, call: Any) -> Any:
        return self.ask(call)


def test_ctrl_c_interrupts_and_the_run_goes_on(drive: Any, store: Store) -> None:
    model = Stopping()
    with pytest.raises(KeyboardInterrupt):
        drive.start(RoleCycle(task="T"), store=store, model=model)
    (row,) = store.registry.all()
    assert (row.status, len(store.registry.visits(row.id))) == ("interrupted", 1)
    run = drive.resume(open_run(store, row.id, models={"default": model}))
    assert (run.status, model.model.asked) == ("finished", ["solver", "detractor", "master", "boss"])


def test_a_cancelled_task_leaves_the_run_interrupted(store: Store) -> None:
    model = ScriptedModel({**ROUND, "detractor": [{"reply": "D0", "delay": 20}]})

    async def cancel() -> None:
        task = asyncio.create_task(RoleCycle(task="T").astart(store=store, model=model))
        while not any(store.registry.count_visits(row.id) for row in store.registry.all()):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    (row,) = store.registry.all()
    assert (row.status, [visit.reply for visit in store.registry.visits(row.id)]) == ("interrupted", ["S0"])


def test_a_runner_that_was_taken_over_ends_with_one_error(drive: Any, store: Store) -> None:
    """Here the second runner is in the same process: the token tells them apart."""
    seconds: list[Run] = []

    def answer(call: Any) -> str:
        if call.node == "detractor" and not seconds:
            (row,) = store.registry.all()
            seconds.append(open_run(store, row.id, models={"default": ScriptedModel(ROUND)}))
            with pytest.raises(RunBusy, match="if it is frozen, take it over with take_over=True"):
                seconds[0].resume()
            store.registry.claim(row.id, take_over=True)
        return WORD if call.node == "boss" else f"{call.node} 1"

    with pytest.raises(LeaseLost, match=r"was taken over by another runner; process .* runs it now: this one writes"):
        drive.start(RoleCycle(task="T"), store=store, model=RecordingModel(answer))
    (second,) = seconds
    assert (second.status, second.row.token, [visit.node for visit in second.visits]) == ("running", 2, ["solver"])
    drive.resume(second, take_over=True)
    assert (second.status, second.row.token) == ("finished", 3)


def test_a_run_that_rests_is_not_taken_over_from_anybody(drive: Any, waiting: Run) -> None:
    with pytest.raises(WrongAnswer):
        drive.resume(waiting, take_over=True)
    assert drive.resume(waiting, "yes", take_over=True).status == "finished"
