"""Completion in a shell: the runs of the store, by what is typed."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright.graphs.run.opening import open_run


def completed(words: str) -> str:
    environment = {**os.environ, "_LOOPWRIGHT_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": words}
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
    assert f'"{run}":"draft and review, finished"' in completed("loopwright resume ")
    assert run not in completed("loopwright resume zz")


@pytest.mark.parametrize("command", ["check", "draw", "run"])
def test_python_is_told_to_name_what_is_meant(loopwright: Any, command: str) -> None:
    Path("own.py").write_text("import loopwright as lw\nplan = lw.PlanBuilder('essay')\n")
    done = loopwright(command, "own.py")
    assert (done.code, done.out) == (2, "")
    assert done.err == ("error: own.py: a module holds many things; which one is meant? (there are: own.py:plan)\n")


def test_without_a_store_nothing_is_completed(place: Path) -> None:
    assert completed("loopwright show ") == "_files\n"
    assert not (place / ".loopwright").exists()
