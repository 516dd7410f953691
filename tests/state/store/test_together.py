"""What comes together is kept together."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from loopwright.state.store.together import MOST, Together


@dataclass
class Disk:
    """Keeps what is written in groups, a transaction each; the first one waits until it may."""

    groups: list[list[str]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    began: threading.Event = field(default_factory=threading.Event)
    may: threading.Event = field(default_factory=threading.Event)
    stopped: bool = False

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        self.began.set()
        assert self.may.wait(10)
        self.open = []
        yield sqlite3.Connection(":memory:")
        self.groups.append(self.open)


@dataclass
class Change:
    """Something that is written; what is `bad` cannot be."""

    disk: Disk
    name: str
    told: list[str] = field(default_factory=list)

    def write(self, connection: sqlite3.Connection) -> None:
        connection.close()
        if self.disk.stopped:
            self.disk.stopped = False
            raise KeyboardInterrupt
        if self.name == "bad":
            raise OSError("the disk is full")
        self.disk.open.append(self.name)

    def kept(self) -> None:
        self.told.append("kept")

    def undone(self) -> None:
        self.told.append("undone")


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def together(disk: Disk) -> Together:
    return Together(threading.RLock(), disk.transaction)


def all_come(together: Together, count: int) -> None:
    while len(together._coming) < count:
        threading.Event().wait(0.001)


def in_threads(work: Callable[[Change], None], changes: Sequence[Change]) -> list[threading.Thread]:
    threads = [threading.Thread(target=work, args=(change,)) for change in changes]
    for thread in threads:
        thread.start()
    return threads


def test_threads_that_wait_for_one_another_are_kept_together(disk: Disk, together: Together) -> None:
    (first,) = in_threads(together.put, [Change(disk, "a")])
    assert disk.began.wait(10)
    others = in_threads(together.put, [Change(disk, name) for name in "bcd"])
    all_come(together, 3)
    disk.may.set()
    for thread in (first, *others):
        thread.join(10)
    assert [sorted(group) for group in disk.groups] == [["a"], ["b", "c", "d"]]


async def test_tasks_share_a_thread_and_those_whose_turn_it_was_go_on(disk: Disk, together: Together) -> None:
    first = asyncio.create_task(together.aput(Change(disk, "a")))
    await asyncio.to_thread(disk.began.wait, 10)
    others = [asyncio.create_task(together.aput(Change(disk, str(number)))) for number in range(MOST + 2)]
    await asyncio.sleep(0)
    disk.may.set()
    await asyncio.gather(first, *others)
    assert [len(group) for group in disk.groups] == [1, MOST, 2]


async def test_what_cannot_be_kept_holds_up_no_other(disk: Disk, together: Together) -> None:
    disk.may.set()
    changes = [Change(disk, name) for name in ("a", "bad", "b")]
    came = await asyncio.gather(*map(together.aput, changes), return_exceptions=True)
    assert [type(each).__name__ for each in came] == ["NoneType", "OSError", "NoneType"]
    assert disk.groups == [["a"], ["b"]]
    assert [change.told for change in changes] == [["undone", "kept"], ["undone", "undone"], ["undone", "kept"]]
    with pytest.raises(OSError, match="the disk is full"):
        together.put(Change(disk, "bad"))


async def test_who_is_cancelled_has_its_change_kept(disk: Disk, together: Together) -> None:
    first = asyncio.create_task(together.aput(Change(disk, "a")))
    await asyncio.to_thread(disk.began.wait, 10)
    second = asyncio.create_task(together.aput(Change(disk, "b")))
    await asyncio.sleep(0)
    for task in (first, second):
        task.cancel()
    disk.may.set()
    await asyncio.gather(first, second, return_exceptions=True)
    together.keep_all()
    assert disk.groups == [["a"], ["b"]]


def test_who_is_stopped_while_it_keeps_loses_no_others_change(disk: Disk, together: Together) -> None:
    mine = Change(disk, "mine")
    with together._lock:
        (other,) = in_threads(together.put, [theirs := Change(disk, "theirs")])
        all_come(together, 1)
        disk.stopped = True
        disk.may.set()
        with pytest.raises(KeyboardInterrupt):
            together.put(mine)
    other.join(10)
    together.keep_all()
    assert sorted(name for group in disk.groups for name in group) == ["mine", "theirs"]
    assert (mine.told[-1], theirs.told[-1]) == ("kept", "kept")


async def test_where_there_is_no_disk_no_thread_is_asked(disk: Disk) -> None:
    disk.may.set()
    threads: list[threading.Thread] = []
    change = Change(disk, "a")
    change.kept = lambda: threads.append(threading.current_thread())  # type: ignore[method-assign]
    await Together(threading.RLock(), disk.transaction, waits=False).aput(change)
    assert threads == [threading.current_thread()]
