"""Events between runs: none is lost and none comes twice, whoever is killed, and wherever."""

import json
import os
import random
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loopwright as lw
from loopwright.errors import StoreError
from loopwright.testing import BreakingStore, break_at_every_write

RELAYS: Any = runpy.run_path(str(Path(__file__).with_name("relays.py")))
relay, catcher, balls, red = (RELAYS[name] for name in ("relay", "catcher", "balls", "red"))
WORKER = Path(__file__).with_name("inbox_worker.py")
BALLS = 6


class Worker:
    """The process that makes the processes; see `inbox_worker.py`."""

    def __init__(self) -> None:
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process: subprocess.Popen[str] = subprocess.Popen([sys.executable, WORKER], **pipes)

    def begin(self, **order: Any) -> int:
        """A process that obeys; its id."""
        return int(self._say(json.dumps(order)))

    def reap(self, pid: int) -> int:
        """How it went: 0, or minus the signal that killed it."""
        return int(self._say(f"reap {pid}"))

    def close(self) -> None:
        self._process.communicate(timeout=10)

    def _say(self, line: str) -> str:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.close()


def begun(url: str) -> None:
    with lw.Store(url) as store:
        relay(BALLS).start(store=store)
        catcher(BALLS).start(store=store)


def is_done(url: str) -> bool:
    with lw.Store(url) as store:
        return all(row.status == "finished" for row in store.registry.all())


def require_whole(url: str) -> None:
    """All that was thrown was caught, once and in its order, and nothing else was sent."""
    with lw.Store(url) as store:
        runs = {run.plan.name: run for run in lw.runs(store)}
        assert {name: run.end for name, run in runs.items()} == {
            "relay": lw.End("passed"),
            "catcher": lw.End("full"),
        }
        assert runs["catcher"].result == red(BALLS)
        assert [each.payload for each in store.inbox.all("ball")] == balls(BALLS)
        assert [each.payload for each in store.inbox.all("passed")] == red(BALLS)
        ids = [each.id.removeprefix(runs["relay"].id) for each in store.inbox.all("passed")]
        assert ids == [f"/{2 * number + 1}/0" for number in range(BALLS)]


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(3, 33))])
def test_whoever_is_killed_nothing_is_lost_and_nothing_comes_twice(worker: Worker, tmp_path: Path, seed: int) -> None:
    url, chance, kills = f"sqlite:{tmp_path / 'runs.db'}", random.Random(seed), 0
    begun(url)
    for deed in ("send", *["serve once"] * 200):
        if deed != "send" and is_done(url):
            break
        code = None
        while code is None or (deed == "send" and code != 0):
            processes = [worker.begin(do=deed, store=url, balls=BALLS) for _ in range(2)]
            time.sleep(chance.uniform(0.0, 0.03 if kills < 12 else 10 * kills / 1000))
            for pid in processes:
                os.kill(pid, signal.SIGKILL)
            codes = [worker.reap(pid) for pid in processes]
            kills += codes.count(-signal.SIGKILL)
            code = max(codes)
    assert kills > 10
    require_whole(url)


def test_servers_that_stay_share_a_store_with_whoever_sends(worker: Worker, tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    begun(url)
    servers = [worker.begin(do="serve", store=url) for _ in range(2)]
    assert worker.reap(worker.begin(do="send", store=url, balls=BALLS)) == 0
    deadline = time.monotonic() + 30
    while not is_done(url) and time.monotonic() < deadline:
        time.sleep(0.02)
    for pid in servers:
        os.kill(pid, signal.SIGINT)
    assert {worker.reap(pid) for pid in servers} == {0}
    require_whole(url)


def test_a_server_that_breaks_at_any_write_loses_nothing(tmp_path: Path) -> None:
    def served(name: str, at: int) -> int:
        url = f"sqlite:{tmp_path / name}.db"
        begun(url)
        for number, ball in enumerate(balls(BALLS)):
            lw.send(url, "ball", ball, id=str(number))
        with BreakingStore(url, at=at) as store:
            try:
                lw.serve(store, once=True)
            except StoreError:
                assert at
            writes = store.writes
        with lw.Store(url) as store:
            lw.serve(store, once=True)
        require_whole(url)
        return writes

    writes = served("whole", 0)
    assert writes > 4 * BALLS
    for at in range(1, writes + 1, 5):
        served(f"broken {at}", at)


def test_the_breaker_breaks_a_plan_that_sends_and_waits() -> None:
    plan = lw.PlanBuilder("sender", [lw.Channel("who", str, default="ada"), lw.Channel("dawn", float, default=1.0)])
    plan.node(lw.Emit("first", event="rings", payload={"who": "<{who}>"}))
    plan.node(lw.Wait("pause", source="timer", until="dawn"))
    plan.node(lw.Emit("second", event="falls", payload="<{who}>", to="nobody"))
    plan.edge("first", "done", "pause").edge("pause", "done", "second").edge("second", "done", lw.End("sent"))
    made = break_at_every_write(plan.loop())
    assert made.breaks == 2 * made.writes


Step = tuple[str, int, int]
STEPS: st.SearchStrategy[list[Step]] = st.lists(
    st.tuples(st.sampled_from(["send", "start", "serve", "break"]), st.integers(0, 2), st.integers(1, 12)), max_size=14
)


@settings(max_examples=40)
@given(steps=STEPS)
def test_delivery_is_as_a_plain_reference_says(tmp_path_factory: pytest.TempPathFactory, steps: list[Step]) -> None:
    url = f"sqlite:{tmp_path_factory.mktemp('inbox') / 'runs.db'}"
    plan = lw.PlanBuilder("catcher", [lw.Channel("colour", int, input=True), lw.Channel("got", list, reduce="append")])
    plan.node(lw.Wait("catch", event="ball", where={"colour": "<{colour}>"}, writes="got"))
    loop = plan.edge("catch", "done", "catch", at_most=1, then=lw.End("full")).loop()
    sent: list[Any] = []
    begun: dict[str, tuple[int, int]] = {}
    lw.Store(url).close()
    for deed, colour, write in steps:
        with BreakingStore(url, at=write if deed == "break" else 0) as store:
            if deed == "send":
                sent.append({"colour": colour, "number": len(sent)})
                store.send("ball", sent[-1])
            elif deed == "start":
                begun[loop.start({"colour": colour}, store=store).id] = (colour, len(sent))
            else:
                try:
                    lw.serve(store, once=True)
                except StoreError:
                    assert deed == "break"
    with lw.Store(url) as store:
        lw.serve(store, once=True)
        for run, (colour, since) in begun.items():
            wanted = [ball for ball in sent[since:] if ball["colour"] == colour][:2]
            found = lw.open_run(store, run)
            assert found.state.get("got", []) == wanted
            assert found.status == ("finished" if len(wanted) == 2 else "waiting")
