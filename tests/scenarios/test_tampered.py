"""A store that was tampered with: whatever stands in a column, it is refused in words, and harms no other run."""

import pickle
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loopwright as lw
from loopwright.cli.main import main
from loopwright.testing.scripts import RecordingModel

LONG = "A draft of a bridge, so long that it is kept once, apart from the checkpoints. " * 4

ODD: dict[str, object] = {
    "cut off": '{"a": [1,',
    "another type": "[1]",
    "a number": 7,
    "a pickle": pickle.dumps({"a": 1}),
    "half a character": b'"\xd8"',
    "a class": '{"lc": 2, "type": "constructor", "id": ["os", "system"], "args": ["true"]}',
    "nothing": None,
    "deep": "[" * 100_000,
}


def letter() -> lw.Loop[Any]:
    channels = [lw.Channel("to", str, input=True), lw.Channel("draft", str)]
    plan = lw.PlanBuilder("letter", [*channels, lw.Channel("notes", list[str], reduce="append")], result="draft")
    plan.node(lw.Think("write", prompt="To <{to}>.", writes="draft")).edge("write", "done", "note")
    plan.node(lw.Think("note", prompt="On <{draft}>.", writes="notes")).edge("note", "done", "look")
    plan.node(lw.Human("look", text="Well?", outcomes=["send", "more"])).edge("look", "send", "tell")
    plan.node(lw.Emit("tell", event="told", payload={"draft": "<{draft}>"})).edge("tell", "done", "hear")
    plan.node(lw.Wait("hear", event="heard")).edge("hear", "done", lw.End("sent"))
    return plan.edge("look", "more", "write", at_most=3, bound="rounds", then=lw.End("left", ok=False)).loop()


def model() -> RecordingModel:
    return RecordingModel({"write": [LONG] * 5, "note": ["short"] * 5})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run that waits for an event, and one that waits for a person."""
    file = tmp_path_factory.mktemp("made") / "runs.db"
    with lw.Store(f"sqlite:{file}") as store:
        letter().start({"to": "Ada"}, store=store, model=model()).resume("more").resume("send")
        store.send("rings", {"loud": True})
        letter().start({"to": "Bob"}, store=store, model=model())
        store.database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return file


def columns(file: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(file) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        return [
            (table, row[1])
            for (table,) in tables.fetchall()
            for row in connection.execute(f"PRAGMA table_info({table})").fetchall()
        ]


def looks(store: lw.Store, run: str) -> list[Callable[[], object]]:
    """All that can be done with a run."""

    def opened() -> lw.Run[Any]:
        return lw.open_run(store, run)

    return [
        lambda: list(lw.runs(store)),
        lambda: opened().visits,
        lambda: opened().state,
        lambda: opened().result,
        lambda: [(moment.before, moment.asked) for moment in opened().history],
        lambda: opened().effects,
        lambda: opened().fork(at=1),
        lambda: lw.serve(store, once=True),
        lambda: opened().resume("send", model=model()),
        lambda: opened().resume(model=model()),
        lambda: list(store.inbox.all()),
        lambda: store.send("heard"),
        lambda: lw.serve(store, once=True),
    ]


def outcome(look: Callable[[], object]) -> str:
    """What came of it; "" for what is told in words."""
    try:
        look()
    except lw.LoopwrightError as error:
        return "" if str(error) else "nothing was said"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize("odd", ODD)
def test_whatever_stands_in_a_column_is_refused_in_words(made: Path, tmp_path: Path, odd: str) -> None:
    wrong = []
    for number, (table, column) in enumerate(columns(made)):
        file = tmp_path / f"{number}.db"
        shutil.copy(made, file)
        connection = sqlite3.connect(file)
        ids = [id for (id,) in connection.execute("SELECT id FROM runs ORDER BY created")]
        try:
            connection.execute(f"UPDATE {table} SET {column} = ?", (ODD[odd],))
        except sqlite3.Error:  # the column takes no such value
            continue
        finally:
            connection.commit()
            connection.close()
        with lw.Store(f"sqlite:{file}") as store:
            found = {outcome(look) for run in ids for look in looks(store, run)}
        wrong += [f"{table}.{column}: {said:.200}" for said in sorted(found - {""})]
    assert not wrong, "\n".join(wrong)


def tamper(file: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute(statement, values)
    connection.close()


def test_a_damaged_run_is_quarantined_and_a_fork_of_what_came_before_goes_on(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "runs.db"
    shutil.copy(made, file)
    url = f"sqlite:{file}"
    with lw.Store(url) as store:
        bob, ada = (row.id for row in lw.runs(store))
    last = "SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = ?"
    tamper(file, f"UPDATE checkpoints SET checkpoint = ? WHERE checkpoint_id = ({last})", b"\x81", bob)
    with lw.Store(url) as store:
        run = lw.open_run(store, bob)
        with pytest.raises(lw.DamagedRun, match=f"a checkpoint of run {bob} cannot be read"):
            run.resume("send", model=model())
        assert (run.status, [asked.node for asked in run.questions]) == ("quarantined", ["look"])
        with pytest.raises(lw.DamagedRun, match=f"run {bob} is quarantined: .*fork it at a visit before"):
            run.resume("send", model=model())
        with pytest.raises(lw.DamagedRun, match="cannot be read"):  # looked at again, and damaged still
            run.resume("send", model=model(), take_over=True)
        assert lw.serve(store, once=True) == 0
        fork = run.fork(at=1).resume(model=model()).resume("send", model=model())
        assert fork.status == "waiting"
        assert lw.open_run(store, ada).status == "waiting"
    assert main(["runs", "--store", url]) == 0
    assert f"{bob}  quarantined" in capsys.readouterr().out
    assert main(["show", bob, "--store", url]) == 0
    assert f"loopwright fork {bob} --at N" in capsys.readouterr().out
    script = tmp_path / "script.yaml"
    script.write_text("default: [a, b]")
    assert main(["resume", bob, "send", "--script", str(script), "--store", url]) == 2
    assert "is quarantined" in capsys.readouterr().err


def test_a_run_whose_file_was_put_right_goes_on(made: Path, tmp_path: Path) -> None:
    file = tmp_path / "runs.db"
    shutil.copy(made, file)
    url = f"sqlite:{file}"
    tamper(file, "UPDATE checkpoints SET type = 'gone ' || type")
    with lw.Store(url) as store:
        bob = next(iter(lw.runs(store))).id
        with pytest.raises(lw.DamagedRun):
            lw.open_run(store, bob).resume("send", model=model())
    tamper(file, "UPDATE checkpoints SET type = substr(type, 6)")
    with lw.Store(url) as store:
        assert lw.open_run(store, bob).resume("send", model=model(), take_over=True).status == "waiting"
