"""A file that defines an agent is taken as it is."""

from pathlib import Path
from typing import Any

import pytest

import loopwright as lw
from loopwright.cli.main import main
from loopwright.documents.document import Document
from loopwright.sources.definitions import channel_document
from loopwright.sources.specs import load_spec

EXAMPLE = Path(__file__).parents[2] / "examples/brainstorming.json"


def test_anything_else_stays_as_it_is() -> None:
    given: list[Any] = [{"kind": "graph"}, [1], {"a": {"b": 1}}, {"kind": "levels", "x": {"purpose_of_agent": "p"}}]
    for data in given:
        document = Document(data)
        assert channel_document(document) is document


def test_findings_have_their_lines() -> None:
    loaded = load_spec(EXAMPLE)
    lines = EXAMPLE.read_text().splitlines()
    assert "level_2" in lines[loaded.where(("nodes", "level 2/person"))[1] - 1]
    assert "level_x_judgement" in lines[loaded.where(("nodes", "level 2/judge", "prompt"))[1] - 1]


@pytest.mark.parametrize("command", [("check",), ("draw", "-o", "x.svg")])
def test_commands_take_it(command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([command[0], str(EXAMPLE), *command[1:]]) == 0


def test_a_channel_of_it_is_run() -> None:
    loop = lw.load(EXAMPLE)
    assert loop.plan.name == "Brainstorming"
    run = loop.start(model=lw.ScriptedModel({"level 1/introduction": ["Hello!"]}))
    assert [question.text for question in run.questions] == ["Hello!"]
