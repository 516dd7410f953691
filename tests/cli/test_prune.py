"""`prune`: one run, or all that ended long ago."""

import json
from typing import Any

import pytest

from loopwright.graphs.run.opening import open_run

STORE = "sqlite:.loopwright/runs.db"


@pytest.fixture
def run(loopwright: Any) -> Any:
    assert loopwright("run", "essay.yaml", "--script", "essay.script.yaml").code == 0
    return open_run(STORE, "")


def test_one_run(loopwright: Any, run: Any) -> None:
    before = run.visits, run.result
    document = json.loads(loopwright("prune", run.id[:4], "--json").out)
    assert (document["runs"], document["dropped"]) == (1, 5)
    assert document["bytes_after"] <= document["bytes_before"]
    assert (run.visits, run.result) == before
    done = loopwright("prune", run.id)
    assert (done.code, done.out.startswith("0 states of 1 run dropped; ")) == (0, True)


def test_a_run_that_waits_keeps_its_question(loopwright: Any) -> None:
    assert loopwright("run", "bridge.yaml", "--script", "bridge.script.yaml").code == 3
    run = open_run(STORE, "")
    asked = run.questions
    assert loopwright("prune", "--older-than", "0").out.startswith("0 states of 0 runs dropped; ")
    assert loopwright("prune", run.id).code == 0
    assert run.questions == asked
    assert loopwright("resume", run.id, "accept").code == 0


def test_runs_that_ended_before(loopwright: Any, run: Any) -> None:
    assert loopwright("prune", "--older-than", "1").out.startswith("0 states of 0 runs dropped; ")
    run.store.database.connection.execute("UPDATE runs SET updated = updated - 100000")
    run.store.database.connection.commit()
    assert loopwright("prune", "--older-than", "1").out.startswith("5 states of 1 run dropped; ")


@pytest.mark.parametrize("words", [[], ["x", "--older-than", "1"]])
def test_one_of_both(loopwright: Any, run: Any, words: list[str]) -> None:
    done = loopwright("prune", *words)
    assert (done.code, "give a RUN, or --older-than DAYS" in done.err) == (2, True)
