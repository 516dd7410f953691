"""A disk that is full at every point where a run writes: the error is clear, nothing is lost, and the run goes on.

`PRAGMA max_page_count` makes SQLite find no more room, as on a full disk. What is written is longer than a page, so
that the very next write fails.
"""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.main import main
from loopwright.errors import StoreError
from loopwright.graphs.plan import End
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.functions import Act
from loopwright.nodes.think import Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel

LONG = "x" * 40_000
FULL = "the disk is full; nothing of this step was written, and the run can be resumed"


class Disk:
    """A store's disk, which somebody fills up before a given call, or by a word."""

    def __init__(self, store: Store) -> None:
        self.store, self.calls, self.full_at = store, 0, ""

    def limit(self, pages: int) -> None:
        with self.store.database.lock:
            self.store.database.connection.execute(f"PRAGMA max_page_count={pages}").fetchone()

    def fill(self) -> None:
        self.limit(1)

    def make_room(self) -> None:
        self.full_at = ""
        self.limit(1_000_000)

    def reply(self, node: str) -> str:
        self.calls += 1
        if self.full_at == node:
            self.fill()
        return f"{node} {LONG}"


def letter(disk: Disk) -> Loop[Any]:
    """Texts that are written, two side by side, a person, and at the end a function that writes little."""
    channels = [
        Channel("aim", str, input=True),
        Channel("log", list[str], reduce="append"),
        Channel("said"),
        Channel("small", str),
    ]
    builder = PlanBuilder("letter", [*channels, Channel("two")])
    builder.node(Think("write", prompt="<{aim}>", writes="log")).edge("write", "done", "both")
    bodies = {"left": Think("l", prompt="L"), "right": Think("r", prompt="R")}
    builder.parallel("both", bodies, collect="two").edge("both", "done", "look")
    builder.node(Human("look", text="Well?", outcomes=["go"], on_text="go", writes="said")).edge("look", "go", "again")
    builder.node(Think("again", prompt="Again", writes="log")).edge("again", "done", "last")

    def last() -> str:
        if disk.full_at == "last":
            disk.fill()
        return "small"

    return builder.node(Act("last", last, version="1", writes="small")).edge("last", "done", End("good")).loop()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with Store(f"sqlite:{tmp_path / 'runs.db'}") as store:
        yield Disk(store)


def whole(drive: Any) -> Any:
    with Store("memory:") as store:
        disk = Disk(store)
        run = drive.start(letter(disk), {"aim": LONG}, store=store, model=model_of(disk))
        return told(drive.resume(run, LONG))


def model_of(disk: Disk) -> RecordingModel:
    return RecordingModel(lambda call: disk.reply(call.node))


def told(run: Any) -> Any:
    visits = [(visit.node, visit.outcome, visit.target, visit.reply) for visit in run.visits]
    return run.end, run.reason, run.result, sorted(visits, key=str), [visit.index for visit in run.visits]


def resumed(drive: Any, run: Any, disk: Disk) -> Any:
    """The run at its end, after there is room."""
    disk.make_room()
    if run.status == "interrupted":
        drive.resume(run)
    return drive.resume(run, LONG) if run.status == "waiting" else run


def test_at_the_start(drive: Any, disk: Disk) -> None:
    disk.fill()
    with pytest.raises(StoreError, match=FULL):
        drive.start(letter(disk), {"aim": LONG}, store=disk.store, model=model_of(disk))
    assert (list(disk.store.registry.all()), disk.calls) == ([], 0)
    disk.make_room()
    run = drive.start(letter(disk), {"aim": LONG}, store=disk.store, model=model_of(disk))
    assert told(drive.resume(run, LONG)) == whole(drive)


@pytest.mark.parametrize("at", ["write", "both[left]/l", "both[right]/r", "again", "last"])
def test_in_the_middle_and_at_the_end(drive: Any, disk: Disk, at: str) -> None:
    loop, model = letter(disk), model_of(disk)
    disk.full_at = at
    with pytest.raises(StoreError, match=FULL):
        drive.resume(drive.start(loop, {"aim": LONG}, store=disk.store, model=model), LONG)
    (row,) = disk.store.registry.all()
    run = open_run(disk.store, row.id, loop=loop, models={"default": model})
    kept = told(run)[3]
    assert run.status == "interrupted"
    done = resumed(drive, run, disk)
    assert told(done) == whole(drive)
    assert all(visit in told(done)[3] for visit in kept)
    assert disk.calls <= 4 + (at != "last") + at.startswith("both")  # what could not be kept was asked again, no more


def test_at_an_answer(drive: Any, disk: Disk) -> None:
    run = drive.start(letter(disk), {"aim": LONG}, store=disk.store, model=model_of(disk))
    before = run.row
    disk.fill()
    with pytest.raises(StoreError, match=FULL):
        drive.resume(run, LONG)
    assert (run.row, run.store.registry.answers(run.id)) == (before, ())
    assert told(resumed(drive, run, disk)) == whole(drive)


SPEC = """
kind: graph
name: letter
channels: {to: {type: str, input: true}, draft: str, wish: {type: str, default: none}}
nodes:
  write: {type: think, prompt: "To <{to}>: <{wish}>", writes: draft}
  look: {type: human, text: "Send it?", outcomes: [send, again], on_text: again, writes: wish}
edges: ["write -> look", "look [send] -> end sent", "look [again] -> write, at most 3, then fail not_sent"]
result: draft
"""


def test_the_command_line_at_any_size_of_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("letter.yaml").write_text(SPEC)
    Path("script.yaml").write_text(json.dumps({"write": [f"1 {LONG}", f"2 {LONG}"]}))
    connect, pages = sqlite3.connect, 100_000

    def limited(*args: Any, **options: Any) -> Any:
        connection = connect(*args, **options)
        connection.execute(f"PRAGMA max_page_count={pages}")
        return connection

    def command(*words: str, most: int = 100_000) -> tuple[int, str]:
        nonlocal pages
        pages = most
        capsys.readouterr()
        code, pages = main([*words, "--store", f"sqlite:{size}.db"]), 100_000
        return code, capsys.readouterr().err

    monkeypatch.setattr(sqlite3, "connect", limited)
    codes = set()
    for size in range(4, 68, 4):
        started = command("run", "letter.yaml", "-i", "to=Ada", "--script", "script.yaml", "--no-input", most=size)
        with Store(f"sqlite:{size}.db") as store:
            rows = list(store.registry.all())
        if not rows:
            command("run", "letter.yaml", "-i", "to=Ada", "--script", "script.yaml", "--no-input")
        elif rows[0].status == "interrupted":
            command("resume", rows[0].id, "--no-input")
        with Store(f"sqlite:{size}.db") as store:
            (row,) = store.registry.all()
        answered = command("resume", row.id, "again", most=size)
        with Store(f"sqlite:{size}.db") as store:
            (row,) = store.registry.all()
        if row.status == "interrupted":
            command("resume", row.id, "--no-input")
        elif answered[0] == 2:
            command("resume", row.id, "again")
        assert command("resume", row.id, "send")[0] == 0
        run = open_run(f"sqlite:{size}.db", row.id)
        assert [(visit.node, visit.outcome) for visit in run.visits] == [
            ("write", "done"),
            ("look", "again"),
            ("write", "done"),
            ("look", "send"),
        ]
        assert run.result == f"2 {LONG}"
        for code, said in (started, answered):
            codes.add(code)
            assert code == 3 or FULL in said
    assert codes == {2, 3, 130}  # refused before anything was done, waiting, interrupted in the middle
