"""What all agents have in common, and what each has of its own."""

from typing import Any

import pytest

from loopwright.errors import SourceError
from loopwright.graphs.forms.society_agents import SocietyAgent, kinds_of, told_alike, whose
from loopwright.sources.specs import spec_from_data

FILL: Any = {"type": "zero_shot", "role": "event_filler"}


def agent(**fields: Any) -> SocietyAgent:
    return SocietyAgent.model_validate(fields)


def test_lists_and_texts_follow_upon_what_all_have_and_all_else_is_its_own() -> None:
    base = agent(background="Born here.", goals=["talk"], retries=5, brains={"a": FILL, "b": FILL}, wakes_on={"x": {}})
    own = agent(background="Builds.", goals=["win"], retries=1, brains={"b": {**FILL, "n": 2}}).upon(base)
    assert (own.background, own.goals, own.retries) == ("Born here.\nBuilds.", ("talk", "win"), 1)
    assert {name: brain.n for name, brain in own.brains.items()} == {"a": 3, "b": 2, "event_filler": 3}  # type: ignore[union-attr]
    assert own.wakes_on == {"x": {}}


def test_without_a_map_one_brain_fills_whatever_was_decided() -> None:
    made = agent().upon(agent())
    assert {name: entry.brains for name, entry in made.actions.items()} == {"default": ("event_filler",)}


def test_its_brains_ask_its_model_where_they_name_none() -> None:
    made = agent(model="strong", brains={"a": FILL, "b": {**FILL, "model": "weak"}}, actions={"default": ["a"]}).upon(
        agent()
    )
    asked = {name: brain.model for name, brain in made.brains.items()}  # type: ignore[union-attr]
    assert asked == {"a": "strong", "b": "weak", "speak_with_user": "strong"}
    assert made.navigation.model == "strong"


def test_agents_are_of_one_kind_where_their_brains_are_the_same() -> None:
    made = {id: each.upon(agent()) for id, each in {"a": agent(role="x"), "b": agent(), "c": agent(retries=1)}.items()}
    kinds = kinds_of(made)
    assert kinds == {"a": "a", "b": "a", "c": "c"}
    alike = told_alike(made, kinds)
    assert (alike["b"].role, alike["c"].role) == ("one of the agents", "")


def test_a_fault_is_told_once_and_where_it_was_written() -> None:
    base = {"brains": {"fill": {**FILL, "prompt": "<{golas}>"}}, "actions": {"default": ["fill"]}}
    agents = {"ada": {}, "bob": {"actions": {"wave": ["fil"]}}}
    with pytest.raises(SourceError) as caught:
        spec_from_data({"base_agent": base, "agents": agents}, "society").plan()
    assert [fault.key for fault in caught.value.faults] == [
        "base_agent.brains.fill",
        "agents.bob.actions.wave.brains.0",
    ]


def test_where_a_field_was_written() -> None:
    given = agent(brains={"a": FILL})
    assert whose(given, "ada", ("brains", "a")) == ("agents", "ada")
    assert whose(given, "ada", ("brains", "b")) == ("base_agent",)
    assert whose(given, "ada", ("navigation",)) == ("base_agent",)
