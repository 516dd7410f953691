"""A visit made for real: with blocking calls, and with awaited ones."""

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from loopwright.nodes.contract import AskOutside, Node
from loopwright.nodes.driver.perform import aperform, perform
from loopwright.nodes.driver.steps import Job, Result, Suspend
from loopwright.nodes.driver.visit import visit
from loopwright.nodes.events import Event, Retrying
from loopwright.nodes.functions import Act, Route
from loopwright.nodes.models.contract import Model
from loopwright.nodes.think import Think
from loopwright.nodes.wait import Human
from loopwright.state.schema import check_for
from loopwright.state.values import Json
from loopwright.testing.scripts import RecordingModel


class Stopped(Exception):
    """What the engine raises to stop a run."""


@dataclass
class Hands:
    """The engine's part: it answers, it stops, it notes events."""

    answer: Json = None
    events: list[Event] = field(default_factory=list)

    def outside(self, ask: AskOutside) -> Json:
        if self.answer is None:
            raise Stopped(ask.text)
        return self.answer

    def suspend(self, stop: Suspend) -> None:
        raise Stopped(stop.reason)

    def tell(self, event: Event) -> None:
        self.events.append(event)


Perform = Callable[[Job, Hands], Result]


@pytest.fixture(params=["sync", "async"])
def made(request: pytest.FixtureRequest) -> Perform:
    if request.param == "sync":
        return lambda job, hands: perform(visit(job), hands)
    return lambda job, hands: asyncio.run(aperform(visit(job), hands))


def job(node: Node, model: Model | None = None, **view: Any) -> Job:
    checks = dict.fromkeys(node.contract.writes, check_for({}))
    return Job(node, view, checks, {"default": model} if model else {}, "task", node.name)


def test_a_model_is_asked(made: Perform) -> None:
    node = Think("write", prompt="Write.", writes="draft")
    assert made(job(node, RecordingModel({"write": ["A"]})), Hands()).answer.update == {"draft": "A"}


def test_a_failed_call_waits_and_tells(made: Perform) -> None:
    model = RecordingModel({"write": [{"error": "429", "retryable": True, "retry_after": 0.02}, "A"]})
    hands, begun = Hands(), time.perf_counter()
    result = made(job(Think("write", prompt="Write."), model), hands)
    assert time.perf_counter() - begun >= 0.02
    assert hands.events == [Retrying("write", "task", "429", 0.02)]
    assert result.usage.retries == 1


def test_what_the_engine_raises_passes_through(made: Perform) -> None:
    with pytest.raises(Stopped, match="Publish"):
        made(job(Human("approve", text="Publish?")), Hands())
    with pytest.raises(Stopped, match="there is no model 'default'"):
        made(job(Think("write", prompt="Write.")), Hands())


def test_an_answer_from_outside(made: Perform) -> None:
    answer: Json = {"action": "no"}
    node = Human("approve", text="Publish?", outcomes=["yes", "no"])
    assert made(job(node), Hands(answer)).answer.outcome == "no"


def add(a: int, b: int) -> int:
    return a + b


async def add_later(a: int, b: int) -> int:
    await asyncio.sleep(0.001)
    return a + b


@pytest.mark.parametrize("function", [add, add_later])
def test_functions_of_both_kinds(made: Perform, function: Callable[..., Any]) -> None:
    assert made(job(Act("add", function, writes="sum"), a=1, b=2), Hands()).answer.update == {"sum": 3}


async def test_an_async_function_in_a_sync_run_inside_of_a_running_loop() -> None:
    result = perform(visit(job(Act("add", add_later, writes="sum"), a=1, b=2)), Hands())
    assert result.answer.update == {"sum": 3}


async def test_a_sync_function_does_not_block_the_running_loop() -> None:
    let_go = threading.Event()
    node = Act("held", let_go.wait, reads=(), writes="went")
    waiting = asyncio.create_task(aperform(visit(job(node)), Hands()))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    let_go.set()
    assert (await waiting).answer.update == {"went": True}


async def fails_later() -> None:
    raise OSError("no disk")


def fails() -> None:
    raise OSError("no disk")


@pytest.mark.parametrize("function", [fails, fails_later])
def test_an_exception_names_the_line_of_the_function(made: Perform, function: Callable[..., Any]) -> None:
    line = function.__code__.co_firstlineno + 1
    with pytest.raises(Stopped) as caught:
        made(job(Act("act", function)), Hands())
    assert str(caught.value) == f"OSError: no disk (at {__file__}:{line})"


async def test_an_exception_in_a_loop_of_its_own_comes_back() -> None:
    with pytest.raises(Stopped, match="OSError: no disk"):
        perform(visit(job(Act("act", fails_later))), Hands())


def stops() -> None:
    raise KeyboardInterrupt


def test_ctrl_c_is_no_failure(made: Perform) -> None:
    with pytest.raises(KeyboardInterrupt):
        made(job(Act("act", stops)), Hands())


async def cancels_itself_later() -> None:
    raise asyncio.CancelledError


def cancels_itself() -> None:
    raise asyncio.CancelledError


@pytest.mark.parametrize("function", [cancels_itself, cancels_itself_later])
def test_a_function_that_says_it_was_cancelled_has_failed(made: Perform, function: Callable[..., Any]) -> None:
    line = function.__code__.co_firstlineno + 1
    with pytest.raises(Stopped) as caught:
        made(job(Act("act", function)), Hands())
    assert str(caught.value) == f"CancelledError (at {__file__}:{line})"
    with pytest.raises(Stopped) as routed:
        made(job(Route("act", cancels_itself, outcomes=["yes"])), Hands())
    assert str(routed.value).startswith("node 'act': CancelledError (at ")


async def test_a_task_that_is_cancelled_is_cancelled() -> None:
    began = asyncio.Event()

    async def wait() -> None:
        began.set()
        await asyncio.sleep(20)

    task = asyncio.create_task(aperform(visit(job(Act("act", wait))), Hands()))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


class BothWays:
    """Code with a way of its own for async runs."""

    def __call__(self, draft: str) -> str:
        return f"{draft}, called"

    async def acall(self, draft: str) -> str:
        return f"{draft}, awaited"


def test_code_of_both_ways_is_called_by_the_way_of_the_run() -> None:
    node = Act("polish", BothWays(), reads="draft", writes="draft", version="1")
    made = job(node, draft="a")
    assert perform(visit(made), Hands()).answer.update == {"draft": "a, called"}
    assert asyncio.run(aperform(visit(made), Hands())).answer.update == {"draft": "a, awaited"}
