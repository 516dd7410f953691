"""What a decision leads to."""

from typing import Any

import pytest

from loopwright.nodes.contract import Node
from loopwright.nodes.thinking.decision import ReadDecision, Undecided
from loopwright.nodes.thinking.look import TOLD


@pytest.mark.parametrize(
    ("action", "outcome"),
    [("Self:wait", "wait"), ("Self:exit", "exit"), ("Self:agent_speaks_with_user_event", "act"), ("World:x", "act")],
)
def test_the_kind_of_action_is_the_outcome(action: str, outcome: str) -> None:
    decision: Any = {"next_action": action, "next_action_aim": "a", "plan": ["b"], "inventory": []}
    answer = ReadDecision("decided").answer({"decision": decision}, None)
    assert (answer.outcome, answer.update) == (outcome, {"action": action, "aim": "a", "plan": ["b"]})


def test_why_there_is_no_decision() -> None:
    own = Undecided("undecided").answer({TOLD: "no option is eligible"}, None)
    assert own.update == {"last_failure": "no option is eligible"}
    silent = Undecided("undecided", told=False)
    assert (silent.contract.reads, silent.answer({}, None).reason) == ((), "no decision was good enough")
    unread = Undecided("unread", unreadable=True)
    assert unread.contract.reads == ("actions",)
    assert "a, b" in str(unread.answer({"actions": {"a": "", "b": ""}}, None).update["last_failure"])


def test_they_are_data() -> None:
    for node in (ReadDecision("decided"), Undecided("unread", unreadable=True)):
        assert node.ask({}) is None
        assert Node.from_data(node.to_data()) == node
