"""Our own prompts name what they need."""

from loopwright.graphs.forms.level_prompts import INTRODUCTION, JUDGEMENT, PROMPTS, RESPONSE, WORK
from loopwright.nodes.prompts import placeholders


def test_what_they_name() -> None:
    both = ("chat_summary", "level_x_criteria")
    assert {part: placeholders(prompt) for part, prompt in PROMPTS.items()} == {
        INTRODUCTION: ("purpose_of_agent", *both),
        RESPONSE: ("purpose_of_agent", *both, "reason_of_failure"),
        JUDGEMENT: both,
        WORK: ("purpose_of_agent", *both),
    }
