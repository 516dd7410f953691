"""The command as a whole: help, version, wrong words, and faults of our own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli import main as module
from loopwright.cli.main import COMMANDS, main
from loopwright.version import __version__


def test_the_version_is_told(loopwright: Any) -> None:
    done = loopwright("--version")
    assert (done.code, done.out, done.err) == (0, f"loopwright {__version__}\n", "")


@pytest.mark.parametrize("command", [command.__name__ for command in COMMANDS])
def test_help_has_examples(loopwright: Any, command: str) -> None:
    done = loopwright(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert f"$ loopwright {command}" in done.out


def test_help_lists_the_commands_and_the_exit_codes(loopwright: Any) -> None:
    done = loopwright("--help")
    assert (done.code, done.err) == (0, "")
    lines = [line.strip("│ ").partition(" ")[0] for line in done.out.splitlines()]
    assert [line for line in lines if line in {command.__name__ for command in COMMANDS}] == [
        command.__name__ for command in COMMANDS
    ]
    assert "130 interrupted" in done.out


def test_no_words_give_help(loopwright: Any) -> None:
    done = loopwright()
    assert (done.code, done.out.count("Usage: loopwright"), done.err) == (2, 1, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("chek",), "No such command 'chek'. Did you mean 'check', 'schema'?\nSee: loopwright --help"),
        (("run",), "Missing argument 'FILE'.\nSee: loopwright run --help"),
        (
            ("runs", "--stor", "x"),
            "No such option: --stor (Possible options: --json, --store)\nSee: loopwright runs --help",
        ),
    ],
)
def test_wrong_words_are_one_message(loopwright: Any, words: tuple[str, ...], message: str) -> None:
    done = loopwright(*words)
    assert (done.code, done.out, done.err) == (2, "", f"error: {message}\n")


def test_wrong_words_are_a_document(loopwright: Any) -> None:
    done = loopwright("run", "--json")
    assert (done.code, done.err) == (2, "")
    assert json.loads(done.out)["error"]["message"] == "Missing argument 'FILE'.\nSee: loopwright run --help"


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nobody")

    monkeypatch.setattr(module, "app", fail)


@pytest.mark.usefixtures("faulty")
def test_a_fault_of_our_own_is_one_message(loopwright: Any) -> None:
    done = loopwright("runs")
    assert (done.code, done.out) == (70, "")
    assert done.err == (
        "error: a fault in loopwright itself (ZeroDivisionError: by nobody);"
        " please report it, with what `loopwright --debug ...` shows\n"
    )


@pytest.mark.usefixtures("faulty")
def test_a_fault_of_our_own_shows_its_trace_when_asked(loopwright: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPWRIGHT_DEBUG", "1")
    done = loopwright("runs")
    assert done.code == 70
    assert done.err.startswith("Traceback (most recent call last):")


def test_ctrl_c_before_anything_happens(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "app", interrupted)
    assert main(["runs"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_reader_that_has_gone_is_no_fault(place: Path) -> None:
    shown = f"{sys.executable} -m loopwright schema | true"
    made = subprocess.run(["bash", "-c", shown], capture_output=True, text=True, check=False, cwd=place)
    assert made.stderr == ""
