"""A society that is broken at every write and killed at random moments: no event is lost, and none happens twice.

`make test` kills twenty times, `make soak` fifty times.
"""

import json
import re
import time
from typing import Any

import pytest

import loopwright as lw
from loopwright.testing import RecordingModel, break_at_every_write, kill_at_random
from loopwright.testing.model_server import Reply

TALK = "World:agent_speaks_with_agent_event"
BASE: Any = {"navigation": {"type": "zero_shot"}, "goals": ["talk"]}
RING = lw.Society({who: {"role": "one of a ring"} for who in "abc"}, base_agent=BASE, ticks=3, name="ring")
"""Three agents that talk at every tick, and then are stopped."""

EVENTS = 9
PAIR = lw.Society({who: {"role": "one of two"} for who in "ab"}, base_agent=BASE, ticks=2, name="pair")


def answer(messages: Any, schema: Any) -> Any:
    """The same to the same request: who is asked, and how much it remembers, makes what it says."""
    prompt = messages[0]["content"]
    who = re.findall(r"You are (\w)", prompt)[0]
    if "next_action" in json.dumps(schema):
        said = {"inventory": [], "step_completed": "", "plan": [], "violated_constraints": []}
        return {**said, "next_action_aim": "talk", "next_action": TALK, "is_action_valid": True}
    other = "abc"[("abc".index(who) + 1) % (2 if "one of two" in prompt else 3)]
    return {"target_id": other, "message": f"{who} knows of {prompt.count('event_type')}"}


def model_answer(call: lw.ModelCall) -> Any:
    return answer(call.messages, call.schema)


def slow_reply(request: Any) -> Reply:
    """What the server says, after a moment."""
    time.sleep(0.01)
    return answer(request["messages"], request)  # type: ignore[no-any-return]


def test_it_talks_as_often_as_there_are_ticks() -> None:
    run = RING.start(model=RecordingModel(model_answer))
    assert run.end == lw.End("max_ticks", ok=False)
    assert len(run.result) == EVENTS


def test_broken_at_every_write_it_comes_to_the_same_history() -> None:
    made = break_at_every_write(PAIR, model=model_answer)
    assert made.calls == 2 * 4
    assert made.most <= 2


def killed(kills: int, seed: int, *, awaited: bool) -> None:
    made = kill_at_random(RING, replies=slow_reply, kills=kills, seed=seed, awaited=awaited)
    assert (made.kills, made.calls, made.width) == (kills, 2 * EVENTS, 3)
    assert made.repeated <= kills * made.width


@pytest.mark.timeout(120)
def test_killed_at_random_moments_it_comes_to_the_same_history() -> None:
    killed(20, 1, awaited=False)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
def test_killed_fifty_times(awaited: bool) -> None:
    killed(50, 2, awaited=awaited)
