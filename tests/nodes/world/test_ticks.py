"""The nodes of a society: what they read, write and lead to."""

from typing import Any

from loopwright.nodes.world.minds import EMPTY
from loopwright.nodes.world.ticks import HearOutside, Listen, Settle, Tick
from tests.nodes.world.test_settling import SETTING, gift

NOW: Any = {"tick": 7, "agents": {id: {} for id in ("ada", "bob", "eve")}, "objects": {"mic": {"held_by": "ada"}}}
AGENTS = ("ada", "bob", "eve")


def view(**more: Any) -> Any:
    minds = {f"mind of {id}": {**EMPTY, "asleep": id != "ada"} for id in AGENTS}
    return {"setting": SETTING, "world": NOW, "come": [], **minds, **more}


def test_a_tick_gives_turns_to_those_who_are_awake() -> None:
    answer = Tick("tick", agents=AGENTS).answer(view(), None)
    turns: Any = answer.update["awake"]
    assert (answer.outcome, [turn["id"] for turn in turns], answer.reason) == ("awake", ["ada"], "awake: ada")


def test_a_world_that_all_have_left_is_over() -> None:
    assert Tick("tick", agents=AGENTS).answer(view(world={**NOW, "agents": {}}), None).outcome == "over"


def test_settling_writes_those_minds_alone_to_which_something_happened() -> None:
    node = Settle("settle", agents=AGENTS)
    quiet: Any = node.answer(view(turns=[]), None).update
    assert set(quiet) == {"world", "happened"}
    assert (quiet["world"]["tick"], quiet["happened"]) == (8, [])
    answer = node.answer(view(turns=[gift("ada", "bob")]), None)
    update: Any = answer.update
    assert update["world"]["objects"]["mic"]["held_by"] == "bob"
    assert not update["mind of bob"]["asleep"]
    assert answer.reason.splitlines()[-1] == "bob holds mic; awake: ada, bob; asleep: eve"
    assert set(node.contract.may_write) < set(node.contract.writes)


def test_what_comes_meanwhile_is_heard_after_the_turns() -> None:
    come = Listen("listen").answer({}, [{"event_type": "rain", "sender_id": "ada"}]).update
    update: Any = Settle("settle", agents=AGENTS).answer(view(turns=[gift("ada", "bob")], **come), None).update
    assert [(event["sender_id"], event["event_type"]) for event in update["happened"]] == [
        ("ada", "agent_gives_object_to_agent_event"),
        ("user", "rain"),
    ]


def test_what_is_heard_wakes_or_does_not() -> None:
    node = HearOutside("hear", agents=AGENTS)
    asleep = {f"mind of {id}": {**EMPTY, "asleep": True} for id in AGENTS}
    word = {"event_type": "user_speaks_with_agent_event", "target_id": "eve", "message": "hello"}
    answer = node.answer(view(**asleep, heard=word), None)
    assert (answer.outcome, set(answer.update)) == ("awake", {"world", "happened", "mind of eve"})
    answer = node.answer(view(**asleep, heard={"event_type": "rain"}), None)
    assert (answer.outcome, len(answer.update)) == ("asleep", 5)
