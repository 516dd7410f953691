"""Runs that stopped at awkward moments, and where they go on."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import AlreadyAnswered, StoreError
from loopwright.graphs.plan import End
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.models import as_data
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.models.contract import ModelCall
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.records import Answered, Usage
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel, assert_path


def approval() -> Loop[Any]:
    """Write, ask, and thank."""
    builder = PlanBuilder(
        "approval", [Channel("topic", input=True, default="bridges"), Channel("draft"), Channel("said")]
    )
    builder.node(Think("write", prompt="<{topic}>", writes="draft")).edge("write", "done", "ask")
    builder.node(Human("ask", text="<{draft}>?", outcomes=["yes", "no"])).edge("ask", "yes", "thank")
    builder.edge("ask", "no", "write", at_most=2, then=End("dropped", ok=False))
    return builder.node(Think("thank", prompt="?", writes="said")).edge("thank", "done", End("published")).loop()


class Interrupted:
    """A model at one of whose calls somebody presses Ctrl-C."""

    def __init__(self, node: str) -> None:
        self.node = node

    def __call__(self, call: ModelCall) -> str:
        if call.node == self.node:
            self.node = ""
            raise KeyboardInterrupt
        return f"said by {call.node}"


def model(interrupted_in: str = "") -> RecordingModel:
    return RecordingModel(Interrupted(interrupted_in))


def test_stopped_before_anything_was_kept(drive: Any, store: Store) -> None:
    loop, answers = approval(), model()
    row = RunRow("", "approval", loop.plan.fingerprint, {"topic": "x"}, as_data({"default": answers}))
    run = open_run(store, store.registry.enter(row, loop.plan.to_data()).id, models={"default": answers})
    store.registry.interrupt(run.id)
    drive.resume(run)
    assert (run.status, answers.prompts("write")) == ("waiting", [[{"role": "user", "content": "x"}]])


def test_stopped_between_the_end_and_its_record(drive: Any, store: Store) -> None:
    answers = model()
    run = drive.resume(drive.start(approval(), store=store, model=answers), "yes")
    before = run.row
    store.registry.interrupt(run.id)
    assert run.status == "interrupted"
    drive.resume(run)
    rested = run.row
    assert rested == replace(before, updated=rested.updated, token=before.token + 1, beat=rested.beat)
    assert answers.asked == ["write", "thank"]
    assert_path(run, ["write done", "ask yes", "thank done -> published"])


def test_stopped_before_the_answer_was_kept(drive: Any, store: Store) -> None:
    answers = model()
    run = drive.start(approval(), store=store, model=answers)
    (question,) = run.questions
    store.registry.interrupt(run.id)
    drive.resume(run)
    assert (run.status, run.questions) == ("waiting", (question,))
    store.registry.interrupt(run.id)
    assert drive.resume(run, "yes").end == End("published")
    assert answers.asked == ["write", "thank"]


@pytest.mark.parametrize("again", [None, "yes"])
def test_stopped_before_the_answer_was_taken(drive: Any, store: Store, again: str | None) -> None:
    """An answer is kept when the run is claimed for it, and so it is not asked for again."""
    answers = model()
    run = drive.start(approval(), store=store, model=answers)
    (question,) = run.questions
    store.registry.claim(run.id, answered=Answered(question, {"action": "yes", "text": ""}))
    store.registry.interrupt(run.id)
    with pytest.raises(AlreadyAnswered, match=r'was answered with \{"action": "yes", "text": ""\}'):
        drive.resume(run, "no")
    assert run.status == "interrupted"
    assert drive.resume(run, again).end == End("published")
    assert_path(run, ["write done", "ask yes", "thank done"])


def test_stopped_after_the_answer_was_kept(drive: Any, store: Store) -> None:
    answers = model("thank")
    run = drive.start(approval(), store=store, model=answers)
    with pytest.raises(KeyboardInterrupt):
        drive.resume(run, "yes")
    assert run.status == "interrupted"
    with pytest.raises(AlreadyAnswered, match=r'was answered with \{"action": "yes", "text": ""\}'):
        drive.resume(run, "no")
    assert drive.resume(run).end == End("published")
    assert_path(run, ["write done", "ask yes", "thank done"])


def test_an_answer_is_for_its_round_only(drive: Any, store: Store) -> None:
    run = drive.start(approval(), store=store, model=model())
    first = run.questions[0].id
    drive.resume(run, "no")
    second = run.questions[0].id
    assert first != second
    with pytest.raises(AlreadyAnswered, match=f"question {first[:8]} of ask was answered with"):
        drive.resume(run, "yes", question=first)
    assert drive.resume(run, "no", question=first).questions[0].id == second
    assert drive.resume(run, "yes", question=second).end == End("published")


def people(kind: str) -> Loop[Any]:
    """People as the whole of the branches."""
    builder = PlanBuilder("people", [Channel("items", input=True), Channel("found")], result="found")
    ask = Human("ask", text="Which?", outcomes=["yes", "no"])
    if kind == "each":
        builder.each(
            "fork", over="items", as_="item", do=Human("ask", text="<{item}>?", outcomes=["yes", "no"]), collect="found"
        )
    else:
        builder.parallel("fork", {"left": ask, "right": Think("say", prompt="?"), "more": ask}, collect="found")
    return builder.edge("fork", "done", End("found")).loop()


def answer_all(drive: Any, run: Run) -> None:
    while run.status == "waiting":
        drive.resume(
            run, "no" if run.questions[-1].node.startswith("fork[1]") else "yes", question=run.questions[-1].id
        )


def test_people_as_branches(drive: Any) -> None:
    run = drive.start(people("each"), {"items": ["a", "b", "c"]})
    assert [question.text for question in run.questions] == ["a?", "b?", "c?"]
    answer_all(drive, run)
    assert run.result == ["yes", "no", "yes"]
    run = drive.start(people("parallel"), {"items": []}, model=model())
    assert [question.node for question in run.questions] == ["fork[left]/ask", "fork[more]/ask"]
    answer_all(drive, run)
    assert run.result == {"left": "yes", "right": "said by fork[right]/say", "more": "yes"}


def test_the_worst_case_of_forks_in_loops_stays_within_the_engines_limit(drive: Any) -> None:
    body = PlanBuilder("body", [Channel("item", input=True), Channel("text")], result="text")
    body.node(Think("write", prompt="<{item}>", writes="text")).edge("write", "done", "grade")
    body.node(Judge("grade", prompt="<{text}>", outcomes=["good", "again"])).edge("grade", "good", End("ok"))
    body.edge("grade", "again", "write", at_most=2, then=End("ok"))
    builder = PlanBuilder("worst", [Channel("items", input=True), Channel("found")], result="found")
    builder.each("rate", over="items", as_="item", do=body.build(), collect="found", at_most=3)
    builder.edge("rate", "done", "look").node(Judge("look", prompt="<{found}>", outcomes=["good", "again"]))
    builder.edge("look", "again", "rate", at_most=2, then=End("bad", ok=False)).edge("look", "good", End("good"))
    loop = builder.loop()
    answers = RecordingModel(lambda call: {"outcome": "again"} if call.schema else "text")
    run = drive.start(loop, {"items": ["a", "b", "c"]}, model=answers)
    assert run.end == End("bad", ok=False)
    assert len(answers.calls) == loop.certificate.calls == 3 * (3 * 6 + 1)
    assert len(run.visits) == loop.certificate.visits == 3 * (3 * 6 + 1 + 1)


@pytest.mark.parametrize(
    ("statement", "what"), [("DELETE FROM checkpoints", "checkpoints"), ("DELETE FROM writes", "writes")]
)
def test_what_is_missing_of_a_run_is_told(drive: Any, store: Store, statement: str, what: str) -> None:
    answers = model()
    run = drive.start(approval(), store=store, model=answers)
    with store.database.transaction() as connection:
        connection.execute(statement)
    with pytest.raises(StoreError) as caught:
        drive.resume(run, "yes")
    assert str(caught.value) == f"store memory:: the {what} of run {run.id} are missing, so it cannot go on"
    assert (run.status, answers.asked) == ("interrupted", ["write"])


def test_a_question_that_is_asked_again_takes_a_new_answer(drive: Any, store: Store) -> None:
    """With its question lost the run can only ask again, and the answer of then is not held against the new one."""
    run = drive.start(approval(), store=store, model=model())
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM writes")
    with pytest.raises(StoreError):
        drive.resume(run, "yes")
    assert drive.resume(run).status == "waiting"
    assert drive.resume(run, "no").questions[0].text == "said by write?"
    assert_path(run, ["write done", "ask no", "write done"])


def test_calls_of_visits_that_are_made_again_are_counted(drive: Any, store: Store) -> None:
    builder = PlanBuilder("fork", [Channel("items", input=True), Channel("marks")], result="marks")
    judge = Judge("grade", prompt="<{item}>", outcomes=["good", "bad"])
    builder.each("rate", over="items", as_="item", do=judge, collect="marks").edge("rate", "done", End("rated"))
    said = iter(["?", "?", "?", "?", "good"])
    answers = RecordingModel(lambda call: next(said))
    run = drive.start(builder.loop(), {"items": ["a"]}, store=store, model=answers)
    assert (run.status, run.usage) == ("suspended", Usage(repairs=1, repeats=1))
    assert drive.resume(run).usage == Usage(repairs=2, repeats=2)
    assert drive.resume(run).usage == Usage(calls=1, repairs=2, repeats=2)
    assert (run.status, len(answers.calls)) == ("finished", 5)
    assert [visit.usage for visit in run.visits if visit.node != "rate"] == [Usage(calls=1)]


def test_each_suspended_branch_is_counted_once(drive: Any, store: Store) -> None:
    builder = PlanBuilder("fork", [Channel("items", input=True), Channel("marks")], result="marks")
    judge = Judge("grade", prompt="<{item}>", outcomes=["good", "bad"])
    builder.each("rate", over="items", as_="item", do=judge, collect="marks").edge("rate", "done", End("rated"))
    broken = RecordingModel(lambda call: "good" if call.node == "rate[0]/grade" else "?")
    run = drive.start(builder.loop(), {"items": ["a", "b", "c"]}, store=store, model=broken)
    assert (run.status, len(broken.calls)) == ("suspended", 5)
    assert run.usage == Usage(calls=1, repairs=2, repeats=2)


def test_a_store_that_is_deleted_stops_the_run(drive: Any, tmp_path: Path) -> None:
    path = tmp_path / "runs.db"

    def delete(call: ModelCall) -> str:
        path.unlink()
        return "A"

    with pytest.raises(StoreError) as caught:
        drive.start(approval(), store=f"sqlite:{path}", model=RecordingModel(delete))
    assert str(caught.value) == (
        f"store sqlite:{path}: the file was deleted or replaced while it was open, so nothing more is kept;"
        " put it back and resume the run, or start anew"
    )
    assert not path.exists()
