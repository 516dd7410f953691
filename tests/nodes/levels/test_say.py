"""What the agent and a worker say."""

from typing import Any

from loopwright.nodes.history import Window
from loopwright.nodes.levels.say import Say
from loopwright.nodes.levels.stage import Stage

STAGE = Stage("Muse", "You help.", 1, "ideas", {"ideas": "list"}, Window(last=9), other="worker")
VIEW: dict[str, Any] = {
    "chat_summary": "",
    "key_outputs": {},
    "reason_of_failure": "no ideas",
    "transcript": [{"level": 1, "speaker": "Muse", "text": "Hi."}],
    "earlier": {"text": "", "covers": 0},
}


def test_a_level_begins_without_a_reason() -> None:
    node = Say("level 1/introduction", stage=STAGE, prompt="Begin.")
    asked: Any = node.ask(VIEW)
    assert asked.messages[0]["content"] == "Begin."
    assert asked.audience == "user"
    assert node.answer(VIEW, "Well.").update["reason_of_failure"] == ""


def test_a_response_knows_the_reason() -> None:
    node = Say("level 1/respond", stage=STAGE, prompt="Reply.", part="response")
    asked: Any = node.ask(VIEW)
    assert asked.messages[0]["content"].endswith("Why the level is not achieved yet:\nno ideas")
    assert "reason_of_failure" not in node.answer(VIEW, "Well.").update


def test_a_worker_speaks_as_one() -> None:
    node = Say("level 1/worker", stage=STAGE, prompt="Work.", part="work")
    asked: Any = node.ask(VIEW)
    said: Any = node.answer(VIEW, "Done.").update["transcript"]
    assert (asked.audience, said[-1]["speaker"]) == ("debug", "worker")
