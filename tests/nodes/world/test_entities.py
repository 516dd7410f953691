"""Where things are, who holds them, and what a change makes of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.nodes.world.entities import Change, World

SETTING: Any = {
    "places": {"hall": "", "garden": ""},
    "agents": {"ada": {"name": "Ada", "description": "a host"}, "bob": {}},
    "objects": {"mic": {"class": "Microphone"}, "tree": {"fixed": True}},
}
NOW: Any = {
    "tick": 0,
    "agents": {"ada": {"location": "hall"}, "bob": {"location": "garden"}},
    "objects": {"mic": {"held_by": "ada"}, "tree": {"location": "garden", "state": {"apples": 3}}},
}
WORLD = World(SETTING, NOW)


def test_what_is_held_is_where_its_holder_is() -> None:
    assert (WORLD.place_of("mic"), WORLD.held("ada"), WORLD.held("bob")) == ("hall", ["mic"], [])
    assert WORLD.near("ada", "mic")
    assert not WORLD.near("bob", "mic")
    gone = WORLD.changed(Change(location="garden"), "ada")
    assert (gone.place_of("mic"), gone.near("bob", "mic")) == ("garden", True)
    assert WORLD.place_of("mic") == "hall"  # a world is read only


def test_what_is_put_down_lies_where_it_was_held() -> None:
    world = WORLD.changed(Change(held_by=""), "mic")
    assert (world.place_of("mic"), world.held("ada")) == ("hall", [])


def test_who_leaves_leaves_what_they_held() -> None:
    world = WORLD.without("ada")
    assert (world.agents, world.entity("ada"), world.place_of("mic")) == (("bob",), None, "hall")
    assert not world.near("bob", "ada")


def test_an_entity_has_all_that_is_known_of_it() -> None:
    tree, ada = WORLD.entity("tree"), WORLD.entity("ada")
    assert tree is not None
    assert ada is not None
    assert (tree.kind, tree.state, tree.fixed, tree.words) == ("object", {"apples": 3}, True, "tree (object)")
    assert ada.words == "ada (agent): Ada, a host"
    assert WORLD.entity("nobody") is None


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (Change(of="moon", state={}), "a change is of 'moon', and there is no such thing"),
        (Change(held_by="eve"), "'mic' cannot be held by 'eve', who is not there"),
        (Change(location="sea"), "'mic' cannot be at 'sea', and places are: hall, garden"),
    ],
)
def test_a_change_that_cannot_be_is_refused(change: Change, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        WORLD.changed(change, "mic")


@given(st.lists(st.tuples(st.sampled_from(["mic", "tree"]), st.sampled_from(["ada", "bob", ""])), max_size=8))
def test_whatever_is_given_each_thing_has_one_holder_and_one_place(moves: list[tuple[str, str]]) -> None:
    world = WORLD
    for thing, holder in moves:
        world = world.changed(Change(held_by=holder), thing)
    holders = [holder for holder in world.agents for _ in world.held(holder)]
    assert len(holders) == sum(bool(now.get("held_by")) for now in world.now["objects"].values())
    assert all(world.place_of(thing) in world.places for thing in world.objects)
