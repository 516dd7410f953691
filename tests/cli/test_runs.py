"""`runs`: the list, and what an empty one says."""

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.graphs.run.opening import open_run
from loopwright.loop.load import load
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store


@pytest.mark.parametrize("words", [(), ("--store", "sqlite:no/where.db")])
def test_no_store_is_no_error_and_is_not_made(loopwright: Any, words: tuple[str, ...]) -> None:
    store = words[1] if words else "sqlite:.loopwright/runs.db"
    done = loopwright("runs", *words)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"There are no runs in {store} yet. Start one with: loopwright run FILE\n"
    assert not Path(store.removeprefix("sqlite:")).exists()


def test_the_newest_run_is_first(loopwright: Any) -> None:
    loopwright("run", "essay.yaml", "--script", "essay.script.yaml")
    loopwright("run", "bridge.yaml", "--script", "bridge.script.yaml")
    done = loopwright("runs")
    header, *rows = done.out.splitlines()
    assert (done.code, header.split()) == (0, ["run", "status", "end", "visits", "started", "name"])
    assert [row.split()[1:3] for row in rows] == [["waiting", "8"], ["finished", "finished"]]
    assert [row.rsplit("ago  ")[1] for row in rows] == ["bridge", "draft and review"]


def test_the_list_is_a_document(loopwright: Any) -> None:
    loopwright("run", "essay.yaml", "--script", "essay.script.yaml")
    done = loopwright("runs", "--json")
    document = json.loads(done.out)
    assert (done.code, done.err, document["store"]) == (0, "", "sqlite:.loopwright/runs.db")
    (row,) = document["runs"]
    assert (row["id"], row["end"], row["visit_count"]) == (open_run(document["store"], "").id, "finished", 4)


def test_an_empty_list_is_a_document(loopwright: Any) -> None:
    done = loopwright("runs", "--json")
    assert json.loads(done.out) == {"store": "sqlite:.loopwright/runs.db", "runs": [], "more": 0, "damaged": []}


@pytest.fixture
def many(place: Path) -> None:
    plan = load("essay.yaml").plan
    with Store("sqlite:.loopwright/runs.db") as store:
        for number in range(52):
            store.registry.enter(RunRow(f"r{number}", f"essay {number}", plan.fingerprint), plan.to_data())


@pytest.mark.usefixtures("many")
def test_the_newest_runs_are_listed_and_the_others_counted(loopwright: Any) -> None:
    done = loopwright("runs")
    _, newest, *_, oldest, blank, more = done.out.splitlines()
    assert (newest.split()[0], oldest.split()[0], len(done.out.splitlines())) == ("r51", "r2", 1 + 50 + 2)
    assert (blank, more) == ("", "and 2 older runs; --all lists them")
    document = json.loads(loopwright("runs", "--json").out)
    assert (len(document["runs"]), document["more"]) == (50, 2)


@pytest.mark.usefixtures("many")
def test_all_runs_are_listed_when_they_are_wanted(loopwright: Any) -> None:
    assert loopwright("runs", "--all").out.splitlines()[-1].split()[0] == "r0"
    document = json.loads(loopwright("runs", "--all", "--json").out)
    assert (len(document["runs"]), document["more"]) == (52, 0)


@pytest.mark.usefixtures("many")
def test_damaged_runs_are_named_below_the_others(loopwright: Any) -> None:
    with Store("sqlite:.loopwright/runs.db") as store, store.database.transaction() as connection:
        connection.execute("UPDATE runs SET questions = '[{}]' WHERE id = 'r51'")
        connection.execute("UPDATE runs SET holder = 'garbage' WHERE id = 'r3'")
    done = loopwright("runs", "--all")
    _, newest, *_, oldest, blank, damaged = done.out.splitlines()
    assert (done.code, newest.split()[0], oldest.split()[0], blank) == (0, "r50", "r0", "")
    assert damaged == "damaged, and cannot be read: r51, r3"
    assert json.loads(loopwright("runs", "--json").out)["damaged"] == ["r51", "r3"]
    shown = loopwright("show", "r3")
    assert (shown.code, shown.out) == (2, "")
    assert shown.err.startswith("error: store sqlite:.loopwright/runs.db: what is written of run r3 cannot be read: ")
    assert loopwright("show", "r4").code == 0


def test_a_word_that_is_no_store_is_told(loopwright: Any) -> None:
    done = loopwright("runs", "--store", "runs.db")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: 'runs.db' is not a store; a store is memory: or sqlite:PATH, as in sqlite:.loopwright/runs.db\n"
    )


def test_forks_are_listed_below_what_they_were_forked_from(loopwright: Any) -> None:
    loopwright("run", "essay.yaml", "--script", "essay.script.yaml")
    origin = open_run("sqlite:.loopwright/runs.db", "")
    fork = origin.fork(2)
    inner = fork.fork(1)
    header, *rows = loopwright("runs", "--tree").out.splitlines()
    assert header.split()[0] == "run"
    assert [row.split("  finished")[0].split("  not begun")[0].rstrip() for row in rows] == [
        origin.id,
        f"└ {fork.id}",
        f"  └ {inner.id}",
    ]
    (tree,) = json.loads(loopwright("runs", "--tree", "--json").out)["runs"]
    assert (tree["id"], tree["forks"][0]["id"], tree["forks"][0]["forks"][0]["forked_at"]) == (origin.id, fork.id, 1)
    assert loopwright("runs", "--tree", "--batch", origin.id).code == 2
