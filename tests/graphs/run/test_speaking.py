"""What a person says to an agent."""

from typing import Any

import pytest

import loopwright as lw
from loopwright.graphs.run.speaking import agents_of, present

MODEL = lw.ScriptedModel({"default": ["unused"]})
AGENTS: Any = {"ada": {"awake": False}, "bob": {"awake": False}}


def test_a_word_is_for_one_agent_of_one_run_and_is_said_once(store: lw.Store) -> None:
    run = lw.Society(AGENTS, model=MODEL).start(store=store)
    assert agents_of(run.plan) == ("ada", "bob")
    assert lw.speak(store, run.id[:5], "hello", to="ada", id="word 1")
    assert not lw.speak(store, run.id, "hello", to="ada", id="word 1")
    (event,) = store.inbox.all()
    assert (event.type, event.to) == ("agent_event", run.id)
    assert event.payload == {
        "event_type": "user_speaks_with_agent_event",
        "sender_id": "user",
        "message": "hello",
        "target_id": "ada",
    }


def test_who_is_not_there_is_told_with_who_is(store: lw.Store) -> None:
    run = lw.Society(AGENTS, model=MODEL).start(store=store)
    with pytest.raises(lw.RunError, match=r"there is no agent 'bop' in run \w+ \(did you mean 'bob'"):
        lw.speak(store, run.id, "hello", to="bop")
    with pytest.raises(lw.RunError, match="there is nothing to say"):
        lw.speak(store, run.id, " ", to="ada")
    with pytest.raises(lw.RunError, match="say to whom: there are: ada, bob"):
        lw.speak(store, run.id, "hello")


def test_an_agent_by_itself_needs_no_name(store: lw.Store) -> None:
    waits: Any = {"inventory": [], "step_completed": "", "plan": [], "violated_constraints": []}
    wait = {**waits, "next_action_aim": "", "next_action": "Self:wait", "is_action_valid": True}
    loop = lw.ThinkLoop(
        {"default": ["fill"]},
        brains={"fill": {"type": "zero_shot", "role": "event_filler"}},
        navigation={"type": "zero_shot"},
        model=lw.ScriptedModel({"default": [wait]}),
    )
    run = loop.start(store=store)
    assert lw.speak(store, run.id, "hello")
    with pytest.raises(lw.RunError, match="leave out to whom it is"):
        lw.speak(store, run.id, "hello", to="ada")


def test_nobody_hears_in_a_run_without_agents(store: lw.Store) -> None:
    plan = lw.PlanBuilder("sleeper").node(lw.Wait("asleep", event="rain"))
    run = plan.edge("asleep", "done", lw.End("awake")).loop().start(store=store)
    with pytest.raises(lw.RunError, match="nobody in run"):
        lw.speak(store, run.id, "hello")


def test_who_has_left_hears_nothing_any_more(store: lw.Store) -> None:
    parts: Any = {"inventory": [], "step_completed": "", "plan": [], "violated_constraints": []}
    leave = {**parts, "next_action_aim": "", "next_action": "Self:exit", "is_action_valid": True}
    agents: Any = {"ada": {"navigation": {"type": "zero_shot"}}, "bob": {"awake": False}}
    run = lw.Society(agents, model=lw.ScriptedModel({"default": [leave]})).start(store=store)
    assert present(run) == ("bob",)
    with pytest.raises(lw.RunError, match=r"ada has left, and hears nothing any more in run \w+; still there: bob"):
        lw.speak(store, run.id, "hello", to="ada")
    assert lw.speak(store, run.id, "hello", to="bob")
