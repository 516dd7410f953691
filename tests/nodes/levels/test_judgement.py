"""A judgement counts only where all is there."""

from typing import Any

import pytest

from loopwright.nodes.history import Window
from loopwright.nodes.levels.judgement import NO_REASON, Judgement
from loopwright.nodes.levels.stage import Stage

STAGE = Stage("Muse", "You help.", 3, "the aim", {"ideas": "list", "scope": "text"}, Window(last=3))
NODE = Judgement("level 3/judge", stage=STAGE, prompt="Well?")
GOOD: dict[str, Any] = {"ideas": ["a kite"], "scope": "small"}


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        ({"achieved": False, "reason": "no skills"}, "no skills"),
        ({"achieved": False}, NO_REASON),
        ({"achieved": False, "reason": "  "}, NO_REASON),
        ({"achieved": True, "key_output": GOOD}, "the summary is missing"),
        ({"achieved": True, "summary": "s", "key_output": {"ideas": ["a"]}}, 'the key output "scope" is missing'),
        (
            {"achieved": True, "summary": "s", "key_output": {**GOOD, "ideas": "a kite"}},
            'the key output "ideas" is no list',
        ),
        (
            {"achieved": True, "summary": "s", "key_output": {**GOOD, "scope": ["x"]}},
            'the key output "scope" is no text',
        ),
        ({"achieved": True, "summary": "s", "key_output": {**GOOD, "ideas": []}}, 'the key output "ideas" is empty'),
        (
            {"achieved": True, "summary": "s", "key_output": {**GOOD, "ideas": ["", None]}},
            'the key output "ideas" is empty',
        ),
        ({"achieved": True, "summary": "s", "key_output": {**GOOD, "scope": " "}}, 'the key output "scope" is empty'),
        (
            {"achieved": True},
            'the summary is missing; the key output "ideas" is missing; the key output "scope" is missing',
        ),
    ],
)
def test_not_yet(verdict: dict[str, Any], reason: str) -> None:
    before: dict[str, Any] = {"level_2": {"area": ["birds"]}}
    found = NODE.answer({"key_outputs": before}, verdict)
    update = {"reason_of_failure": reason, "gathered": before}
    assert (found.outcome, found.update, found.reason) == ("not_yet", update, reason)


def test_achieved_stores_what_is_wanted_and_nothing_else() -> None:
    before: dict[str, Any] = {"level_2": {"area": ["birds"]}}
    found = NODE.answer({"key_outputs": before}, {"achieved": True, "summary": "s", "key_output": {**GOOD, "more": 1}})
    gathered = {**before, "level_3": GOOD}
    update = {"key_outputs": gathered, "gathered": gathered, "chat_summary": "s"}
    assert (found.outcome, found.update) == ("achieved", update)
