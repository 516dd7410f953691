"""One visit of a node, as a generator without any I/O: retries, repairs, and failures as outcomes."""

import json
import random
import traceback
from asyncio import CancelledError
from collections.abc import Generator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from loopwright.errors import ContractError, FormRefused, ModelError, NotRecorded, Unreadable
from loopwright.nodes.contract import Answer, Ask, AskModel, AskOutside, AskWorld, Message, ToolCall
from loopwright.nodes.driver.asking import ATTEMPT, on_terms, require_time
from loopwright.nodes.driver.ledger import OverBudget
from loopwright.nodes.driver.speech import Speech
from loopwright.nodes.driver.steps import (
    CallModel,
    CallWorld,
    HearModel,
    Job,
    Outside,
    Result,
    Sleep,
    Step,
    Suspend,
    Tell,
    Visiting,
)
from loopwright.nodes.driver.terms import Terms
from loopwright.nodes.events import Retrying
from loopwright.nodes.interrupts import require_no_interrupt
from loopwright.nodes.models.contract import Model, ModelCall, ModelReply
from loopwright.nodes.models.retrying import LONGEST_ASKED
from loopwright.nodes.structured import Reading, kept, read_value
from loopwright.state.channels import MISSING
from loopwright.state.records import Usage
from loopwright.state.schema import is_json
from loopwright.state.values import Json

REPAIRS = 1
"""How often a model that says nothing else is asked again, with the validator's words, when it is unreadable."""

_MOST_FORMS = 4
"""So many forms can be refused before one that is taken."""

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds before the first repetition of a failed call, and the most; doubled each time, unless the server says."""

MOST_LETTERS = 4000
"""Letters of a question, and of each answer to it, that are kept of a visit at which a run is suspended."""

NOTHING = Usage()
_PACKAGE = str(Path(__file__).parents[2])

BROKEN = ""
"""What stands for an outcome where a node broke its contract: no edge can handle that."""


@dataclass
class _Failure(Exception):
    """A failure outcome on its way to an edge, or to a suspension."""

    outcome: str
    reason: str
    model: str = ""
    usage: Usage = NOTHING
    note: str = ""
    raw: Json = None
    short: Mapping[str, float] = field(default_factory=dict)
    asked: str = ""
    said: tuple[str, ...] = ()


def visit(job: Job) -> Visiting:
    """One visit: ask, get the reply, answer. Failures become outcomes, or suspend the run and are tried again."""
    speech = Speech(job.label, job.task, job.heard)
    while True:
        try:
            return (yield from _attempt(job, speech))
        except _Failure as failure:
            yield from speech.withdraw()
            reason = failure.reason.encode(errors="backslashreplace").decode()  # names of files may not be encodable
            if failure.outcome in job.handled:
                answer = Answer(failure.outcome, {}, reason)
                return Result(answer, None, failure.model, failure.usage, failure.note, failure.raw)
            yield Suspend(reason, failure.usage, failure.model, failure.short, failure.asked, failure.said)


def _attempt(job: Job, speech: Speech) -> Visiting:
    said, ask = _Said(), None
    try:
        _require_reads(job)
        ask = job.node.ask_again(job.view) if job.again else job.node.ask(job.view)
        said = yield from _reply(job, ask, speech)
        answer = job.node.answer(job.view, said.reply)
        _require_contract(job, answer)
    except _Failure as failure:
        failure.asked = _last_of(ask)
        raise
    except Unreadable as error:
        answers = (_cut(said.reply if said.raw is None else said.raw),) if said.model else ()
        raise _Failure("unreadable", str(error), said.model, said.usage, asked=_last_of(ask), said=answers) from error
    except ContractError as error:
        raise _Failure(BROKEN, str(error), said.model, said.usage) from error
    except (Exception, CancelledError) as error:
        raise _Failure(BROKEN, f"node {job.label!r}: {_words(error)}", said.model, said.usage) from error
    return Result(answer, *said)


def _last_of(ask: Ask | None) -> str:
    """The last message of a question to a model, as it is kept where the run is suspended; "" of any other."""
    return _cut(ask.messages[-1].get("content")) if isinstance(ask, AskModel) and ask.messages else ""


def _cut(said: Json) -> str:
    value = kept(said)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"


class _Said(NamedTuple):
    """What was answered, by which model, what that took, how the answer was read, and what was said to the letter."""

    reply: Json = None
    model: str = ""
    usage: Usage = NOTHING
    note: str = ""
    raw: Json = None


Saying = Generator[Step, Any, _Said]


def _reply(job: Job, ask: Ask | None, speech: Speech) -> Saying:
    if isinstance(ask, AskModel):
        return (yield from _ask_model(job, ask, speech))
    reply: Json = None
    if isinstance(ask, AskWorld):
        try:
            reply = yield CallWorld(ask.call, ask.acall)
        except ContractError:
            raise
        except (Exception, CancelledError) as error:
            require_no_interrupt(error)
            raise _Failure("failed", _words(error)) from error
    elif isinstance(ask, AskOutside):
        reply = yield Outside(ask)
    return _Said(reply)


def _require_reads(job: Job) -> None:
    unwritten = [repr(name) for name, value in job.view.items() if value is MISSING]
    if unwritten:
        raise ContractError(
            f"node {job.label!r} reads {', '.join(unwritten)}, which nothing has written: a node before it left out"
            " a write that it declares; give the channel a default, or write it always"
        )


def _require_contract(job: Job, answer: Answer) -> None:
    contract = job.node.contract
    faults = []
    if len(contract.outcomes) == 1 and not answer.update.keys() >= set(contract.sure_writes):
        left_out = [repr(name) for name in contract.sure_writes if name not in answer.update]
        faults.append(f"it did not write {', '.join(left_out)}, which it declares")
    if answer.outcome not in contract.outcomes:
        faults.append(f"it answered {answer.outcome!r}; its outcomes are {', '.join(contract.outcomes)}")
    if answer.reason and not is_json(answer.reason):
        faults.append(f"its reason cannot be kept: {answer.reason!r}")
    for channel, value in answer.update.items():
        check = job.checks.get(channel)
        if check is None:
            declared = ", ".join(contract.writes) or "none"
            faults.append(f"it wrote {channel!r}; its declared writes are {declared}")
            continue
        try:
            check(value)
        except ValueError as error:
            faults.append(f"what it wrote to {channel!r} does not fit: {error}")
    if faults:
        raise ContractError(f"node {job.label!r}: " + "; ".join(faults))


def _ask_model(job: Job, ask: AskModel, speech: Speech) -> Saying:
    model = job.models.get(ask.model)
    if model is None:
        known = ", ".join(sorted(job.models)) or "none"
        raise _Failure(
            "failed", f"there is no model {ask.model!r}; this run has {known}: give it with model= or models="
        )
    messages, usage = ask.messages, NOTHING
    asked_again: list[str] = []
    said: list[str] = []
    while True:
        call = ModelCall(job.label, messages, ask.schema, ask.tools)
        step = speech.step(ask, model, call)
        try:
            reply, usage = yield from _call_with_retries(job, step, usage, speech, job.terms.get(ask.model))
        except _Failure as failure:
            failure.said = tuple(said)
            raise
        try:
            reading = _read(ask, reply)
        except Unreadable as error:
            raw = _raw(reply)
            said.append(_cut(raw))
            if usage.repairs >= getattr(model, "repairs", REPAIRS):
                note = _note(ask.note, *asked_again, reply.note)
                raise _Failure(
                    "unreadable", f"{model.label}: {error}", model.label, usage, note, raw, said=tuple(said)
                ) from error
            usage = replace(usage, calls=0, repairs=usage.repairs + 1)
            asked_again.append(f"asked again: {error}")
            messages = [*ask.messages, *_repair(raw, error, ask)]
            yield from speech.withdraw()
        else:
            yield from speech.complete(ask, reading.value)
            cut_off = "cut off at the token limit" if reply.truncated else ""
            note = _note(ask.note, *asked_again, reply.note, reading.note, cut_off)
            as_said = reply.raw is None and not reading.repaired
            return _Said(reading.value, model.label, usage, note, None if as_said else _raw(reply))


def _raw(reply: ModelReply) -> Json:
    """What the model said, to the letter, as it can be stored."""
    return kept(reply.content if reply.raw is None else reply.raw)


def _note(*parts: str) -> str:
    return "; ".join(filter(None, parts)).encode(errors="backslashreplace").decode()


def _read(ask: AskModel, reply: ModelReply) -> Reading:
    """The value that was answered; where tools were offered, with the calls that are wished for."""
    if not ask.tools:
        return read_value(reply.content, ask.schema, truncated=reply.truncated)
    if reply.tool_calls and reply.truncated:
        raise Unreadable("the answer was cut off at the token limit, in the middle of its calls; make fewer of them")
    if reply.tool_calls:
        said = reply.content if isinstance(reply.content, str) else ""
        return Reading({"answer": said, "calls": [asdict(call) for call in reply.tool_calls]})
    reading = read_value(reply.content, ask.schema, truncated=reply.truncated)
    return Reading({"answer": reading.value, "calls": []}, reading.note)


def _repair(raw: Json, error: Unreadable, ask: AskModel) -> list[Message]:
    """What is said to a model that is asked again. The form is told in words, for the server may not have passed it on.

    It is plain text, and valid whatever the model answered with: a call would have to be answered by a tool.
    """
    said = raw if isinstance(raw, str) else "" if raw is None else json.dumps(raw, ensure_ascii=False)
    form = f", JSON of this schema:\n{json.dumps(ask.schema, ensure_ascii=False)}" if ask.schema else "."
    return [
        {"role": "assistant", "content": said if said.strip() else "(nothing)"},
        {
            "role": "user",
            "content": f"That answer cannot be used: {error}. Answer again, in the form that was asked for{form}",
        },
    ]


def _call_with_retries(
    job: Job, step: CallModel | HearModel, usage: Usage, speech: Speech, terms: Terms | None
) -> Generator[Step, Any, tuple[ModelReply, Usage]]:
    model, retries, refused = step.model, 0, 0
    try:
        while True:
            try:
                reply = yield from on_terms(step, terms, job.label, job.task)
            except FormRefused as error:
                refused += 1
                if refused > _MOST_FORMS:
                    raise _Failure("failed", str(error), model.label, usage + ATTEMPT) from error
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
        raise _Failure("over_budget", str(error), model.label, usage, short=error.short) from error
    except (_Failure, ContractError):
        raise
    except (Exception, CancelledError) as error:
        raise _Failure("failed", f"{model.label}: {_words(error)}", model.label, usage + ATTEMPT) from error


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
        raise _Failure(BROKEN, str(error), model.label, usage) from error
    too_long = (error.retry_after or 0) > LONGEST_ASKED
    if not error.retryable or too_long or retries >= model.retries:
        tried = f" (tried {retries + 1} times)" if retries else ""
        raise _Failure("failed", f"{error}{tried}", model.label, usage + ATTEMPT) from error
    return _wait_before_retry(retries, error.retry_after)


def _wait_before_retry(retries: int, asked_for: float | None) -> float:
    if asked_for is not None:
        return asked_for
    longest = min(LONGEST_WAIT, FIRST_WAIT * 2.0**retries)
    return longest * random.uniform(0.5, 1.0)  # spread out, so that parallel branches do not come back together


def _words(error: BaseException) -> str:
    """An exception in one line, with the line it came by of the code that this package called."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [index for index, frame in enumerate(frames) if frame.filename.startswith(_PACKAGE)]
    called = frames[ours[-1] + 1 :] if ours else frames
    place = f" (at {called[0].filename}:{called[0].lineno})" if called else ""
    said = f": {error}" if str(error) else ""
    return f"{type(error).__name__}{said}{place}"
