"""Navigation, execution, event filler and judge: what they are shown, what they may say, and what is not taken."""

from typing import Any

import pytest

import loopwright as lw
from loopwright.nodes.models.contract import ModelCall
from loopwright.state.values import Json
from loopwright.testing import RecordingModel

BRAINS = (lw.ZeroShot, lw.SingleEval, lw.MultiEval, lw.TreeOfThought)
SPEAK: Any = {
    "name": "Microphone:agent_speaks_into_microphone",
    "description": "Speak so that all hear it.",
    "args": {
        "type": "object",
        "properties": {
            "message": {"type": "string"},
            "target_id": {"type": "string"},
            "sender_id": {"type": "string"},
        },
        "required": ["message", "target_id", "sender_id"],
    },
}


def choice(action: str = "speak", **change: Any) -> dict[str, Json]:
    whole = {"inventory": [], "step_completed": "", "plan": ["greet"], "next_action_aim": "greet"}
    return {**whole, "next_action": action, "violated_constraints": [], "is_action_valid": True, **change}


def thinking(*options: Json, rating: float = 5) -> RecordingModel:
    def reply(call: ModelCall) -> Json:
        asked: Any = (call.schema or {})["properties"]
        if "options" in asked:
            return {"options": ["a step"] if asked["options"]["items"] == {"type": "string"} else list(options)}
        return {"choice": 1} if "choice" in asked else {"rating": rating} if "rating" in asked else options[0]

    return RecordingModel(reply)


@pytest.mark.parametrize("brain", BRAINS)
def test_an_action_is_one_of_those_on_offer_now(brain: Any) -> None:
    loop = brain(role="navigation", sees=["plan", "actions"])
    given = {"actions": ["wait", "speak"], "plan": ["greet"]}
    model = thinking(choice("speak"))
    run = loop.start(given, model=model)
    assert (run.end, run.result["next_action"]) == (lw.End("done"), "speak")
    assert "## Plan\n- greet\n\n## Actions on offer\n- wait\n- speak" in model.calls[0].messages[0]["content"]
    foreign = loop.start(given, model=thinking(choice("fly")))
    assert foreign.status == "suspended"
    assert '"fly" is not one of' in foreign.reason


@pytest.mark.parametrize("brain", BRAINS)
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"is_action_valid": False}, "is_action_valid is false"),
        ({"violated_constraints": ["one speaks"]}, 'violated_constraints is ["one speaks"]'),
    ],
)
def test_what_is_not_valid_is_not_taken_and_none_says_why(brain: Any, wrong: Any, why: str) -> None:
    loop = brain(role="navigation", sees=["actions", "last_failure"])
    assert not loop.check()
    run = loop.start({"actions": ["speak"]}, model=thinking(choice(**wrong)))
    assert run.end == lw.End("none", ok=False)
    assert why in run.reason
    assert run.state["last_failure"] == run.reason


@pytest.mark.parametrize("brain", BRAINS[1:])
def test_a_valid_option_is_taken_where_others_are_not(brain: Any) -> None:
    model = thinking(choice("wait", is_action_valid=False), choice("speak"))
    run = brain(role="navigation").start({"actions": ["wait", "speak"]}, model=model)
    assert run.result["next_action"] == "speak"


@pytest.mark.parametrize("brain", BRAINS)
def test_where_nothing_is_on_offer_there_is_none(brain: Any) -> None:
    model = thinking(choice())
    run = brain(role="navigation").start({"actions": []}, model=model)
    assert (run.end, run.reason) == (lw.End("none", ok=False), "there is nothing on offer to choose from")
    assert not [call for call in model.calls if "options" not in str(call.schema)]


@pytest.mark.parametrize("brain", BRAINS)
def test_an_event_filler_fills_the_arguments_of_the_command_and_no_sender(brain: Any) -> None:
    loop = brain(role="event_filler", sees=["command", "previous_brain_outputs"])
    given = {"command": SPEAK, "previous_brain_outputs": ["Current goal: greet", {"podcast_response": "hello"}]}
    model = thinking({"message": "hello", "target_id": "mic1"})
    run = loop.start(given, model=model)
    assert run.result == {"message": "hello", "target_id": "mic1"}
    said = model.calls[0].messages[0]["content"]
    assert said.index("Current goal: greet") < said.index('{"podcast_response": "hello"}')
    assert "sender_id" not in str(model.calls[-1].schema)
    forged = loop.start(given, model=thinking({"message": "hello", "target_id": "mic1", "sender_id": "ada"}))
    assert forged.status == "suspended"


def test_a_path_of_brains_hands_on_what_each_came_to() -> None:
    """As GW-6 has it: the aim, then the execution brain, then the event filler, which sees both in order."""
    channels = [
        lw.Channel("command", input=True),
        lw.Channel("previous_brain_outputs", list, reduce="append"),
        lw.Channel("speech", dict),
        lw.Channel("event", dict),
    ]
    plan = lw.PlanBuilder("speak", channels, result="event")
    output: Any = {"type": "object", "properties": {"podcast_response": {"type": "string"}}}
    sees = ["command", "previous_brain_outputs"]
    plan.node(lw.Act("aim", lambda: "Current goal: greet", writes="previous_brain_outputs"))
    plan.node(lw.SingleEval(role="execution", sees=sees, output=output, n=1), name="podcast", writes="speech")
    plan.node(lw.Act("hand on", lambda speech: speech, reads=["speech"], writes="previous_brain_outputs"))
    plan.node(lw.ZeroShot(role="event_filler", sees=sees), name="fill", writes="event")
    plan.edge("aim", "done", "podcast").edge("podcast", "done", "hand on").edge("hand on", "done", "fill")
    plan.edge("fill", "done", lw.End("sent"))
    script: Any = {"podcast/generate": [{"options": [{"podcast_response": "hello"}]}]}
    model = RecordingModel({**script, "fill/decide": [{"message": "hello", "target_id": "mic1"}]})
    run = plan.loop().start({"command": SPEAK}, model=model)
    assert (run.result, model.asked) == (
        {"message": "hello", "target_id": "mic1"},
        ["podcast/generate", "fill/decide"],
    )
    first, second = (calls[0]["content"] for node in model.asked for calls in model.prompts(node))
    assert "Current goal: greet" in first
    assert "agent_speaks_into_microphone" in first
    assert '- Current goal: greet\n- {"podcast_response": "hello"}' in second


def test_a_judge_says_whether_and_why() -> None:
    model = thinking({"passed": False, "reason": "no dates"})
    run = lw.ZeroShot(role="judge").start({"criteria": ["has dates"], "subject": "a plan"}, model=model)
    assert run.result == {"passed": False, "reason": "no dates"}
    assert model.calls[0].messages[0]["content"] == "## Criteria\n- has dates\n\n## What is judged\na plan"
