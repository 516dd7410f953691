"""What the world confirms and refuses, with functions of one's own among it."""

from typing import Any

import pytest

from loopwright.nodes.world.entities import Change, World
from loopwright.nodes.world.rules import heard_by, judged, refusal

BELL: Any = {
    "description": "",
    "args": {"type": "object", "properties": {"times": {"type": "integer"}}, "required": ["times"]},
    "needs": "near",
    "heard_by": "all",
    "does": "rings",
    "by_user": False,
}
SETTING: Any = {
    "places": {"hall": "", "garden": ""},
    "classes": {"Bell": {"rings": BELL}},
    "agents": {"ada": {}, "bob": {}},
    "objects": {"bell": {"class": "Bell"}, "hat": {}},
    "rules": [],
}
NOW: Any = {
    "tick": 4,
    "agents": {"ada": {"location": "hall"}, "bob": {"location": "garden"}},
    "objects": {"bell": {"location": "hall", "state": {"rung": 1}}, "hat": {"location": "hall"}},
}


def tried(does: Any, sender: str = "ada", target: str = "bell", action: str = "Bell:rings", **more: Any) -> Any:
    event = {"event_type": "rings", "sender_id": sender, "target_id": target, "tick": 4, "hops": 1, **more}
    rules = more.pop("rules", [])
    event.pop("rules", None)
    functions = {"rings": does, **{f"rule {index}": rule for index, rule in enumerate(rules)}}
    return judged(World({**SETTING, "rules": [f"rule {i}" for i in range(len(rules))]}, NOW), action, event, functions)


def rings(world: World, event: Any) -> Any:
    bell = world.entity(event["target_id"])
    assert bell is not None
    rung: Any = bell.state["rung"]
    return "it is worn out" if event["times"] > 3 else Change(state={"rung": rung + event["times"]})


def test_an_action_of_ones_own_changes_its_object_or_refuses() -> None:
    done = tried(rings, times=2)
    assert (done.reason, done.world.entity("bell").state) == ("", {"rung": 3})
    assert tried(rings, times=4).reason == "it is worn out"
    assert tried(lambda world, event: None, times=1).reason == ""


def test_a_rule_is_asked_first() -> None:
    asked: list[str] = []

    def quiet(world: World, event: Any) -> str:
        asked.append(event["event_type"])
        return "not at night"

    assert tried(rings, times=2, rules=[lambda world, event: None, quiet]).reason == "not at night"
    assert asked == ["rings"]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"times": "often"}, "times"),
        ({}, "times"),
        ({"times": 1, "sender": "bob"}, "'bell' is not near you"),
        ({"times": 1, "target": "hat"}, "'hat' is no Bell; there are: bell"),
        ({"times": 1, "target": "moon"}, "'moon' is no Bell; there are: bell"),
        ({"times": 1, "action": "Bell:melts"}, "nobody offers the action 'Bell:melts'"),
        ({"times": 1, "action": "World:ends"}, "the world has no 'World:ends'"),
        ({"times": 1, "sender": "user"}, "'Bell:rings' is for agents"),
    ],
)
def test_what_cannot_be_is_refused(given: Any, reason: str) -> None:
    assert reason in tried(rings, **given).reason


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        (3, "what Bell:rings does gave 3"),
        (Change(replies=({"message": "ding"},)), "has no event_type"),
        (Change(held_by="moon"), "cannot be held by 'moon'"),
    ],
)
def test_a_function_that_gives_what_cannot_be_is_a_fault(made: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        tried(lambda world, event: made, times=1)


def test_a_rule_that_gives_no_reason_is_a_fault() -> None:
    with pytest.raises(ValueError, match="the rule rule 0 gave 7; it gives a reason to refuse, or nothing"):
        tried(rings, times=1, rules=[lambda world, event: 7])


def test_replies_are_signed_by_the_object() -> None:
    reply: Any = {"event_type": "echoes", "sender_id": "bob", "tick": 99}
    (found,) = tried(lambda world, event: Change(replies=(reply,)), times=1).replies
    assert found == {"event_type": "echoes", "target_id": "ada", "sender_id": "bell", "tick": 4}


def test_a_refusal_says_what_was_tried_and_why() -> None:
    event: Any = {"event_type": "rings", "sender_id": "ada", "target_id": "bell", "tick": 4, "hops": 1}
    assert refusal(event, "too late", "world") == {
        "event_type": "world_refuses_event",
        "sender_id": "world",
        "target_id": "ada",
        "reason": "too late",
        "refused": {"event_type": "rings", "target_id": "bell"},
        "tick": 4,
    }


def test_who_hears_of_an_action_is_said_with_it() -> None:
    world = World(SETTING, NOW)
    assert heard_by("Bell:rings", world) == "all"
    assert heard_by("World:agent_speaks_with_agent_event", world) == "target"
    assert heard_by("World:agent_gives_object_to_agent_event", world) == "near"
