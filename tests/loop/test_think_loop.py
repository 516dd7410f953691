"""The think loop in Python."""

from typing import Any

import loopwright as lw
from loopwright.testing import RecordingModel

FILL: Any = {"type": "zero_shot", "role": "event_filler"}


def test_who_it_is_can_be_said_when_it_is_started() -> None:
    loop = lw.ThinkLoop(
        {"wave": ["fill"]}, brains={"fill": FILL}, name="guest", goals=["talk"], navigation={"type": "zero_shot"}
    )
    decision: Any = {"inventory": [], "step_completed": "", "plan": [], "violated_constraints": []}
    leaving = {**decision, "next_action_aim": "go", "next_action": "Self:exit", "is_action_valid": True}
    model = RecordingModel({"decide": [leaving]})
    run = loop.start({"id": "ada", "goals": ["leave"]}, model=model)
    assert run.end == lw.End("finished")
    said = model.calls[0].messages[0]["content"]
    assert "You are ada." in said
    assert "## Goals\n- leave" in said
