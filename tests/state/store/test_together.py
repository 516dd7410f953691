"""What comes together is kept together."""

import asyncio
import threading
from collections.abc import Callable, Sequence

import pytest

from loopwright.state.store.together import Together


class Kept:
    """Keeps items in groups; the first one waits until it may, and items that are `bad` cannot be kept."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.began, self.may = threading.Event(), threading.Event()

    def __call__(self, items: Sequence[str]) -> None:
        self.began.set()
        assert self.may.wait(10)
        if "bad" in items:
            raise OSError("the disk is full")
        self.groups.append([*items])


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def together(kept: Kept) -> Together[str]:
    return Together(threading.RLock(), kept)


def all_come(together: Together[str], count: int) -> None:
    while len(together._coming) < count:
        threading.Event().wait(0.001)


def in_threads(work: Callable[[str], None], items: Sequence[str]) -> list[threading.Thread]:
    threads = [threading.Thread(target=work, args=(item,)) for item in items]
    for thread in threads:
        thread.start()
    return threads


def test_threads_that_wait_for_one_another_are_kept_together(kept: Kept, together: Together[str]) -> None:
    (first,) = in_threads(together.put, ["a"])
    assert kept.began.wait(10)
    others = in_threads(together.put, ["b", "c", "d"])
    all_come(together, 3)
    kept.may.set()
    for thread in (first, *others):
        thread.join(10)
    assert [sorted(group) for group in kept.groups] == [["a"], ["b", "c", "d"]]


async def test_tasks_share_a_thread(kept: Kept, together: Together[str]) -> None:
    first = asyncio.create_task(together.aput("a"))
    await asyncio.to_thread(kept.began.wait, 10)
    others = [asyncio.create_task(together.aput(item)) for item in "bcd"]
    await asyncio.sleep(0)
    kept.may.set()
    await asyncio.gather(first, *others)
    assert [sorted(group) for group in kept.groups] == [["a"], ["b", "c", "d"]]


async def test_what_cannot_be_kept_holds_up_no_other(kept: Kept, together: Together[str]) -> None:
    kept.may.set()
    came = await asyncio.gather(*(together.aput(item) for item in ("a", "bad", "b")), return_exceptions=True)
    assert [type(each).__name__ for each in came] == ["NoneType", "OSError", "NoneType"]
    assert kept.groups == [["a"], ["b"]]
    with pytest.raises(OSError, match="the disk is full"):
        together.put("bad")


async def test_who_is_cancelled_has_its_item_kept(kept: Kept, together: Together[str]) -> None:
    first = asyncio.create_task(together.aput("a"))
    await asyncio.to_thread(kept.began.wait, 10)
    second = asyncio.create_task(together.aput("b"))
    await asyncio.sleep(0)
    for task in (first, second):
        task.cancel()
    kept.may.set()
    await asyncio.gather(first, second, return_exceptions=True)
    together.keep_all()
    assert kept.groups == [["a"], ["b"]]
