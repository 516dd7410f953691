"""Runs that are killed with SIGKILL, and go on in another process."""

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import RunBusy
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject
from loopwright.testing.model_server import ModelServer, Trouble
from loopwright.testing.scripts import RecordingModel

WORKER = Path(__file__).with_name("crash_worker.py")
WORD = "Fluggaenkoechiebolsen"


class Worker:
    """The process that makes the processes; see `crash_worker.py`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def send(self, order: dict[str, Any]) -> int:
        """Give an order; the id of the process that obeys."""
        self._say(json.dumps(order))
        return int(self._line())

    def gone(self) -> int:
        """How the last process went, when it has: 0, or the signal that killed it; until then its id is its own."""
        assert self._line() == b"gone\n"
        self._say("forget it")
        return int(self._line())

    def is_gone(self, seconds: float) -> bool:
        assert self._process.stdout
        return bool(select.select([self._process.stdout], [], [], seconds)[0])

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def _say(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{line}\n".encode())

    def _line(self) -> bytes:
        # Nothing is buffered here: `is_gone` looks at the pipe itself.
        assert self._process.stdout
        return self._process.stdout.readline()


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.close()


class Case:
    """A store of its own, and what the calls of its run left in the journal."""

    def __init__(self, worker: Worker, folder: Path, loop: str, awaited: bool) -> None:
        self.worker, self.journal, self.hangs = worker, folder / "journal", folder / "hangs"
        self.order: dict[str, Any] = {
            "loop": loop,
            "awaited": awaited,
            "store": f"sqlite:{folder / 'runs.db'}",
            "journal": str(self.journal),
            "hangs": str(self.hangs),
            "delay": 0,
        }

    def go_on(self, **more: Any) -> None:
        """Start or resume in a new process, until the run rests."""
        self.worker.send({**self.order, **more})
        assert self.worker.gone() == 0

    def kill_when(self, happens: Any, **more: Any) -> bool:
        """Start or resume in a new process, and kill it then; whether it was not faster."""
        child = self.worker.send({**self.order, **more})
        while not (happens() or self.worker.is_gone(0.001)):
            pass
        os.kill(child, signal.SIGKILL)
        went = self.worker.gone()
        assert went in {0, signal.SIGKILL}
        return went != 0

    @property
    def asked(self) -> list[str]:
        """The nodes of all calls, in the order in which they began."""
        return self.journal.read_text().splitlines() if self.journal.exists() else []

    def run(self) -> Run:
        with Store(self.order["store"]) as store:
            (row,) = store.registry.all()
        return open_run(self.order["store"], row.id)


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def awaited(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def history(run: Run) -> list[tuple[str, str, str]]:
    """What happened, in the order of the record; branches of a fork in the order of their names."""
    visits = [(visit.node, visit.outcome, json.dumps(visit.reply)) for visit in run.visits]
    return sorted(visits) if "rate" in run.plan.nodes else visits


@pytest.mark.parametrize("call", [1, 2, 3, 4, 7, 12])
def test_a_kill_in_a_call_makes_that_call_twice(worker: Worker, tmp_path: Path, call: int) -> None:
    case = Case(worker, tmp_path, "roles", awaited=call % 2 == 0)
    assert case.kill_when(case.hangs.exists, hang_in=call)
    assert case.run().status == "interrupted"
    assert len(case.run().visits) == call - 1
    case.go_on()
    cycle = ["solver", "detractor", "master", "boss"] * 3
    assert case.asked == [*cycle[:call], *cycle[call - 1 :]]
    assert (case.run().end, case.run().result) == (case.run().plan.ends["stopped"], "solver 2")


@pytest.mark.parametrize("call", [1, 2, 6, 12])
def test_a_kill_between_visits_makes_no_call_twice(worker: Worker, tmp_path: Path, awaited: bool, call: int) -> None:
    case = Case(worker, tmp_path, "roles", awaited)
    assert case.kill_when(case.hangs.exists, hang_before=call)
    assert len(case.run().visits) == call - 1
    case.go_on()
    assert case.asked == ["solver", "detractor", "master", "boss"] * 3
    assert [visit.node for visit in case.run().visits] == case.asked


@pytest.mark.parametrize("loop", ["roles", "nested", "branches"])
@pytest.mark.parametrize("seed", [1, 2])
def test_kills_at_random_moments(worker: Worker, tmp_path: Path, loop: str, awaited: bool, seed: int) -> None:
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
    whole = Case(worker, tmp_path / "whole", loop, awaited)
    whole.go_on()
    case = Case(worker, tmp_path / "killed", loop, awaited)
    chance, kills = random.Random(seed), 0
    while not case.journal.exists() or case.run().status != "finished":
        until = len(case.asked) + chance.randint(1, 6)
        later = chance.uniform(0, 0.01)

        def happens(until: int = until, later: float = later) -> bool:
            if len(case.asked) < until:
                return False
            time.sleep(later)
            return True

        kills += case.kill_when(happens, delay=0.02)
    assert history(case.run()) == history(whole.run())
    assert case.run().result == whole.run().result
    expected = Counter(whole.asked)
    assert Counter(case.asked).keys() == expected.keys()
    assert not expected - Counter(case.asked)
    repeated = (Counter(case.asked) - expected).total()
    assert kills >= 2
    assert repeated <= kills * (4 if loop == "branches" else 1)


def test_a_snapshot_in_every_node_goes_on_to_the_same_result(worker: Worker, tmp_path: Path) -> None:
    """autogen#7043: saved inside of a cycle and loaded, a run ended at once."""
    (tmp_path / "snapshots").mkdir()
    whole = Case(worker, tmp_path, "roles", awaited=False)
    whole.go_on(snapshots=str(tmp_path / "snapshots"))
    copies = sorted((tmp_path / "snapshots").iterdir(), key=lambda path: int(path.stem))
    assert len(copies) == 12
    for place, copy in enumerate(copies):
        (tmp_path / copy.stem).mkdir()
        case = Case(worker, tmp_path / copy.stem, "roles", awaited=place % 2 == 0)
        copy.rename(tmp_path / copy.stem / "runs.db")
        assert (case.run().status, len(case.run().visits)) == ("interrupted", place)
        case.go_on()
        assert case.asked == whole.asked[place:]
        assert history(case.run()) == history(whole.run())


def test_a_kill_in_a_call_to_a_real_server(worker: Worker, tmp_path: Path, awaited: bool) -> None:
    def reply(body: JsonObject) -> str | Trouble:
        messages: Any = body["messages"]
        if len(server.requests) == 3:
            return Trouble(hang=True)
        return WORD if len(messages) >= 12 else f"reply to {len(messages)}"

    with ModelServer(reply) as server:
        case = Case(worker, tmp_path, "roles", awaited)
        assert case.kill_when(lambda: len(server.requests) == 3, server=server.base_url)
        case.go_on(server=server.base_url)
        bodies = [request.body for request in server.requests]
    assert bodies[2] == bodies[3]
    assert [len(body["messages"]) for body in bodies] == [1, 2, 3, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14]  # type: ignore[arg-type]
    assert (case.run().reason, case.run().result) == ("boss said the stop word in round 3", "reply to 11")


@pytest.mark.parametrize("hanging", [1, 2, 5])
def test_no_rating_that_is_on_disk_is_paid_for_again(
    worker: Worker, tmp_path: Path, awaited: bool, hanging: int
) -> None:
    """Killed while so many of six ratings are still under way: only these are asked for again, by a real server."""
    options = [f"option {index}" for index in range(6)]
    late = set(options[-hanging:])
    killed = False

    def option_of(body: JsonObject) -> str:
        said: Any = body["messages"]
        return next((option for option in options if option in said[-1]["content"]), "")

    def reply(body: JsonObject) -> JsonObject | Trouble:
        option = option_of(body)
        if not option:
            return {"options": [*options]}
        return {"rating": options.index(option) + 1} if killed or option not in late else Trouble(hang=True)

    with ModelServer(reply) as server:
        case = Case(worker, tmp_path, "ratings", awaited)
        assert case.kill_when(lambda: _is_kept(case, 6 - hanging, server), server=server.base_url)
        killed = True
        case.go_on(server=server.base_url)
        asked = Counter(option_of(request.body) for request in server.requests)
    assert asked == {"": 1, **{option: 2 if option in late else 1 for option in options}}
    run = case.run()
    assert (run.result, run.usage.calls) == ("option 5", 7)
    assert sorted(visit.node for visit in run.visits if "[" in visit.node) == [f"rate[{i}]/judge" for i in range(6)]


def _is_kept(case: Case, ratings: int, server: ModelServer) -> bool:
    """Whether all questions are asked, and so many ratings are on disk."""
    if len(server.requests) < 7:
        return False
    return sum(visit.node.startswith("rate[") for visit in case.run().visits) == ratings


def test_a_run_has_one_runner_and_a_dead_one_is_taken_over(worker: Worker, tmp_path: Path) -> None:
    case = Case(worker, tmp_path, "roles", awaited=False)
    child = worker.send({**case.order, "hang_in": 2})
    while not case.hangs.exists():
        time.sleep(0.001)
    run = case.run()
    model = RecordingModel({"default": ["said"]})
    with pytest.raises(RunBusy, match=f"is being run by process {child} on "):
        run.resume(model=model)
    assert (run.status, model.calls) == ("running", [])
    os.kill(child, signal.SIGKILL)
    assert worker.gone() == signal.SIGKILL
    assert (run.status, run.resume(model=model).status) == ("interrupted", "suspended")
    assert model.asked == ["detractor", "master"]


def test_two_processes_run_two_runs_in_one_new_store(worker: Worker, tmp_path: Path) -> None:
    other = Worker()
    for each in (worker, other):
        each.send({**Case(worker, tmp_path, "roles", awaited=False).order, "new": True, "delay": 0.002})
    assert [worker.gone(), other.gone()] == [0, 0]
    other.close()
    with Store(f"sqlite:{tmp_path / 'runs.db'}") as store:
        runs = [open_run(store, row.id) for row in store.registry.all()]
        assert [(run.status, run.result, len(run.visits)) for run in runs] == [("finished", "solver 2", 12)] * 2


def test_a_kill_in_a_tool_calls_that_tool_again_and_no_other(worker: Worker, tmp_path: Path, awaited: bool) -> None:
    case = Case(worker, tmp_path, "tools", awaited=awaited)
    looks = [f"look {place}" for place in range(4)]
    which, done, asked = 4, 3, 1

    def all_others_are_done() -> bool:
        return case.hangs.exists() and len(case.run().visits) == asked + which + done

    assert case.kill_when(all_others_are_done, hang_at=2)
    assert (case.asked[0], sorted(case.asked[1:])) == ("ask", looks)
    case.go_on()
    assert case.asked[5:] == ["look 2", "ask"]
    run = case.run()
    assert (run.end, run.result) == (run.plan.ends["answered"], "Seen.")
    assert Counter(visit.node for visit in run.visits)["tools[2]/look"] == 1
    with Store(case.order["store"]) as store:
        assert len(store.registry.visits(run.id)) == asked + which + done + 1 + 1 + 1


def test_a_kill_after_the_tools_calls_none_of_them_again(worker: Worker, tmp_path: Path, awaited: bool) -> None:
    case = Case(worker, tmp_path, "tools", awaited=awaited)
    assert case.kill_when(case.hangs.exists, hang_in=2)
    case.go_on()
    assert Counter(case.asked) == {"ask": 3, "look 0": 1, "look 1": 1, "look 2": 1, "look 3": 1}
    assert case.run().result == "Seen."


def has_ended(case: Case) -> bool:
    with Store(case.order["store"]) as store:
        return any(row.status == "finished" for row in store.registry.all())


@pytest.mark.parametrize("loop", ["roles", "nested", "branches", "tools"])
def test_a_recorded_run_that_was_killed_is_replayed_as_it_went(
    worker: Worker, tmp_path: Path, loop: str, awaited: bool
) -> None:
    """The record is killed again and again, and so is the replay of it."""
    for name in ("recorded", "replayed"):
        (tmp_path / name).mkdir()
    case = Case(worker, tmp_path / "recorded", loop, awaited)
    file = {"recording": str(tmp_path / "calls.jsonl")}
    chance = random.Random(loop)
    while not has_ended(case):
        until = len(case.asked) + chance.randint(1, 6)
        later = chance.uniform(0, 0.01)

        def happens(until: int = until, later: float = later) -> bool:
            if len(case.asked) < until:
                return False
            time.sleep(later)
            return True

        case.kill_when(happens, delay=0.004, mode="record", **file)
    again = Case(worker, tmp_path / "replayed", loop, awaited)
    for _ in range(4):
        moment = time.monotonic() + chance.uniform(0, 0.05)
        if not has_ended(again):
            again.kill_when(lambda moment=moment: time.monotonic() > moment, mode="replay", **file)
    if not has_ended(again):  # a replay may be quicker than whoever kills it
        again.go_on(mode="replay", **file)
    assert sorted(history(again.run())) == sorted(history(case.run()))
    assert (again.run().result, again.run().usage.calls) == (case.run().result, case.run().usage.calls)
    assert {line for line in again.asked if not line.startswith("look")} == set()
