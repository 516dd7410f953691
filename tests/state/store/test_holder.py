"""Who runs a run: a process is gone only where that is sure, and another one is never taken for it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import psutil
import pytest

from loopwright.state.store.holder import Holder, this_process

HERE = this_process()


@pytest.fixture
def child() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that lives until its input is closed."""
    with subprocess.Popen(
        [sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as p:
        yield p
        p.kill()


def holder_of(pid: int) -> Holder:
    return replace(HERE, pid=pid, started=psutil.Process(pid).create_time())


def test_this_process_is_there() -> None:
    assert HERE.pid == os.getpid()
    assert not HERE.is_gone()
    assert str(HERE) == f"process {os.getpid()} on {HERE.host}"


def test_a_holder_and_its_json_are_one() -> None:
    assert Holder(**json.loads(json.dumps(asdict(HERE)))) == HERE


@pytest.mark.parametrize(
    ("changes", "gone"),
    [
        ({"host": "elsewhere (Linux)"}, False),
        ({"host": "elsewhere (Linux)", "boot": 0, "pid": 2**22 + 1}, False),
        ({"boot": HERE.boot - 2}, True),
        ({"boot": HERE.boot + 2}, True),
        ({"boot": HERE.boot - 1}, False),
        ({"boot": HERE.boot + 1}, False),
        ({"started": HERE.started - 60}, True),
        ({"started": HERE.started + 60}, True),
        ({"started": HERE.started + 0.5}, False),
        ({"pid": 2**22 + 1}, True),
    ],
    ids=[
        "other host",
        "other host, all else too",
        "before a reboot",
        "clock set back",
        "jitter",
        "jitter forward",
        "pid used again",
        "pid used before",
        "clock drift",
        "no such process",
    ],
)
def test_only_what_is_surely_gone_is_gone(changes: dict[str, Any], gone: bool) -> None:
    assert replace(HERE, **changes).is_gone() is gone


def test_another_process_is_there_until_it_ends(child: "subprocess.Popen[bytes]") -> None:
    holder = holder_of(child.pid)
    assert not holder.is_gone()
    child.kill()
    deadline = time.monotonic() + 10
    while psutil.Process(child.pid).status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
        time.sleep(0.01)
    # Nobody has asked for its exit code yet: its pid is still taken, and yet it runs no more.
    assert psutil.pid_exists(child.pid)
    assert holder.is_gone()
    child.wait()
    assert holder.is_gone()


FORKED = """
import os
from loopwright.state.store.holder import this_process
parent = this_process()
child = os.fork()
if child == 0:
    holder = this_process()
    os._exit(0 if holder.pid == os.getpid() and holder != parent and not parent.is_gone() else 1)
print(os.waitpid(child, 0)[1], this_process() == parent)
"""


def test_a_forked_child_is_another_process() -> None:
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "True"]
