"""A call within its budgets and limits, with blocking calls and with awaited ones."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from loopwright.errors import ModelError
from loopwright.nodes.budget import Budget
from loopwright.nodes.contract import AskOutside
from loopwright.nodes.driver.asking import on_terms, require_time
from loopwright.nodes.driver.ledger import Account, Ledger, OverBudget
from loopwright.nodes.driver.perform import aperform, perform
from loopwright.nodes.driver.steps import CallModel, Job, Result, Sleep, Suspend, Tell, Wait
from loopwright.nodes.driver.terms import Terms
from loopwright.nodes.driver.visit import visit
from loopwright.nodes.events import Event, Held, Retrying
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.limiter import Limiter
from loopwright.nodes.models.price import Price
from loopwright.nodes.models.retrying import LONGEST_ASKED
from loopwright.nodes.think import Think
from loopwright.state.records import Usage
from loopwright.state.values import Json
from loopwright.testing.scripts import RecordingModel

MODEL = RecordingModel(lambda call: "said", label="m")
STEP = CallModel(MODEL, ModelCall("write", [{"role": "user", "content": "Write."}]))
SAID = ModelReply("said", Usage(calls=1, tokens_in=10, tokens_out=5))
ASK_WRITER = Think("write", prompt="Write.")


@dataclass
class Hands:
    """The engine's part: it notes events, and stops where it is told to."""

    events: list[Event] = field(default_factory=list)

    def outside(self, ask: AskOutside) -> Json:
        raise AssertionError(ask)

    def suspend(self, stop: Suspend) -> None:
        raise RuntimeError(stop.reason)

    def tell(self, event: Event) -> None:
        self.events.append(event)


def job(terms: Terms, model: RecordingModel = MODEL, handled: str = "") -> Job:
    return Job(
        ASK_WRITER, {}, {}, {"default": model}, "t", "write", frozenset(handled.split()), terms={"default": terms}
    )


def with_budget(budget: Budget, **more: Any) -> Terms:
    account = Account(budget)
    return Terms(ledger=Ledger(account), accounts=[account], **more)


@pytest.fixture(params=["sync", "async"])
def made(request: pytest.FixtureRequest) -> Callable[[Job, Hands], Result]:
    if request.param == "sync":
        return lambda job, hands: perform(visit(job), hands)
    return lambda job, hands: asyncio.run(aperform(visit(job), hands))


def test_where_there_are_no_terms_the_model_is_asked_as_it_is() -> None:
    asking = on_terms(STEP, None, "write", "t")
    assert next(asking) is STEP
    with pytest.raises(StopIteration) as stop:
        asking.send(SAID)
    assert stop.value.value is SAID


def test_a_call_is_priced_and_settled() -> None:
    terms = with_budget(Budget(calls=3), price=Price(input=1, output=2))
    asking = on_terms(STEP, terms, "write", "t")
    next(asking)
    with pytest.raises(StopIteration) as stop:
        asking.send(SAID)
    assert stop.value.value.usage == Usage(calls=1, tokens_in=10, tokens_out=5, cost=0.00002)
    assert terms.accounts[0].taken == {"calls": 1, "tokens": 15, "cost": 20_000}


def test_a_model_is_told_what_is_left() -> None:
    terms = with_budget(Budget(tokens=400, seconds=30), can_be_told=True, timeout=60)
    step = next(on_terms(STEP, terms, "write", "t"))
    assert isinstance(step, CallModel)
    assert step.call.max_tokens == 400 - 323
    assert step.call.timeout is not None
    assert 0 < step.call.timeout <= 30
    own = next(on_terms(STEP, with_budget(Budget(tokens=400), can_be_told=True, max_tokens=7), "write", "t"))
    assert own is STEP  # its reference says it


@pytest.mark.parametrize("how", ["fails", "is closed"])
def test_a_call_that_comes_to_nothing_counts_once(how: str) -> None:
    terms = with_budget(Budget(calls=1))
    asking = on_terms(STEP, terms, "write", "t")
    next(asking)
    if how == "fails":
        with pytest.raises(ModelError):
            asking.throw(ModelError("busy"))
    else:
        asking.close()
    assert (terms.accounts[0].taken["calls"], terms.accounts[0].held["calls"]) == (1, 0)
    with pytest.raises(OverBudget):
        next(on_terms(STEP, terms, "write", "t"))


def test_whoever_stops_waiting_gives_its_place_back() -> None:
    limiter = Limiter(at_once=1)
    terms = with_budget(Budget(calls=1), limiter=limiter)
    first, second = (on_terms(STEP, terms, "write", "t") for _ in range(2))
    assert next(first) is STEP
    assert isinstance(next(second), Wait)
    second.close()
    assert (terms.accounts[0].taken["calls"], terms.accounts[0].held["calls"]) == (0, 1)
    first.close()
    entry = limiter.enter()
    assert entry.granted


def test_a_long_wait_is_told_once() -> None:
    now = [0.0]
    terms = Terms(limiter=Limiter(requests=1, clock=lambda: now[0]))
    assert next(on_terms(STEP, terms, "write", "t")) is STEP
    asking = on_terms(STEP, terms, "write", "t")
    assert next(asking) == Tell(Held("write", "t", "m: requests_per_minute=1", 60.0))
    step = next(asking)
    assert isinstance(step, Wait)
    assert step.seconds == 60
    now[0] = 59.0
    step = next(asking)
    assert isinstance(step, Wait)
    assert step.seconds == 1
    now[0] = 60.0
    assert next(asking) is STEP


def test_the_servers_wish_to_wait_holds_all_calls_of_a_model() -> None:
    now = [0.0]
    terms = Terms(limiter=Limiter(clock=lambda: now[0]))
    failing = on_terms(STEP, terms, "write", "t")
    next(failing)
    with pytest.raises(ModelError):
        failing.throw(ModelError("429", retryable=True, retry_after=7))
    assert next(on_terms(STEP, terms, "other", "t")) == Tell(Held("other", "t", "m: the server's Retry-After", 7.0))


def test_a_wish_that_is_too_long_holds_nobody_up() -> None:
    terms = Terms(limiter=Limiter(clock=lambda: 0.0))
    failing = on_terms(STEP, terms, "write", "t")
    next(failing)
    with pytest.raises(ModelError):
        failing.throw(ModelError("429", retryable=True, retry_after=LONGEST_ASKED + 1))
    assert next(on_terms(STEP, terms, "other", "t")) is STEP


def test_nobody_waits_longer_than_there_is_time() -> None:
    require_time(None, 1000)
    require_time(Terms(), 1000)
    require_time(with_budget(Budget(calls=1)), 1000)
    with pytest.raises(OverBudget, match=r"over budget: seconds: .* s left, and the next attempt waits 1000.0 s"):
        require_time(with_budget(Budget(seconds=20)), 1000)


def test_over_budget_is_an_outcome(made: Callable[[Job, Hands], Result]) -> None:
    terms = with_budget(Budget(calls=1))
    assert made(job(terms, handled="over_budget"), Hands()).answer.outcome == "done"
    result = made(job(terms, handled="over_budget"), Hands())
    assert (result.answer.outcome, result.usage) == ("over_budget", Usage())
    assert result.answer.reason == "over budget: calls: 1 of 1 spent, and this call needs 1"
    with pytest.raises(RuntimeError, match="over budget: calls: 1 of 1 spent"):
        made(job(terms), Hands())


def test_a_retry_that_does_not_fit_is_not_made() -> None:
    model = RecordingModel({"write": ["x"]})
    visiting = visit(job(with_budget(Budget(calls=2)), model, handled="over_budget"))
    for _ in range(2):
        assert isinstance(next(visiting), CallModel)
        told = visiting.throw(ModelError("busy", retryable=True))
        assert isinstance(told, Tell)
        assert isinstance(told.event, Retrying)
        assert isinstance(next(visiting), Sleep)
    with pytest.raises(StopIteration) as stop:
        next(visiting)
    assert stop.value.value.usage == Usage(retries=1, failed=1)


def test_threads_and_tasks_share_a_limit() -> None:
    lock, at_work, most = threading.Lock(), [0], [0]

    def answer(call: ModelCall) -> str:
        with lock:
            at_work[0] += 1
            most[0] = max(most[0], at_work[0])
        with lock:
            at_work[0] -= 1
        return "said"

    terms, model = Terms(limiter=Limiter(at_once=3)), RecordingModel(answer)

    def by_threads() -> int:
        with ThreadPoolExecutor(32) as pool:
            return sum(1 for _ in pool.map(lambda _: perform(visit(job(terms, model)), Hands()), range(64)))

    async def by_tasks() -> int:
        tasks = (aperform(visit(job(terms, model)), Hands()) for _ in range(64))
        return len(await asyncio.gather(*tasks))

    with ThreadPoolExecutor(1) as pool:
        others = pool.submit(by_threads)
        assert (asyncio.run(by_tasks()), others.result()) == (64, 64)
    assert most[0] <= 3


async def test_a_task_that_is_cancelled_while_it_waits_gives_its_place_back() -> None:
    asked = asyncio.Event()

    class Slow:
        label, retries = "slow", 0

        def ask(self, call: ModelCall) -> ModelReply:
            raise AssertionError

        async def aask(self, call: ModelCall) -> ModelReply:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError

    terms = with_budget(Budget(calls=2), limiter=Limiter(at_once=1))
    slow = Job(ASK_WRITER, {}, {}, {"default": Slow()}, "t", "write", terms={"default": terms})
    first = asyncio.create_task(aperform(visit(slow), Hands()))
    await asked.wait()
    second = asyncio.create_task(aperform(visit(job(terms)), Hands()))
    third = asyncio.create_task(aperform(visit(job(terms)), Hands()))
    await asyncio.sleep(0)
    for task in (second, first):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert (await third).answer.outcome == "done"
    assert (terms.accounts[0].taken["calls"], terms.accounts[0].held["calls"]) == (2, 0)
