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


@pytest.mark.parametrize(
    ("command", "deed"),
    [("check", "print(loop.check())"), ("draw", "loop.draw('loop.svg')"), ("run", "loop.start()")],
)
def test_python_is_told_what_to_do_there(loopwright: Any, command: str, deed: str) -> None:
    Path("loop.py").write_text("import loopwright as lw\n")
    done = loopwright(command, "loop.py")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"error: loop.py is Python, and `loopwright {command}` reads YAML or JSON; for a loop that is made in Python,"
        f" write {deed} in the file, and run it with python\n"
    )


def test_without_a_store_nothing_is_completed(place: Path) -> None:
    assert completed("loopwright show ") == "_files\n"
    assert not (place / ".loopwright").exists()
