"""A static agent as a node."""

from typing import Any

import pytest

from loopwright.nodes.contract import AskModel
from loopwright.nodes.pipeline.carried import Source
from loopwright.nodes.pipeline.process import Process

VIEW: Any = {"question": "<{carried}>", "plan": "Add."}
PLAN = Source("plan", title="plan")


def contents(node: Process) -> list[str]:
    asked = node.ask(VIEW)
    assert isinstance(asked, AskModel)
    return [message["content"] for message in asked.messages]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, ["Add."]),
        ({"prompt": "You solve."}, ["You solve.", "Add."]),
        ({"prompt": "On <{plan}> you solve.", "named": (PLAN,)}, ["On Add. you solve.", "Add."]),
        ({"prompt": "Solve <{carried}>"}, ["Solve Add."]),
        ({"prompt": "<{question}>: <{carried}>", "system": "Be brief."}, ["Be brief.", "<{carried}>: Add."]),
        ({"prompt": "You solve.", "system": "Be brief."}, ["Be brief.\n\nYou solve.", "Add."]),
    ],
)
def test_what_is_asked_and_nothing_is_expanded_twice(fields: Any, said: list[str]) -> None:
    assert contents(Process("solver", sources=(PLAN,), **fields)) == said


def test_a_verdict_is_closed_and_its_reason_is_written() -> None:
    node = Process("judge", prompt="<{carried}>", sources=(PLAN,), outcomes=("pass", "again"))
    asked: Any = node.ask(VIEW)
    assert asked.schema["properties"]["outcome"]["enum"] == ["pass", "again"]
    answer = node.answer(VIEW, {"outcome": "again", "reason": "too short"})
    assert (answer.outcome, answer.update, answer.reason) == ("again", {"judge": "too short"}, "too short")
    assert node.contract.outcomes == ("pass", "again")


def test_its_contract() -> None:
    contract = Process("solver", sources=(PLAN,), named=(PLAN, Source("both", "a", "a"))).contract
    assert (contract.kind, contract.reads, contract.writes) == ("think", ("question", "plan", "both"), ("solver",))
