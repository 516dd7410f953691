"""One call of a model, made when its budgets and its rate limits allow it. No I/O."""

from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Any

from loopwright.errors import ModelError
from loopwright.nodes.driver.ledger import Hold, Ledger, OverBudget
from loopwright.nodes.driver.steps import CallModel, HearModel, Step, Tell, Wait
from loopwright.nodes.driver.terms import Terms, prompt_bound
from loopwright.nodes.events import Held
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.limiter import Entry, Limiter
from loopwright.nodes.models.prices import priced
from loopwright.nodes.models.retrying import LONGEST_ASKED
from loopwright.state.records import Usage

LONG = 1.0
"""Seconds of waiting for a rate limit that are told."""

ATTEMPT = Usage(failed=1)
"""What a call took that failed."""


def on_terms(
    step: CallModel | HearModel, terms: Terms | None, node: str, task: str
) -> Generator[Step, Any, ModelReply]:
    """Make a call when its budgets and its rate limits allow it.

    Args:
        step: How the model is asked.
        terms: On what terms; freely, where there are none.
        node: The node that asks.
        task: The visit's id.

    Returns:
        The reply, with what it cost.

    Raises:
        OverBudget: The call does not fit a budget, and was not made.
        ModelError: The call failed.
    """
    reply: ModelReply
    if terms is None:
        reply = yield step
        return reply
    ledger, limiter = terms.ledger, terms.limiter
    hold: Hold | None = None
    entry: Entry | None = None
    took: Usage | None = None
    try:
        if ledger is not None:
            hold = ledger.reserve(terms.accounts, terms.need(step.call))
            while (woken := ledger.pause(hold)) is not None:
                yield Wait(woken, ledger.seconds_left())
            step = _limited(step, terms, hold, ledger.seconds_left())
        if limiter is not None and not limiter.is_open:
            entry = limiter.enter(_size(step.call, terms) if limiter.counts_tokens else 0)
            yield from _turn(entry, limiter, ledger, node, task, step.model.label)
        took = ATTEMPT
        reply = yield step
        if isinstance(reply, ModelReply):
            took = priced(reply.usage, terms.price)
            reply = reply if took is reply.usage else replace(reply, usage=took)
        return reply
    except ModelError as error:
        asked = error.retry_after or 0.0
        if limiter is not None and 0 < asked <= LONGEST_ASKED:  # what is longer is waited for by nobody
            limiter.hold_back(asked)
        raise
    finally:
        if ledger is not None and hold is not None:
            ledger.settle(hold, took)
        if limiter is not None and entry is not None:
            limiter.leave(entry, None if took is None else took.tokens)


def require_time(terms: Terms | None, seconds: float) -> None:
    """Refuse to wait longer than the run may be at work.

    Raises:
        OverBudget: There are not so many seconds left.
    """
    left = terms.ledger.seconds_left() if terms and terms.ledger else None
    if left is not None and left <= seconds:
        raise OverBudget(
            f"over budget: seconds: {left:.1f} s left, and the next attempt waits {seconds:.1f} s",
            {"seconds": seconds - left + 60},
        )


def _turn(
    entry: Entry, limiter: Limiter, ledger: Ledger | None, node: str, task: str, model: str
) -> Iterator[Tell | Wait]:
    """Wait for the turn of a call; a long wait is told."""
    told = False
    while (pause := limiter.pause(entry)) is not None:
        left = ledger.seconds_left() if ledger is not None else None
        if pause.seconds is not None and pause.seconds >= LONG and not told:
            told = True
            yield Tell(Held(node, task, f"{model}: {pause.why}", round(pause.seconds, 3)))
        waits = [seconds for seconds in (pause.seconds, left) if seconds is not None]
        yield Wait(pause.woken, min(waits, default=None))


def _limited(step: CallModel | HearModel, terms: Terms, hold: Hold, left: float | None) -> CallModel | HearModel:
    """The step with what its budgets have left for the answer, as far as the model can be told."""
    if not terms.can_be_told:
        return step
    cut = hold.answer if hold.need.prompt is not None and terms.max_tokens is None else None
    timeout = left if left is not None and left < (terms.timeout or left + 1) else None
    return replace(step, call=replace(step.call, max_tokens=cut, timeout=timeout)) if cut or timeout else step


def _size(call: ModelCall, terms: Terms) -> int:
    return prompt_bound(call) + (terms.max_tokens or call.max_tokens or 0)
