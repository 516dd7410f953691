"""The ledger of a run: what its budgets have left. Reserved before a call, settled after it; in memory, and no I/O.

Amounts are whole numbers, cost in billionths of a dollar: sums of them are exact, and no budget is passed by rounding.
"""

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property

from loopwright.nodes.budget import Budget, amount_words
from loopwright.nodes.models.prices import Pricing
from loopwright.nodes.turns import Turn
from loopwright.state.records import Usage

BILLION = 1_000_000_000

LONGEST_ANSWER, LEAST_ANSWER = 4096, 16
"""Tokens that an answer may have where tokens or cost are limited and its model names no `max_tokens`, and what must be
left for one."""

Amounts = Mapping[str, int]


class OverBudget(Exception):
    """A call that does not fit a budget, even with nothing else at work.

    Args:
        reason: Which budget, what is spent of it, and what the call needs.
        short: What the call needs, by the name of the budget.
    """

    def __init__(self, reason: str, short: Mapping[str, float]) -> None:
        self.short = short
        super().__init__(reason)


@dataclass
class Account:
    """One budget with what is spent of it.

    Args:
        budget: What may be spent.
        spent: What was spent before.
        prefix: What stands before the names of what it counts: "" for a run, `strong.` for a model.
        worked: Seconds that the run was at work before.
    """

    budget: Budget
    spent: Usage = field(default_factory=Usage)
    prefix: str = ""
    worked: float = 0.0

    def __post_init__(self) -> None:
        limits = self.budget.limits
        self.most: float | None = limits.pop("seconds", None)
        self.limits: dict[str, int] = {name: _whole(name, limit) for name, limit in limits.items()}
        self.taken = _amounts(self.spent)
        self.held = dict.fromkeys(self.taken, 0)

    def spent_of(self, name: str) -> float:
        """What is spent of one thing that it limits."""
        return self.worked if name == "seconds" else _told(name, self.taken[name])

    def left_of(self, name: str) -> float:
        """What is left of it, beside what is spent; not of seconds."""
        return _told(name, self.limits[name] - self.taken[name])

    @property
    def counts_tokens(self) -> bool:
        """Whether it has to know how many tokens a call may take."""
        return not self.limits.keys().isdisjoint(("tokens", "cost"))


@dataclass(frozen=True)
class Need:
    """What a call may take.

    Args:
        prompt: Tokens that are sent, at most; None where that cannot be known, as nothing limits the answer.
        answer: Tokens of the answer, at most; None where the ledger may say.
        price: What tokens cost.
    """

    prompt: int | None = None
    answer: int | None = None
    price: Pricing | None = None

    @cached_property
    def least_amounts(self) -> Amounts:
        """What is reserved for the call at least."""
        return self.amounts(self.least)

    def amounts(self, answer: int) -> Amounts:
        """What is reserved for the call, with an answer of so many tokens."""
        if self.prompt is None:
            return {"calls": 1, "tokens": 0, "cost": 0}
        cost = self.price.cost(self.prompt, answer) if self.price else 0
        return {"calls": 1, "tokens": self.prompt + answer, "cost": math.ceil(cost * BILLION)}

    @property
    def least(self) -> int:
        """The shortest answer that is worth a call."""
        return LEAST_ANSWER if self.answer is None else self.answer

    @property
    def most(self) -> int:
        """The longest answer."""
        return LONGEST_ANSWER if self.answer is None else self.answer


class Hold(Turn):
    """What is reserved for one call, or waits to be.

    Attributes:
        answer: The most tokens of its answer, once it is granted.
        refused: Why it is not granted, where it never will be.
    """

    def __init__(self, accounts: Sequence[Account], need: Need) -> None:
        super().__init__()
        self.accounts, self.need = accounts, need
        self.answer = 0
        self.refused: OverBudget | None = None


class Ledger:
    """What the budgets of a run have left, for all calls that are made side by side.

    A call that does not fit only because of what others may still take waits for them, in the order of coming, and is
    refused when it does not fit beside what is spent for sure.

    Args:
        run: The account of the run, where it has a budget.
        clock: Tells the time in seconds.

    Example:
        >>> account = Account(Budget(calls=1))
        >>> ledger = Ledger()
        >>> first, second = ledger.reserve([account], Need()), ledger.reserve([account], Need())
        >>> first.granted, second.granted
        (True, False)
        >>> ledger.settle(first, Usage(calls=1))
        >>> print(second.refused)
        over budget: calls: 1 of 1 spent, and this call needs 1
    """

    def __init__(self, run: Account | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.run = run
        self._clock, self._began = clock, clock()
        self._lock = threading.Lock()
        self._queue: list[Hold] = []

    def reserve(self, accounts: Sequence[Account], need: Need) -> Hold:
        """Reserve what a call may take of some accounts, or take a place in the queue for it."""
        hold = Hold(accounts, need)
        with self._lock:
            self._queue.append(hold)
            self._go_on()
        return hold

    def pause(self, hold: Hold) -> Future[None] | None:
        """What a call has to wait for before it looks again; None when it may begin.

        Raises:
            OverBudget: It never may.
        """
        with self._lock:
            if hold.refused:
                raise hold.refused
            return None if hold.granted else hold.woken

    def settle(self, hold: Hold, usage: Usage | None = None) -> None:
        """Give back what was reserved, or the place in the queue, and spend what the call took.

        Args:
            hold: What was reserved.
            usage: What the call took; None where it was not made.
        """
        with self._lock:
            if hold.granted:
                self._book(hold, -1)
                for account in hold.accounts if usage else ():
                    for name, amount in _amounts(usage or Usage()).items():
                        account.taken[name] += amount
            elif hold in self._queue:
                self._queue.remove(hold)
            self._go_on()

    def seconds_left(self) -> float | None:
        """Seconds that the run may still be at work; None where they are not limited.

        Raises:
            OverBudget: There are none left.
        """
        if self.run is None or self.run.most is None:
            return None
        spent = self.run.worked + self._clock() - self._began
        if spent >= self.run.most:
            raise _over("seconds", spent, self.run.most, "has none left", 60)
        return self.run.most - spent

    def _book(self, hold: Hold, sign: int) -> None:
        for name, amount in hold.need.amounts(hold.answer).items():
            for account in hold.accounts:
                account.held[name] += sign * amount

    def _go_on(self) -> None:
        """Grant what fits and refuse what never will, the first first: nobody passes one who waits for the same."""
        short: list[Account] = []
        for hold in list(self._queue):
            if refused := _refusal(hold):
                hold.refused = refused
                self._queue.remove(hold)
                hold.wake()
                continue
            if any(account is other for account in hold.accounts for other in short):
                continue
            if lacking := [account for account in hold.accounts if not _fits(hold, account)]:
                short += lacking
                continue
            self._queue.remove(hold)
            hold.answer = min(_longest(hold, account, held=True) for account in hold.accounts)
            self._book(hold, 1)
            hold.grant()


def _fits(hold: Hold, account: Account) -> bool:
    """Whether there is room now; an answer is cut short only where nothing that is held could make it longer."""
    return _longest(hold, account, held=True) >= max(0, _longest(hold, account, held=False))


def _room(account: Account, *, held: bool) -> dict[str, int]:
    """What an account has left, beside what is spent, and what is held where that counts."""
    return {
        name: limit - account.taken[name] - (account.held[name] if held else 0)
        for name, limit in account.limits.items()
    }


def _longest(hold: Hold, account: Account, *, held: bool) -> int:
    """Tokens of the longest answer that there is room for; -1 where there is none for the shortest one."""
    room = _room(account, held=held)
    if any(left <= 0 or hold.need.least_amounts[name] > left for name, left in room.items()):
        return -1
    least, most = hold.need.least, hold.need.most

    def fits(answer: int) -> bool:
        needs = hold.need.amounts(answer)
        return all(needs[name] <= left for name, left in room.items())

    if fits(most):
        return most
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if fits(middle) else (least, middle)
    return least


def _refusal(hold: Hold) -> OverBudget | None:
    """Why a call never fits, whatever the others give back."""
    for account in hold.accounts:
        for name, left in _room(account, held=False).items():
            need = hold.need.least_amounts[name]
            if need > left or left <= 0:
                amounts = (account.taken[name], account.limits[name], need)
                spent, most, needed = (_told(name, amount) for amount in amounts)
                words = _need_words(name, needed, hold.need) if need else "may need more"
                return _over(account.prefix + name, spent, most, words, needed)
    return None


def _need_words(name: str, needed: float, need: Need) -> str:
    """What a call needs of a budget, and why it is so much."""
    amount = amount_words(name, needed)
    if name == "calls" or need.prompt is None:
        return f"needs {amount}"
    tokens = "" if name == "tokens" else " tokens"
    prompt = f"prompt {need.prompt:,}{tokens} at most"
    if need.answer is None:
        return f"reserves at least {amount}: {prompt}, answer {need.least:,} or more"
    return f"reserves up to {amount}: {prompt}, answer up to {need.answer:,}"


def _over(name: str, spent: float, limit: float, words: str, needed: float) -> OverBudget:
    told = f"{amount_words(name, spent)} of {amount_words(name, limit)} spent"
    return OverBudget(f"over budget: {name}: {told}, and this call {words}", {name: needed})


def _amounts(usage: Usage) -> dict[str, int]:
    return {"calls": usage.attempts, "tokens": usage.tokens, "cost": round(usage.cost * BILLION)}


def _whole(name: str, amount: float) -> int:
    """A limit in the unit that it is counted in; a fraction of a billionth is not there."""
    return math.floor(amount * BILLION + 1e-6) if name == "cost" else int(amount)


def _told(name: str, amount: int) -> float:
    return amount / BILLION if name == "cost" else amount
