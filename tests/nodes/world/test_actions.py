"""What is on offer, and what the world's own actions let happen."""

from typing import Any

import pytest

from loopwright.nodes.world.actions import GIVE, MOVE, TAKE, TALK, commands, gives, moves, takes, talks
from loopwright.nodes.world.entities import Change, World
from loopwright.nodes.world.objects import CLASSES
from loopwright.state.values import JsonObject

CLASS_DATA: Any = {name: {key: action.data for key, action in actions.items()} for name, actions in CLASSES.items()}
SETTING: Any = {
    "places": {"hall": "", "garden": ""},
    "classes": CLASS_DATA,
    "agents": {"ada": {}, "bob": {}, "eve": {}},
    "objects": {
        "mic": {"class": "Microphone"},
        "spare": {"class": "Microphone"},
        "board": {"class": "Blackboard", "fixed": True},
    },
}
NOW: Any = {
    "tick": 0,
    "agents": {"ada": {"location": "hall"}, "bob": {"location": "hall"}, "eve": {"location": "garden"}},
    "objects": {"mic": {"held_by": "ada"}, "spare": {"location": "hall"}, "board": {"location": "hall"}},
}
WORLD = World(SETTING, NOW)


def targets(offered: Any, action: str, argument: str = "target_id") -> list[str]:
    found: list[str] = offered[action]["args"]["properties"][argument]["enum"]
    return found


def test_only_what_can_be_done_is_on_offer_and_only_with_what_is_there() -> None:
    ada, bob, eve = (commands(WORLD, who) for who in ("ada", "bob", "eve"))
    speak = "Microphone:agent_speaks_into_microphone"
    assert targets(ada, speak) == ["mic"]  # the other one, of the same class, she does not hold
    assert speak not in bob
    assert targets(bob, "Blackboard:agent_reads_blackboard") == ["board"]
    assert "Blackboard:user_adds_job_to_blackboard" not in bob
    assert (targets(ada, GIVE, "object_id"), targets(ada, GIVE, "recipient_agent_id")) == (["mic"], ["bob"])
    assert GIVE not in bob
    assert targets(bob, TAKE, "object_id") == ["spare"]
    assert targets(bob, TALK) == ["ada"]
    assert list(eve) == [MOVE]
    assert targets(eve, MOVE, "location") == ["hall"]


def event(sender: str, **more: str) -> JsonObject:
    return {"sender_id": sender, **more}


@pytest.mark.parametrize(
    ("function", "tried", "reason"),
    [
        (gives, event("ada", object_id="sun", recipient_agent_id="bob"), "there is no object 'sun'"),
        (gives, event("ada", object_id="bob", recipient_agent_id="bob"), "there is no object 'bob'"),
        (gives, event("bob", object_id="mic", recipient_agent_id="bob"), "you do not hold 'mic': ada holds it"),
        (gives, event("bob", object_id="spare", recipient_agent_id="ada"), "you do not hold 'spare': nobody holds it"),
        (gives, event("ada", object_id="mic", recipient_agent_id="ada"), "you hold 'mic' already"),
        (
            gives,
            event("ada", object_id="mic", recipient_agent_id="tom"),
            "there is no agent 'tom' to give it to; there are: ada, bob, eve",
        ),
        (gives, event("ada", object_id="mic", recipient_agent_id="eve"), "'eve' is not near you, but at 'garden'"),
        (gives, event("ada"), "there is no object ''"),
        (takes, event("bob", object_id="mic"), "ada holds 'mic'"),
        (takes, event("bob", object_id="board"), "'board' cannot be taken away"),
        (takes, event("eve", object_id="spare"), "'spare' is not near you"),
        (takes, event("eve", object_id="ada"), "there is no object 'ada'"),
        (moves, event("eve", location="sea"), "there is no place 'sea'; there are: hall, garden"),
        (moves, event("eve", location="garden"), "you are at 'garden' already"),
        (talks, event("eve", target_id="mic"), "there is no other agent 'mic'; there are: ada, bob"),
        (talks, event("eve", target_id="ada"), "'ada' is not near you, but at 'hall'"),
        (talks, event("bob", target_id="ada"), ""),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason(function: Any, tried: JsonObject, reason: str) -> None:
    assert function(WORLD, tried) == reason


def test_what_can_be_is_a_change() -> None:
    assert gives(WORLD, event("ada", object_id="mic", recipient_agent_id="bob")) == Change(of="mic", held_by="bob")
    assert takes(WORLD, event("bob", object_id="spare")) == Change(of="spare", held_by="bob")
    assert moves(WORLD, event("eve", location="hall")) == Change(of="eve", location="hall")
