"""Blocking calls on a thread, for runs that are awaited."""

import asyncio
from collections.abc import Callable
from typing import Any


async def on_thread(call: Callable[..., Any], /, **arguments: Any) -> Any:
    """What a call gives, made on a thread.

    A future cannot carry `StopIteration`, as an empty `next` raises it: whoever awaited it would wait for ever.

    Raises:
        RuntimeError: The call raised `StopIteration`.

    Example:
        >>> asyncio.run(on_thread(lambda of: of / 2, of=3))
        1.5
    """

    def called() -> Any:
        try:
            return call(**arguments)
        except StopIteration as error:
            raise RuntimeError(f"StopIteration: {error}" if str(error) else "StopIteration") from error

    return await asyncio.to_thread(called)
