"""Recordings on the command line: each command in a process of its own kind, and what it says."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from loopwright.cli.main import main
from loopwright.testing import ModelServer

UNPRIVILEGED = Path(__file__).with_name("unprivileged.py")

SPEC = """
kind: role_cycle
name: bridge
task: A risk?
review: each_round
rounds: {min: 1, max: 3}
models: {default: {model: any, base_url: "http://127.0.0.1:9/v1", api_key_env: ""}}
roles: {solver: {}, boss: {}}
"""


class Commands:
    """Commands in one folder."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.run = ""

    def __call__(self, *words: str) -> tuple[int, str]:
        self._capsys.readouterr()
        code = main([*words])
        said = self._capsys.readouterr()
        if words[0] == "run" and "bridge: run " in said.out:
            self.run = said.out.partition("bridge: run ")[2].partition(",")[0]
        return code, said.out + said.err


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Commands:
    monkeypatch.chdir(tmp_path)
    for name in ("LOOPWRIGHT_STORE", "OPENAI_API_KEY", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return Commands(capsys)


def test_a_run_is_recorded_left_and_replayed(command: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(["Rot.", "Go on.", "Rot again.", "Enough."]) as server:
        Path("bridge.yaml").write_text(SPEC.replace("http://127.0.0.1:9/v1", server.base_url))
        code, said = command("run", "bridge.yaml", "--record", "calls.jsonl")
        assert (code, "asks any (recorded in calls.jsonl)" in said) == (3, True)
        Path("elsewhere").mkdir()
        monkeypatch.chdir("elsewhere")
        store = "sqlite:../.loopwright/runs.db"
        assert command("resume", command.run, "say where", "--store", store)[0] == 3
        assert len(server.requests) == 4
        monkeypatch.chdir("..")
    code, said = command("run", "bridge.yaml", "--replay", "calls.jsonl")
    assert (code, "asks any (replayed from calls.jsonl)" in said) == (3, True)
    code, said = command("resume", command.run, "say where")
    assert (code, "goes on, asks any (replayed from calls.jsonl)" in said) == (3, True)
    assert "Rot again." in said
    assert "replayed from calls.jsonl" in command("show", command.run)[1]
    code, said = command("resume", command.run, "accept")
    assert (code, "Rot again." in said) == (0, True)


def test_another_answer_of_a_person_is_a_question_that_was_not_recorded(command: Commands) -> None:
    Path("bridge.yaml").write_text(SPEC)
    Path("s.yaml").write_text("default: [Rot.]\nrepeat: last\n")
    command("run", "bridge.yaml", "--script", "s.yaml", "--record", "calls.jsonl")
    command("resume", command.run, "say where")
    command("run", "bridge.yaml", "--replay", "calls.jsonl")
    code, said = command("resume", command.run, "say when")
    assert code == 4
    where = Path("calls.jsonl").absolute()
    assert f"the nearest stands at {where}:4, and message 3 differs in line 1: 'Person: say where'" in said
    assert command("resume", command.run, "--script", "s.yaml")[0] == 3


def test_a_cache_is_shown(command: Commands) -> None:
    Path("bridge.yaml").write_text(SPEC.replace("each_round", "never"))
    Path("s.yaml").write_text("solver: [Rot.]\nboss: [Fluggaenkoechiebolsen]\n")
    for spent in ("calls 2 of at most 6\n", "calls 0 of at most 6, cached 2\n"):
        code, said = command("run", "bridge.yaml", "--script", "s.yaml", "--cache", "cache.jsonl")
        assert (code, spent in said) == (0, True)
    assert "cached 2" in command("show", command.run)[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--replay", "no.jsonl"], "no.jsonl: there is no such file, and so no recording"),
        (["--record", "no/calls.jsonl", "--model", "m"], "there is no folder"),
        (["--record", ".", "--script", "s.yaml"], "this is a folder, and no recording"),
        (["--cache", "bridge.yaml", "--script", "s.yaml"], "bridge.yaml:1: this is no recording of loopwright"),
        (
            ["--replay", "new.jsonl"],
            "new.jsonl:1: a recording of version 2, and this loopwright knows versions up to 1",
        ),
        (["--record", "a", "--replay", "b"], "--record and --replay say different things of the same calls"),
    ],
)
def test_what_cannot_be_recorded_is_told_before_anything_starts(command: Commands, words: list[str], said: str) -> None:
    Path("bridge.yaml").write_text(SPEC)
    Path("s.yaml").write_text("default: [Rot.]\n")
    Path("new.jsonl").write_text('{"loopwright": "recording", "version": 2}\n')
    code, told = command("run", "bridge.yaml", *words)
    assert (code, said in told) == (2, True), told
    assert "Traceback" not in told
    assert not Path(".loopwright").exists()


def test_a_batch_is_recorded_and_replayed(command: Commands) -> None:
    tasks = 'tasks: ["One?", "Two?"]'
    Path("bridge.yaml").write_text(SPEC.replace("each_round", "never").replace("task: A risk?", tasks))
    Path("s.yaml").write_text("solver: [Rot.]\nboss: [Fluggaenkoechiebolsen]\n")
    assert command("run", "bridge.yaml", "--script", "s.yaml", "--record", "calls.jsonl")[0] == 0
    code, said = command("run", "bridge.yaml", "--replay", "calls.jsonl")
    assert (code, "2 runs, 2 finished" in said) == (0, True)


def test_a_folder_that_is_closed_is_told_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a user who may not write there; in a folder that everybody may enter."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        place.chmod(0o777)
        monkeypatch.chdir(place)
        Path("bridge.yaml").write_text(SPEC)
        Path("s.yaml").write_text("default: [Rot.]\nrepeat: last\n")
        Path("closed").mkdir(mode=0o555)
        Path("mine.jsonl").write_text("")
        Path("mine.jsonl").chmod(0o444)
        start = ["run", "bridge.yaml", "--script", "s.yaml"]
        commands = [[*start, "--record", name] for name in ("closed/calls.jsonl", "mine.jsonl")]
        said = subprocess.run(
            [sys.executable, UNPRIVILEGED],
            input=json.dumps([start, commands]),
            capture_output=True,
            text=True,
            check=True,
        )
        told = json.loads(said.stdout)
        assert [code for code, _ in told] == [2, 2]
        assert all("cannot be written: Permission denied" in text for _, text in told), told
        assert not Path(".loopwright").exists()
