"""What a run may spend."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from loopwright.nodes.budget import Budget, amount_words, as_budget, money_words

READ = TypeAdapter(Budget)


def test_a_budget_and_its_json_are_one() -> None:
    budget = Budget(calls=40, tokens=1000, cost=0.5, seconds=60)
    assert READ.validate_python(READ.dump_python(budget, mode="json")) == budget
    assert as_budget(budget) is budget
    assert as_budget(budget.limits) == budget


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "it limits nothing; give it one of calls, tokens, cost, seconds"),
        ({"calls": 0}, "calls: input should be greater than or equal to 1, got 0"),
        ({"calls": 1.5}, "calls: input should be a valid integer, got 1.5"),
        ({"calls": True}, "calls: input should be a valid integer, got True"),
        ({"calls": 10**15 + 1}, "calls: input should be less than or equal to 1000000000000000, got 1000000000000001"),
        ({"cost": 1e308}, "cost: input should be less than or equal to 1000000000, got 1e+308"),
        ({"cost": 0}, "cost: input should be greater than 0, got 0"),
        ({"cost": float("inf")}, "cost: input should be a finite number, got inf"),
        (
            {"tokens": -1, "seconds": float("nan")},
            "tokens: input should be greater than or equal to 1, got -1; "
            "seconds: input should be a finite number, got nan",
        ),
    ],
)
def test_what_is_wrong_is_told_at_once(fields: Any, words: str) -> None:
    with pytest.raises(ValueError, match="this Budget is not valid") as caught:
        Budget(**fields)
    assert str(caught.value) == f"this Budget is not valid: {words}"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (40, "a budget is an lw.Budget, or a mapping as {'calls': 40}; 40 is none"),
        ({"call": 4}, "a budget has no 'call'; did you mean 'calls'? there are: calls, cost, seconds, tokens"),
    ],
)
def test_what_is_no_budget(given: Any, words: str) -> None:
    with pytest.raises(ValueError, match="budget") as caught:
        as_budget(given)
    assert str(caught.value) == words


def test_one_over_another_leaves_what_it_does_not_say() -> None:
    assert Budget(calls=4).over(None) == Budget(calls=4)
    assert Budget(calls=4).over(Budget(calls=9, seconds=1)) == Budget(calls=4, seconds=1)


def test_more_of_it() -> None:
    assert Budget(calls=4, cost=0.5).given_more({"calls": 2.0, "strong.calls": 9}) == Budget(calls=6, cost=0.5)
    assert type(Budget(calls=4).given_more({"calls": 2.0}).calls) is int


@pytest.mark.parametrize(
    ("dollars", "words"),
    [(0, "$0.00"), (0.5, "$0.50"), (0.000123, "$0.000123"), (0.0000001, "$0.0000001"), (1234.567, "$1,234.57")],
)
def test_money(dollars: float, words: str) -> None:
    assert money_words(dollars) == words


@pytest.mark.parametrize(
    ("name", "amount", "words"),
    [("tokens", 12345, "12,345"), ("seconds", 0.001, "0.001 s"), ("seconds", 0, "0 s"), ("strong.cost", 2, "$2.00")],
)
def test_amounts(name: str, amount: float, words: str) -> None:
    assert amount_words(name, amount) == words
