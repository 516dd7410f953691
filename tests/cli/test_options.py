"""Completion in a shell: runs, batches, and the words that arguments take, by what is typed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.convert import SYSTEMS
from loopwright.graphs.draw.formats import FORMATS
from loopwright.graphs.forms.spec import FORMS
from loopwright.graphs.run.opening import open_run
from loopwright.graphs.verify.explanations import EXPLANATIONS


def completed(words: str, **variables: str) -> str:
    environment = {**os.environ, **variables, "_LOOPWRIGHT_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": words}
    made = subprocess.run(
        [sys.executable, "-c", "from loopwright.cli.main import main; main([])"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return made.stdout


def test_run_ids_are_completed(loopwright: Any) -> None:
    loopwright("run", "essay.yaml", "--script", "essay.script.yaml")
    run = open_run("sqlite:.loopwright/runs.db", "").id
    for words in ("resume ", f"show {run[:3]}", "draw --run "):
        assert f'"{run}":"draft and review, finished"' in completed(f"loopwright {words}")
    assert run not in completed("loopwright resume zz")


def test_run_ids_are_those_of_the_store_that_is_named(loopwright: Any) -> None:
    loopwright("run", "essay.yaml", "--script", "essay.script.yaml", "--store", "sqlite:other.db")
    run = open_run("sqlite:other.db", "").id
    assert run in completed("loopwright resume --store sqlite:other.db ")
    assert run not in completed("loopwright resume ")
    assert run in completed("loopwright resume ", LOOPWRIGHT_STORE="sqlite:other.db")


def test_batches_are_completed(loopwright: Any) -> None:
    Path("topics.yaml").write_text("[ropes, bridges]")
    loopwright("run", "essay.yaml", "--each", "topics.yaml", "--script", "essay.script.yaml")
    loopwright("run", "essay.yaml", "-i", "topic=alone", "--script", "essay.script.yaml")
    batch = json.loads(loopwright("runs", "--json").out)["runs"][-1]["batch"]
    for command in ("resume", "runs"):
        said = completed(f"loopwright {command} --batch ")
        assert said.count('":"') == 1
        assert f'"{batch}":"draft and review, 2 runs"' in said


@pytest.mark.parametrize(
    ("words", "there_are", "help"),
    [
        ("schema ", sorted(FORMS), "Roles that work on a task in rounds."),
        ("explain ", [str(code) for code in EXPLANATIONS], "A bound says how often a way may be taken."),
        ("draw --format ", list(FORMATS), ""),
        ("convert ", list(SYSTEMS), ""),
    ],
)
@pytest.mark.usefixtures("place")
def test_words_are_completed(words: str, there_are: list[str], help: str) -> None:
    said = completed(f"loopwright {words}")
    assert re.findall(r'^(?:_arguments .*?\(\()?"([\w-]+)"', said, re.MULTILINE) == there_are
    assert help in said


@pytest.mark.usefixtures("place")
def test_words_are_completed_by_their_beginnings() -> None:
    assert completed("loopwright draw --format s") == "_arguments '*: :((\"svg\"))'\n"


@pytest.mark.parametrize("command", ["check", "draw", "run"])
def test_python_is_told_to_name_what_is_meant(loopwright: Any, command: str) -> None:
    Path("own.py").write_text("import loopwright as lw\nplan = lw.PlanBuilder('essay')\n")
    done = loopwright(command, "own.py")
    assert (done.code, done.out) == (2, "")
    assert done.err == ("error: own.py: a module holds many things; which one is meant? (there are: own.py:plan)\n")


def test_without_a_store_nothing_is_completed(place: Path) -> None:
    assert completed("loopwright show ") == "_files\n"
    assert not (place / ".loopwright").exists()
