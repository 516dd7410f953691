"""Runs whose processes are killed at random moments, again and again, until they are at their end."""

import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from loopwright.errors import RunError
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject
from loopwright.testing.histories import People, differences, outcome_of, width_of
from loopwright.testing.model_server import ModelServer, Reply

Replies = Callable[[JsonObject], Reply]


@dataclass(frozen=True, slots=True)
class Kills:
    """What killing a loop came to, where nothing was lost.

    Args:
        kills: How often a process was killed.
        runs: How many runs that took.
        visits: The visits of one run.
        calls: The model calls of a run that is not killed.
        repeated: The model calls that the killed runs made beyond these, all together.
        width: How many branches of a run may be at work at once.
    """

    kills: int
    runs: int
    visits: int
    calls: int
    repeated: int
    width: int


def kill_at_random(
    loop: str | Path | Loop[Any],
    inputs: Mapping[str, Any] | None = None,
    *,
    replies: Replies,
    people: People | None = None,
    kills: int = 20,
    seed: int = 0,
    awaited: bool = False,
) -> Kills:
    """Run a loop in processes that are killed (SIGKILL) at random moments, and let it go on in another one each time.

    Each run must come to what a run comes to that is not killed: the same visits with the same replies, the same end,
    result and state, with at most one call of a model made again for each kill and each branch that was at work. Its
    models are asked at a real server on loopback, which counts.

    Args:
        loop: The loop: a file, `FILE.py:NAME`, or a `Loop` whose plan calls no functions.
        inputs: Its inputs; the loop's own when left out.
        replies: What the server answers, from the body of a request. It must answer the same to the same request.
        people: For each node that asks a person its answers, the first one first.
        kills: How many there are to be, in as many runs as it takes; the last run is let go to its end.
        seed: What makes the moments; the same makes the same delays.
        awaited: Whether calls are awaited.

    Returns:
        How many runs it took, and how many calls were made again.

    Raises:
        AssertionError: Something was lost, or done once more than that; it says in which run.
        RunError: The loop cannot be handed to another process, or processes cannot be forked here.
    """
    if not hasattr(os, "fork"):
        raise RunError("processes that are killed are made by fork, which this system does not have")
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="loopwright-") as folder, ModelServer(replies) as server:
        order = {"people": {**(people or {})}, "server": server.base_url, "awaited": awaited}
        with _Workshop(_named(loop)) as workshop:
            trial = _Trial(workshop, {**order, "inputs": _inputs(loop, inputs)}, Path(folder))
            begun = time.monotonic()
            whole = trial.run("whole")
            longest, calls = (time.monotonic() - begun) * 1.1, len(server.requests)
            expected, width, visits = outcome_of(whole), width_of(whole), len(whole.visits)
            done = runs = repeated = 0
            while done < kills:
                runs += 1
                before = len(server.requests)
                killed = trial.kill(f"killed {runs}", lambda: chance.uniform(0, longest), kills - done)
                done += killed
                again = len(server.requests) - before - calls
                repeated += again
                wrong = differences(expected, outcome_of(trial.found(f"killed {runs}")))
                if again > killed * width:
                    wrong.append(f"{again} calls were made again, where {width} could be at work at each kill")
                if wrong:
                    raise AssertionError("\n".join(f"run {runs}, killed {killed} times: {each}" for each in wrong))
    return Kills(done, runs, visits, calls, repeated, width)


def _named(loop: str | Path | Loop[Any]) -> JsonObject:
    """How another process is told which loop it is."""
    if not isinstance(loop, Loop):
        return {"loop": str(loop)}
    if loop.plan.code:
        names = ", ".join(repr(ref.name) for ref in loop.plan.code)
        raise RunError(f"this loop calls {names}, which no other process is told; name the loop as FILE.py:NAME")
    return {"plan": loop.plan.to_data()}


def _inputs(loop: str | Path | Loop[Any], inputs: Mapping[str, Any] | None) -> Any:
    """The inputs as another process is given them; None for those that it finds in the loop."""
    if inputs is None and isinstance(loop, Loop):
        return dict(loop.inputs[0])
    return None if inputs is None else dict(inputs)


class _Trial:
    """Runs of one loop, each in a store of its own."""

    def __init__(self, workshop: "_Workshop", order: Mapping[str, Any], folder: Path) -> None:
        self._workshop, self._order, self._folder = workshop, order, folder

    def run(self, name: str) -> Run:
        """A run that nobody kills."""
        self._workshop.work(self._order_of(name), None)
        return self.found(name)

    def kill(self, name: str, delay: Callable[[], float], most: int) -> int:
        """Kill a run after such delays until it is at its end, so often at most; how often that was."""
        kills = 0
        while not self._workshop.work(self._order_of(name), delay() if kills < most else None):
            kills += 1
        return kills

    def found(self, name: str) -> Run:
        """The run as it is in its store."""
        with Store(self._url(name)) as store:
            (row,) = store.registry.all()
        return open_run(self._url(name), row.id)

    def _order_of(self, name: str) -> JsonObject:
        return {**self._order, "store": self._url(name)}

    def _url(self, name: str) -> str:
        return f"sqlite:{self._folder / name}.db"


class _Workshop:
    """The process that makes the processes; see `killed`."""

    def __init__(self, named: JsonObject) -> None:
        self._named = named

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "loopwright.testing.killed"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._say(self._named)
        if self._line() != "ready":
            self.__exit__(None, None, None)
            raise RunError("the loop could not be loaded in another process; what is wrong stands above")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def work(self, order: JsonObject, delay: float | None) -> bool:
        """Have a process made that obeys, and kill it after so many seconds; whether it was faster.

        Raises:
            RunError: It failed by itself.
        """
        self._say(order)
        child = int(self._line())
        assert self._process.stdout
        if delay is not None and not select.select([self._process.stdout], [], [], delay)[0]:
            os.kill(child, signal.SIGKILL)
        assert self._line() == "gone"
        self._say("forget it")
        went = int(self._line())
        if went not in (0, -signal.SIGKILL):
            raise RunError(f"a process that ran the loop failed with code {went}; what is wrong stands above")
        return went == 0

    def _say(self, what: Any) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{json.dumps(what)}\n".encode())

    def _line(self) -> str:
        # Nothing is buffered here: `work` looks at the pipe itself.
        assert self._process.stdout
        return self._process.stdout.readline().decode().rstrip("\n")
