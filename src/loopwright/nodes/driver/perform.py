"""Two ways to walk a visit: with blocking calls, and with awaited ones."""

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable
from typing import Any

from loopwright.nodes.driver.steps import (
    Call,
    CallModel,
    Hands,
    Outside,
    Result,
    Sleep,
    Suspend,
    Tell,
    Visiting,
)
from loopwright.state.values import Json


def _by_hand(step: Outside | Suspend | Tell, hands: Hands) -> Json:
    """The steps that are neither slow nor fail; the engine's exceptions pass through."""
    if isinstance(step, Outside):
        return hands.outside(step.ask)
    if isinstance(step, Suspend):
        hands.suspend(step.reason, step.usage)
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
            try:
                result = _do(step)
            except (Exception, asyncio.CancelledError) as error:  # nobody cancels a blocking call: it has failed
                step = visiting.throw(error)
            else:
                step = visiting.send(result)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


async def aperform(visiting: Visiting, hands: Hands) -> Result:
    """Make a visit with awaited calls."""
    try:
        step = next(visiting)
        while True:
            if isinstance(step, Outside | Suspend | Tell):
                step = visiting.send(_by_hand(step, hands))
                continue
            try:
                result = await _ado(step)
            except (Exception, asyncio.CancelledError) as error:
                if _is_cancelled():
                    raise
                step = visiting.throw(error)
            else:
                step = visiting.send(result)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


def _is_cancelled() -> bool:
    """Whether somebody cancels this task; a function may raise `CancelledError` by itself, and has failed then."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _do(step: Call) -> Any:
    if isinstance(step, CallModel):
        return step.model.ask(step.call)
    if isinstance(step, Sleep):
        return time.sleep(step.seconds)
    result = step.call()
    return _awaited_here(result) if inspect.isawaitable(result) else result


async def _ado(step: Call) -> Any:
    if isinstance(step, CallModel):
        return await step.model.aask(step.call)
    if isinstance(step, Sleep):
        return await asyncio.sleep(step.seconds)
    if step.acall is not None:
        return await step.acall()
    result = await asyncio.to_thread(step.call)
    return await result if inspect.isawaitable(result) else result


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
