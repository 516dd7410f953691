"""Calls that are made again."""

from typing import Any

import pytest

from loopwright.errors import ContractError, FormRefused, ModelError
from loopwright.nodes.driver.attempts import FIRST_WAIT, LONGEST_WAIT, call_with_retries
from loopwright.nodes.driver.failure import NOTHING, Failure
from loopwright.nodes.driver.speech import Speech
from loopwright.nodes.driver.steps import CallModel, Job, Sleep
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.think import Think
from loopwright.state.records import Usage

MODEL = ScriptedModel({"default": ["A"]}, label="plain")


def made(*results: Any) -> tuple[list[float], ModelReply, Usage]:
    """Make a call whose attempts come to these; with the seconds that were waited between them."""
    job = Job(Think("write", prompt="?"), {}, {}, {}, label="write")
    step = CallModel(MODEL, ModelCall("write", []))
    attempts = call_with_retries(job, step, NOTHING, Speech("write", "", ()), None)
    waits, left = [], list(results)
    said: Any = next(attempts)
    while True:
        try:
            if isinstance(said, Sleep):
                waits.append(said.seconds)
            if not isinstance(said, CallModel):
                said = attempts.send(None)
            elif isinstance(result := left.pop(0), Exception):
                said = attempts.throw(result)
            else:
                said = attempts.send(result)
        except StopIteration as stop:
            return waits, *stop.value


def test_what_may_pass_is_tried_again_after_waits_that_grow() -> None:
    passing = ModelError("503", retryable=True)
    waits, reply, usage = made(passing, passing, ModelReply("A"))
    assert (reply.content, usage) == ("A", Usage(calls=1, retries=2))
    assert FIRST_WAIT / 2 <= waits[0] <= FIRST_WAIT <= waits[1] <= 2 * FIRST_WAIT < LONGEST_WAIT


def test_a_server_says_how_long() -> None:
    waits, *_ = made(ModelError("429", retryable=True, retry_after=7.0), ModelReply("A"))
    assert waits == [7.0]


def test_a_form_that_is_refused_is_asked_for_otherwise_at_once() -> None:
    waits, _, usage = made(FormRefused("400"), ModelReply("A"))
    assert (waits, usage) == ([], Usage(calls=1, retries=1))


@pytest.mark.parametrize(
    ("results", "outcome", "usage"),
    [
        ([ModelError("401")], "failed", Usage(failed=1)),
        ([ModelError("429", retryable=True, retry_after=301.0)], "failed", Usage(failed=1)),
        ([ModelError("503", retryable=True)] * 4, "failed", Usage(retries=3, failed=1)),
        ([OSError("gone")], "failed", Usage(failed=1)),
    ],
)
def test_what_does_not_pass_is_a_failure_that_counts(results: list[Any], outcome: str, usage: Usage) -> None:
    with pytest.raises(Failure) as caught:
        made(*results)
    assert (caught.value.outcome, caught.value.usage) == (outcome, usage)


def test_what_is_no_reply_breaks_the_contract() -> None:
    with pytest.raises(ContractError, match=r"plain\) gave 'A', and a model's reply is an lw\.ModelReply"):
        made("A")


def test_the_waits_double_up_to_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODEL, "retries", 9)
    waits, *_ = made(*[ModelError("503", retryable=True)] * 9, ModelReply("A"))
    longest = [min(LONGEST_WAIT, FIRST_WAIT * 2**place) for place in range(9)]
    assert longest[-1] == LONGEST_WAIT
    assert all(most / 2 <= wait <= most for wait, most in zip(waits, longest, strict=True))
