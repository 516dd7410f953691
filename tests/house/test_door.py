"""The one door, and the one for tests: what they give, and what `import loopwright` does not load."""

import inspect
import re
import subprocess
import sys
from types import FunctionType, ModuleType
from typing import Any

import pytest

import loopwright
import loopwright.testing

doors = pytest.mark.parametrize("door", [loopwright, loopwright.testing], ids=["loopwright", "testing"])

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


def untold(value: Any) -> list[str]:
    """The arguments of a function, or of a class that says how it is made, which its docstring does not name."""
    if isinstance(value, type) and not isinstance(vars(value).get("__init__"), FunctionType):
        return []
    words = inspect.getdoc(value) or ""
    if re.search(r"(arguments as of|see) `[\w.]+`", words.partition("\n\n")[0]):
        return []
    told = re.findall(r"^    (\w+): ", words.partition("\nArgs:\n")[2], re.MULTILINE)
    named = inspect.signature(value).parameters.values()
    rest = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [each.name for each in named if each.kind not in rest and each.name not in told]


@doors
def test_arguments_of_public_names_are_told(door: ModuleType) -> None:
    values = {name: getattr(door, name) for name in door.__all__ if callable(getattr(door, name))}
    assert {name: missing for name, value in values.items() if (missing := untold(value))} == {}


def test_an_argument_that_is_not_told_is_found() -> None:
    def cut(wood: str, length: float, *, saw: str = "") -> None:
        """Cut some wood.

        Args:
            wood: The wood.
            saw: With a colon: and more.
        """

    assert untold(cut) == ["length"]


@pytest.mark.parametrize(
    "command",
    [("-c", "import loopwright"), ("-m", "loopwright", "--help"), ("-c", "from loopwright.cli.main import main")],
    ids=["import", "help", "command"],
)
def test_the_engine_is_loaded_when_it_is_needed(command: tuple[str, ...]) -> None:
    assert loaded_by(*command) == []


def test_the_watch_sees_what_is_loaded() -> None:
    assert "langchain_core" in loaded_by("-c", "import loopwright, langchain_core.messages")
