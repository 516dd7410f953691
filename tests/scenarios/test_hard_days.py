"""The store's hard days on real files: read-only, foreign, newer, damaged, and used by several processes at once."""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.main import main
from loopwright.errors import StoreError
from loopwright.graphs.run.opening import open_run
from loopwright.loop.load import load
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.store.database import VERSION
from loopwright.state.store.store import Store

SPEC = """
kind: graph
name: letter
channels: {to: {type: str, input: true}, draft: str}
nodes:
  write: {type: think, prompt: "To <{to}>", writes: draft}
  look: {type: human, text: "Send it?", outcomes: [send, again], on_text: again}
edges: ["write -> look", "look [send] -> end sent", "look [again] -> write, at most 3, then fail not_sent"]
result: draft
"""
WORKER = Path(__file__).with_name("unprivileged.py")


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that everybody may enter, with a run that waits in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        path.chmod(0o755)
        monkeypatch.chdir(path)
        (path / "letter.yaml").write_text(SPEC)
        script = {"default": [f"Draft {place}." for place in range(40)]}
        (path / "script.yaml").write_text(json.dumps(script))
        with Store("sqlite:runs.db") as store:
            load("letter.yaml").start({"to": "Ada"}, store=store, model=ScriptedModel(script))
        yield path
        path.chmod(0o755)


def run_of(place: Path) -> Any:
    with Store(f"sqlite:{place / 'runs.db'}", create=False) as store:
        return next(store.registry.all())


def start(place: Path) -> list[str]:
    files = [str(place / "letter.yaml"), "--script", str(place / "script.yaml")]
    return ["run", *files, "-i", "to=Bob", "--no-input"]


def told_as_nobody(place: Path, *commands: list[str]) -> list[tuple[int, str]]:
    asked = json.dumps([start(place), commands])
    done = subprocess.run([sys.executable, WORKER], input=asked, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return [(code, said) for code, said in json.loads(done.stdout)]


@pytest.mark.parametrize("folder", [0o755, 0o555], ids=["the file", "the file and its folder"])
def test_what_can_only_be_read_is_looked_at_and_not_changed(place: Path, folder: int) -> None:
    run, before = run_of(place), (place / "runs.db").read_bytes()
    (place / "runs.db").chmod(0o444)
    place.chmod(folder)
    store = ["--store", f"sqlite:{place / 'runs.db'}"]
    looks = [["runs", *store], ["show", run.id, *store], ["draw", "--run", run.id, *store]]
    deeds = [[*start(place), *store], ["resume", run.id, "send", *store]]
    told = told_as_nobody(place, *looks, *deeds)
    assert [code for code, _ in told] == [0, 0, 0, 2, 2], told
    assert all("letter" in said for _, said in told[:3])
    assert all("it can only be read; check the permissions of the file and its folder" in said for _, said in told[3:])
    assert (place / "runs.db").read_bytes() == before
    place.chmod(0o755)
    (place / "runs.db").chmod(0o600)
    assert main(["resume", run.id, "send", *store]) == 0


def test_a_folder_in_which_nothing_can_be_made(place: Path) -> None:
    place.chmod(0o555)
    ((code, said),) = told_as_nobody(place, [*start(place), "--store", f"sqlite:{place / 'new' / 'runs.db'}"])
    assert (code, "it cannot be made: Permission denied" in said) == (2, True), said


def newer(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version={VERSION + 1}")
    connection.close()


def foreign(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE things (id)")
    connection.commit()
    connection.close()


def no_database(path: Path) -> None:
    path.write_text("a letter to Ada, " * 100)


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 + 100])


def overwritten(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[16384:] = os.urandom(len(data) - 16384)
    path.write_bytes(data)


WORDS: dict[Any, str] = {
    newer: "it was written by a newer loopwright",
    foreign: "this is another program's database; give another --store",
    no_database: "this file is not a database; give another --store, or move the file away",
    truncated: "the file is damaged; put back a copy of it, or give another --store",
    overwritten: "the file is damaged; put back a copy of it, or give another --store",
}


@pytest.mark.parametrize("harm", WORDS, ids=lambda harm: harm.__name__)
def test_a_file_that_is_no_store_of_ours_is_told_and_left_alone(
    place: Path, capsys: pytest.CaptureFixture[str], harm: Callable[[Path], None]
) -> None:
    run = run_of(place)
    harm(place / "runs.db")
    before = (place / "runs.db").read_bytes()
    for words in (["runs"], ["show", run.id], ["resume", run.id, "send"], start(place)):
        capsys.readouterr()
        assert main([*words, "--store", "sqlite:runs.db"]) == 2
        assert WORDS[harm] in capsys.readouterr().err
    with pytest.raises(StoreError, match=WORDS[harm]):
        open_run("sqlite:runs.db", run.id)
    assert (place / "runs.db").read_bytes() == before


BOTH_START = """
import sys
import loopwright as lw
loop, script = lw.load("letter.yaml"), lw.ScriptedModel("script.yaml")
sys.stdin.readline()
for _ in range(10):
    loop.start({"to": sys.argv[1]}, store="sqlite:runs.db", model=script).resume("again")
"""
BOTH_RESUME = """
import sys
import loopwright as lw
run = lw.open_run("sqlite:runs.db", sys.argv[1])
run.questions
sys.stdin.readline()
try:
    run.resume(sys.argv[2])
except lw.LoopwrightError as error:
    print(type(error).__name__)
else:
    print("went on")
"""


def at_once(program: str, *each: list[str]) -> list[str]:
    """What some processes say that are all ready before the first of them begins."""
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    processes = [subprocess.Popen([sys.executable, "-c", program, *words], **pipes) for words in each]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return [process.communicate()[0].strip() for process in processes]


def test_two_processes_start_runs_in_one_store(place: Path) -> None:
    assert at_once(BOTH_START, ["Ada"], ["Bob"]) == ["", ""]
    with Store("sqlite:runs.db") as store:
        rows = list(store.registry.all())
        assert Counter((row.inputs["to"], row.status) for row in rows) == {
            ("Ada", "waiting"): 11,
            ("Bob", "waiting"): 10,
        }
        assert {len(store.registry.visits(row.id)) for row in rows} == {1, 3}
        assert len({row.id for row in rows}) == 21


def test_two_processes_go_on_with_one_run(place: Path) -> None:
    run = run_of(place).id
    said = at_once(BOTH_RESUME, [run, "shorter"], [run, "longer"])
    assert said.count("went on") == 1
    assert set(said) - {"went on"} <= {"RunBusy", "AlreadyAnswered", "NotWaiting"}
    opened = open_run("sqlite:runs.db", run)
    assert [visit.node for visit in opened.visits] == ["write", "look", "write"]
    assert (opened.status, len(opened.store.registry.answers(run))) == ("waiting", 1)


BOTH_WORK = """
import sys
import loopwright as lw
sys.stdin.readline()
if sys.argv[1] == "prune":
    for _ in range(8):
        try:
            lw.open_run("sqlite:runs.db", sys.argv[2]).prune()
        except lw.RunBusy:
            pass
else:
    run = lw.open_run("sqlite:runs.db", sys.argv[2])
    while run.status == "waiting":
        run.resume("again" if len(run.visits) < 7 else "send")
"""


def test_one_process_prunes_what_another_goes_on_with(place: Path) -> None:
    run = run_of(place).id
    assert at_once(BOTH_WORK, ["prune", run], ["run", run]) == ["", ""]
    opened = open_run("sqlite:runs.db", run)
    assert [visit.node for visit in opened.visits] == ["write", "look"] * 4
    assert (opened.status, opened.result, opened.state["draft"]) == ("finished", "Draft 3.", "Draft 3.")
