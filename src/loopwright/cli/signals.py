"""Stopping by SIGTERM, as by Ctrl-C: what is at work is cancelled, and nothing is lost."""

import asyncio
import contextlib
import signal


def cancel_on_sigterm() -> None:
    """Have SIGTERM cancel the task that calls this; where a platform has no such signals, it does what it always does.

    Raises:
        RuntimeError: No event loop runs.
    """
    task = asyncio.current_task()
    assert task is not None
    with contextlib.suppress(NotImplementedError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
