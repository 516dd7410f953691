"""`resume`: answers of every shape, and what cannot be resumed."""

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.subjects import loop_at
from loopwright.graphs.plan import End
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run

STORE = "sqlite:.loopwright/runs.db"


@pytest.fixture
def waiting(loopwright: Any) -> Run:
    assert loopwright("run", "bridge.yaml", "--script", "bridge.script.yaml").code == 3
    return open_run(STORE, "")


def test_a_text_goes_on_and_waits_again(loopwright: Any, waiting: Run) -> None:
    done = loopwright("resume", waiting.id[:4], "use metric units")
    assert (done.code, done.err) == (3, "")
    first, line, *_ = done.out.splitlines()
    assert first == f"bridge: run {waiting.id} goes on, asks scripted (bridge.script.yaml)"
    assert line.endswith("a person rejected the answer of round 2: use metric units")
    assert [visit.node for visit in waiting.visits[8:]] == ["review_stop", "solver", "detractor", "master", "boss"]
    assert "Boss wishes to stop in round 3." in done.out


@pytest.mark.parametrize("answer", ["", "accept", '{"action": "accept"}'])
def test_an_answer_ends_the_run(loopwright: Any, waiting: Run, answer: str) -> None:
    done = loopwright("resume", waiting.id, answer)
    assert (done.code, waiting.status) == (0, "finished")
    assert "ended as accepted: a person accepted the answer of round 2\n" in done.out


def test_the_document_is_the_run(loopwright: Any, waiting: Run) -> None:
    done = loopwright("resume", waiting.id, "accept", "--json")
    document = json.loads(done.out)
    assert (done.code, document["id"], document["end"], document["questions"]) == (0, waiting.id, "accepted", [])


def test_without_an_answer_the_question_is_shown(loopwright: Any, waiting: Run) -> None:
    done = loopwright("resume", waiting.id)
    assert (done.code, len(waiting.visits)) == (3, 8)
    assert done.out.startswith("\nwaiting for an answer; visits 8 of at most 20, calls 8 of at most 16\n\nQuestion ")
    assert done.out.endswith(f'Answer it with:\n  loopwright resume {waiting.id} "..."\n')


def test_an_answer_of_the_wrong_shape_changes_nothing(loopwright: Any) -> None:
    text = "kind: graph\nchannels: {n: int}\nresult: n\n"
    text += "nodes: {ask: {type: wait, text: How many?, reply: int, source: person, writes: n}}\n"
    Path("count.yaml").write_text(text + "edges: [ask -> end finished]\n")
    assert loopwright("run", "count.yaml").code == 3
    run = open_run(STORE, "")
    refused = loopwright("resume", run.id, "three", "--json")
    assert (refused.code, refused.err, run.status) == (2, "", "waiting")
    assert json.loads(refused.out) == {
        "error": {
            "type": "WrongAnswer",
            "message": 'ask cannot take \'three\': "three" is not of type "integer". It takes int',
        }
    }
    assert loopwright("resume", run.id, "3").code == 0
    assert run.result == 3


def test_a_mapping_of_the_wrong_shape_is_told(loopwright: Any, waiting: Run) -> None:
    done = loopwright("resume", waiting.id, '{"action": "perhaps"}')
    assert (done.code, done.out, waiting.status) == (2, "", "waiting")
    assert done.err.startswith('error: review_stop cannot take \'{"action": "perhaps"}\': at action: ')


def test_a_question_that_is_not_open_is_told(loopwright: Any, waiting: Run) -> None:
    done = loopwright("resume", waiting.id, "accept", "--question", "zzz")
    assert (done.code, done.out, waiting.status) == (2, "", "waiting")
    open_one = f"{waiting.questions[0].id[:8]} (review_stop): Boss wishes to stop in round 2."
    assert done.err == f"error: run {waiting.id}: no question 'zzz' is open; open is {open_one}\n"


def test_a_run_that_has_ended_is_told(loopwright: Any, waiting: Run) -> None:
    loopwright("resume", waiting.id, "accept")
    done = loopwright("resume", waiting.id, "accept")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"error: run {waiting.id} has ended (accepted: a person accepted the answer of round 2); start a new one\n"
    )


def test_an_unknown_run_is_told(loopwright: Any, waiting: Run) -> None:
    done = loopwright("resume", "zzz", "accept")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: there is no run 'zzz' in store {STORE}; the latest runs are: {waiting.id}\n"


def test_no_store_is_told_and_not_made(loopwright: Any) -> None:
    done = loopwright("resume", "zzz", "accept", "--store", "sqlite:no/runs.db")
    assert (done.code, done.out, Path("no").exists()) == (2, "", False)
    assert done.err == "error: store sqlite:no/runs.db: there is no such file, so no run was started there yet\n"


def test_a_suspended_run_goes_on_with_another_script(loopwright: Any) -> None:
    Path("short.json").write_text(json.dumps({"write": ["one"]}))
    assert loopwright("run", "essay.yaml", "--script", "short.json").code == 4
    run = open_run(STORE, "")
    done = loopwright("resume", run.id, "--script", "essay.script.yaml")
    assert (done.code, run.status) == (0, "finished")
    assert [visit.model for visit in run.visits] == [
        "scripted (short.json)",
        *["scripted (essay.script.yaml)"] * (len(run.visits) - 1),
    ]


@pytest.fixture
def ended(loopwright: Any) -> Run:
    Path("never.yaml").write_text("write: [a draft]\nreview: [revise]\nrepeat: last\n")
    assert loopwright("run", "essay.yaml", "-i", "topic=wood", "--script", "never.yaml").code == 1
    return open_run(STORE, "")


def test_what_is_told_of_a_run_that_was_given_more(loopwright: Any, ended: Run) -> None:
    done = loopwright("resume", ended.id, "--bound", "rounds", "+2")
    assert "round 5 of at most 6" in done.out
    assert "visits 12 of at most 12" in done.out
    assert done.out.endswith(f"\n\nGive it more with:\n  loopwright resume {ended.id} --bound rounds +1\n")


def test_a_run_is_given_more_of_a_bound(loopwright: Any, ended: Run) -> None:
    visits = len(ended.visits)
    done = loopwright("resume", ended.id, "--bound", "rounds", "+2", "--json")
    document = json.loads(done.out)
    assert (done.code, document["end"], document["visit_count"]) == (1, "max_rounds", visits + 4)
    assert document["extensions"] == [{"bound": "rounds", "more": 2, "visits": visits}]
    shown = loopwright("show", ended.id).out
    assert f"more rounds  2, before visit {visits}\n" in shown
    assert f"visits {visits + 4} of at most {visits + 4}" in shown
    loopwright("resume", ended.id, "--bound", "rounds", "+1")
    assert f"more rounds  2, before visit {visits}; 1, before visit {visits + 4}\n" in loopwright("show", ended.id).out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--bound", "rounds"], "Option '--bound' requires an argument."),
        (["--bound", "rounds", "many"], "--bound rounds: write it as --bound NAME +N, as in --bound rounds +3"),
        (["--bound", "turns", "+1"], "the plan of run ID has no bound 'turns' (there is only rounds)"),
        (["--bound", "rounds", "+1", "--bound", "rounds", "+2"], "--bound rounds stands twice"),
    ],
)
def test_a_bound_that_is_none_changes_nothing(loopwright: Any, ended: Run, words: list[str], told: str) -> None:
    before = ended.row
    done = loopwright("resume", ended.id, *words)
    assert (done.code, done.out, ended.row) == (2, "", before)
    if words != ["--bound", "rounds"]:
        assert done.err.replace(ended.id, "ID").startswith(f"error: {told}")


def test_a_waiting_run_is_given_more_with_its_answer(loopwright: Any, waiting: Run) -> None:
    done = loopwright("resume", waiting.id, "--bound", "rounds", "+1")
    assert done.err == f"error: run {waiting.id} waits for an answer; give it together with --bound\n"
    assert (done.code, waiting.extensions) == (2, ())
    assert loopwright("resume", waiting.id, "longer", "--bound", "rounds", "+1").code == 3
    assert [given.more for given in waiting.extensions] == [1]


TIDY = """\
kind: graph
channels: {text: {type: str, input: true}}
nodes:
  tidy: {type: act, call: "tools.py:tidy", writes: text}
  ask: {type: human, text: "<{text}>", outcomes: [yes, no]}
edges: [tidy -> ask, "ask [yes] -> end good", "ask [no] -> fail bad"]
"""


@pytest.fixture
def tidied(loopwright: Any, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.syspath_prepend(Path.cwd())
    Path("tools.py").write_text("def tidy(text):\n    return text.strip()\n")
    Path("tidy.yaml").write_text(TIDY)
    done = loopwright("run", "tidy.yaml", "-i", "text= wood ")
    run = open_run(STORE, "")
    assert (done.code, done.err) == (3, "")
    assert done.out.endswith(f'Answer it with:\n  loopwright resume {run.id} "..." --loop tidy.yaml\n')
    return run


def test_a_run_of_a_file_with_functions_goes_on_with_the_file(loopwright: Any, tidied: Run) -> None:
    refused = loopwright("resume", tidied.id, "yes")
    assert (refused.code, refused.out, tidied.status) == (2, "", "waiting")
    assert f'\n  loopwright resume {tidied.id} "..." --loop FILE\n' in refused.err
    done = loopwright("resume", tidied.id, "yes", "--loop", "tidy.yaml")
    assert (done.code, done.err, tidied.end) == (0, "", End("good"))


def test_another_file_and_changed_code_are_refused(loopwright: Any, tidied: Run) -> None:
    other = loopwright("resume", tidied.id, "yes", "--loop", "essay.yaml")
    assert (other.code, tidied.status) == (2, "waiting")
    assert "is of another plan than this loop" in other.err
    Path("tools.py").write_text("def tidy(text):\n    return text.strip().lower()\n")
    changed = loopwright("resume", tidied.id, "yes", "--loop", "tidy.yaml")
    assert (changed.code, tidied.status) == (2, "waiting")
    assert "the code of 'tools.py:tidy' has changed" in changed.err
    assert loopwright("resume", tidied.id, "yes", "--loop", "tidy.yaml", "--changed-code").code == 0


def test_nothing_is_imported_because_a_store_names_it(loopwright: Any, tidied: Run) -> None:
    Path("tools.py").write_text("open('imported', 'w').close()\nraise OSError('now')\n")
    assert loopwright("show", tidied.id).code == 0
    assert loopwright("resume", tidied.id, "yes").code == 2
    assert not Path("imported").exists()
    done = loopwright("resume", tidied.id, "yes", "--loop", "tidy.yaml")
    assert (done.code, done.out, tidied.status, Path("imported").exists()) == (2, "", "waiting", True)
    assert done.err == (
        "error: tidy.yaml:4: nodes.tidy.call: tools.py cannot be imported: OSError: now (tools.py, line 2)\n"
    )


def test_what_functions_print_leaves_the_document_alone(loopwright: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path.cwd())
    Path("tools.py").write_text("print('imported')\ndef tidy(text):\n    print('called')\n    return text\n")
    Path("tidy.yaml").write_text(TIDY)
    done = loopwright("run", "tidy.yaml", "-i", "text=wood", "--json")
    assert json.loads(done.out)["status"] == "waiting"
    assert [line for line in done.err.splitlines() if line in ("imported", "called")] == ["imported", "called"]


LOOPS = """
from loopwright import Act, Channel, End, Human, PlanBuilder, ScriptedModel, Think

def shout(text: str) -> str:
    return text.upper()

plan = PlanBuilder("voice", [Channel("text", input=True), Channel("said")], result="said")
plan.node(Human("ask", text="?")).edge("ask", "done", "speak")
plan.node(Act("speak", shout, writes="said")).edge("speak", "done", "polish")
plan.node(Think("polish", prompt="<{said}>", writes="said")).edge("polish", "done", End("said"))
loop = plan.loop(model=ScriptedModel({"polish": ["HELLO!"]}, label="a script of the loop"))
"""


def test_a_run_of_a_loop_in_python_is_resumed_with_it(loopwright: Any) -> None:
    Path("loops.py").write_text(LOOPS)
    begun = loopwright("run", "loops.py:loop", "-i", "text=Hello")
    run = open_run(STORE, "")
    assert (begun.code, f'loopwright resume {run.id} "..." --loop loops.py:loop' in begun.out) == (3, True)
    assert loopwright("resume", run.id, "done").code == 2
    done = loopwright("resume", run.id, "done", "--loop", "loops:loop")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == "HELLO!"


def test_a_batch_of_a_loop_in_python_goes_on_with_it(loopwright: Any) -> None:
    Path("loops.py").write_text(
        "from loopwright import Act, Channel, End, PlanBuilder\n"
        "def shout(text: str) -> str:\n    return text.upper()\n"
        "plan = PlanBuilder('voice', [Channel('text', input=True), Channel('said')], result='said')\n"
        "loop = plan.node(Act('speak', shout, writes='said')).edge('speak', 'done', End('said')).loop()\n"
    )
    batch = loop_at("loops.py:loop").enter_all([{"text": "a"}, {"text": "b"}], store=STORE)
    assert loopwright("resume", "--batch", batch.id).code == 2
    done = loopwright("resume", "--batch", batch.id, "--loop", "loops.py:loop")
    assert (done.code, [run.result for run in batch]) == (0, ["A", "B"])
