"""Effects on the command line: what is shown of one that was cut off, and how it is decided."""

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run

STORE = "sqlite:.loopwright/runs.db"

SHOP = """
import os
import loopwright as lw

@lw.node(reads=(), writes="paid")
@lw.effect
def pay(idempotency_key):
    with open("calls", "a") as calls:
        calls.write(idempotency_key + "\\n")
    if not os.path.exists("well"):
        raise KeyboardInterrupt
    return "paid"

plan = lw.PlanBuilder("shop", [lw.Channel("paid", {"type": "string"})], result="paid")
loop = plan.node(pay).edge("pay", "done", lw.End("bought")).loop()
"""


@pytest.fixture
def cut_off(loopwright: Any) -> Run:
    """A run that was stopped in an effect."""
    Path("shop.py").write_text(SHOP)
    assert loopwright("run", "shop.py:loop").code == 130
    return open_run(STORE, "")


def test_an_effect_that_was_cut_off_is_shown_and_waits_for_a_decision(loopwright: Any, cut_off: Run) -> None:
    run = cut_off
    (effect,) = run.effects
    words = f"loopwright resume {run.id} --effect"
    again = loopwright("resume", run.id, "--loop", "shop.py:loop")
    assert again.code == 4
    assert "nobody knows whether this effect has happened: shop:pay()" in again.out
    assert (
        f"decide:\n  {words} done --reply JSON --loop shop.py:loop\n  {words} again --loop shop.py:loop\n" in again.out
    )
    shown = loopwright("show", run.id).out
    assert f"unknown  pay: shop:pay({{}}), key {effect.key}\n" in shown
    assert f"  {words} again --loop FILE\n" in shown
    document = json.loads(loopwright("show", run.id, "--json").out)
    assert [each["key"] for each in document["unknown"]] == [effect.key]
    assert document["effects"] == document["unknown"]
    assert Path("calls").read_text().splitlines() == [effect.key]


def test_an_effect_that_is_done(loopwright: Any, cut_off: Run) -> None:
    loop = ("--loop", "shop.py:loop")
    refused = loopwright("resume", cut_off.id, "--effect", "done", "--reply", "7", *loop)
    assert refused.code == 2
    assert 'does not fit: 7 is not of type "string"; nothing was changed' in refused.err
    done = loopwright("resume", cut_off.id, "--effect", "done", "--reply", "by hand", *loop, "--json")
    document = json.loads(done.out)
    assert (done.code, document["result"], document["unknown"]) == (0, "by hand", [])
    key = cut_off.effects[0].key
    assert f", effect {key}\n" in loopwright("history", cut_off.id, "--full").out
    assert f"effect {key}\n" in loopwright("show", cut_off.id, "--full").out
    assert json.loads(loopwright("history", cut_off.id, "--json").out)["visits"][0]["effect"] == key


def test_an_effect_that_is_called_again(loopwright: Any, cut_off: Run) -> None:
    Path("well").touch()
    done = loopwright("resume", cut_off.id, "--effect", "again", "--key", "pay", "--loop", "shop.py:loop")
    assert (done.code, cut_off.result) == (0, "paid")
    assert Path("calls").read_text().splitlines() == [cut_off.effects[0].key] * 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--effect", "perhaps"], """an effect is "done", or to be called "again"; 'perhaps' is neither"""),
        (["--reply", "x"], 'a reply and a key go with an effect: give effect="done", too'),
        (["--effect", "again", "--key", "buy"], "no effect 'buy' is open; open is pay"),
    ],
)
def test_what_is_no_decision(loopwright: Any, cut_off: Run, words: list[str], told: str) -> None:
    refused = loopwright("resume", cut_off.id, *words, "--loop", "shop.py:loop")
    assert (refused.code, cut_off.status) == (2, "interrupted")
    assert told in refused.err


def test_a_decision_is_for_one_run_and_goes_with_an_answer(loopwright: Any) -> None:
    assert loopwright("run", "bridge.yaml", "--script", "bridge.script.yaml").code == 3
    waiting = open_run(STORE, "")
    refused = loopwright("resume", "--batch", waiting.id, "--effect", "again")
    assert (refused.code, "one run's effects are decided at a time" in refused.err) == (2, True)
    refused = loopwright("resume", waiting.id, "--effect", "again")
    assert (refused.code, "waits for an answer; give it together with --effect" in refused.err) == (2, True)
