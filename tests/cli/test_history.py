"""`history`: the list, one visit in whole, and what is left of a run that was pruned."""

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run

STORE = "sqlite:.loopwright/runs.db"


@pytest.fixture
def run(loopwright: Any) -> Run:
    assert loopwright("run", "essay.yaml", "--script", "essay.script.yaml", "-i", "topic=ropes").code == 0
    return open_run(STORE, "")


def test_the_list(loopwright: Any, run: Run) -> None:
    done = loopwright("history", run.id[:5])
    assert (done.code, done.err) == (0, "")
    header, *rows = done.out.splitlines()
    assert header.split() == ["at", "node", "outcome", "leads", "to", "took", "asked", "written"]
    assert [line.split()[:4] for line in rows] == [
        ["0", "write", "done", "review"],
        ["1", "review", "revise", "write"],
        ["2", "write", "done", "review"],
        ["3", "review", "pass", "finished"],
    ]
    assert "draft: " in rows[0]
    assert "notes: " in rows[1]


def test_a_visit_in_whole(loopwright: Any, run: Run) -> None:
    said = loopwright("history", run.id, "--at", "2").out
    moment = run.history[2]
    asked: Any = moment.asked
    assert said.startswith("2. write [done] -> review\nscripted (essay.script.yaml), ")
    for text in (asked.messages[-1]["content"], moment.visit.reply, "state before:", "state after:", "written:"):
        assert text in said
    assert loopwright("history", run.id, "--full").out.count("state before:") == 4


def test_a_person_was_asked(loopwright: Any) -> None:
    loopwright("run", "bridge.yaml", "--script", "bridge.script.yaml")
    run = open_run(STORE, "")
    loopwright("resume", run.id, "use metric units")
    at = next(visit.index for visit in run.visits if visit.kind == "wait")
    said = loopwright("history", run.id, "--at", str(at)).out
    assert run.store.registry.answers(run.id)[0].question.text in said
    assert "use metric units" in said


def test_as_json(loopwright: Any, run: Run) -> None:
    document = json.loads(loopwright("history", run.id, "--json").out)
    assert list(document) == ["run", "forked_from", "forked_at", "visits"]
    assert [visit["index"] for visit in document["visits"]] == [0, 1, 2, 3]
    assert document["visits"][0]["written"] == {"draft": run.visits[0].reply}
    assert "asked" not in document["visits"][0]
    one = json.loads(loopwright("history", run.id, "--at", "1", "--json").out)
    assert one == json.loads(loopwright("history", run.id, "--full", "--json").out)["visits"][1]
    assert one["asked"]["messages"][-1]["role"] == "user"
    assert one["before"] | {"notes": one["after"]["notes"]} == one["after"]


def test_no_such_visit(loopwright: Any, run: Run) -> None:
    done = loopwright("history", run.id, "--at", "4")
    assert (done.code, done.err) == (2, f"error: run {run.id}: there is no visit 4; there are 4, counted from 0\n")


def test_what_is_left_of_a_pruned_run(loopwright: Any, run: Run) -> None:
    run.prune()
    assert loopwright("history", run.id).out.count("(pruned)") == 4
    said = loopwright("history", run.id, "--at", "0").out
    assert "the state at visit 0 is not kept any more; the run was pruned" in said
    assert str(run.visits[0].reply) in said
    document = json.loads(loopwright("history", run.id, "--json").out)
    assert [visit["kept"] for visit in document["visits"]] == [False] * 4


def test_a_run_without_visits(loopwright: Any) -> None:
    Path("none.yaml").write_text("write: [{error: down}]")
    assert loopwright("run", "essay.yaml", "--script", "none.yaml").code == 4
    run = open_run(STORE, "")
    assert loopwright("history", run.id).out == f"run {run.id} has completed no visit yet\n"


def test_what_was_asked_tells_questions_of_one_node_apart(loopwright: Any) -> None:
    Path("q.yaml").write_text("kind: brain\ntype: multi_eval\nprompt: A name.\nn: 2\n")
    Path("q.script.yaml").write_text(BRAIN)
    run = loopwright("run", "q.yaml", "--script", "q.script.yaml").out
    assert "rate[1]/judge  unreadable  " in run
    rows = [line.split() for line in loopwright("history", "").out.splitlines()]
    asked = {row[1]: row[6] for row in rows if row[1].endswith("judge")}
    assert asked == {"rate[0]/judge": "Span", "rate[1]/judge": "Arch"}
    full = loopwright("show", "", "--full").out
    assert "\nhm\n\ncould not be read\n" in full
    assert "\nnull\n" not in full


BRAIN = """\
generate: [{options: [Span, Arch]}]
rate[0]/judge: [{rating: 4}]
rate[1]/judge: [hm, hm]
"""
