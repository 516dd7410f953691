"""Which question an answer is for: one that was shown, one that was answered before, or one that has changed."""

from typing import Any

import pytest

from loopwright.errors import AlreadyAnswered, NotWaiting, WrongAnswer
from loopwright.graphs.plan import End
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.think import Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel, assert_path


def approval() -> Loop[Any]:
    builder = PlanBuilder("approval", [Channel("draft"), Channel("notes")], result="notes")
    builder.node(Think("write", prompt="Write.", writes="draft")).edge("write", "done", "approve")
    node = Human("approve", text="<{draft}>?", outcomes=["yes", "no"], writes="notes", default="yes", on_text="no")
    builder.node(node).edge("approve", "yes", End("published"))
    return builder.edge("approve", "no", "write", at_most=3, then=End("dropped", ok=False)).loop()


def model() -> RecordingModel:
    return RecordingModel({"write": ["A", "B", "C", "D"]})


@pytest.fixture
def waiting(store: Store) -> Run:
    return approval().start(store=store, model=model())


def other(run: Run) -> Run:
    """Another process's view of the run."""
    return open_run(run.store, run.id, models={"default": model()})


def changed(run: Run) -> str:
    (question,) = run.row.questions
    return (
        f"run {run.id}: the question has changed since it was looked at; open is {question.id[:8]} (approve):"
        f" {question.text}: look at questions again, or give the question's id"
    )


def test_an_answer_is_for_the_question_that_was_shown(drive: Any, waiting: Run) -> None:
    looked = other(waiting)
    assert [question.text for question in looked.questions] == ["A?"]
    drive.resume(waiting, "shorter")
    before = waiting.row
    with pytest.raises(NotWaiting) as caught:
        drive.resume(looked, "yes")
    assert str(caught.value) == changed(looked)
    assert waiting.row == before
    assert [question.text for question in looked.questions] == ["B?"]
    assert drive.resume(looked, "yes").end == End("published")


def test_a_run_that_came_to_rest_has_shown_its_question(drive: Any, store: Store) -> None:
    run = drive.start(approval(), store=store, model=model())
    drive.resume(other(run), "shorter")
    with pytest.raises(NotWaiting, match="the question has changed"):
        drive.resume(run, "yes")
    follower = other(run)
    drive.follow(follower, "no")
    drive.resume(other(run), "no")
    with pytest.raises(NotWaiting, match="the question has changed"):
        drive.follow(follower, "yes")


def test_who_was_shown_nothing_answers_what_is_open(drive: Any, waiting: Run) -> None:
    late = other(waiting)
    drive.resume(waiting, "shorter")
    assert drive.resume(late, "yes").end == End("published")


def test_an_id_says_which_question_is_meant(drive: Any, waiting: Run) -> None:
    looked = other(waiting)
    assert len(looked.questions) == 1
    drive.resume(waiting, "shorter")
    (second,) = waiting.questions
    assert drive.resume(looked, "yes", question=second.id[:8]).end == End("published")


@pytest.mark.parametrize("id", ["", 5])
def test_what_is_no_id(drive: Any, waiting: Run, id: Any) -> None:
    with pytest.raises(NotWaiting) as caught:
        drive.resume(waiting, "yes", question=id)
    assert str(caught.value) == f"run {waiting.id}: {id!r} is the id of no question; leave it out, or give one"
    assert waiting.status == "waiting"


@pytest.mark.parametrize("answer", ["\ud800", {"action": "no", "text": "\ud800"}])
def test_half_a_character_changes_nothing(drive: Any, waiting: Run, answer: Any) -> None:
    before = waiting.row
    with pytest.raises(WrongAnswer, match="is not JSON that can be kept: text that can be encoded"):
        drive.resume(waiting, answer)
    assert waiting.row == before


def test_an_answer_given_twice(drive: Any, waiting: Run) -> None:
    question = waiting.questions[0].id
    drive.resume(waiting, "yes", question=question)
    before = waiting.row
    with pytest.raises(AlreadyAnswered) as caught:
        drive.resume(waiting, "no", question=question)
    said = '{"action": "yes", "text": ""}'
    assert str(caught.value) == f"run {waiting.id}: question {question[:8]} of approve was answered with {said}"
    for answer in ("nonsense", {"action": "maybe"}, None):
        with pytest.raises(AlreadyAnswered):
            drive.resume(waiting, answer, question=question)
    assert drive.resume(waiting, "yes", question=question[:6]) is waiting
    assert drive.follow(waiting, {"action": "yes", "text": ""}, question=question) == []
    with pytest.raises(NotWaiting) as ended:
        drive.resume(waiting, "yes")
    assert str(ended.value) == f"run {waiting.id} has ended (published: approve answered 'yes'); start a new one"
    assert (waiting.result, waiting.row) == (None, before)
    assert_path(waiting, ["write done -> approve", "approve yes -> published"])
