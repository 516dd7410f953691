"""The budgets of a run: what it may spend, what is spent, and on what terms its models are asked. No store is read."""

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from loopwright.errors import DamagedRun, RunError
from loopwright.graphs.run.models import AnyModel
from loopwright.hints import did_you_mean
from loopwright.nodes.budget import MOST, Budget, as_budget, is_whole
from loopwright.nodes.driver.ledger import Account, Ledger
from loopwright.nodes.driver.terms import Terms
from loopwright.nodes.models.limiter import limiter_of
from loopwright.nodes.models.prices import Pricing, price_of
from loopwright.nodes.models.reference import ModelRef
from loopwright.state.records import Grant, Usage
from loopwright.state.store.registry import Registry
from loopwright.state.store.runs import RunRow
from loopwright.state.values import JsonObject


class Spending(NamedTuple):
    """How much of one thing is spent.

    Args:
        spent: What is spent.
        limit: What may be spent.
    """

    spent: float
    limit: float


def fitting_budget(given: Any, own: Budget | None) -> Budget | None:
    """The budget of a run: what is given at its start, and of the loop's own what that leaves out.

    Raises:
        RunError: What is given is no budget.

    Example:
        >>> fitting_budget({"calls": 3}, Budget(calls=9, cost=1))
        Budget(calls=3, cost=1)
    """
    if given is None:
        return own
    try:
        return as_budget(given).over(own)
    except ValueError as error:
        raise RunError(str(error)) from error


def budget_data(budget: Budget | None) -> JsonObject:
    """A budget as a store keeps it."""
    return {**budget.limits} if budget else {}


def require_prices(budget: Budget | None, models: Mapping[str, AnyModel]) -> None:
    """Refuse a budget of cost over a model whose price nobody knows.

    Args:
        budget: The budget of the run.
        models: Its models by name.

    Raises:
        RunError: There is one; all of them are told, with the line that gives a price.
    """
    unknown = []
    for name, model in models.items():
        ref = _ref_of(model)
        budgets = [budget, ref.budget if ref else None]
        if any(each and each.cost is not None for each in budgets) and _price_of(model) is None:
            label = ref.model if ref else getattr(model, "label", "")
            given = f"lw.ModelRef({label!r}, price=" if ref else "lw.RunnableModel(chat, price="
            unknown.append(f"{label} (model {name!r}), as in {given}lw.Price(input=0.15, output=0.60))")
    if unknown:
        raise RunError(
            f"a budget of cost needs the price of every model; nobody knows that of {'; '.join(unknown)}, in dollars"
            " per million tokens (in a file, price: {input: 0.15, output: 0.60} beside the model)"
        )


class Accounts(NamedTuple):
    """The accounts of a run.

    Args:
        run: Its own, where it has a budget.
        models: Those of its models that have one, by name; equal references share one.
    """

    run: Account | None
    models: Mapping[str, Account]

    @property
    def all(self) -> tuple[Account, ...]:
        """All of them, each once."""
        return tuple({id(account): account for account in (self.run, *self.models.values()) if account}.values())

    @property
    def spending(self) -> dict[str, Spending]:
        """What is spent of everything that is limited, by its name: `calls`, or `strong.calls` of a model."""
        return {
            account.prefix + name: Spending(account.spent_of(name), limit)
            for account in self.all
            for name, limit in account.budget.limits.items()
        }


def budget_of(row: RunRow) -> Budget | None:
    """The budget that a run was started with; None where it has none.

    Raises:
        DamagedRun: What is written of it is no budget.
    """
    if not row.budget:
        return None
    try:
        return as_budget(row.budget)
    except (ValueError, TypeError) as error:
        raise DamagedRun(f"the budget of run {row.id} cannot be read: {error}") from error


def accounts_of(row: RunRow, registry: Registry) -> Accounts:
    """The accounts of a run as the store has them. Only where it has a budget, something is read."""
    refs = {name: ref for name, data in row.models.items() if (ref := _ref_data(data)) and ref.get("budget")}
    if not row.budget and not refs:
        return Accounts(None, {})
    grants = _sums(registry.grants(row.id))
    usages = registry.usage_by_model(row.id)
    run = None
    if own := budget_of(row):
        budget = own.given_more(grants)
        worked = registry.seconds_at_work(row.id) if budget.seconds is not None else 0.0
        run = Account(budget, sum(usages.values(), Usage()), worked=worked)
    known: list[tuple[Mapping[str, Any], Account]] = []
    models: dict[str, Account] = {}
    for name, ref in refs.items():
        shared = next((account for other, account in known if other == ref), None)
        if shared is None:
            prefix = f"{name}."
            more = {key.removeprefix(prefix): amount for key, amount in grants.items() if key.startswith(prefix)}
            limits = {key: limit for key, limit in ref["budget"].items() if limit is not None}
            shared = Account(as_budget(limits).given_more(more), _spent_on(ref["model"], usages), prefix)
            known.append((ref, shared))
        models[name] = shared
    return Accounts(run, models)


def require_more(run: str, accounts: Accounts, more: Any) -> None:
    """Make sure that a run can be given this much more.

    Args:
        run: The run's id.
        accounts: Its accounts.
        more: How much more, by name.

    Raises:
        RunError: It is no mapping from names of its budgets to amounts; all that is wrong is told.
    """
    if isinstance(more, Budget):
        asked = ", ".join(f"{name!r}: {limit:g}" for name, limit in more.limits.items())
        raise RunError(f"{more!r} is a whole budget; of more of it say how much more, as in budget={{{asked}}}")
    if not isinstance(more, Mapping) or not more:
        raise RunError(f"more of a budget is a mapping from names to amounts, as {{'calls': 20}}; {more!r} is none")
    known, wrong = accounts.spending, []
    for name, amount in more.items():
        if name not in known:
            hint = did_you_mean(str(name), known) if known else "it has none"
            wrong.append(f"run {run} has no budget {name!r} ({hint})")
            continue
        counted = name.rpartition(".")[2]
        whole = is_whole(name)
        number = isinstance(amount, int | float) and not isinstance(amount, bool)
        number = number and (not whole or float(amount).is_integer())  # what `short` has is told as a float
        if not number or not 0 < amount < math.inf:
            least = "1 more or more, a whole number" if whole else "more than nothing, a number"
            wrong.append(f"of {name!r} run {run} can be given {least}, and not {amount!r}")
        elif amount > MOST[counted] - known[name].limit:
            wrong.append(f"of {name!r} run {run} can have {MOST[counted]:,} in all, and not {amount!r} more")
    if wrong:
        raise RunError("; ".join(wrong))


def terms_for(models: Mapping[str, AnyModel], accounts: Accounts | None = None) -> dict[str, Terms]:
    """On what terms models are asked, by name.

    Args:
        models: The models.
        accounts: The accounts of the run; None for a graph that runs without a store, and has none.
    """
    used = accounts if accounts is not None else Accounts(None, {})
    ledger = Ledger(used.run) if used.all else None
    found = {}
    for name, model in models.items():
        ref = _ref_of(model)
        own = [account for account in (used.run, used.models.get(name)) if account]
        most = ref.max_tokens if ref else getattr(model, "max_tokens", None)
        found[name] = Terms(
            price=_price_of(model),
            max_tokens=most if isinstance(most, int) else None,
            can_be_told=ref is not None,
            timeout=ref.timeout if ref else None,
            limiter=limiter_of(ref) if ref else None,
            ledger=ledger if own else None,
            accounts=own,
        )
    return found


def lacking(accounts: Accounts, shorts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """What a run lacks to go on, by the names of its budgets, beyond what is left.

    Its suspended calls can go one after the other, and each gives back what it reserved and did not take: so of tokens
    and cost they need what the largest reserves, and for each of the others what a call took until now.

    Args:
        accounts: Its accounts.
        shorts: What each of them needs.
    """
    needs: dict[str, list[float]] = {}
    for short in shorts:
        for name, need in short.items():
            needs.setdefault(name, []).append(need)
    lacks: dict[str, float] = {}
    for account in accounts.all:
        for name in (*account.limits, "seconds"):
            if own := needs.get(account.prefix + name):
                lacks[account.prefix + name] = _rounded(name, _lacking(account, name, own))
    return lacks


def _lacking(account: Account, name: str, needs: Sequence[float]) -> float:
    """What an account lacks of one thing for calls that need so much."""
    if name == "seconds":
        return max(needs)
    if name == "calls":
        return sum(needs) - account.left_of(name)
    took = account.spent_of(name) / max(1, account.spent_of("calls"))
    return min(sum(needs), max(needs) + took * (len(needs) - 1)) - account.left_of(name)


def more_words(short: Mapping[str, float]) -> str:
    """What gives a run what it lacks, as options and in Python.

    Example:
        >>> more_words({"calls": 20, "cost": 0.5})
        "--budget calls +20 --budget cost +0.5 (in Python, budget={'calls': 20, 'cost': 0.5})"
    """
    return f"{more_options(short)} (in Python, budget={dict(short)!r})"


def more_options(short: Mapping[str, float]) -> str:
    """The options alone.

    Example:
        >>> more_options({"strong.tokens": 20000})
        '--budget strong.tokens +20000'
    """
    return " ".join(f"--budget {shlex.quote(name)} +{amount:.12g}" for name, amount in short.items())


def _rounded(name: str, more: float) -> float:
    """An amount that is easy to write, and no less."""
    if name != "cost":
        return max(1, math.ceil(more))
    unit = 10.0 ** max(-9, math.floor(math.log10(max(more, 1e-9))) - 1)
    return round(math.ceil(more / unit + 1e-9) * unit, 9)


def _sums(grants: Iterable[Grant]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for grant in grants:
        sums[grant.budget] = sums.get(grant.budget, 0) + grant.more
    return sums


def _spent_on(model: str, usages: Mapping[str, Usage]) -> Usage:
    """What a model took by all its labels: with a recording before it, its own is followed by what that does."""
    return sum((usage for label, usage in usages.items() if f"{label} ".startswith(f"{model} ")), Usage())


def _ref_of(model: Any) -> ModelRef | None:
    """The reference of a model: what it is, or what it has as its `ref`."""
    found = model if isinstance(model, ModelRef) else getattr(model, "ref", None)
    return found if isinstance(found, ModelRef) else None


def _ref_data(data: Any) -> Mapping[str, Any] | None:
    ref = data.get("ref") if isinstance(data, Mapping) else None
    return ref if isinstance(ref, Mapping) else None


def _price_of(model: Any) -> Pricing | None:
    price: Pricing | None = price_of(model) if isinstance(model, ModelRef) else getattr(model, "price", None)
    return price
