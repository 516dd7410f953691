"""The plan of a society: its loops and ends, its kinds of agents, and functions of one's own."""

from typing import Any

import pytest

import loopwright as lw
from loopwright.graphs.plan import Fork

FILL: Any = {"brains": {"fill": {"type": "zero_shot", "role": "event_filler"}}}


def ways(plan: lw.Plan) -> dict[tuple[str, str], str]:
    return {(edge.source, edge.outcome): edge.way.target for edge in plan.edges}


def test_the_loop_of_ticks_and_the_loop_of_waking() -> None:
    found = ways(lw.Society({"ada": {}}).plan)
    assert found == {
        ("wake", "done"): "tick",
        ("tick", "awake"): "turns",
        ("turns", "done"): "listen",
        ("listen", "done"): "settle",
        ("tick", "over"): "over",
        ("settle", "done"): "tick",
        ("tick", "asleep"): "asleep",
        ("asleep", "done"): "hear",
        ("hear", "awake"): "wake",
        ("hear", "asleep"): "asleep",
    }
    found = ways(lw.Society({"ada": {}}, when_asleep="end").plan)
    assert found["tick", "asleep"] == "all_asleep"


def test_agents_that_are_made_alike_share_a_body() -> None:
    alike = lw.Society({"ada": {"role": "host"}, "bob": {"goals": ["talk"]}}).plan.nodes["turns"].node
    assert isinstance(alike, Fork)
    assert "kind" not in alike.branches[""].plan.nodes
    other = (
        lw.Society({"ada": {}, "bob": {**FILL, "actions": {"default": ["fill"]}}, "eve": {}}).plan.nodes["turns"].node
    )
    assert isinstance(other, Fork)
    assert other.branches[""].plan.nodes["kind"].contract.outcomes == ("ada", "bob")
    assert other.at_most == 3


def quiet(world: lw.World, event: Any) -> str:
    """Nothing happens."""
    return "it is night"


def louder(world: lw.World, event: Any) -> str:
    """Another rule."""
    return ""


def test_functions_are_named_in_the_plan_and_their_version_is_that_of_their_source() -> None:
    first, second = (lw.Society({"ada": {}}, rules=[rule]) for rule in (quiet, louder))
    assert [ref.name for ref in first.plan.code] == ["settle in society", "hear in society"]
    assert first.plan.fingerprint != second.plan.fingerprint
    assert not lw.Society({"ada": {}}).plan.code


def test_a_run_with_functions_goes_on_with_its_loop_alone(store: lw.Store) -> None:
    script = lw.ScriptedModel({"default": ["unused"]})
    loop = lw.Society({"ada": {"awake": False}}, rules=[quiet], model=script)
    run = loop.start(store=store)
    lw.speak(store, run.id, "hello", to="ada")
    with pytest.raises(lw.RunError, match="loop="):
        lw.open_run(store, run.id).resume()


def loud(aim: str) -> dict[str, str]:
    """A brain of one's own."""
    return {"message": aim.upper()}


def test_a_brain_of_ones_own_is_a_function_and_agents_of_two_kinds_take_turns() -> None:
    said: Any = {"inventory": [], "step_completed": "", "plan": [], "violated_constraints": []}
    ask, wait = (
        {**said, "next_action_aim": "well?", "next_action": action, "is_action_valid": True}
        for action in ("Self:agent_speaks_with_user_event", "Self:wait")
    )
    base: Any = {
        "navigation": {"type": "zero_shot"},
        "brains": {"loud": loud},
        "actions": {"Self:agent_speaks_with_user_event": ["loud"]},
    }
    agents: Any = {"ada": {}, "bob": {"retries": 1}}
    queues: Any = {f"turns[id={id}]/turn of {id}/navigate/decide": [ask, wait] for id in agents}
    loop = lw.Society(agents, base_agent=base, when_asleep="end", model=lw.ScriptedModel(queues))
    run = loop.start()
    assert [(event["sender_id"], event["message"]) for event in run.result] == [("ada", "WELL?"), ("bob", "WELL?")]


def test_a_society_can_be_a_node_of_a_graph(store: lw.Store) -> None:
    plan = lw.PlanBuilder("around", [lw.Channel("log", default=[])], result="log")
    plan.node(lw.Society({"ada": {"awake": False}, "bob": {"awake": False}}), name="world", writes="log")
    plan.edge("world", "over", lw.End("done")).edge("world", "max_ticks", lw.End("late", ok=False))
    loop = plan.loop(model=lw.ScriptedModel({"default": ["unused"]}))
    assert not loop.check()
    run = loop.start(store=store)
    assert lw.speak(store, run.id, "hello", to="bob")
    assert run.questions[0].node == "world/asleep"


def test_a_function_that_fails_suspends_the_run_and_says_why() -> None:
    def breaks(world: lw.World, event: Any) -> str:
        raise KeyError("the moon")

    said: Any = {"inventory": [], "step_completed": "", "plan": [], "violated_constraints": []}
    talk = {
        **said,
        "next_action_aim": "",
        "next_action": "World:agent_speaks_with_agent_event",
        "is_action_valid": True,
    }
    script = {
        "turns/navigate/decide": [talk],
        "default": [{"target_id": "bob", "message": "x"}],
    }
    base: Any = {"navigation": {"type": "zero_shot"}}
    agents: Any = {"ada": {}, "bob": {"awake": False}}
    run = lw.Society(agents, base_agent=base, rules=[breaks], model=lw.ScriptedModel(script)).start()
    assert (run.status, "the moon" in str(run.reason)) == ("suspended", True)
