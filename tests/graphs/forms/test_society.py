"""The form `society`: what its file says, what is wrong with it, and where."""

from typing import Any

import pytest

from loopwright.errors import SourceError
from loopwright.graphs.forms.society import SocietySpec
from loopwright.sources.specs import spec_from_data


def faults(**fields: Any) -> list[str]:
    with pytest.raises(SourceError) as caught:
        spec_from_data({"agents": {"ada": {}}, **fields}, "society").plan()
    return [str(fault) for fault in caught.value.faults]


def test_what_is_wrong_is_told_at_once_with_its_places() -> None:
    found = faults(
        world={"places": ["hall", "garden"]},
        objects={
            "mic": {"class": "Mikrophone", "held_by": "adda"},
            "board": {"class": "Blackboard", "held_by": "ada"},
            "hat": {"location": "hal"},
            "ada": {},
            "user": {"held_by": "ada", "location": "hall"},
            "a/b": {},
        },
        agents={"ada": {"location": "moon", "model": "strong", "wakes_on": {"rain": {"at": "<{place}>"}}}},
        classes={
            "Self": {},
            "Bell": {"actions": {"a:b": {}, "rings": {"args": "str"}, "x": {"args": {"tick": "int"}}}},
        },
    )
    assert [text.partition(": ")[0] for text in found] == [
        "classes.Self",
        "classes.Bell.actions.a:b",
        "classes.Bell.actions.rings.args",
        "classes.Bell.actions.x.args.tick",
        "agents.ada.location",
        "objects.mic.class",
        "objects.mic.held_by",
        "objects.board.held_by",
        "objects.hat.location",
        "objects.ada",
        "objects.user",
        "objects.user.location",
        "objects.a/b",
        "agents.ada.wakes_on.rain.at",
        "agents.ada.model",
    ]
    assert "did you mean 'Microphone'" in found[5]
    assert "did you mean 'ada'" in found[6]


def test_numbers_and_flags_are_what_they_are() -> None:
    found = faults(ticks="9", hops=1.5, agents={"ada": {"awake": "yes", "remembers": 0}}, when_asleep="stop")
    assert [text.partition(":")[0] for text in found] == [
        "agents.ada.awake",
        "agents.ada.remembers",
        "ticks",
        "hops",
        "when_asleep",
    ]


def test_a_world_has_agents() -> None:
    assert "agents" in faults(agents={})[0]


def test_the_place_of_a_finding_is_that_of_its_field() -> None:
    spec = SocietySpec.model_validate({"agents": {"ada": {}, "bob": {"retries": 1}}})
    assert spec.path_of(("bounds", "ticks")) == ("ticks",)
    assert spec.path_of(("nodes", "turns/turn of bob/navigate/decide", "prompt")) == ("agents", "bob")
    assert spec.path_of(("nodes", "tick")) == ()


def test_what_is_said_of_the_world_is_its_setting() -> None:
    spec = SocietySpec.model_validate(
        {
            "name": "fair",
            "world": {"places": {"hall": "warm"}, "description": "A fair."},
            "objects": {"mic": {"class": "Microphone", "held_by": "ada"}, "hat": {"state": {"size": 3}}},
            "agents": {"ada": {"role": "host"}},
        }
    )
    setting: Any = spec.plan().channels["setting"].default
    now: Any = spec.plan().channels["world"].default
    assert (setting["name"], setting["places"], setting["agents"]["ada"]["description"]) == (
        "fair",
        {"hall": "warm"},
        "host",
    )
    assert now == {
        "tick": 0,
        "agents": {"ada": {"location": "hall"}},
        "objects": {
            "mic": {"held_by": "ada", "location": "hall", "state": {}},
            "hat": {"held_by": "", "location": "hall", "state": {"size": 3}},
        },
    }
