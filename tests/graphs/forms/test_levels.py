"""The form `levels`: its plan, its worst cases, and what is wrong with a file."""

from typing import Any

import pytest

import loopwright as lw
from loopwright.graphs.forms.levels import LevelsSpec
from loopwright.sources.specs import spec_from_data
from loopwright.testing import RecordingModel

LEVEL: dict[str, Any] = {"criteria": "a topic", "key_output": {"topic": ""}}


def spec(count: int = 2, **fields: Any) -> LevelsSpec:
    levels = {f"level_{number}": LEVEL for number in range(1, count + 1)}
    made = {"agent": "Muse", "purpose_of_agent": "You find topics.", "definition_of_level": levels, **fields}
    return LevelsSpec.model_validate(made)


def loop(count: int = 2, **fields: Any) -> lw.Loop[Any]:
    return lw.Loop(spec(count, **fields).plan())


@pytest.mark.parametrize(
    ("fields", "certificate"),
    [
        ({}, "worst case per reply: 3 model calls, 5 visits"),
        ({"history": {"last": 20}}, "worst case per reply: 2 model calls, 4 visits"),
        (
            {"max_turns": 3},
            "worst case: 3 rounds of 'level 2/person', 3 rounds of 'level 1/person', 19 model calls, 30 visits",
        ),
        (
            {"mode": "solo"},
            "worst case: 8 rounds of 'level 2/worker', 8 rounds of 'level 1/worker', 65 model calls, 80 visits",
        ),
    ],
)
def test_the_certificate(fields: dict[str, Any], certificate: str) -> None:
    made = loop(**fields)
    assert list(made.check()) == []
    assert str(made.certificate) == certificate


def test_the_worst_case_is_reached() -> None:
    made = loop(max_turns=3, history={"tokens": 1, "summary": True})
    judged: list[str] = []

    def answer(call: lw.ModelCall) -> Any:
        if not call.node.endswith("/judge"):
            return "text"
        judged.append(call.node)
        if judged == ["level 1/judge"] * 3:
            return {"achieved": True, "summary": "s", "key_output": {"topic": "t"}}
        return {"achieved": False}

    model = RecordingModel(answer)
    run = made.start({}, model=model)
    for _ in range(6):
        run.resume("x")
    assert (run.end, len(model.calls)) == (lw.End("max_turns", ok=False), made.certificate.calls)


def test_levels_stand_in_the_order_of_their_numbers() -> None:
    plan = spec(10).plan()
    ways = [edge.way.target for edge in plan.edges if edge.outcome == "achieved"]
    assert ways == [*(f"level {number}/introduction" for number in range(2, 11)), "completed"]


def test_a_network_is_told_of_each_level() -> None:
    plan = spec(network=True).plan()
    ways = [(edge.source, edge.way.target) for edge in plan.edges if edge.source.endswith("/broadcast")]
    assert ways == [("level 1/broadcast", "level 2/introduction"), ("level 2/broadcast", "completed")]
    assert [channel.name for channel in plan.inputs] == ["chat_summary", "network", "channel", "origin", "hop"]


@pytest.mark.parametrize(
    ("fields", "key", "message"),
    [
        ({"agent": " "}, "agent", "the agent has no name"),
        ({"agent": "person"}, "agent", "no agent can be named 'person'"),
        ({"max_turns": 0}, "max_turns", "0 is less than 1"),
        ({"judge_model": "big"}, "judge_model", "there is no model 'big'"),
        ({"agent_type": "Custom"}, "agent_type", "an agent of type 'Custom' climbs no levels"),
        ({"purpose_of_agent": ""}, "purpose_of_agent", "the purpose is empty"),
    ],
)
def test_faults(fields: dict[str, Any], key: str, message: str) -> None:
    assert [(fault.key, fault.message) for fault in spec(**fields).faults()] == [(key, message)]


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (("nodes", "level 2/judge"), ("definition_of_level", "level_2")),
        (("nodes", "level 2/judge", "prompt"), ("prompts", "level_x_judgement")),
        (("nodes", "level 2/respond", "prompt"), ("definition_of_level", "level_2")),
        (("bounds", "level 1 turns"), ("definition_of_level", "level_1")),
        (("channels", "hop"), ()),
    ],
)
def test_places(place: Any, path: Any) -> None:
    assert spec(prompts={"level_x_judgement": "Well?"}).path_of(place) == path


def test_a_channel_is_a_node_of_a_graph() -> None:
    graph = {
        "kind": "graph",
        "channels": {"found": "any", "chat_summary": {"type": "str", "default": ""}},
        "nodes": {"talk": {"type": "plan", "plan": {**spec(1).model_dump(mode="json")}, "writes": "found"}},
        "edges": ["talk [completed] -> end done"],
    }
    made = lw.Loop(spec_from_data(graph).plan())
    assert list(made.check()) == []
    verdict = {"achieved": True, "summary": "s", "key_output": {"topic": "t"}}
    run = made.start(
        {}, model=lw.ScriptedModel({"talk/level 1/introduction": ["Hi."], "talk/level 1/judge": [verdict]})
    )
    run.resume("Well.")
    assert (run.end, run.state["found"]) == (lw.End("done"), {"level_1": {"topic": "t"}})
