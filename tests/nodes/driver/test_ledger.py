"""The ledger: reserved before a call, settled after it, and never more than the budget, whatever the order."""

import asyncio
import random
import threading
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.nodes.budget import Budget
from loopwright.nodes.driver.ledger import LONGEST_ANSWER, Account, Hold, Ledger, Need, OverBudget
from loopwright.nodes.models.price import Price
from loopwright.state.records import Usage

ONE = Usage(calls=1)
DOLLAR = Price(input=1_000_000, output=1_000_000)  # a dollar a token


def states(*holds: Hold) -> list[str]:
    return ["granted" if hold.granted else "refused" if hold.refused else "waits" for hold in holds]


def test_calls_beyond_the_budget_wait_for_those_at_work_and_are_refused_when_these_are_made() -> None:
    ledger, accounts = Ledger(), [Account(Budget(calls=2))]
    holds = [ledger.reserve(accounts, Need()) for _ in range(4)]
    assert states(*holds) == ["granted", "granted", "waits", "waits"]
    ledger.settle(holds[0])  # it was not made after all
    assert states(*holds[2:]) == ["granted", "waits"]
    ledger.settle(holds[1], ONE)
    ledger.settle(holds[2], Usage(failed=1))
    with pytest.raises(OverBudget) as caught:
        ledger.pause(holds[3])
    assert str(caught.value) == "over budget: calls: 2 of 2 spent, and this call needs 1"
    assert caught.value.short == {"calls": 1}


def test_what_was_spent_before_counts() -> None:
    before = Usage(calls=1, retries=1, repairs=1, repeats=1, failed=1)
    hold = Ledger().reserve([Account(Budget(calls=5), before)], Need())
    assert states(hold) == ["refused"]


def test_an_answer_is_cut_to_what_is_left() -> None:
    account = Account(Budget(tokens=1000))
    ledger = Ledger()
    hold = ledger.reserve([account], Need(prompt=300))
    assert (hold.granted, hold.answer) == (True, 700)
    ledger.settle(hold, Usage(calls=1, tokens_in=100, tokens_out=50))
    assert account.spent_of("tokens") == 150
    assert ledger.reserve([Account(Budget(tokens=10**6))], Need(prompt=300)).answer == LONGEST_ANSWER
    tight = ledger.reserve([Account(Budget(tokens=310))], Need(prompt=300))
    assert str(tight.refused) == (
        "over budget: tokens: 0 of 310 spent, and this call reserves at least 316:"
        " prompt 300 at most, answer 16 or more"
    )


def test_an_answer_whose_length_is_said_is_not_cut() -> None:
    hold = Ledger().reserve([Account(Budget(tokens=1000))], Need(prompt=300, answer=701))
    assert str(hold.refused) == (
        "over budget: tokens: 0 of 1,000 spent, and this call reserves up to 1,001:"
        " prompt 300 at most, answer up to 701"
    )


def test_an_answer_is_not_cut_short_while_others_may_give_back() -> None:
    ledger, accounts = Ledger(), [Account(Budget(tokens=5000))]
    first, second = (ledger.reserve(accounts, Need(prompt=100)) for _ in range(2))
    assert (states(first, second), first.answer) == (["granted", "waits"], LONGEST_ANSWER)
    ledger.settle(first, Usage(calls=1, tokens_in=100, tokens_out=100))
    assert (states(second), second.answer) == (["granted"], LONGEST_ANSWER)


def test_cost_is_reserved_by_its_price() -> None:
    account = Account(Budget(cost=100))
    ledger = Ledger()
    hold = ledger.reserve([account], Need(prompt=60, price=DOLLAR))
    assert (hold.granted, hold.answer) == (True, 40)
    ledger.settle(hold, Usage(calls=1, cost=0.1 + 0.2))
    assert account.spent_of("cost") == 0.3
    assert account.left_of("cost") == 99.7


def test_a_model_that_cannot_be_bounded_is_counted_afterwards() -> None:
    ledger, accounts = Ledger(), [Account(Budget(tokens=10))]
    first, second = (ledger.reserve(accounts, Need()) for _ in range(2))
    assert states(first, second) == ["granted", "granted"]
    ledger.settle(first, Usage(calls=1, tokens_out=12))
    third = ledger.reserve(accounts, Need())
    assert str(third.refused) == "over budget: tokens: 12 of 10 spent, and this call may need more"


def test_nobody_passes_one_who_waits_for_the_same() -> None:
    ledger = Ledger()
    strong, weak = Account(Budget(tokens=100), prefix="strong."), Account(Budget(tokens=100), prefix="weak.")
    large = ledger.reserve([strong], Need(prompt=50, answer=20))
    waits = ledger.reserve([strong], Need(prompt=50, answer=20))
    small = ledger.reserve([strong], Need(prompt=1, answer=1))
    other = ledger.reserve([weak], Need(prompt=50, answer=20))
    assert states(large, waits, small, other) == ["granted", "waits", "waits", "granted"]
    ledger.settle(waits)  # its owner was cancelled
    assert states(small) == ["granted"]


def test_a_call_is_taken_from_all_its_accounts_or_from_none() -> None:
    run, model = Account(Budget(calls=2)), Account(Budget(calls=1), prefix="strong.")
    ledger = Ledger()
    first, second = (ledger.reserve([run, model], Need()) for _ in range(2))
    ledger.settle(first, ONE)
    assert str(second.refused) == "over budget: strong.calls: 1 of 1 spent, and this call needs 1"
    assert (run.spent_of("calls"), run.held["calls"], model.held["calls"]) == (1, 0, 0)


def test_seconds_at_work() -> None:
    now = [0.0]
    ledger = Ledger(Account(Budget(seconds=10), worked=4), clock=lambda: now[0])
    assert ledger.seconds_left() == 6
    now[0] = 6
    with pytest.raises(OverBudget, match="over budget: seconds: 10 s of 10 s spent, and this call has none left"):
        ledger.seconds_left()
    assert Ledger(Account(Budget(calls=1))).seconds_left() is None


needs = st.tuples(st.integers(0, 30), st.integers(0, 30) | st.none())


@given(
    limits=st.lists(st.builds(Budget, calls=st.integers(1, 6), tokens=st.integers(1, 99)), min_size=1, max_size=2),
    cost=st.integers(1, 99),
    moves=st.lists(
        st.one_of(
            st.tuples(st.just("reserve"), needs),
            st.tuples(st.sampled_from(["settle", "cancel", "fail"]), st.tuples(st.integers(0, 99), st.integers(0, 99))),
        ),
        max_size=40,
    ),
)
def test_no_budget_is_ever_passed_and_nobody_waits_for_ever(
    limits: list[Budget], cost: int, moves: Sequence[tuple[str, tuple[int, int | None]]]
) -> None:
    accounts = [Account(limit.over(Budget(cost=cost / 1e6)), prefix=f"{index}.") for index, limit in enumerate(limits)]
    ledger = Ledger()
    live: list[Hold] = []

    def check() -> None:
        for account in accounts:
            held = [hold.need.amounts(hold.answer) for hold in live if hold.granted]
            for name, limit in account.limits.items():
                assert account.held[name] == sum(each[name] for each in held)
                assert account.taken[name] + account.held[name] <= limit
        live[:] = [hold for hold in live if not hold.refused]
        assert not live or any(hold.granted for hold in live)  # whoever waits, waits for somebody

    def took(hold: Hold, share: int) -> Usage:
        tokens = (hold.need.prompt or 0) + hold.answer * share // 99
        return Usage(calls=1, tokens_in=tokens, cost=tokens / 1e6)

    for move, (first, second) in moves:
        if move == "reserve":
            live.append(ledger.reserve(accounts, Need(first, second, Price(input=1, output=1))))
        elif live:
            hold = live.pop(first % len(live))
            spent = {"settle": took(hold, second or 0), "fail": Usage(failed=1)}.get(move)
            ledger.settle(hold, spent if hold.granted else None)
        check()


def test_threads_never_pass_it() -> None:
    ledger, account = Ledger(), Account(Budget(calls=100))
    made: list[int] = []

    def work(number: int) -> None:
        hold = ledger.reserve([account], Need())
        try:
            while (woken := ledger.pause(hold)) is not None:
                woken.result(timeout=60)
        except OverBudget:
            ledger.settle(hold)
            return
        made.append(number)
        ledger.settle(hold, ONE)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(256)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), account.spent_of("calls"), account.held["calls"]) == (100, 100, 0)


def test_tasks_never_pass_it_and_those_that_are_cancelled_give_back() -> None:
    ledger, account = Ledger(), Account(Budget(calls=100))
    made: list[int] = []
    dice = random.Random(4)

    async def work(number: int) -> None:
        hold, took = ledger.reserve([account], Need()), None
        try:
            while (woken := ledger.pause(hold)) is not None:
                await asyncio.wait([asyncio.wrap_future(woken)])
            for _ in range(dice.randrange(4)):
                await asyncio.sleep(0)
            took = ONE
            made.append(number)
        except OverBudget:
            pass
        finally:
            ledger.settle(hold, took)

    async def main() -> None:
        tasks = [asyncio.create_task(work(number)) for number in range(256)]
        await asyncio.sleep(0)
        for task in dice.sample(tasks, 64):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(main())
    assert (len(made), account.spent_of("calls"), account.held["calls"]) == (100, 100, 0)
