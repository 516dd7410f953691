"""Budgets on the command line: given, spent, shown, and given more of."""

import json
from typing import Any

import pytest

from loopwright.cli.budgets import complete_budget, complete_more, parse_budget, parse_more
from loopwright.cli.exits import WrongUse
from loopwright.nodes.budget import Budget

ESSAY = ("essay.yaml", "--script", "essay.script.yaml")


def test_budgets_are_read() -> None:
    assert parse_budget([]) is None
    assert parse_budget(["calls=40", "cost=0.5", "seconds=60"]) == Budget(calls=40, cost=0.5, seconds=60.0)
    assert parse_more([]) == {}
    assert parse_more(["calls +20", "strong.cost +0.5"]) == {"calls": 20, "strong.cost": 0.5}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["calls"], "--budget calls: write it as --budget NAME=AMOUNT, as in --budget calls=40"),
        (["cals=4"], "--budget cals=4: there is no budget 'cals' (did you mean 'calls'? there are: "),
        (["calls=1", "calls=2"], "--budget calls stands twice; say once how much"),
        (["calls=1.5", "cost=x"], "--budget calls=1.5: '1.5' is no whole number; --budget cost=x: 'x' is no number"),
        (
            ["calls=2 tokens=100"],
            "--budget 'calls=2 tokens=100': give it once for each, as in --budget calls=2 --budget tokens=100",
        ),
        (["cost=nan"], "--budget cost=nan: 'nan' is no number"),
        ([f"calls={'9' * 400}"], "--budget: this Budget is not valid: calls: input should be less than or equal to"),
        (["calls=0"], "--budget: this Budget is not valid: calls: "),
    ],
)
def test_what_is_no_budget_is_told(words: list[str], told: str) -> None:
    with pytest.raises(WrongUse) as caught:
        parse_budget(words)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["calls"], "--budget calls: write it as --budget NAME +AMOUNT, as in --budget calls +20"),
        (["calls 4"], "--budget calls 4: write it as --budget NAME +AMOUNT, as in --budget calls +20"),
        (["calls -1"], "--budget calls -1: write it as --budget NAME +AMOUNT, as in --budget calls +20"),
        (["calls +1", "calls +2"], "--budget calls stands twice; say once how much more"),
        (["calls +1.5"], "--budget calls +1.5: '1.5' is no whole number"),
    ],
)
def test_what_is_no_more_is_told(words: list[str], told: str) -> None:
    with pytest.raises(WrongUse) as caught:
        parse_more(words)
    assert str(caught.value) == told


def test_a_shell_completes_names() -> None:
    assert (complete_budget("c"), complete_more("c")) == (["calls=", "cost="], ["calls", "cost"])


def test_a_run_that_is_over_budget_says_how_it_goes_on(loopwright: Any) -> None:
    done = loopwright("run", *ESSAY, "--budget", "calls=3")
    assert done.code == 4
    assert "suspended: review: over budget: calls: 3 of 3 spent, and this call needs 1" in done.out
    (line,) = [line.strip() for line in done.out.splitlines() if line.strip().startswith("loopwright resume")]
    assert line.endswith(" --budget calls +1")
    run = line.split()[2]
    shown = loopwright("show", run).out
    assert "budget  calls 3 of 3\n" in shown
    assert loopwright(*line.split()[1:]).code == 0
    shown = loopwright("show", run).out
    assert "calls 4 of 4\n" in shown
    assert "more calls  1, before visit 3\n" in shown


def test_the_document_says_what_is_spent(loopwright: Any) -> None:
    document = json.loads(loopwright("run", *ESSAY, "--budget", "calls=3", "--budget", "seconds=600", "--json").out)
    assert (document["budget"], document["short"]) == ({"calls": 3, "seconds": 600.0}, {"calls": 1})
    assert document["spending"]["calls"] == {"spent": 3, "limit": 3}
    document = json.loads(loopwright("resume", document["id"], "--budget", "calls", "+2", "--json").out)
    assert (document["status"], document["grants"]) == ("finished", [{"budget": "calls", "more": 2, "visits": 3}])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--budget", "tokens", "+5"), "has no budget 'tokens' (there is only calls)"),
        (("--budget", "calls", "+0"), "can be given 1 more or more, a whole number, and not 0"),
    ],
)
def test_what_a_run_cannot_be_given(loopwright: Any, words: tuple[str, ...], told: str) -> None:
    run = json.loads(loopwright("run", *ESSAY, "--budget", "calls=3", "--json").out)["id"]
    done = loopwright("resume", run, *words)
    assert (done.code, told in done.err) == (2, True)


def test_a_batch_and_a_waiting_run_are_told_apart(loopwright: Any) -> None:
    done = loopwright("resume", "--batch", "b", "--budget", "calls", "+1")
    assert (done.code, "more of a budget is for one run" in done.err) == (2, True)
    waiting = loopwright("run", "bridge.yaml", "--script", "bridge.script.yaml", "--budget", "calls=90", "--json")
    done = loopwright("resume", json.loads(waiting.out)["id"], "--budget", "calls", "+1")
    assert (done.code, "waits for an answer; give it together with --budget" in done.err) == (2, True)
