"""`convert`: what it writes, and where it writes nothing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.convert import SYSTEMS
from loopwright.sources.neurobdsm import convert_neurobdsm

CONVERT = ("convert", "neurobdsm", "cfg.py")


@pytest.fixture
def text(cfg: Callable[..., str], place: Path) -> str:
    made = cfg()
    (place / "cfg.py").write_text(made)
    return made


def test_without_a_place_it_is_printed(loopwright: Any, text: str) -> None:
    done = loopwright(*CONVERT)
    assert (done.code, done.out, done.err) == (0, convert_neurobdsm(text).to_yaml(), "")


def test_what_is_written_is_checked_and_run(loopwright: Any, text: str) -> None:
    done = loopwright(*CONVERT, "-o", "roles.yaml")
    assert (done.code, done.out, done.err) == (0, "wrote roles.yaml\n", "")
    assert Path("roles.yaml").read_text() == convert_neurobdsm(text).to_yaml()
    checked = loopwright("check", "roles.yaml")
    assert (checked.code, checked.out.splitlines()[1:]) == (
        0,
        ["no findings", "worst case: 4 rounds, 16 model calls, 16 visits"],
    )
    Path("script.json").write_text(json.dumps({"default": ["said"], "repeat": "last"}))
    assert loopwright("run", "roles.yaml", "--script", "script.json").code == 1
    missing = loopwright("run", "roles.yaml")
    assert missing.err.startswith("error: SOLVER_APIKEY, DETRACTOR_APIKEY, MASTER_APIKEY, BOSS_APIKEY are not set, and")


@pytest.mark.usefixtures("text")
def test_a_file_that_is_there_is_left_as_it_is(loopwright: Any) -> None:
    Path("roles.yaml").write_text("mine")
    Path("link.yaml").symlink_to("nowhere.yaml")
    for name in ("roles.yaml", "link.yaml"):
        done = loopwright(*CONVERT, "-o", name)
        assert (done.code, done.out) == (2, "")
        assert done.err == f"error: {name} is there already, and was left as it is; --force writes over it\n"
    assert (Path("roles.yaml").read_text(), Path("nowhere.yaml").exists()) == ("mine", False)
    assert loopwright(*CONVERT, "-o", "roles.yaml", "--force").code == 0
    assert Path("roles.yaml").read_text().startswith("# Made of cfg.py")


@pytest.mark.usefixtures("text")
def test_nothing_is_written_where_something_is_wrong(loopwright: Any) -> None:
    cfg = Path("cfg.py")
    cfg.write_text(cfg.read_text().replace("= 4", "= f()"))
    done = loopwright(*CONVERT, "-o", "roles.yaml")
    assert (done.code, done.out, Path("roles.yaml").exists()) == (2, "", False)
    assert done.err.startswith("error: cfg.py:20: max_iterations: this is a call (only literals are read")


@pytest.mark.usefixtures("text")
def test_a_place_that_cannot_be_written_is_told(loopwright: Any, place: Path) -> None:
    done = loopwright(*CONVERT, "-o", "no/roles.yaml")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: no/roles.yaml: cannot be written: No such file or directory\n"
    done = loopwright(*CONVERT, "-o", "roles.json")
    assert done.err == "error: roles.json: a loop is written as YAML, to a file that ends in .yaml or .yml\n"
    assert sorted(file.name for file in place.iterdir() if file.suffix in (".part", ".json")) == []


@pytest.mark.usefixtures("text")
def test_notes_are_told_beside_it(loopwright: Any) -> None:
    cfg = Path("cfg.py")
    cfg.write_text(cfg.read_text().replace("unpwdkeys.solver_apikey", "'sk-0123456789'"))
    done = loopwright(*CONVERT, "-o", "roles.yaml")
    assert (done.code, done.out) == (0, "wrote roles.yaml\n")
    assert done.err == (
        "note: cfg.py:11: llms.solver.apikey: a key stands here, and was not copied (set SOLVER_APIKEY in the"
        " environment; a key that stood in a file is best replaced)\n"
    )
    assert "0123456789" not in Path("roles.yaml").read_text()


def test_the_document(loopwright: Any, text: str) -> None:
    done = loopwright(*CONVERT, "-o", "roles.yaml", "--json")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == {
        "system": "neurobdsm",
        "file": "roles.yaml",
        "spec": convert_neurobdsm(text).data,
        "notes": [],
    }


def test_a_system_that_is_not_known_is_told(loopwright: Any) -> None:
    done = loopwright("convert", "neuro", "cfg.py")
    there = f"there are: {', '.join(SYSTEMS)}"
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"error: there is no system 'neuro' that can be converted (did you mean 'neurobdsm'? {there})\n"
    )


def test_a_file_that_is_not_there_is_told(loopwright: Any) -> None:
    done = loopwright(*CONVERT)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: cfg.py: there is no such file (no file in . ends in .py)")
