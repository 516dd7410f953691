"""SIGTERM stops what is at work."""

import asyncio
import os
import signal

import pytest

from loopwright.cli.signals import cancel_on_sigterm


def test_sigterm_cancels_the_task() -> None:
    async def work() -> None:
        cancel_on_sigterm()
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(10)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(work())


def test_outside_of_an_event_loop_there_is_nothing_to_cancel() -> None:
    with pytest.raises(RuntimeError, match="no running event loop"):
        cancel_on_sigterm()
