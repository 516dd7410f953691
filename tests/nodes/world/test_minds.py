"""What minds remember, what wakes them, and what a turn begins with."""

from typing import Any

import pytest

from loopwright.nodes.world.entities import World
from loopwright.nodes.world.minds import (
    EMPTY,
    after_turn,
    channel_of,
    hears,
    refused,
    remembers,
    rouses,
    turn_of,
    wakes,
)

TURN: Any = {
    "id": "ada",
    "plan": ["wave"],
    "pending": ["give"],
    "aim": "greet",
    "tries": 0,
    "last_failure": "",
    "asleep": False,
    "exits": False,
}
KNOWN: Any = {"wakes_on": {"gives": {"recipient": "<{id}>"}, "rain": {}}, "remembers": 2}


def test_a_mind_keeps_what_a_turn_came_to() -> None:
    mind = after_turn({**EMPTY, "memory": [1]}, {**TURN, "exits": True})
    assert (mind["plan"], mind["pending"], mind["aim"], mind["gone"]) == (["wave"], ["give"], "greet", True)
    assert mind["memory"] == [1]


def test_a_refusal_keeps_what_was_pending_and_ends_in_sleep_after_so_many() -> None:
    mind: Any = {**EMPTY, "pending": ["sing"]}
    seen = []
    for _ in range(3):
        mind = refused(mind, TURN, "no", 2)
        seen.append((mind["pending"], mind["tries"], mind["asleep"], mind["last_failure"]))
    assert seen == [(["sing"], 1, False, "no"), (["sing"], 2, False, "no"), (["sing"], 0, True, "no")]


def test_only_so_much_is_remembered_and_hops_are_nobodys_business() -> None:
    mind: Any = dict(EMPTY)
    for number in range(3):
        mind = remembers(mind, {"event_type": f"e{number}", "hops": 1}, 2)
    assert mind["memory"] == [{"event_type": "e1"}, {"event_type": "e2"}]


@pytest.mark.parametrize(
    ("event", "woken"),
    [
        ({"event_type": "gives", "recipient": "ada"}, True),
        ({"event_type": "gives", "recipient": "bob"}, False),
        ({"event_type": "gives"}, False),
        ({"event_type": "rain"}, True),
        ({"event_type": "snow"}, False),
        ({"event_type": "user_speaks_with_agent_event", "target_id": "ada"}, True),
        ({"event_type": "user_speaks_with_agent_event", "target_id": "bob"}, False),
    ],
)
def test_what_wakes_is_said_by_type_and_property(event: Any, woken: bool) -> None:
    assert wakes(event, "ada", KNOWN["wakes_on"]) is woken
    heard = hears({**EMPTY, "asleep": True}, event, "ada", KNOWN, 32)
    assert (heard["asleep"], heard["memory"]) == (not woken, [event])


def test_who_is_awake_stays_so_and_who_left_is_not_woken() -> None:
    rain: Any = {"event_type": "rain", "hops": 3}
    assert hears(EMPTY, rain, "ada", KNOWN, 32)["hops"] == 0
    assert hears({**EMPTY, "asleep": True}, rain, "ada", KNOWN, 32)["hops"] == 3
    assert hears({**EMPTY, "asleep": True, "gone": True}, rain, "ada", KNOWN, 32)["asleep"]
    assert (rouses(rain, "ada", KNOWN, 3), rouses(rain, "ada", KNOWN, 2)) == (True, False)


def test_a_turn_begins_with_all_that_is_known() -> None:
    setting: Any = {
        "description": "A fair.",
        "places": {"hall": "It is warm.", "yard": ""},
        "classes": {},
        "agents": {"ada": {"fields": {"role": "host"}, "kind": "ada"}, "bob": {"name": "Bob"}},
        "objects": {"hat": {}, "mic": {"class": "Microphone"}},
    }
    there: Any = {"ada": {"location": "hall"}, "bob": {"location": "hall"}}
    now: Any = {"tick": 0, "agents": there, "objects": {"hat": {"held_by": "ada"}, "mic": {"held_by": "bob"}}}
    turn: Any = turn_of(World(setting, now), "ada", EMPTY)
    assert (turn["id"], turn["kind"], turn["role"]) == ("ada", "ada", "host")
    assert turn["inventory"] == ["hat (object)"]
    assert turn["nearby_entities"] == ["bob (agent): Bob", "mic (Microphone); bob holds it"]
    assert turn["agent_world_state"] == "A fair. You are at hall: It is warm. There is also: yard."


def test_each_mind_has_a_channel() -> None:
    assert channel_of("ada") == "mind of ada"
