"""A budget: what the model calls of a run, or those of one model in it, may take at most."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field

from loopwright.hints import did_you_mean
from loopwright.nodes.fields import require_fields, types_of

COUNTED = ("calls", "tokens", "cost", "seconds")
"""What a budget counts."""

MOST: Mapping[str, int] = {"calls": 10**15, "tokens": 10**15, "cost": 10**9, "seconds": 10**9}
"""The highest limits: beyond them neither a store nor a clock can count."""


@dataclass(frozen=True)
class Budget:
    """What the model calls of a run may take at most; what is left out is not limited.

    Every attempt counts: calls, those that were made again, and those of visits that were not completed. A call that
    does not fit is not made, and its node comes to the outcome `over_budget`.

    Args:
        calls: Model calls, from 1 on.
        tokens: Tokens sent and received, from 1 on.
        cost: US dollars, more than 0.
        seconds: Seconds at work, more than 0. Waiting for people is not counted, and it is looked at before each call.

    Raises:
        ValueError: It limits nothing, or fields hold what they cannot; all of them are told.

    Example:
        >>> Budget(calls=40, cost=0.5)
        Budget(calls=40, cost=0.5)
        >>> Budget(calls=0, tokens=-1)
        Traceback (most recent call last):
        ValueError: this Budget is not valid: calls: input should be greater than or equal to 1, got 0; tokens: input \
should be greater than or equal to 1, got -1
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    calls: Annotated[int, Field(ge=1, le=MOST["calls"], strict=True)] | None = None
    tokens: Annotated[int, Field(ge=1, le=MOST["tokens"], strict=True)] | None = None
    cost: Annotated[float, Field(gt=0, le=MOST["cost"], allow_inf_nan=False, strict=True)] | None = None
    seconds: Annotated[float, Field(gt=0, le=MOST["seconds"], allow_inf_nan=False, strict=True)] | None = None

    def __post_init__(self) -> None:
        require_fields(self, _TYPES)
        if not self.limits:
            raise ValueError(f"this Budget is not valid: it limits nothing; give it one of {', '.join(COUNTED)}")

    def __repr__(self) -> str:
        return f"Budget({', '.join(f'{name}={limit!r}' for name, limit in self.limits.items())})"

    @property
    def limits(self) -> dict[str, Any]:
        """What is limited, by its name.

        Example:
            >>> Budget(calls=40, cost=0.5).limits
            {'calls': 40, 'cost': 0.5}
        """
        found = {name: getattr(self, name) for name in COUNTED}
        return {name: limit for name, limit in found.items() if limit is not None}

    def over(self, other: "Budget | None") -> "Budget":
        """This budget, and of another one what this leaves out.

        Example:
            >>> Budget(calls=4).over(Budget(calls=40, cost=0.5))
            Budget(calls=4, cost=0.5)
        """
        return replace(other, **self.limits) if other else self

    def given_more(self, more: Mapping[str, float]) -> "Budget":
        """The budget with more of what it limits, by name.

        Example:
            >>> Budget(calls=4, cost=0.5).given_more({"calls": 2.0})
            Budget(calls=6, cost=0.5)
        """
        raised = {name: limit + type(limit)(more.get(name, 0)) for name, limit in self.limits.items()}
        return Budget(**raised)


def as_budget(given: Any) -> Budget:
    """The budget that is meant: one, or a mapping of what it limits.

    Raises:
        ValueError: It is none, or holds what a budget cannot.

    Example:
        >>> as_budget({"calls": 40})
        Budget(calls=40)
        >>> as_budget({"call": 40})
        Traceback (most recent call last):
        ValueError: a budget has no 'call'; did you mean 'calls'? there are: calls, cost, seconds, tokens
    """
    if isinstance(given, Budget):
        return given
    if not isinstance(given, Mapping):
        raise ValueError(f"a budget is an lw.Budget, or a mapping as {{'calls': 40}}; {given!r} is none")
    if unknown := [name for name in given if name not in COUNTED]:
        raise ValueError(f"a budget has no {unknown[0]!r}; {did_you_mean(str(unknown[0]), COUNTED)}")
    return Budget(**given)


def is_whole(name: str) -> bool:
    """Whether amounts of what a budget counts are whole numbers; of a model's budget too.

    Example:
        >>> is_whole("strong.calls"), is_whole("cost")
        (True, False)
    """
    return name.rpartition(".")[2] in ("calls", "tokens")


def amount_words(name: str, amount: float) -> str:
    """An amount of what a budget counts; of a model's budget too, as `strong.calls`.

    Example:
        >>> amount_words("calls", 1200), amount_words("cost", 0.125), amount_words("strong.seconds", 61.04)
        ('1,200', '$0.125', '61 s')
    """
    counted = name.rpartition(".")[2]
    if counted == "cost":
        return money_words(amount)
    if counted == "seconds":
        return f"{amount:,.1f} s".replace(".0 s", " s") if amount >= 1 or not amount else f"{amount:.2g} s"
    return f"{amount:,.0f}"


def money_words(dollars: float) -> str:
    """A sum of money in as many digits as say something.

    Example:
        >>> money_words(1.5), money_words(0.00021), money_words(12.3456), money_words(0)
        ('$1.50', '$0.00021', '$12.35', '$0.00')
    """
    if not dollars or abs(dollars) >= 1:
        return f"${dollars:,.2f}"
    digits = max(2, 2 - math.floor(math.log10(abs(dollars))))
    text = f"{dollars:.{digits}f}".rstrip("0")
    return f"${text}" if len(text.partition(".")[2]) >= 2 else f"${dollars:.2f}"


_TYPES = types_of(Budget)
