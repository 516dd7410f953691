"""A call of a model that is made again where it failed in a way that may pass. No I/O."""

import random
from asyncio import CancelledError
from collections.abc import Generator
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any

from loopwright.errors import ContractError, FormRefused, ModelError, NotRecorded
from loopwright.nodes.contract import ToolCall
from loopwright.nodes.driver.asking import ATTEMPT, on_terms, require_time
from loopwright.nodes.driver.failure import BROKEN, NOTHING, Failure, words_of_error
from loopwright.nodes.driver.ledger import OverBudget
from loopwright.nodes.driver.speech import Speech
from loopwright.nodes.driver.steps import CallModel, HearModel, Job, Sleep, Step, Tell
from loopwright.nodes.driver.terms import Terms
from loopwright.nodes.events import Retrying
from loopwright.nodes.models.contract import Model, ModelReply
from loopwright.nodes.models.retrying import LONGEST_ASKED
from loopwright.state.records import Usage

_MOST_FORMS = 4
"""So many forms can be refused before one that is taken."""

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds before the first repetition of a failed call, and the most; doubled each time, unless the server says."""


def call_with_retries(
    job: Job, step: CallModel | HearModel, usage: Usage, speech: Speech, terms: Terms | None
) -> Generator[Step, Any, tuple[ModelReply, Usage]]:
    """Make a call, and make it again where that may help.

    Args:
        job: The visit.
        step: How the model is asked.
        usage: What the visit took so far.
        speech: What it has said so far, which is void where a call broke off.
        terms: On what terms the model is asked.

    Returns:
        The reply, and what the visit took so far with it.

    Raises:
        Failure: The call failed for good, or is over budget.
    """
    model, retries, refused = step.model, 0, 0
    try:
        while True:
            try:
                reply = yield from on_terms(step, terms, job.label, job.task)
            except FormRefused as error:
                refused += 1
                if refused > _MOST_FORMS:
                    raise Failure("failed", str(error), model.label, usage + ATTEMPT) from error
                usage += Usage(retries=1)
                yield Tell(Retrying(job.label, job.task, str(error), 0.0))
            except ModelError as error:
                wait = _wait_or_fail(error, model, retries, usage)
                retries += 1
                usage += Usage(retries=1)
                require_time(terms, wait)
                yield from speech.withdraw()
                yield Tell(Retrying(job.label, job.task, str(error), round(wait, 3)))
                yield Sleep(wait)
            else:
                _require_reply(reply, model.label)
                return reply, reply.usage if usage is NOTHING else usage + reply.usage
    except OverBudget as error:
        if retries or refused:  # what was counted as made again was not
            usage += replace(ATTEMPT, retries=-1)
        raise Failure("over_budget", str(error), model.label, usage, short=error.short) from error
    except (Failure, ContractError):
        raise
    except (Exception, CancelledError) as error:
        raise Failure("failed", f"{model.label}: {words_of_error(error)}", model.label, usage + ATTEMPT) from error


def _require_reply(reply: Any, label: str) -> None:
    calls: Any = reply.tool_calls if isinstance(reply, ModelReply) else None
    if not isinstance(calls, list | tuple) or not all(isinstance(call, ToolCall) for call in calls):
        raise ContractError(
            f"{label} gave {reply!r:.200}, and a model's reply is an lw.ModelReply, its calls a tuple of lw.ToolCall"
        )
    usage: Any = reply.usage
    if not isinstance(usage, Usage) or not all(map(_is_count, _counts(usage))):
        raise ContractError(f"{label} gave {usage!r:.200}, and a reply's usage is an lw.Usage of numbers from 0 on")


_counts = attrgetter(*(count.name for count in fields(Usage)))


def _is_count(count: Any) -> bool:
    return isinstance(count, int | float) and 0 <= count < 1 << 53


def _wait_or_fail(error: ModelError, model: Model, retries: int, usage: Usage) -> float:
    """Seconds until a call is made again that has failed so often; the failure, where it is not."""
    if isinstance(error, NotRecorded):
        raise Failure(BROKEN, str(error), model.label, usage) from error
    too_long = (error.retry_after or 0) > LONGEST_ASKED
    if not error.retryable or too_long or retries >= model.retries:
        tried = f" (tried {retries + 1} times)" if retries else ""
        raise Failure("failed", f"{error}{tried}", model.label, usage + ATTEMPT) from error
    return _wait_before_retry(retries, error.retry_after)


def _wait_before_retry(retries: int, asked_for: float | None) -> float:
    if asked_for is not None:
        return asked_for
    longest = min(LONGEST_WAIT, FIRST_WAIT * 2.0**retries)
    return longest * random.uniform(0.5, 1.0)  # spread out, so that parallel branches do not come back together
