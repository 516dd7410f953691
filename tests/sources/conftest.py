"""What the tests of sources share: a sound document, and how the faults of a text are told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.errors import SourceError
from loopwright.sources.specs import load_spec

ESSAY = """\
kind: graph
name: draft and review
channels: {topic: {type: str, input: true}, draft: str, notes: {type: "list[str]", reduce: append}}
nodes:
  write:  {type: think, prompt: "Write about <{topic}>. Notes so far: <{notes}>", writes: draft}
  review: {type: judge, prompt: "Good enough? <{draft}>", outcomes: [pass, revise], writes: notes}
edges:
  - write -> review
  - review [pass] -> end finished
  - review [revise] -> write, at most 3 rounds, then fail max_rounds
"""


@pytest.fixture
def essay() -> str:
    """The document of the surface: a graph of two nodes."""
    return ESSAY


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Writes a text to a file in an empty folder and gives the lines that its faults are told in."""
    monkeypatch.chdir(tmp_path)

    def faults_of(text: str, name: str = "x.yaml") -> list[str]:
        Path(name).write_text(text, encoding="utf-8")
        with pytest.raises(SourceError) as caught:
            load_spec(name)
        assert str(caught.value).splitlines() == [str(fault) for fault in caught.value.faults]
        assert all(fault.line >= 1 and fault.file == name for fault in caught.value.faults)
        return [str(fault) for fault in caught.value.faults]

    return faults_of
