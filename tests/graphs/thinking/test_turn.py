"""One turn of several agents side by side, as a world gives it."""

from typing import Any

import pytest

import loopwright as lw
from loopwright.graphs.forms.agent_entries import AgentFields
from loopwright.graphs.thinking.turn import turn
from loopwright.state.values import Json
from loopwright.testing import RecordingModel

SPEAK, GIVE = "Microphone:speak", "World:give"
COMMANDS: Any = {
    SPEAK: {
        "description": "Speak.",
        "args": {
            "type": "object",
            "properties": {"message": {"type": "string"}, "target_id": {"enum": ["mic1"]}},
            "required": ["message", "target_id"],
        },
    }
}
SAID = {"message": "hello", "target_id": "mic1"}


def world(**more: Any) -> lw.Loop[Any]:
    fields: Any = {
        "role": "a guest",
        "brains": {"fill": {"type": "zero_shot", "role": "event_filler"}},
        "actions": {SPEAK: {"brains": ["fill"], "next_actions": [GIVE]}, "default": ["fill"]},
        "navigation": {"type": "zero_shot"},
        **more,
    }
    agent = AgentFields.model_validate(fields)
    assert not agent.agent_faults(surroundings=True)
    body = turn(agent.settings("turn", {}, surroundings=True))
    plan = lw.PlanBuilder("tick", [lw.Channel("agents", list, input=True), lw.Channel("turns", list)], result="turns")
    plan.each("turns", over="agents", as_="agent", do=body, collect="turns", at_most=3)
    loop: lw.Loop[Any] = plan.edge("turns", "done", lw.End("ok")).loop()
    assert not loop.check()
    return loop


def choice(action: str, **more: Any) -> Json:
    said: Any = {"inventory": [], "step_completed": "", "plan": ["talk"], "violated_constraints": []}
    return {**said, "next_action_aim": "greet", "next_action": action, "is_action_valid": True, **more}


def test_a_turn_says_what_the_agent_wants_and_sends_nothing(store: lw.Store) -> None:
    model = RecordingModel({"turns/navigate/decide": [choice(SPEAK)], f"turns/act/{SPEAK}/fill/decide": [SAID]})
    agent = {"id": "ada", "role": "the host", "commands": COMMANDS, "inventory": ["mic1"], "memory": ["it rains"]}
    run = world().start({"agents": [agent]}, model=model, store=store)
    assert run.result == [
        {
            "id": "ada",
            "action": SPEAK,
            "event": {"event_type": "speak", "sender_id": "ada", **SAID},
            "pending": [GIVE],
            "aim": "greet",
            "plan": ["talk"],
            "last_failure": "",
            "tries": 0,
            "asleep": False,
            "exits": False,
        }
    ]
    assert list(store.inbox.all()) == []
    prompt = model.prompts("turns[0]/navigate/decide")[0][0]["content"]
    for words in ("You are ada, the host.", "## What you hold\n- mic1", "## Memory\n- it rains", f"- {SPEAK}: Speak."):
        assert words in prompt
    assert GIVE not in prompt


def test_what_has_to_follow_needs_no_decision_and_a_refusal_is_shown_to_its_brain() -> None:
    model = RecordingModel({"turns/act/default/fill/decide": [{"recipient": "bob"}]})
    agent = {"id": "ada", "pending": [GIVE], "aim": "greet", "last_failure": "you do not hold it", "tries": 1}
    (made,) = world().start({"agents": [agent]}, model=model).result
    assert (made["event"]["event_type"], made["pending"], made["tries"]) == ("give", [], 0)
    (prompt,) = model.prompts("turns[0]/act/default/fill/decide")
    assert "## Why the last attempt came to nothing\nyou do not hold it" in prompt[0]["content"]
    assert "- Current goal: greet" in prompt[0]["content"]


def test_when_asked_the_menu_is_the_follow_up() -> None:
    model = RecordingModel({"turns/navigate/decide": [choice("Self:wait")]})
    (made,) = world(follow_up="ask").start({"agents": [{"id": "ada", "pending": [GIVE]}]}, model=model).result
    assert (made["asleep"], made["pending"]) == (True, [GIVE])
    schema: Any = model.calls[0].schema
    assert schema["properties"]["next_action"]["enum"] == ["Self:wait", "Self:agent_speaks_with_user_event", GIVE]


@pytest.mark.parametrize(
    ("decisions", "reason"),
    [
        ([choice(SPEAK, violated_constraints=["be quiet"])], 'violated_constraints is ["be quiet"]'),
        ([choice("Foo:bar")] * 2, "the decision could not be read"),
    ],
)
def test_what_comes_to_nothing_is_told_to_the_next_turn(decisions: list[Json], reason: str) -> None:
    model = RecordingModel({"turns/navigate/decide": decisions})
    (made,) = world().start({"agents": [{"id": "ada", "commands": COMMANDS, "tries": 3}]}, model=model).result
    assert reason in made["last_failure"]
    assert (made["event"], made["action"], made["tries"], made["asleep"]) == (None, "", 0, True)


def test_agents_of_one_definition_share_a_body() -> None:
    def reply(call: lw.ModelCall) -> Json:
        system = call.messages[0]["content"]
        if "navigate" in call.node:
            return choice("Self:exit" if "bob" in system else "Self:wait")
        return {}

    agents = [{"id": "ada", "role": "the host"}, {"id": "bob", "role": "a guest"}]
    made = world().start({"agents": agents}, model=RecordingModel(reply)).result
    assert [(each["id"], each["exits"]) for each in made] == [("ada", False), ("bob", True)]
