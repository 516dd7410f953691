"""`fork`: a new run from an old one, by the command."""

import json
from typing import Any

import pytest

from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run

STORE = "sqlite:.loopwright/runs.db"


@pytest.fixture
def run(loopwright: Any) -> Run:
    assert loopwright("run", "essay.yaml", "--script", "essay.script.yaml").code == 0
    return open_run(STORE, "")


def forked(run: Run) -> Run:
    (row,) = [row for row in run.store.registry.all() if row.forked_from]
    return open_run(STORE, row.id)


def test_it_stands_there_and_goes_on(loopwright: Any, run: Run) -> None:
    done = loopwright("fork", run.id[:5], "--at", "2", "--set", "topic=ropes", "--set", 'notes=["be brief"]')
    fork = forked(run)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"run {fork.id} stands before visit 2 of run {run.id}",
        "",
        "Go on with:",
        f"  loopwright resume {fork.id}",
    ]
    assert (fork.state["topic"], fork.state["notes"], len(fork.visits)) == ("ropes", ["be brief"], 2)
    assert loopwright("resume", fork.id).code == 0
    assert [visit.reply for visit in fork.visits] == [visit.reply for visit in run.visits]
    assert fork.usage.calls == 2


def test_it_is_shown(loopwright: Any, run: Run) -> None:
    loopwright("fork", run.id, "--at", "1")
    fork = forked(run)
    assert f"forked  from {run.id} at 1" in loopwright("show", fork.id).out
    assert f"{run.id} at 1" in loopwright("runs").out
    assert f"forked from {run.id} at 1; the visits before that are of that run" in loopwright("history", fork.id).out
    document = json.loads(loopwright("history", fork.id, "--json").out)
    assert (document["forked_from"], document["forked_at"], len(document["visits"])) == (run.id, 1, 1)
    assert document["visits"][0]["written"] == {"draft": run.visits[0].reply}


def test_as_json(loopwright: Any, run: Run) -> None:
    document = json.loads(loopwright("fork", run.id, "--at", "0", "--json").out)
    assert (document["forked_from"], document["forked_at"], document["status"]) == (run.id, 0, "interrupted")


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--at", "4"], "is finished after its 4 visits; it can be forked at 0 to 3"),
        (["--at", "9"], "cannot be forked at 9; it has 4 visits: give 0 to 3"),
        (["--at", "1", "--set", "topc=x"], "--set topc=x: there is no channel 'topc' (did you mean 'topic'"),
        (["--at", "1", "--set", "topic"], "--set topic: write it as NAME=VALUE"),
        (["--at", "1", "--set", "notes=x"], "--set notes: "),
        ([], "Missing option '--at'"),
    ],
)
def test_what_cannot_be_forked_so(loopwright: Any, run: Run, words: list[str], fault: str) -> None:
    done = loopwright("fork", run.id, *words)
    assert done.code == 2
    assert fault in done.err
    assert len(list(run.store.registry.all())) == 1
