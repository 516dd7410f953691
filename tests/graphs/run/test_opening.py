"""Opening a run: to look at it without its code, and to go on with the code that is its own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, assert_type

import pytest

from loopwright.errors import RunError, StoreError, UnknownRun
from loopwright.graphs.plan import End
from loopwright.graphs.run.batch import Batch
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_batch, open_run, runs
from loopwright.graphs.run.streams import Stream
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.loop.tool_loop import ToolLoop
from loopwright.nodes.functions import Act
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store

Speak = Callable[[str], str]


def shout(text: str) -> str:
    return text.upper()


def whisper(text: str) -> str:
    return text.lower()


def voice(function: Speak, version: str = "", question: str = "?") -> Loop[Any]:
    channels = [Channel("text", input=True), Channel("said")]
    builder = PlanBuilder("voice", channels, result="said")
    builder.node(Human("ask", text=question)).edge("ask", "done", "speak")
    speak = Act("speak", function, writes="said", version=version)
    return builder.node(speak).edge("speak", "done", End("said")).loop()


def test_a_run_is_looked_at_without_its_code_and_goes_on_with_it(drive: Any, store: Store) -> None:
    started = drive.start(voice(shout), {"text": "Hello"}, store=store)
    run = open_run(store, started.id)
    assert (run.status, run.questions, run.visits) == ("waiting", started.questions, ())
    assert "speak" in run.draw()
    with pytest.raises(RunError) as caught:
        drive.resume(run, "")
    named = f"('{shout.__module__}:shout'): open the run with loop=, the loop that it was started from"
    assert str(caught.value) == f"the plan 'voice' names code that is not here {named}"
    assert run.status == "waiting"
    assert drive.resume(open_run(store, run.id, loop=voice(shout)), "").result == "HELLO"


def test_another_plan_is_refused(store: Store) -> None:
    run = voice(shout).start({"text": "Hello"}, store=store)
    differ = ("node 'speak' differs in its code", "node 'ask' differs in its text")
    for other, words in zip((voice(whisper), voice(shout, question="Speak?")), differ, strict=True):
        with pytest.raises(RunError, match="is of another plan than this loop") as caught:
            open_run(store, run.id, loop=other, changed_code=True)
        assert f"{other.plan.fingerprint}): {words}. It can go on with the plan of now" in str(caught.value)
        assert str(caught.value).endswith("open it with the loop that it was started from")  # not without: it has code
    assert run.status == "waiting"


def test_another_plan_is_gone_on_with_where_that_is_said(drive: Any, store: Store) -> None:
    run = voice(shout).start({"text": "Hello"}, store=store)
    led = open_run(store, run.id, loop=voice(whisper, question="Speak?"), changed_plan=True)
    assert (led.questions[0].text, led.plan) == ("Speak?", voice(whisper, question="Speak?").plan)
    assert drive.resume(led, "").result == "hello"


def test_what_is_no_loop_is_refused(store: Store) -> None:
    run = voice(shout).start({"text": "Hello"}, store=store)
    plan: Any = run.plan
    with pytest.raises(RunError, match=f"loop= is the loop that run {run.id} was started from, as lw.load gives it"):
        open_run(store, run.id, loop=plan)


def test_code_that_has_changed_is_named_and_may_go_on_where_that_is_said(drive: Any, store: Store) -> None:
    run = drive.start(voice(shout, version="1"), {"text": "Hello"}, store=store)
    mended = voice(shout, version="2")
    with pytest.raises(RunError) as caught:
        open_run(store, run.id, loop=mended)
    assert str(caught.value) == (
        f"the code of '{shout.__module__}:shout' has changed since run {run.id} was started; it is left as it is: open"
        " it with changed_code=True (on the command line, --changed-code) if it may go on with the code of now"
    )
    assert drive.resume(open_run(store, run.id, loop=mended, changed_code=True), "").result == "HELLO"


def test_a_plan_that_this_version_cannot_read(store: Store) -> None:
    run = voice(shout).start({"text": "Hello"}, store=store)
    with store.database.transaction() as connection:
        connection.execute("UPDATE runs SET plan = json_set(plan, '$.format', 99)")
    with pytest.raises(StoreError) as caught:
        open_run(store, run.id)
    words = "this plan has the format 99; this version reads 1"
    assert str(caught.value) == f"store memory:: the plan of run {run.id} cannot be read: {words}"


def test_a_batch_is_opened_with_the_code_of_its_runs(store: Store) -> None:
    entered = voice(shout).start_all([{"text": "a"}, {"text": "b"}], store=store)
    looked = open_batch(store, entered.id)
    assert [run.status for run in looked] == ["waiting", "waiting"]
    with pytest.raises(RunError, match="names code that is not here"):
        looked[0].resume("")
    for run in open_batch(store, entered.id[:4], loop=voice(shout)):
        run.resume("")
    assert [run.result for run in looked] == ["A", "B"]
    with pytest.raises(RunError, match=r"the code of .* has changed"):
        open_batch(store, entered.id, loop=voice(shout, version="2"))


def test_the_runs_of_a_store_the_newest_first_and_of_a_batch_in_order(store: Store) -> None:
    assert list(runs(store)) == []
    alone = voice(shout).start({"text": "Hello"}, store=store)
    batch = voice(shout).start_all([{"text": "a"}, {"text": "b"}], store=store)
    found = list(runs(store))
    assert [run.id for run in found] == [batch[1].id, batch[0].id, alone.id]
    assert (found[2].status, found[2].questions, found[2].row.inputs) == ("waiting", alone.questions, {"text": "Hello"})
    assert [run.id for run in runs(store, batch=batch.id[:4])] == [run.id for run in batch]
    assert_type(next(runs(store)), Run[Any])


def test_runs_are_read_as_they_are_come_to(store: Store) -> None:
    voice(shout).start_all([{"text": str(number)} for number in range(3)], store=store)
    listed = runs(store)
    asked: list[str] = []
    store.database.connection.set_trace_callback(asked.append)
    next(listed)
    store.database.connection.set_trace_callback(None)
    assert len([statement for statement in asked if statement.startswith("SELECT plan")]) == 1


def test_a_run_that_cannot_be_read_hides_no_other(store: Store) -> None:
    ids = [voice(shout).start({"text": "Hello"}, store=store).id for _ in range(4)]
    with store.database.transaction() as connection:
        connection.execute("UPDATE runs SET plan = json_set(plan, '$.format', 99) WHERE id = ?", (ids[1],))
        connection.execute("UPDATE runs SET plan = 'x' WHERE id = ?", (ids[2],))
    assert [run.id for run in runs(store)] == [ids[3], ids[0]]


def test_runs_of_a_store_or_a_batch_that_is_not_there(store: Store, tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    with pytest.raises(StoreError, match="there is no such file, so no run was started there yet"):
        runs(url)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UnknownRun, match="there is no batch 'b7' in store memory:"):
        runs(store, batch="b7")


def test_a_batch_that_is_not_there(store: Store) -> None:
    with pytest.raises(StoreError, match="there is no batch 'b7' in store memory:"):
        open_batch(store, "b7")


def test_types_follow_the_loop_and_what_is_no_loop_is_told(tmp_path: Path) -> None:
    def area(width: float) -> float:
        """The area of a board."""
        return width

    url = f"sqlite:{tmp_path / 'runs.db'}"
    loop = ToolLoop([area], output=float)
    run = loop.start({"task": "?"}, store=url, model=ScriptedModel({"ask": [2.5]}), batch="one")
    assert_type(loop.stream({"task": "?"}, model="m"), Stream[Run[float]])
    assert_type(open_run(url, run.id), Run[Any])
    assert_type(open_batch(url, "one", loop=loop), Batch[float])
    assert_type(ToolLoop([area], output=float | None), ToolLoop[Any])
    assert assert_type(open_run(url, run.id, loop=loop), Run[float]).result == 2.5
    with pytest.raises(
        RunError, match=f"loop= is the loop that run {run.id} was started from, as lw.load gives it; 'loop' is none"
    ):
        open_run(url, run.id, loop="loop")  # type: ignore[call-overload]
