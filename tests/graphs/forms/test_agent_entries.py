"""An agent as it is written: what its brains are shown of it, and what is wrong with it."""

from typing import Any

import pytest

from loopwright.graphs.forms.agent_entries import AgentFields
from loopwright.graphs.thinking.settings import ThinkSettings

FILL: Any = {"type": "zero_shot", "role": "event_filler"}


def agent(**more: Any) -> AgentFields:
    return AgentFields.model_validate({"brains": {"fill": FILL}, "actions": {"wave": ["fill"]}, **more})


def settings(made: AgentFields, *, surroundings: bool = False) -> ThinkSettings:
    assert not made.agent_faults(surroundings=surroundings)
    return made.settings("ada", {}, surroundings=surroundings)


def node(made: Any, name: str = "decide") -> Any:
    return made.plan.nodes[name].node


def test_a_brain_is_told_who_it_is_and_nothing_that_is_not_known() -> None:
    made = settings(agent(role="the host", communication_style="short", goals=["talk"]))
    fill = node(made.brains["fill"])
    assert fill.system == "You are <{id}>, <{role}>.\nHow you speak: <{communication_style}>"
    assert fill.sees == ("goals", "plan", "memory", "command", "previous_brain_outputs", "last_failure")
    assert node(settings(agent()).brains["fill"]).system == "You are <{id}>."


def test_only_the_decision_compares_and_chooses() -> None:
    made = settings(agent(evaluation_principles=["be brief"]), surroundings=True)
    navigate = node(made.navigation, "generate")
    assert (navigate.role, navigate.n) == ("navigation", 3)
    assert navigate.sees == (
        "evaluation_principles",
        "plan",
        "memory",
        "inventory",
        "nearby_entities",
        "agent_world_state",
        "actions",
        "last_failure",
    )
    assert "evaluation_principles" not in node(made.brains["fill"]).sees


def test_a_brain_with_a_system_message_keeps_it() -> None:
    made = settings(agent(brains={"fill": {**FILL, "system": "You fill in forms."}}))
    assert node(made.brains["fill"]).system == "You fill in forms."


@pytest.mark.parametrize(
    ("more", "key", "message"),
    [
        ({"navigation": {"type": "zero_shot", "role": "judge"}}, "navigation.role", "of the role navigation"),
        ({"navigation": {"type": "zero_shot", "n": 2, "prompt": "<{weather}>"}}, "navigation", "'weather'"),
        ({"brains": {"fill": {"type": "zero_shot", "prompt": "<{nearby_entities}>"}}}, "brains.fill", "nearby"),
        ({"brains": {"fill": {"type": "zero_shot", "sees": ["goals"]}}}, "brains.fill", "'goals'"),
        ({"actions": {"wave": []}}, "actions.wave.brains", "no brains"),
    ],
)
def test_what_is_wrong_has_its_place(more: Any, key: str, message: str) -> None:
    (fault,) = agent(**more).agent_faults(surroundings=False)
    assert fault.key == key
    assert message in fault.message


def test_in_a_world_its_surroundings_can_be_named() -> None:
    made = agent(brains={"fill": {"type": "zero_shot", "prompt": "<{nearby_entities}>"}})
    assert not made.agent_faults(surroundings=True)
