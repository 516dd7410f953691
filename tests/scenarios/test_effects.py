"""Effects on a real server that counts what it did, by processes that are killed with SIGKILL at each moment."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import loopwright as lw
from loopwright.graphs.run.handle import Run

WORKER = Path(__file__).with_name("effect_worker.py")
MOMENTS = {
    "before it is started": ("nothing", 0),
    "after it is started": ("unknown", 0),
    "in the call": ("unknown", 1),
    "after the call": ("unknown", 1),
    "before it is finished": ("unknown", 1),
    "after it is finished": ("finished", 1),
    "after its visit": ("closed", 1),
}
"""When the process is killed, with what the ledger says then, and how many rows the server has."""

ways = pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])


class World(ThreadingHTTPServer):
    """A server that does what it is asked, and counts it in rows. A key that it has seen gets the row that there is."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Asked)
        self.rows: list[tuple[str, str]] = []
        self.asked: list[tuple[str, str]] = []
        self.kills = False
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no error here."""


class _Asked(BaseHTTPRequestHandler):
    server: World

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        world, key = self.server, self.headers["Key"]
        with world.lock:
            world.asked.append((self.path, key))
            keys = [row[1] for row in world.rows]
            if not key or key not in keys:
                world.rows.append((self.path, key))
            row = keys.index(key) if key in keys and key else len(world.rows) - 1
        if world.kills:
            world.kills = False
            os.kill(int(self.headers["Pid"]), signal.SIGKILL)
            return
        body = json.dumps({"row": row}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture(scope="module")
def worker() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([sys.executable, WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as made:
        yield made
        assert made.stdin
        made.stdin.close()


class Case:
    """A store of its own, and the processes that work at its run."""

    def __init__(self, worker: subprocess.Popen[str], world: World, folder: Path, loop: str, awaited: bool) -> None:
        self._worker, self.world = worker, world
        self.store = f"sqlite:{folder / 'runs.db'}"
        self._order = {"loop": loop, "awaited": awaited, "store": self.store, "server": world.url}

    def killed(self, moment: str) -> None:
        self.world.kills = moment == "in the call"
        assert self._sent(kill=moment) == -signal.SIGKILL

    def go_on(self, **resume: Any) -> Run:
        assert self._sent(resume=resume) == 0
        return self.run()

    def run(self) -> Run:
        (run,) = lw.runs(self.store)
        return run

    def _sent(self, **more: Any) -> int:
        assert self._worker.stdin
        assert self._worker.stdout
        self._worker.stdin.write(json.dumps({**self._order, **more}) + "\n")
        self._worker.stdin.flush()
        return int(self._worker.stdout.readline())


def standing(run: Run) -> str:
    """What the ledger says of a run with one effect."""
    if not run.effects:
        return "nothing"
    (effect,) = run.effects
    return "unknown" if effect.is_unknown else effect.state if effect.is_open else "closed"


@ways
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_payment_is_not_made_twice(
    worker: subprocess.Popen[str], world: World, tmp_path: Path, moment: str, awaited: bool
) -> None:
    """langgraph#8702, #8464, #7417; agent-framework#3938: after a kill, a payment was repeated."""
    case = Case(worker, world, tmp_path, "one apay" if awaited else "one pay", awaited)
    case.killed(moment)
    known, rows = MOMENTS[moment]
    assert (case.run().status, standing(case.run()), len(world.rows)) == ("interrupted", known, rows)
    run = case.go_on()
    if known == "unknown":
        assert (run.status, standing(run), len(world.rows)) == ("suspended", "unknown", rows)
        assert "nobody knows whether this effect has happened" in run.reason
        assert run.effects[0].key in run.reason
        assert len(case.go_on().effects) == 1  # asked again, it calls nothing
        assert len(world.rows) == rows
        decision = {"effect": "done", "reply": "0"} if rows else {"effect": "again"}
        run = case.go_on(**decision)
    assert (run.status, run.result, standing(run)) == ("finished", "row 0", "closed")
    assert world.rows == [("/pay/oak", "")]
    assert run.effects[0].key == run.visits[1].effect


@ways
@pytest.mark.parametrize("moment", MOMENTS)
def test_with_a_key_there_is_one_row(
    worker: subprocess.Popen[str], world: World, tmp_path: Path, moment: str, awaited: bool
) -> None:
    """langgraph#8702, #8464, #7417; agent-framework#3938: with the same key, nobody has to decide."""
    case = Case(worker, world, tmp_path, "one order", awaited)
    case.killed(moment)
    run = case.go_on()
    (effect,) = run.effects
    assert (run.status, run.result) == ("finished", "row 0")
    assert world.rows == [("/order/oak", effect.key)]
    known, rows = MOMENTS[moment]
    assert len(world.asked) == (2 if known == "unknown" and rows else 1)
    assert effect.attempts == (2 if known == "unknown" else 1)


@ways
def test_killed_again_and_again(worker: subprocess.Popen[str], world: World, tmp_path: Path, awaited: bool) -> None:
    case = Case(worker, world, tmp_path, "one order", awaited)
    for moment in MOMENTS:
        case.killed(moment)
    run = case.go_on()
    assert (run.status, run.result, run.effects[0].attempts) == ("finished", "row 0", 5)
    assert world.rows == [("/order/oak", run.effects[0].key)]


@ways
@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_killed_again_and_again_before_it_is_finished(
    worker: subprocess.Popen[str], world: World, tmp_path: Path, awaited: bool, seed: int
) -> None:
    case, unfinished = Case(worker, world, tmp_path, "one order", awaited), list(MOMENTS)[:5]
    for moment in random.Random(seed).choices(unfinished, k=8):
        case.killed(moment)
        assert len(world.rows) <= 1
    run = case.go_on()
    assert (run.status, run.result) == ("finished", "row 0")
    assert world.rows == [("/order/oak", run.effects[0].key)]


@ways
def test_a_branch_that_was_cut_off_waits_for_a_decision(
    worker: subprocess.Popen[str], world: World, tmp_path: Path, awaited: bool
) -> None:
    case = Case(worker, world, tmp_path, "fork pay", awaited)
    case.killed("in the call")
    run = case.go_on()
    unknown = [effect for effect in run.effects if effect.is_unknown]
    assert run.status == "suspended"
    assert 1 <= len(unknown) <= 3
    for effect in unknown:
        item = effect.arguments["item"]
        paid = (f"/pay/{item}", "") in world.rows
        run = case.go_on(key=effect.node, **({"effect": "done", "reply": item} if paid else {"effect": "again"}))
    assert run.status == "finished"
    assert Counter(path for path, _ in world.rows) == {"/pay/oak": 1, "/pay/larch": 1, "/pay/pine": 1}
    assert len({effect.key for effect in run.effects}) == 3


@ways
@pytest.mark.parametrize("tool", ["pay", "order"])
def test_a_tool_that_a_model_calls(
    worker: subprocess.Popen[str], world: World, tmp_path: Path, tool: str, awaited: bool
) -> None:
    case = Case(worker, world, tmp_path, f"tools {tool}", awaited)
    case.killed("in the call")
    run = case.go_on()
    if tool == "pay":
        assert (run.status, len(world.rows)) == ("suspended", 1)
        run = case.go_on(effect="done", reply="row 0")
        history: Any = run.state["history"]
        assert history[1]["content"] == "row 0"
    assert (run.status, run.result, len(world.rows)) == ("finished", "Bought.", 1)
