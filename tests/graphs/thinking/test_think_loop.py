"""The plan of an agent's loop: its heads, its bounds, and where it waits."""

from typing import Any

import pytest

from loopwright.graphs.actions.action_map import MapAction
from loopwright.graphs.actions.chains import map_brain
from loopwright.graphs.brains.techniques import brain
from loopwright.graphs.loops import loops
from loopwright.graphs.plan import Plan
from loopwright.graphs.thinking.settings import SPEAKER, ThinkSettings
from loopwright.graphs.thinking.think_loop import LoopSettings
from loopwright.graphs.verify.check import verify

FILL = map_brain(brain("zero_shot", {"role": "event_filler"}), once=True)
NAVIGATE = map_brain(brain("zero_shot", {"role": "navigation"}), once=True)
ACTIONS = {"speak": MapAction(["fill"], ["give"]), "give": MapAction(["fill"])}


def planned(follow_up: Any = "edges", actions: Any = ACTIONS, **more: Any) -> Plan:
    agent = ThinkSettings("ada", actions, {"fill": FILL, SPEAKER: FILL}, NAVIGATE, follow_up=follow_up, retries=2)
    return LoopSettings(agent, "ada", **more).builder().build()


@pytest.mark.parametrize("follow_up", ["edges", "ask"])
@pytest.mark.parametrize("actions", [ACTIONS, {"wave": MapAction(["fill"])}])
def test_it_is_sound(follow_up: Any, actions: Any) -> None:
    plan = planned(follow_up, actions)
    assert not verify(plan)
    assert list(plan.ends) == ["finished"]


def test_attempts_acts_and_sleeps_are_counted_by_themselves() -> None:
    plan = planned(acts=5)
    heads = {head: loop.bounds for head, loop in loops(plan).items()}
    assert set(heads) == {"wake", "turn", "look", "asleep", "act/then give/begin"}
    assert {name: (bound.at_most, bound.then.target) for name, bound in plan.bounds.items()} == {
        "acts": (4, "asleep"),
        "attempts": (2, "asleep"),
        "act/then give again": (2, "left"),
    }


def test_asleep_it_waits_for_one_kind_of_event_outside() -> None:
    plan = planned(wakes_on={"gives": {"recipient": "<{id}>"}})
    waits = [name for name, placed in plan.nodes.items() if placed.contract.kind == "wait"]
    assert waits == ["asleep"]
    assert plan.nodes["perceive"].contract.reads == ("heard", "id", "memory")


def test_what_is_told_of_it_is_an_input_with_a_default() -> None:
    plan = planned(fields={"goals": ["talk"]})
    assert [(channel.name, channel.default) for channel in plan.inputs] == [("id", "ada"), ("goals", ["talk"])]
