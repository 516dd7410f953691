"""The command as a whole: help, version, wrong words, and faults of our own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli import main as module
from loopwright.cli.main import COMMANDS, main
from loopwright.cli.progress import Progress
from loopwright.errors import StoreError
from loopwright.graphs.run.opening import open_run
from loopwright.nodes.events import Event, VisitEnded
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.version import __version__

STORE = "sqlite:.loopwright/runs.db"


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
        (("run",), "Missing argument 'FILE|MODULE:NAME'.\nSee: loopwright run --help"),
        (
            ("runs", "--stor", "x"),
            "No such option: --stor (Possible options: --json, --store, --tree)\nSee: loopwright runs --help",
        ),
    ],
)
def test_wrong_words_are_one_message(loopwright: Any, words: tuple[str, ...], message: str) -> None:
    done = loopwright(*words)
    assert (done.code, done.out, done.err) == (2, "", f"error: {message}\n")


def test_wrong_words_are_a_document(loopwright: Any) -> None:
    done = loopwright("run", "--json")
    assert (done.code, done.err) == (2, "")
    assert (
        json.loads(done.out)["error"]["message"] == "Missing argument 'FILE|MODULE:NAME'.\nSee: loopwright run --help"
    )


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


def into(target: str, *words: str) -> tuple[int, str]:
    """The exit code and the talk of a command whose standard output goes into a file, or into a pipe that is closed."""
    read = -1
    if target == "a closed pipe":
        read, out = os.pipe()
        os.close(read)
    else:
        out = os.open(target, os.O_WRONLY)
    command = [sys.executable, "-m", "loopwright", *words]
    made = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    os.close(out)
    return made.returncode, made.stderr


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("words", [("schema",), ("run", "--help"), ("--version",)])
def test_a_reader_that_has_gone_is_no_fault(words: tuple[str, ...]) -> None:
    assert into("a closed pipe", *words) == (141, "")


NO_SPACE = "[Errno 28] No space left on device"


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("words", [("schema",), ("run", "--help"), ("nope", "--json")])
def test_a_full_disk_is_told(words: tuple[str, ...]) -> None:
    assert into("/dev/full", *words) == (74, f"error: the output cannot be written: {NO_SPACE}\n")


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("target", "fault"), [("a closed pipe", "whoever read the output has gone"), ("/dev/full", NO_SPACE)]
)
def test_a_run_whose_talk_cannot_be_written_is_interrupted(target: str, fault: str) -> None:
    code, said = into(target, "run", "essay.yaml", "--script", "essay.script.yaml")
    run = open_run(STORE, "")
    assert (code, run.status) == (130, "interrupted")
    assert said == f"error: {fault}\nrun {run.id} is interrupted\n\nGo on with:\n  loopwright resume {run.id}\n"
    assert run.resume(model=ScriptedModel("essay.script.yaml")).status == "finished"


@pytest.mark.usefixtures("place")
def test_a_run_whose_reader_has_gone_is_interrupted_even_if_nobody_hears_of_it() -> None:
    words = f"{sys.executable} -m loopwright run essay.yaml --script essay.script.yaml 2>&1"
    made = subprocess.run(["bash", "-c", f"{words} | true; exit ${{PIPESTATUS[0]}}"], check=False)
    assert (made.returncode, open_run(STORE, "").status) == (130, "interrupted")


@pytest.mark.usefixtures("place")
def test_a_run_whose_document_cannot_be_written_stays_as_it_is() -> None:
    code, said = into("/dev/full", "run", "essay.yaml", "--script", "essay.script.yaml", "--json")
    assert (code, said.splitlines()[-1]) == (74, f"error: the output cannot be written: {NO_SPACE}")
    assert open_run(STORE, "").status == "finished"


@pytest.mark.parametrize("as_json", [False, True])
def test_a_store_that_fails_in_the_middle_interrupts_the_run(
    loopwright: Any, monkeypatch: pytest.MonkeyPatch, as_json: bool
) -> None:
    tell = Progress.tell

    def full(progress: Progress, event: Event) -> None:
        tell(progress, event)
        if isinstance(event, VisitEnded):
            raise StoreError("store: the disk is full")

    monkeypatch.setattr(Progress, "tell", full)
    done = loopwright("run", "essay.yaml", "--script", "essay.script.yaml", *(["--json"] if as_json else []))
    run = open_run(STORE, "")
    message = f"store: the disk is full\nrun {run.id} is interrupted\n\nGo on with:\n  loopwright resume {run.id}"
    assert (done.code, run.status, len(run.visits)) == (130, "interrupted", 1)
    if as_json:
        assert json.loads(done.out)["error"] == {"type": "Stopped", "message": message}
    else:
        assert done.err == f"error: {message}\n"


@pytest.mark.parametrize("words", [("resume", "{run}", "caf\udce9"), ("run", "essay.yaml", "-i", "topic=caf\udce9")])
def test_words_that_are_no_text_are_refused(loopwright: Any, words: tuple[str, ...]) -> None:
    loopwright("run", "bridge.yaml", "--script", "bridge.script.yaml")
    run = open_run(STORE, "")
    done = loopwright(*(word.format(run=run.id) for word in words), "--script", "essay.script.yaml")
    wrong = words[-1].replace("\udce9", "\\xe9")
    message = f"these arguments are no text in UTF-8, and nothing was done: {wrong}"
    assert (done.code, done.out, done.err) == (2, "", f"error: {message}\n")
    assert (open_run(STORE, "").id, run.status, len(run.visits)) == (run.id, "waiting", 8)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(("closed", "said"), [("<&-", True), ("<&- >&-", False)])
def test_closed_streams_are_no_fault(closed: str, said: bool) -> None:
    words = f"{sys.executable} -m loopwright run bridge.yaml --script bridge.script.yaml {closed}"
    made = subprocess.run(["sh", "-c", words], capture_output=True, text=True, check=False)
    assert (made.returncode, bool(made.stdout), made.stderr) == (3, said, "")
    assert open_run(STORE, "").status == "waiting"


@pytest.mark.parametrize("words", [("check", "app:loop"), ("show", "3f2a"), ("prune", "3f2a")])
def test_the_current_folder_was_deleted(
    loopwright: Any, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = loopwright(*words)
    assert (done.code, done.out, done.err) == (2, "", "error: the current folder was deleted; go to another one\n")
