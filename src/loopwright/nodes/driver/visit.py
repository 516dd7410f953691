"""One visit of a node, as a generator without any I/O: retries, repairs, and failures as outcomes."""

import json
from asyncio import CancelledError
from collections.abc import Generator
from dataclasses import asdict, replace
from functools import partial
from typing import Any, NamedTuple

from loopwright.errors import ContractError, Unreadable
from loopwright.nodes.contract import Answer, Ask, AskModel, AskOutside, AskWorld, Message
from loopwright.nodes.driver.attempts import call_with_retries
from loopwright.nodes.driver.failure import BROKEN, NOTHING, Failure, words_of_error
from loopwright.nodes.driver.speech import Speech
from loopwright.nodes.driver.steps import (
    CallWorld,
    Job,
    Keep,
    Outside,
    Result,
    Step,
    Suspend,
    Visiting,
)
from loopwright.nodes.effects import AskEffect, unknown_words
from loopwright.nodes.emit import event_faults
from loopwright.nodes.inbox import AskInbox
from loopwright.nodes.interrupts import require_no_interrupt
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.structured import Reading, kept, read_value
from loopwright.state.channels import MISSING
from loopwright.state.records import Usage
from loopwright.state.schema import is_json
from loopwright.state.values import Json

REPAIRS = 1
"""How often a model that says nothing else is asked again, with the validator's words, when it is unreadable."""

MOST_LETTERS = 4000
"""Letters of a question, and of each answer to it, that are kept of a visit at which a run is suspended."""


def visit(job: Job) -> Visiting:
    """One visit: ask, get the reply, answer. Failures become outcomes, or suspend the run and are tried again."""
    speech = Speech(job.label, job.task, job.heard)
    while True:
        try:
            return (yield from _attempt(job, speech))
        except Failure as failure:
            yield from speech.withdraw()
            reason = _encodable(failure.reason)
            if failure.outcome in job.handled:
                answer = Answer(failure.outcome, {}, reason)
                return Result(answer, None, failure.model, failure.usage, failure.note, failure.raw, failure.effect)
            yield Suspend(reason, failure.usage, failure.model, failure.short, failure.asked, failure.said)


def _attempt(job: Job, speech: Speech) -> Visiting:
    said, ask = _Said(), None
    try:
        _require_reads(job)
        ask = job.node.ask_again(job.view) if job.again else job.node.ask(job.view)
        said = yield from _reply(job, ask, speech)
        answer = job.node.answer(job.view, said.reply)
        require_contract(job, answer)
    except Failure as failure:
        failure.asked = _last_of(ask)
        raise
    except Unreadable as error:
        answers = (_cut(said.reply if said.raw is None else said.raw),) if said.model else ()
        asked = _last_of(ask)
        raise Failure(
            "unreadable", str(error), said.model, said.usage, effect=said.effect, asked=asked, said=answers
        ) from error
    except ContractError as error:
        raise Failure(BROKEN, str(error), said.model, said.usage) from error
    except (Exception, CancelledError) as error:
        raise Failure(BROKEN, f"node {job.label!r}: {words_of_error(error)}", said.model, said.usage) from error
    return Result(answer, *said)


def _encodable(text: str) -> str:
    """A text that can be kept: names of files may hold what cannot."""
    return text.encode(errors="backslashreplace").decode()


def _last_of(ask: Ask | None) -> str:
    """The last message of a question to a model, as it is kept where the run is suspended; "" of any other."""
    return _cut(ask.messages[-1].get("content")) if isinstance(ask, AskModel) and ask.messages else ""


def _cut(said: Json) -> str:
    value = kept(said)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"


class _Said(NamedTuple):
    """What was answered, by which model, what that took, how it was read, what was said; an effect's key; events."""

    reply: Json = None
    model: str = ""
    usage: Usage = NOTHING
    note: str = ""
    raw: Json = None
    effect: str = ""
    taken: tuple[int, ...] = ()


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
            raise Failure("failed", words_of_error(error)) from error
    elif isinstance(ask, AskEffect):
        return (yield from _have_effect(job, ask))
    elif isinstance(ask, AskInbox):
        found = (yield Keep(partial(job.come, ask.event, ask.where, ask.reply))) if job.come else ()
        return _Said([payload for _, payload in found], taken=tuple(place for place, _ in found))
    elif isinstance(ask, AskOutside):
        reply = yield Outside(ask)
    return _Said(reply)


def _have_effect(job: Job, ask: AskEffect) -> Saying:
    """Call what touches the world, where the ledger does not say that it was, or may have been."""
    if job.effects is None:
        raise ContractError(f"node {job.label!r} is an effect, and there is no ledger here; run it in a store")
    repeatable = ask.care == "repeatable"
    begin = partial(job.effects.begin, job.label, ask.name, ask.arguments, repeatable=repeatable)
    effect, is_called = yield Keep(begin)
    key: str = effect.key
    if not is_called and effect.state == "finished":
        return _Said(effect.reply, effect=key)
    if not is_called:
        raise Failure(BROKEN, unknown_words(effect))
    acall = partial(ask.acall, key) if ask.acall else None
    try:
        reply = yield CallWorld(partial(ask.call, key), acall)
    except (Exception, CancelledError) as error:
        reason = _encodable(words_of_error(error))
        yield Keep(partial(job.effects.fail, key, reason))
        if isinstance(error, ContractError):
            raise
        require_no_interrupt(error)
        raise Failure("failed", reason, effect=key) from error
    yield Keep(partial(job.effects.finish, key, reply))
    return _Said(reply, effect=key)


def _require_reads(job: Job) -> None:
    unwritten = [repr(name) for name, value in job.view.items() if value is MISSING]
    if unwritten:
        raise ContractError(
            f"node {job.label!r} reads {', '.join(unwritten)}, which nothing has written: a node before it left out"
            " a write that it declares; give the channel a default, or write it always"
        )


def require_contract(job: Job, answer: Answer) -> None:
    """Make sure that an answer is what the node declares.

    Raises:
        ContractError: It is not; with all that is wrong.
    """
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
    faults.extend(event_faults(answer.events) if answer.events else ())
    if faults:
        raise ContractError(f"node {job.label!r}: " + "; ".join(faults))


def _ask_model(job: Job, ask: AskModel, speech: Speech) -> Saying:
    model = job.models.get(ask.model)
    if model is None:
        known = ", ".join(sorted(job.models)) or "none"
        raise Failure(
            "failed", f"there is no model {ask.model!r}; this run has {known}: give it with model= or models="
        )
    messages, usage = ask.messages, NOTHING
    asked_again: list[str] = []
    said: list[str] = []
    while True:
        call = ModelCall(job.label, messages, ask.schema, ask.tools)
        step = speech.step(ask, model, call)
        try:
            reply, usage = yield from call_with_retries(job, step, usage, speech, job.terms.get(ask.model))
        except Failure as failure:
            failure.said = tuple(said)
            raise
        try:
            reading = _read(ask, reply)
        except Unreadable as error:
            raw = _raw(reply)
            said.append(_cut(raw))
            if usage.repairs >= getattr(model, "repairs", REPAIRS):
                note = _note(ask.note, *asked_again, reply.note)
                raise Failure(
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
    return _encodable("; ".join(filter(None, parts)))


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
