"""Blocking calls on a thread."""

import asyncio
import threading

import pytest

from loopwright.nodes.threads import on_thread


def test_a_call_is_made_on_another_thread() -> None:
    async def made() -> threading.Thread:
        thread: threading.Thread = await on_thread(threading.current_thread)
        return thread

    assert asyncio.run(made()) is not threading.current_thread()


@pytest.mark.parametrize(("value", "words"), [((), "StopIteration"), (("it is empty",), "StopIteration: it is empty")])
def test_an_iterator_at_its_end_is_an_error_and_not_waited_for(value: tuple[str, ...], words: str) -> None:
    def ended() -> None:
        raise StopIteration(*value)

    with pytest.raises(RuntimeError) as caught:
        asyncio.run(asyncio.wait_for(on_thread(ended), timeout=10))
    assert str(caught.value) == words
