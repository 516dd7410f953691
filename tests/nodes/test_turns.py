"""A place in a queue that threads and tasks can wait for."""

import asyncio
import threading

from loopwright.nodes.turns import Turn


def test_a_thread_waits_for_it() -> None:
    turn = Turn()
    woken = turn.woken
    thread = threading.Thread(target=turn.grant)
    thread.start()
    woken.result(timeout=60)
    thread.join()
    assert turn.granted


def test_a_task_waits_for_it() -> None:
    turn = Turn()

    async def main() -> None:
        woken = asyncio.wrap_future(turn.woken)
        threading.Thread(target=turn.grant).start()
        await woken

    asyncio.run(main())
    assert turn.granted


def test_it_can_be_woken_again_and_again() -> None:
    turn = Turn()
    first = turn.woken
    turn.wake()
    second = turn.woken
    assert (first.done(), second.done(), turn.granted) == (True, False, False)
    turn.grant()
    assert (second.done(), turn.granted) == (True, True)


def test_whoever_has_left_is_not_woken() -> None:
    turn = Turn()
    assert turn.woken.cancel()
    turn.grant()
    assert turn.granted
