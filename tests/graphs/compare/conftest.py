"""Trials and results as they are told, and small contenders that add."""

from collections.abc import Callable
from typing import Any

import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.compare.contenders import Contender
from loopwright.graphs.compare.results import Results
from loopwright.graphs.compare.trials import Trial
from loopwright.graphs.plan import End
from loopwright.graphs.run.program import Program
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.price import Price
from loopwright.nodes.think import Think
from loopwright.state.channels import Channel
from loopwright.state.records import Usage


class Adder:
    """A model that adds, is off by so much, and counts how often it was asked."""

    retries, price = 0, Price(input=0, output=0)

    def __init__(self, off: int = 0) -> None:
        self.off, self.asked = off, 0
        self.label = f"adder {off}"

    def ask(self, call: ModelCall) -> ModelReply:
        """Add."""
        self.asked += 1
        one, other = call.messages[-1]["content"].split("+")
        return ModelReply(str(int(one) + int(other) + self.off), usage=Usage(calls=1, tokens_in=10, tokens_out=2))

    async def aask(self, call: ModelCall) -> ModelReply:
        """Add."""
        return self.ask(call)


def _contender(name: str, off: int = 0, *, prompt: str = "<{sum}>", model: Any = None) -> Contender:
    builder = PlanBuilder("adder", [Channel("sum", str, input=True), Channel("said", str)], result="said")
    builder.node(Think("say", prompt=prompt, writes="said")).edge("say", "done", End("said"))
    return Contender(name, Program(builder.build(), {}), {"default": model or Adder(off)})


def _trial(contender: str, problem: str, score: float | None = None, **fields: Any) -> Trial:
    told: dict[str, Any] = {
        "repetition": 1,
        "answered": True,
        "end": "said",
        "ok": True,
        "status": "finished",
        "calls": 1,
        "tokens_in": 10,
        "tokens_out": 2,
        "cost": 0.0,
        "unpriced": 0,
        "seconds": 0.5,
        "model": "adder 0",
        "run": f"{contender}-{problem}",
        "reason": "",
    }
    return Trial(**{"contender": contender, "problem": problem, "score": score, **told, **fields})


def _results(scores: dict[str, list[float | None]], **fields: Any) -> Results:
    """Results of contenders with a score for each problem; None is a run without an answer."""
    trials = [
        _trial(name, str(place), score)
        if score is not None
        else _trial(name, str(place), answered=False, end="", ok=None, status="suspended", reason="say: 503")
        for name, own in scores.items()
        for place, score in enumerate(own, start=1)
    ]
    return Results(**{"trials": tuple(trials), "most_calls": dict.fromkeys(scores, 1), "batch": "b7c0", **fields})


@pytest.fixture(scope="session")
def contender() -> Callable[..., Contender]:
    return _contender


@pytest.fixture(scope="session")
def trial() -> Callable[..., Trial]:
    return _trial


@pytest.fixture(scope="session")
def results() -> Callable[..., Results]:
    return _results
