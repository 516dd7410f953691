"""The person who may speak for an agent."""

from typing import Any

import pytest

from loopwright.nodes.contract import AskOutside
from loopwright.nodes.conversation.person import HumanMode, PersonTurn
from loopwright.nodes.conversation.talk import StopRule, Talk
from loopwright.nodes.wait import answer_from_line

TALK = Talk(agents=("ann", "bob"), most=3, stop=StopRule())
VIEW: Any = {"task": "hi", "transcript": [{"speaker": "ann", "text": "Well?", "stops": False}]}


@pytest.mark.parametrize(
    ("mode", "line", "outcome"),
    [
        ("always", "", "auto"),
        ("always", "exit", "exit"),
        ("always", "I will not exit now", "said"),
        ("only", "TERMINATE", "said"),
        ("at_termination", "", "end"),
        ("at_termination", "go on", "said"),
    ],
)
def test_only_a_whole_line_picks_a_way(mode: HumanMode, line: str, outcome: str) -> None:
    node = PersonTurn("ask bob", talk=TALK, speaks_for="bob", mode=mode)
    asked = node.ask(VIEW)
    assert isinstance(asked, AskOutside)
    found = node.answer(VIEW, answer_from_line(line, asked.default, asked.shorthand))
    assert found.outcome == outcome
    assert found.outcome in node.contract.outcomes
    said = {"speaker": "bob", "text": line, "stops": False}
    assert found.update.get("transcript") == (said if outcome == "said" else None)


def test_the_first_one_is_shown_the_task() -> None:
    node = PersonTurn("ask bob", talk=TALK, speaks_for="bob", mode="only")
    asked = node.ask({"task": "Hi, bob.", "transcript": []})
    assert isinstance(asked, AskOutside)
    assert asked.text.startswith("Hi, bob.\n")
