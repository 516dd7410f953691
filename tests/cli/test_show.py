"""`show`: one run, shortened or in full."""

import json
import re
from pathlib import Path
from typing import Any

from loopwright.graphs.run.opening import open_run

STORE = "sqlite:.loopwright/runs.db"


def test_a_finished_run(loopwright: Any) -> None:
    loopwright("run", "essay.yaml", "--script", "essay.script.yaml", "-i", "topic=ropes")
    run = open_run(STORE, "")
    done = loopwright("show", run.id[:5])
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[:6] == [
        f"run     {run.id} of draft and review",
        "status  finished: finished (Two numbers and a cause, and no sentence that could be left out.)",
        "models  default: scripted (essay.script.yaml)",
        "took    visits 4 of at most 8, calls 4 of at most 8",
        "topic   ropes",
        "",
    ]
    assert [line.split()[:4] for line in lines[7:11]] == [
        ["0", "write", "done", "review"],
        ["1", "review", "revise", "write"],
        ["2", "write", "done", "review"],
        ["3", "review", "pass", "finished"],
    ]
    assert lines[11:] == ["", "Result:", "", run.result]


def test_replies_are_cut_unless_they_are_wanted_in_full(loopwright: Any) -> None:
    loopwright("run", "essay.yaml", "--script", "essay.script.yaml")
    said = str(open_run(STORE, "").visits[0].reply)
    assert said not in loopwright("show", "").out
    full = loopwright("show", "", "--full").out
    assert f"0. write [done] -> review, scripted (essay.script.yaml)\n{said}\n" in full


def test_a_waiting_run_shows_its_question(loopwright: Any) -> None:
    loopwright("run", "bridge.yaml", "--script", "bridge.script.yaml")
    run = open_run(STORE, "")
    done = loopwright("show", run.id)
    assert done.code == 0
    assert f"\nQuestion {run.questions[0].id[:8]} of review_stop:\n" in done.out
    assert done.out.endswith(f'Answer it with:\n  loopwright resume {run.id} "..."\n')


def test_a_run_is_a_document(loopwright: Any) -> None:
    loopwright("run", "bridge.yaml", "--script", "bridge.script.yaml")
    done = loopwright("show", "", "--json")
    document = json.loads(done.out)
    run = open_run(STORE, "")
    assert (done.code, done.err, document["status"], document["visit_count"]) == (0, "", "waiting", 8)
    assert [visit["node"] for visit in document["visits"]] == [visit.node for visit in run.visits]
    assert [question["id"] for question in document["questions"]] == [run.questions[0].id]
    assert document["certificate"]["calls"] == 16


def test_an_unknown_run_is_a_document_too(loopwright: Any) -> None:
    loopwright("run", "essay.yaml", "--script", "essay.script.yaml")
    done = loopwright("show", "zzz", "--json")
    run = open_run(STORE, "").id
    message = f"there is no run 'zzz' in store {STORE}; the latest runs are: {run}"
    assert (done.code, done.err) == (2, "")
    assert json.loads(done.out) == {"error": {"type": "UnknownRun", "message": message}}


def test_a_fork_that_was_not_begun_is_told_as_runs_tells_it(loopwright: Any) -> None:
    loopwright("run", "essay.yaml", "--script", "essay.script.yaml")
    run = open_run(STORE, "")
    fork = run.fork(at=2)
    assert "status  not begun" in loopwright("show", fork.id).out.splitlines()
    assert (repr(run.history), repr(fork.history)) == ("History(moments=4)", "History(moments=2)")


def test_what_was_asked_and_said_where_a_run_is_suspended(loopwright: Any) -> None:
    Path("bad.script.yaml").write_text("default: [A draft.]\nreview: [banana, plum]\n")
    loopwright("run", "essay.yaml", "--script", "bad.script.yaml")
    lines = loopwright("show", "").out.splitlines()
    place = lines.index("review is suspended; scripted (bad.script.yaml) was asked last")
    assert lines[place + 1].startswith("asked  ")
    assert "A draft." in lines[place + 1]
    assert lines[place + 2 : place + 4] == ["said   banana", "said   plum"]
    assert "\nsaid:\nbanana\nsaid:\nplum\n" in loopwright("show", "", "--full").out
    (told,) = json.loads(loopwright("show", "", "--json").out)["suspensions"]
    assert (told["node"], told["said"]) == ("review", ["banana", "plum"])


def test_a_visit_that_was_answered_from_a_file_is_marked(loopwright: Any) -> None:
    words = ("run", "essay.yaml", "--script", "essay.script.yaml", "--cache", "calls.jsonl")
    loopwright(*words)
    assert "cached" not in loopwright("history", "").out
    again = json.loads(loopwright(*words, "--json").out)["id"]
    for command in ("show", "history"):
        assert len(re.findall(r"\(cached\) ", loopwright(command, again).out)) == 4
    assert ", cached\n" in loopwright("show", again, "--full").out


WRITTEN = "default: [A draft.]\nreview: [banana, Pass.]\n"
NOTE = (
    'asked again: the answer is "banana", and not JSON of the form {outcome: pass | revise, reason?: str}; read "Pass."'
)


def test_an_answer_that_was_not_taken_to_the_letter_is_told_everywhere(loopwright: Any) -> None:
    Path("odd.script.yaml").write_text(WRITTEN)
    told = loopwright("run", "essay.yaml", "--script", "odd.script.yaml").out
    assert f"     {NOTE}"[:60] in told
    full = loopwright("show", "", "--full").out
    assert f"{NOTE} as" in " ".join(full.split())
    assert "Pass.\n\nread as:" in full
    whole = loopwright("history", "", "--at", "1").out
    assert "repairs 1" in whole
    assert "said:\nPass." in whole
    for command in ("show", "history"):
        visit = json.loads(loopwright(command, "", "--json").out)["visits"][1]
        assert (visit["raw"], visit["note"].partition("; ")[0]) == ("Pass.", NOTE.partition("; ")[0])
        assert (visit["reply"], visit["usage"]["repairs"]) == ({"outcome": "pass"}, 1)
