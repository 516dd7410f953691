"""A world's entries: places, classes, functions."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import loopwright as lw
from loopwright.graphs.forms.world_entries import ClassEntry, ObjectEntry, WorldEntry, WorldFunctions

RULES = '''
def quiet(world, event):
    """Nobody speaks at night."""
    return "it is night" if event["event_type"].startswith("agent_speaks") else ""


NIGHT = "night"
'''


def test_places_are_names_or_names_with_words() -> None:
    assert WorldEntry.model_validate({"places": ["a", "b"]}).described == {"a": "", "b": ""}
    assert WorldEntry.model_validate({"places": {"a": "warm"}}).described == {"a": "warm"}


def test_an_object_is_written_with_its_class() -> None:
    assert ObjectEntry.model_validate({"class": "Bell"}).of_class == "Bell"
    with pytest.raises(ValidationError):
        ObjectEntry.model_validate({"clas": "Bell"})


def rings(world: lw.World, event: Any) -> None:
    """Ring."""


def test_functions_have_names_and_one_version() -> None:
    classes = {"Bell": ClassEntry.model_validate({"actions": {"rings": {"does": rings}, "hangs": {}}})}
    functions = WorldFunctions(classes, ())
    assert functions.by_name == {f"{__name__}:rings": rings}
    assert functions.does == {("Bell", "rings"): f"{__name__}:rings"}
    assert len(functions.version) == 12
    assert WorldFunctions({"Bell": ClassEntry.model_validate({"actions": {"rings": {"does": len}}})}, ()).version == (
        "unversioned"
    )


def test_a_file_names_its_functions(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(RULES)
    file = tmp_path / "world.yaml"
    file.write_text("kind: society\nagents: {ada: {}}\nrules: [rules.py:quiet]\n")
    loop = lw.load(file)
    assert not loop.check()
    assert loop.plan.channels["setting"].default["rules"] == ["rules.py:quiet"]


@pytest.mark.parametrize(
    ("rule", "key", "words"),
    [
        ("rules.py:loud", "rules.0", "loud"),
        ("rules.py:NIGHT", "rules.0", "is no function"),
        ("quiet", "rules.0", "'quiet' does not name a function"),
    ],
)
def test_a_function_that_is_not_there_is_a_fault(tmp_path: Path, rule: str, key: str, words: str) -> None:
    (tmp_path / "rules.py").write_text(RULES)
    file = tmp_path / "world.yaml"
    file.write_text(f"kind: society\nagents: {{ada: {{}}}}\nrules: ['{rule}']\n")
    with pytest.raises(lw.SourceError) as caught:
        lw.load(file)
    (fault,) = caught.value.faults
    assert (fault.key, words in str(fault)) == (key, True)
