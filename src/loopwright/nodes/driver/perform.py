"""Two ways to walk a visit: with blocking calls, and with awaited ones."""

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable
from concurrent.futures import wait
from contextlib import aclosing, closing
from typing import Any

from loopwright.errors import ModelError
from loopwright.nodes.driver.steps import (
    Call,
    CallModel,
    Hands,
    HearModel,
    Keep,
    Outside,
    Result,
    Sleep,
    Suspend,
    Tell,
    Visiting,
    Wait,
)
from loopwright.nodes.models.contract import ModelReply
from loopwright.nodes.threads import on_thread
from loopwright.state.values import Json


def _by_hand(step: Outside | Suspend | Tell, hands: Hands) -> Json:
    """The steps that are neither slow nor fail; the engine's exceptions pass through."""
    if isinstance(step, Outside):
        return hands.outside(step.ask)
    if isinstance(step, Suspend):
        hands.suspend(step)
    else:
        hands.tell(step.event)
    return None


def perform(visiting: Visiting, hands: Hands) -> Result:
    """Make a visit with blocking calls."""
    try:
        step = next(visiting)
        while True:
            if isinstance(step, Outside | Suspend | Tell):
                step = visiting.send(_by_hand(step, hands))
                continue
            if isinstance(step, Keep):
                step = visiting.send(step.write())
                continue
            try:
                result = _do(step, hands)
            except (Exception, asyncio.CancelledError) as error:  # nobody cancels a blocking call: it has failed
                step = visiting.throw(error)
            else:
                step = visiting.send(result)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    finally:
        visiting.close()  # at once, so that what it has reserved is given back


async def aperform(visiting: Visiting, hands: Hands) -> Result:
    """Make a visit with awaited calls."""
    try:
        step = next(visiting)
        while True:
            if isinstance(step, Outside | Suspend | Tell):
                step = visiting.send(_by_hand(step, hands))
                continue
            if isinstance(step, Keep):
                step = visiting.send(await on_thread(step.write))
                continue
            try:
                result = await _ado(step, hands)
            except (Exception, asyncio.CancelledError) as error:
                if _is_cancelled():
                    raise
                step = visiting.throw(error)
            else:
                step = visiting.send(result)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    finally:
        visiting.close()


def _is_cancelled() -> bool:
    """Whether somebody cancels this task; a function may raise `CancelledError` by itself, and has failed then."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _do(step: Call, hands: Hands) -> Any:
    if isinstance(step, CallModel):
        return step.model.ask(step.call)
    if isinstance(step, HearModel):
        reply = None
        with closing(step.model.stream(step.call)) as parts:
            for part in parts:
                reply = _heard(part, step, hands)
        return _whole(reply, step)
    if isinstance(step, Sleep):
        return time.sleep(step.seconds)
    if isinstance(step, Wait):
        return wait([step.woken], step.seconds)
    result = step.call()
    return _awaited_here(result) if inspect.isawaitable(result) else result


async def _ado(step: Call, hands: Hands) -> Any:
    if isinstance(step, CallModel):
        return await step.model.aask(step.call)
    if isinstance(step, HearModel):
        reply = None
        async with aclosing(step.model.astream(step.call)) as parts:
            async for part in parts:
                reply = _heard(part, step, hands)
        return _whole(reply, step)
    if isinstance(step, Sleep):
        return await asyncio.sleep(step.seconds)
    if isinstance(step, Wait):
        return await asyncio.wait([asyncio.wrap_future(step.woken)], timeout=step.seconds)
    if step.acall is not None:
        return await step.acall()
    result = await on_thread(step.call)
    return await result if inspect.isawaitable(result) else result


def _heard(part: str | ModelReply, step: HearModel, hands: Hands) -> ModelReply | None:
    """Tell a part of a text; the reply, where it is that."""
    if isinstance(part, ModelReply):
        return part
    if part:
        hands.tell(step.say(part))
    return None


def _whole(reply: ModelReply | None, step: HearModel) -> ModelReply:
    if reply is None:
        raise ModelError(f"{step.model.label} ended its stream without a reply")
    return reply


def _awaited_here(awaitable: Awaitable[Any]) -> Any:
    """The result of an async function in a sync run: in a loop of its own, on a thread where this one has a loop."""

    async def main() -> Any:
        return await awaitable

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main())
    box: list[Any] = []

    def run() -> None:
        try:
            box.append((asyncio.run(main()), None))
        except BaseException as error:  # handed to the waiting thread
            box.append((None, error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    result, error = box[0]
    if error is not None:
        raise error
    return result
