"""The one door, and the one for tests: what they give, and what `import loopwright` does not load."""

import subprocess
import sys
from types import ModuleType

import pytest

import loopwright
import loopwright.notebook
import loopwright.testing

ROOMS = (loopwright, loopwright.notebook, loopwright.testing)
doors = pytest.mark.parametrize("door", ROOMS, ids=["loopwright", "notebook", "testing"])

HEAVY = ("langgraph", "langchain_core", "langchain_openai", "openai")


def loaded_by(*command: str) -> list[str]:
    """The heavy libraries that a command of a fresh interpreter imports; the import log goes to standard error."""
    made = subprocess.run([sys.executable, "-X", "importtime", *command], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr.splitlines()[-1]
    modules = {line.rpartition("|")[2].strip().partition(".")[0] for line in made.stderr.splitlines() if "|" in line}
    assert "loopwright" in modules
    return sorted(modules & set(HEAVY))


@doors
def test_all_holds_each_name_once(door: ModuleType) -> None:
    assert len(door.__all__) == len(set(door.__all__))


@doors
def test_all_is_what_the_door_binds(door: ModuleType) -> None:
    bound = {name: getattr(door, name) for name in {*dir(door), *door.__all__}}
    public = {name for name, value in bound.items() if not name.startswith("_") and not isinstance(value, ModuleType)}
    assert public == {name for name in door.__all__ if not name.startswith("_")}


@doors
def test_public_names_are_documented(door: ModuleType) -> None:
    values = {name: getattr(door, name) for name in door.__all__}
    assert [name for name, value in values.items() if callable(value) and not value.__doc__] == []


@pytest.mark.parametrize(
    "command",
    [("-c", "import loopwright"), ("-m", "loopwright", "--help"), ("-c", "from loopwright.cli.main import main")],
    ids=["import", "help", "command"],
)
def test_the_engine_is_loaded_when_it_is_needed(command: tuple[str, ...]) -> None:
    assert loaded_by(*command) == []


def test_the_watch_sees_what_is_loaded() -> None:
    assert "langchain_core" in loaded_by("-c", "import loopwright, langchain_core.messages")
