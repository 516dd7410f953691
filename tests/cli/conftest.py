"""The command in this process, in an empty folder with the examples' files."""

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = ("bridge.yaml", "bridge.script.yaml", "essay.yaml", "essay.script.yaml")


@dataclass(frozen=True)
class Done:
    """What a command did."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder; what a test imports from it is forgotten again."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    for name in FILES:
        shutil.copy(EXAMPLES / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in ("LOOPWRIGHT_STORE", "LOOPWRIGHT_DEBUG", "OPENAI_API_KEY", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def loopwright(place: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    def command(*words: Any) -> Done:
        capsys.readouterr()
        code = main([str(word) for word in words])
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return command
