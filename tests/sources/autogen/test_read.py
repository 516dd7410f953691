"""AutoGen's shapes, in our own words, told apart."""

import copy
import json
from collections.abc import Iterator
from functools import reduce
from typing import Any

import pytest

from loopwright.cli.main import main
from loopwright.errors import SourceError
from loopwright.sources.autogen.read import convert_autogen

TEAM = """
{"provider": "autogen_agentchat.teams.SelectorGroupChat", "config": {
  "name": "desk",
  "participants": [
    {"provider": "autogen_agentchat.agents.AssistantAgent",
     "config": {"name": "planner", "description": "plans", "system_message": "You plan.", "tools": [{"x": 1}]}},
    {"provider": "autogen_agentchat.agents.AssistantAgent", "config": {"name": "doer", "description": "does"}}],
  "termination_condition": {"provider": "autogen_agentchat.base.OrTerminationCondition", "config": {"conditions": [
    {"provider": "autogen_agentchat.conditions.TextMentionTermination", "config": {"text": "APPROVE"}},
    {"provider": "autogen_agentchat.conditions.MaxMessageTermination", "config": {"max_messages": 12}}]}},
  "model_client": {"provider": "openai", "config": {"model": "gpt-4o", "api_key": "sk-never"}}}}
"""


def test_a_team() -> None:
    made = convert_autogen(TEAM)
    assert made.data == {
        "kind": "conversation",
        "name": "desk",
        "agents": [
            {"name": "planner", "prompt": "You plan.", "about": "plans"},
            {"name": "doer", "about": "does"},
        ],
        "stop": {"word": "APPROVE", "match": "contains"},
        "max_messages": 12,
        "speaker": "chosen",
    }
    assert [note.key for note in made.notes] == ["config.participants.0.config.tools"]
    assert "sk-never" not in made.to_yaml()


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        ("5", "", "this is no configuration that can be read"),
        ("{}", "", "this is no configuration that can be read"),
        ("[5]", "0", "a chat is a mapping"),
        ('{"provider": "x.Swarm", "config": {}}', "provider", "a Swarm cannot be read"),
        ('{"provider": "x.GraphFlow", "config": {"participants": []}}', "config.graph", "a GraphFlow has a graph"),
        ('{"agents": []}', "agents", "there are no agents"),
        ('{"agents": ["A", 5]}', "agents.1", "an agent is a name or a mapping with one"),
        ('{"agents": ["A", "A"]}', "", "agents.1.name: there are two agents 'A'"),
        ('{"agents": ["A", "B"], "max_round": 0}', "max_round", "0 is no whole number of at least 1"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text: str, key: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        convert_autogen(text)
    assert (key, message) in [(fault.key, fault.message) for fault in caught.value.faults]


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from places(part, (*path, key))


def test_whatever_stands_anywhere_is_read_or_refused_in_words() -> None:
    """Each place of each shape, with values of every type: no other error comes of it."""
    edges = {"A": [{"target": "B"}], "B": [{"target": "A", "condition": "no"}, {"target": "C", "condition": "yes"}]}
    graph = {"nodes": {name: {"edges": edges.get(name, [])} for name in "ABC"}, "default_start_node": "A"}
    chat = {"chat_id": 1, "sender": "u", "recipient": "a", "message": "m", "max_turns": 1, "carryover": ["x"]}
    chats = [chat, {**chat, "chat_id": 2, "prerequisites": [1]}, {**chat, "chat_id": 3, "prerequisites": None}]
    group = {"agents": ["A", "B"], "max_round": 4, "allowed_or_disallowed_speaker_transitions": {"A": ["B"]}}
    team = {"provider": "x.GraphFlow", "config": {"participants": [{"config": {"name": "A"}}], "graph": graph}}
    shapes: list[Any] = [json.loads(TEAM), team, chats, group]
    values: list[Any] = [None, 5, True, "", "x", [], {}, [[]], {"a": 1}]
    read = refused = 0
    for shape in shapes:
        convert_autogen(json.dumps(shape))
        for path in places(shape):
            for value in values:
                changed = copy.deepcopy(shape)
                reduce(lambda part, key: part[key], path[:-1], changed)[path[-1]] = value
                try:
                    convert_autogen(json.dumps(changed))
                    read += 1
                except SourceError:
                    refused += 1
    assert read > 100
    assert refused > 100


def test_broken_text() -> None:
    with pytest.raises(SourceError, match=r"team\.json:1"):
        convert_autogen("{", "team.json")


def test_the_command(tmp_path: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "team.json").write_text(TEAM)
    assert main(["convert", "autogen", "team.json", "-o", "team.yaml"]) == 0
    assert "config.participants.0.config.tools" in capsys.readouterr().err
    assert main(["check", "team.yaml"]) == 0
