"""World definitions of GenWorlds, in our own words, as societies."""

from typing import Any

import pytest

from loopwright.errors import SourceError
from loopwright.graphs.forms.society import SocietySpec
from loopwright.sources.genworlds import convert_genworlds

WORLD = """
world_definition:
  base_args: {websocket_url: "ws://127.0.0.1:7456/ws"}
  world:
    id: world
    class: genworlds.worlds.world_2d.world_2d.World2D
    name: Bridges
    description: A talk about bridges.
    locations: [roundtable]
    objects:
    - id: mic1
      class: use_cases.roundtable.objects.microphone.Microphone
      name: Microphone
      description: Who holds it speaks.
      host: maria
      world_properties: {held_by: maria}
    - {id: lamp, class: use_cases.lamps.Lamp}
    agents:
    - id: maria
      class: use_cases.roundtable.agents.roundtable_agent.RoundtableAgent
      name: |
        Maria

      role: Host
      communication_style: ''
      agent_goals: [ask everybody]
      constraints: []
      world_properties: {location: roundtable, colour: red}
    - id: chen
      class: use_cases.roundtable.agents.roundtable_agent.RoundtableAgent
      role: Carpenter
      wakeup_events: {rain: {}}
      interesting_events: [rain]
    base_agent:
      topic_of_conversation: How bridges last.
      goals: [keep talking]
      can_sleep: true
"""


def test_a_world_is_a_society_with_the_map_of_the_round_table() -> None:
    made = convert_genworlds(WORLD)
    data: Any = made.data
    assert data["world"] == {
        "id": "world",
        "name": "Bridges",
        "description": "A talk about bridges.",
        "places": ["roundtable"],
    }
    assert data["objects"]["mic1"] == {
        "class": "Microphone",
        "name": "Microphone",
        "description": "Who holds it speaks.",
        "held_by": "maria",
    }
    assert data["agents"] == {
        "maria": {"role": "Host", "name": "Maria", "goals": ["ask everybody"], "location": "roundtable"},
        "chen": {"role": "Carpenter", "wakes_on": {"rain": {}}, "heeds": ["rain"]},
    }
    spec = SocietySpec.model_validate(data)
    setting: Any = spec.plan().channels["setting"].default
    assert setting["agents"]["maria"]["fields"]["goals"] == ["keep talking", "ask everybody"]
    assert set(setting["agents"]["chen"]["wakes_on"]) == {"agent_gives_object_to_agent_event", "rain"}
    assert "turns" in spec.plan().nodes


def test_each_key_that_was_left_out_or_is_otherwise_is_told_with_its_line() -> None:
    notes = [(note.line, note.key.removeprefix("world_definition.")) for note in convert_genworlds(WORLD).notes]
    assert notes == [
        (3, "base_args"),
        (6, "world.class"),
        (15, "world.objects.0.host"),
        (17, "world.objects.1.class"),
        (26, "world.agents.0.agent_goals"),
        (28, "world.agents.0.world_properties.colour"),
        (37, "world.base_agent.can_sleep"),
    ]


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("worlds: 1", ["world_definition: there is no mapping `world_definition`"]),
        ("world_definition: {}", ["world_definition.world: a world definition has a mapping `world`"]),
        (
            "world_definition: {world: {agents: [{id: a}, {id: a}, 3, {role: x}], objects: 7, base_agent: {goals: x}}}",
            [
                "world_definition.world.base_agent.goals: it is a list of texts",
                "world_definition.world.agents.1.id: the id 'a' is there already (give it another one)",
                "world_definition.world.agents.2: it is a mapping with an `id`",
                "world_definition.world.agents.3: it is a mapping with an `id`",
                "world_definition.world.objects: the objects are a list",
            ],
        ),
        (
            "world_definition: {world: {agents: [{id: a}], objects: [{id: m, world_properties: {held_by: b}}]}}",
            ["world_definition.world.objects.0.world_properties.held_by: there is no agent 'b' (there is only a)"],
        ),
    ],
)
def test_what_is_no_world_is_told_at_once(text: str, faults: list[str]) -> None:
    with pytest.raises(SourceError) as caught:
        convert_genworlds(text)
    assert [str(fault).removeprefix("world_definition.yaml:1: ") for fault in caught.value.faults] == faults
