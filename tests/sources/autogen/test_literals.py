"""AutoGen's shapes as Python code has them."""

from typing import Any

import pytest

from loopwright.cli.main import main
from loopwright.errors import SourceError
from loopwright.sources.autogen.literals import read_code
from loopwright.sources.autogen.read import convert_autogen

CODE = """
import autogen
config = {"api_key": "sk-never"}
user = autogen.UserProxyAgent("user")
clerk = autogen.AssistantAgent("clerk", llm_config=config)
chats = [
    {"sender": user, "recipient": clerk, "message": "m1", "max_turns": 1},
    {"sender": user, "recipient": "mayor", "message": "m2", "max_turns": 2, "clear_history": True, "cache": None},
]
"""


def test_agents_are_known_by_their_variables() -> None:
    made = convert_autogen(CODE, "chats.py")
    steps: Any = made.data["steps"]
    names = [[agent["name"] for agent in step["conversation"]["agents"]] for step in steps]
    assert (made.data["question"], names) == ("m1", [["user", "clerk"], ["user", "mayor"]])
    assert "sk-never" not in made.to_yaml()


@pytest.mark.parametrize("text", ["# a group\n{'agents': [a, b], 'max_round': 4}", "group_chat = {'agents': [a, b]}"])
def test_a_group(text: str) -> None:
    made: Any = convert_autogen(text, "group.py").data
    assert [agent["name"] for agent in made["agents"]] == ["a", "b"]


def test_a_value_alone_keeps_its_lines() -> None:
    assert read_code("# two\n[{'sender': 'a',\n  'message': 'm'}]").line((0, "message")) == 3


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("x = 1", 1, "no configuration is assigned here"),
        ("chats = []\nteam = {}", 1, "there are several configurations: chats, team"),
        ("\nchats = [{'sender': f()}]", 2, "an agent is a variable or a literal"),
        ("\nchats = [{'sender': a, 'message': f()}]", 2, "this is a call"),
        ("\nx = 1\nuser.initiate_chats([])\n", 3, "this statement is not read, as no code is run"),
        ("chats = [", 1, "broken Python: '[' was never closed"),
    ],
)
def test_what_cannot_be_read_has_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        convert_autogen(text, "chats.py")
    assert (message, line) in [(fault.message, fault.line) for fault in caught.value.faults]


def test_the_command(tmp_path: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chats.py").write_text(CODE)
    assert main(["convert", "autogen", "chats.py", "-o", "chats.yaml"]) == 0
    assert main(["check", "chats.yaml"]) == 0
