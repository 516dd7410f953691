"""EnsoNet's definitions as channels."""

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import SourceError
from loopwright.sources.ensonet import convert_ensonet
from loopwright.sources.specs import load_spec

LEVEL: dict[str, Any] = {"criteria": "a topic", "key_output": {"topic": ""}}
MUSE: dict[str, Any] = {"purpose_of_agent": "You find topics.", "definition_of_level": {"level_1": LEVEL}}


def faults(data: Any, file: str = "agents.json") -> list[tuple[int, str, str]]:
    with pytest.raises(SourceError) as caught:
        convert_ensonet(json.dumps(data, indent=1), file)
    return [(fault.line, fault.key, fault.message) for fault in caught.value.faults]


def test_what_comes_of_it_is_a_file_of_its_own(tmp_path: Path) -> None:
    made = convert_ensonet(json.dumps({"Muse": MUSE}))
    assert made.data == {"kind": "levels", "agent": "Muse", **MUSE}
    file = tmp_path / "channel.yaml"
    file.write_text(made.to_yaml())
    written, given = load_spec(file).spec, tmp_path / "muse.json"
    given.write_text(json.dumps({"Muse": MUSE}))
    assert written == load_spec(given).spec
    assert file.read_text().startswith("# Made of agents.json by: loopwright convert ensonet.")


def test_yaml_is_read_by_its_name() -> None:
    text = 'Muse:\n  purpose_of_agent: p\n  definition_of_level: {level_1: {criteria: c, key_output: {topic: ""}}}\n'
    assert convert_ensonet(text, "muse.yaml").data["agent"] == "Muse"


def test_all_faults_have_their_lines() -> None:
    levels = {"level_2": {"criteria": "c", "key_output": {"topic": 3}}}
    wrong = {
        "Muse": {"purpose_of_agent": "<{x}>", "definition_of_level": levels, "prompts": {"level_x_response": "<{y}>"}}
    }
    assert faults(wrong) == [
        (4, "definition_of_level", "there is no level_1"),
        (8, "definition_of_level.level_2.key_output.topic", "the key output 'topic' is neither a list nor a text"),
        (13, "prompts.level_x_response", "there is no placeholder <{y}> here"),
    ]


def test_what_is_no_definition() -> None:
    assert faults([1]) == [(1, "", "this defines no agent")]
    assert faults({"kind": "levels"}) == [(1, "", "this defines no agent")]
    assert faults({"Muse": MUSE, "version": 3})[0][1:] == ("version", "'version' is no agent: it leads to no mapping")
    assert faults({"Muse": MUSE, "Critic": MUSE})[0][1:] == ("Critic", "this defines 2 agents: Muse, Critic")
