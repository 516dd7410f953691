"""A visit that is asked again, for its answer could not be read or its form was refused; and what is kept of that."""

import json
from typing import Any

import pytest

from loopwright.errors import FormRefused
from loopwright.nodes.driver.steps import CallModel, Job, Result, Step, Suspend, Tell, Visiting
from loopwright.nodes.driver.visit import visit
from loopwright.nodes.events import Retrying
from loopwright.nodes.models.contract import ModelReply
from loopwright.nodes.think import Judge
from loopwright.state.records import Usage
from loopwright.testing.scripts import RecordingModel

MODEL = RecordingModel({"default": ["unused"]}, label="m")
REVIEW = Judge("review", prompt="Good?", outcomes=["pass", "revise"])
REFUSED = FormRefused("m: no response_format")


def reviewing(handled: str = "") -> Visiting:
    return visit(Job(REVIEW, {}, {}, {"default": MODEL}, "task", "review", frozenset(handled.split())))


def walk(visiting: Visiting, *replies: Any) -> tuple[list[Step], Result | None]:
    """The steps of a visit that is sent these replies, and its result if it came to one."""
    steps = [next(visiting)]
    for reply in replies:
        try:
            steps.append(visiting.throw(reply) if isinstance(reply, BaseException) else visiting.send(reply))
        except StopIteration as stop:
            return steps, stop.value
    return steps, None


def test_what_was_said_is_kept_where_it_is_not_the_reply() -> None:
    _, result = walk(reviewing(), ModelReply("Pass."))
    assert result is not None
    assert (result.reply, result.raw) == ({"outcome": "pass"}, "Pass.")
    _, result = walk(reviewing(), ModelReply('{"outcome": "pass"}'))
    assert result is not None
    assert (result.reply, result.raw, result.note) == ({"outcome": "pass"}, None, "")
    _, result = walk(reviewing("unreadable"), ModelReply("banana"), ModelReply("half \ud83d"))
    assert result is not None
    assert (result.reply, result.raw) == (None, "half \\ud83d")
    assert result.note.startswith('asked again: the answer is "banana", and not JSON of the form')


def test_a_repair_says_why_it_was_asked_again() -> None:
    steps, result = walk(reviewing(), ModelReply("banana"), ModelReply({"outcome": "pass"}))
    assert result is not None
    assert (result.note, result.raw) == (
        'asked again: the answer is "banana", and not JSON of the form {outcome: pass | revise, reason?: str}',
        None,
    )
    assert isinstance(steps[-1], CallModel)
    words = steps[-1].call.messages[-1]["content"]
    assert words.endswith(f"in the form that was asked for, JSON of this schema:\n{json.dumps(REVIEW.schema)}")


@pytest.mark.parametrize("nothing", ["", " ", None])
def test_no_message_of_a_chat_is_empty(nothing: Any) -> None:
    steps, _ = walk(reviewing(), ModelReply(nothing))
    assert isinstance(steps[-1], CallModel)
    assert steps[-1].call.messages[-2] == {"role": "assistant", "content": "(nothing)"}


@pytest.mark.parametrize("repairs", [0, 1, 3])
def test_a_model_says_how_often_it_is_asked_again(repairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODEL, "repairs", repairs, raising=False)
    _, result = walk(reviewing("unreadable"), *[ModelReply("?")] * (repairs + 1))
    assert result is not None
    assert (result.answer.outcome, result.usage) == ("unreadable", Usage(calls=1, repairs=repairs))


def test_a_form_that_is_refused_is_another_call_and_told_and_no_retry_of_the_models() -> None:
    steps, result = walk(reviewing(), REFUSED, None, REFUSED, None, ModelReply("pass", note="asked for in words"))
    assert result is not None
    assert result.usage == Usage(calls=1, retries=2)
    assert result.note.startswith("asked for in words; read ")
    assert [type(step) for step in steps] == [CallModel, Tell, CallModel, Tell, CallModel]
    assert steps[1] == Tell(Retrying("review", "task", "m: no response_format", 0.0))


def test_forms_do_not_end_in_a_loop() -> None:
    _, result = walk(reviewing("failed"), *[REFUSED, None] * 4, REFUSED)
    assert result is not None
    assert (result.answer.outcome, result.usage) == ("failed", Usage(retries=4, failed=1))


def test_a_part_that_was_taken_out_of_more_keeps_all_of_it() -> None:
    reply = ModelReply({"outcome": "pass"}, note="taken out of a call in the text", raw="<tool_call>...")
    _, result = walk(reviewing(), reply)
    assert result is not None
    assert (result.note, result.raw) == ("taken out of a call in the text", "<tool_call>...")


@pytest.mark.parametrize("counts", [{"tokens_in": -1}, {"tokens_out": 10**30}, {"cost": float("nan")}])
def test_usage_that_no_store_can_count_is_told(counts: Any) -> None:
    steps, result = walk(reviewing(), ModelReply("pass", Usage(**counts)))
    assert result is None
    assert isinstance(steps[-1], Suspend)
    assert steps[-1].reason.startswith("m gave Usage(")
