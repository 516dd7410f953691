"""An agent that recalls what it would have forgotten: what its prompts show, and that nobody is asked for it."""

from typing import Any

import pytest

import loopwright as lw
from loopwright.testing import RecordingModel

WAIT: Any = {
    "inventory": [],
    "step_completed": "",
    "plan": ["find the lighthouse"],
    "violated_constraints": [],
    "next_action_aim": "rest",
    "next_action": "Self:wait",
    "is_action_valid": True,
}
BRAINS: Any = {"fill": {"type": "zero_shot", "role": "event_filler"}}


def agent(**more: Any) -> lw.ThinkLoop:
    wakes: Any = {"news": {}}
    navigation = {"type": "zero_shot"}
    return lw.ThinkLoop({"go": ["fill"]}, brains=BRAINS, navigation=navigation, wakes_on=wakes, name="ada", **more)


def life(store: lw.Store, **more: Any) -> RecordingModel:
    """An agent that hears of a lighthouse, then of much else."""
    model = RecordingModel(lambda call: WAIT)
    run = agent(**more).start(model=model, store=store)
    for said in ("a lighthouse burns", "soup", "bread", "salt"):
        store.send("agent_event", {"event_type": "news", "said": said}, to=run.id)
        run = lw.open_run(store, run.id).resume(model=model)
    return model


def test_what_is_like_the_plan_is_recalled_and_nobody_is_asked_for_it(store: lw.Store) -> None:
    model = life(store, memory={"n": 1, "m": 1})
    assert [call.node for call in model.calls] == ["navigate/decide"] * 5
    last = str(model.calls[-1].messages)
    assert "lighthouse burns" in last
    assert "salt" in last
    assert "soup" not in last
    assert "bread" not in last


def test_without_m_it_is_forgotten(store: lw.Store) -> None:
    model = life(store, memory={"n": 1})
    assert "lighthouse burns" not in str(model.calls[-1].messages)


def test_memory_and_remembers_are_not_both_said() -> None:
    with pytest.raises(lw.SourceError, match="memory and remembers both say"):
        agent(memory={"n": 3, "m": 1}, remembers=3)


def test_memory_is_bounded_and_the_oldest_is_forgotten(store: lw.Store) -> None:
    model = RecordingModel(lambda call: WAIT)
    run = agent(memory={"n": 1, "m": 1}).start(model=model, store=store)
    for number in range(210):
        store.send("agent_event", {"event_type": "news", "said": f"n{number}"}, to=run.id)
    run = lw.open_run(store, run.id).resume(model=model)
    result: Any = run.state["memory"]
    assert [event["said"] for event in result] == [f"n{number}" for number in range(9, 210)]


def test_what_memory_has_not_is_told() -> None:
    with pytest.raises(lw.SourceError, match=r"memory\.k"):
        agent(memory={"k": 3})


def test_a_prompt_that_names_what_is_not_shown_is_told_what_is() -> None:
    with pytest.raises(lw.SourceError, match="what it shows of its memory is recent_events and similar_events"):
        lw.ThinkLoop(
            {"go": ["fill"]},
            brains={"fill": {**BRAINS["fill"], "prompt": "Think of <{memory}>."}},
            memory={"m": 1},
        )
