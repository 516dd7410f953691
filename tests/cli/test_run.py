"""`run`: what is told, what is written down, and the exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.graphs.plan import Plan
from loopwright.graphs.run.opening import open_run
from loopwright.loop.load import load
from loopwright.state.store.store import Store

STORE = "sqlite:.loopwright/runs.db"
ESSAY = ("run", "essay.yaml", "--script", "essay.script.yaml")


def script(**queues: Any) -> str:
    Path("own.script.json").write_text(json.dumps(queues))
    return "own.script.json"


def test_a_run_is_told_line_by_line(loopwright: Any) -> None:
    done = loopwright(*ESSAY, "-i", "topic=ropes")
    run, lines = open_run(STORE, ""), done.out.splitlines()
    assert (done.code, done.err, run.row.inputs) == (0, "", {"topic": "ropes"})
    assert lines[0] == f"draft and review: run {run.id}, asks scripted (essay.script.yaml)"
    assert [line.split()[:3] for line in lines[1:7]] == [
        ["round", "1", "of"],
        ["0", "write", "done"],
        ["1", "review", "revise"],
        ["round", "2", "of"],
        ["2", "write", "done"],
        ["3", "review", "pass"],
    ]
    assert lines[1] == "round 1 of at most 4"
    assert lines[7:11] == [
        "",
        "ended as finished: Two numbers and a cause, and no sentence that could be left out.",
        "visits 4 of at most 8, calls 4 of at most 8",
        "",
    ]
    assert lines[11:] == [run.result]


def test_a_pipe_gets_no_control_characters_and_no_long_progress(loopwright: Any) -> None:
    done = loopwright(
        "run", "essay.yaml", "--script", script(write=["\x1b[2Jred\x07" * 40], review=[{"outcome": "pass"}])
    )
    assert "\x1b" not in done.out
    assert "\x07" not in done.out
    assert max(len(line) for line in done.out.splitlines()[:4]) == 100


def test_a_run_is_one_document(loopwright: Any) -> None:
    done = loopwright(*ESSAY, "--json")
    document = json.loads(done.out)
    run = open_run(STORE, "")
    assert done.code == 0
    assert done.err.startswith(f"draft and review: run {run.id}, asks scripted (essay.script.yaml)\n")
    assert {key: document[key] for key in ("id", "status", "end", "ok", "result", "visit_count", "models")} == {
        "id": run.id,
        "status": "finished",
        "end": "finished",
        "ok": True,
        "result": run.result,
        "visit_count": 4,
        "models": {"default": "scripted (essay.script.yaml)"},
    }


def test_another_end_is_exit_code_1(loopwright: Any) -> None:
    replies = {"default": ["text"], "review": [{"outcome": "revise", "reason": "no"}], "repeat": "last"}
    done = loopwright("run", "essay.yaml", "--script", script(**replies))
    assert done.code == 1
    assert (
        "\nended as max_rounds, no success: bound 'rounds' used up: led back to 'write' 3 of 3 times; no\n" in done.out
    )


def test_a_waiting_run_shows_its_question_and_the_line_that_answers(loopwright: Any) -> None:
    done = loopwright("run", "bridge.yaml", "--script", "bridge.script.yaml", "--store", "sqlite:other.db")
    run = open_run("sqlite:other.db", "")
    assert (done.code, run.status) == (3, "waiting")
    assert f"\nQuestion {run.questions[0].id[:8]} of review_stop:\n\nBoss wishes to stop in round 2.\n" in done.out
    assert done.out.endswith(
        "accept (or an empty line), continue, reject; any other text: reject, with the text\n\n"
        f'Answer it with:\n  loopwright resume {run.id} "..." --store sqlite:other.db\n'
    )


def test_a_script_that_ends_suspends_the_run(loopwright: Any) -> None:
    done = loopwright("run", "essay.yaml", "--script", script(write=["one"], review=[{"outcome": "revise"}]))
    run = open_run(STORE, "")
    assert (done.code, run.status, len(run.visits)) == (4, "suspended", 2)
    assert (
        "\nsuspended: write: scripted (own.script.json) has 1 reply in its queue write,"
        " and write asks for one more; add one, or repeat: last\n" in done.out
    )
    assert done.out.endswith(f"Go on with:\n  loopwright resume {run.id}\n")


def test_retries_are_told(loopwright: Any) -> None:
    failing = {"error": "429 from the test", "retryable": True, "retry_after": 0}
    done = loopwright("run", "essay.yaml", "--script", script(write=[failing, "ok"], review=[{"outcome": "pass"}]))
    assert done.code == 0
    assert "     write: 429 from the test; again in 0.0 s\n" in done.out
    assert "calls 2 of at most 8, retries 1\n" in done.out


def test_missing_keys_are_told_before_anything_starts(loopwright: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STRONG_KEY", raising=False)
    bridge = Path("bridge.yaml")
    models = "models:\n  default: {model: small}\n  strong: {model: large, api_key_env: STRONG_KEY}\n"
    bridge.write_text(bridge.read_text().replace("  boss: {}", "  boss: {model: strong}") + models)
    done = loopwright("run", "bridge.yaml")
    assert (done.code, done.out, Path(".loopwright").exists()) == (2, "", False)
    assert done.err == (
        "error: OPENAI_API_KEY, STRONG_KEY are not set, and small, large cannot be asked without; nothing was started."
        " Set the key, name another variable with api_key_env ('' for a server that needs no key),"
        " or try it with --script FILE\n"
    )


def test_a_model_is_needed(loopwright: Any) -> None:
    done = loopwright("run", "bridge.yaml")
    assert (done.code, done.out, Path(".loopwright").exists()) == (2, "", False)
    assert done.err == (
        "error: no model is given for 'default': give model= or models= (--model or --script on the command line),"
        " or name it under the plan's models\n"
    )


def test_two_models_are_too_many(loopwright: Any) -> None:
    done = loopwright(*ESSAY, "--model", "gpt-4o-mini")
    assert (done.code, done.err) == (2, "error: --model and --script both say who answers; give one of them\n")
    done = loopwright("run", "essay.yaml", "--model", " ")
    blank = "error: --model: this ModelRef is not valid: model: a model's name must not be blank\n"
    assert (done.code, done.err) == (2, blank)


def test_the_model_of_the_option_is_asked_for_all(loopwright: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    done = loopwright("run", "essay.yaml", "--model", "any-model")
    assert (done.code, "OPENAI_API_KEY is not set, and any-model cannot be asked" in done.err) == (2, True)


def test_a_missing_script_is_told(loopwright: Any) -> None:
    done = loopwright("run", "essay.yaml", "--script", "no.yaml")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: no.yaml: there is no such file (there are: bridge.script.yaml, bridge.yaml, essay.script.yaml,"
        " essay.yaml)\n"
    )


def test_a_store_that_is_no_database_is_told(loopwright: Any) -> None:
    Path("junk.db").write_bytes(b"x" * 4096)
    done = loopwright(*ESSAY, "--store", "sqlite:junk.db")
    assert (done.code, done.out, Path("junk.db").read_bytes()) == (2, "", b"x" * 4096)
    assert done.err == (
        "error: store sqlite:junk.db: this file is not a database; give another --store, or move the file away"
        " (file is not a database)\n"
    )


def test_a_run_in_memory_says_that_it_is_gone(loopwright: Any) -> None:
    done = loopwright("run", "bridge.yaml", "--script", "bridge.script.yaml", "--store", "memory:")
    assert (done.code, list(Path().glob(".loopwright"))) == (3, [])
    assert done.out.endswith(
        "\nThis run was kept in memory:, and is gone now; start it with --store sqlite:PATH to leave it.\n"
    )


def test_a_variable_names_the_store(loopwright: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPWRIGHT_STORE", "sqlite:by-variable.db")
    assert loopwright(*ESSAY).code == 0
    assert (Path("by-variable.db").exists(), Path(".loopwright").exists()) == (True, False)


def tasks() -> None:
    text = "kind: role_cycle\nname: two\ntasks: [first, second]\nrounds: {min: 1, max: 1}\norder: [solver, boss]\n"
    Path("two.yaml").write_text(text)


def test_each_task_is_a_run_of_one_batch(loopwright: Any) -> None:
    tasks()
    replies = script(solver=["one"], boss=["no"], repeat="last")
    done = loopwright("run", "two.yaml", "--script", replies, "--json")
    document = json.loads(done.out)
    assert done.code == 1
    with Store(STORE) as store:
        rows = sorted(store.registry.all(), key=lambda row: row.created)
    assert [row.inputs["task"] for row in rows] == ["first", "second"]
    assert {row.batch for row in rows} == {document["batch"]}
    assert [run["id"] for run in document["runs"]] == [row.id for row in rows]
    assert f"\nbatch {document['batch']}: 2 runs, 2 finished\n" in done.err


def test_the_exit_code_of_a_batch_is_the_worst(loopwright: Any) -> None:
    tasks()
    spent = script(solver=["one", "two"], boss=["Fluggaenkoechiebolsen"])
    done = loopwright("run", "two.yaml", "--script", spent)
    assert [line.split()[2] for line in done.out.splitlines()[-2:]] == ["finished", "finished"]
    assert done.code == 0


def test_each_input_of_a_list_is_a_run(loopwright: Any) -> None:
    Path("topics.yaml").write_text("- ropes\n- {topic: bridges}\n")
    done = loopwright(*ESSAY, "--each", "topics.yaml")
    with Store(STORE) as store:
        runs = [*reversed(list(store.registry.all()))]
    assert (done.code, [row.inputs for row in runs]) == (0, [{"topic": "ropes"}, {"topic": "bridges"}])
    assert len({row.batch for row in runs}) == 1


def test_each_input_is_joined_by_those_that_are_given_for_all(loopwright: Any) -> None:
    plan_with(type="str")
    typed = Path("typed.yaml")
    typed.write_text(typed.read_text().replace("out: str", "m: {type: int, input: true}, out: str"))
    Path("each.json").write_text('[{"n": "a"}, {"n": "b", "m": 1}]')
    replies = script(default=["x"])
    missing = loopwright("run", "typed.yaml", "--each", "each.json", "--script", replies)
    assert (missing.code, missing.err) == (2, "error: input 'm' (int) is missing; give it with -i m=\"...\"\n")
    done = loopwright("run", "typed.yaml", "--each", "each.json", "-i", "m=3", "--script", replies, "--json")
    with Store(STORE) as store:
        inputs = [store.registry.get(run["id"]).inputs for run in json.loads(done.out)["runs"]]
    assert (done.code, inputs) == (0, [{"n": "a", "m": 3}, {"n": "b", "m": 3}])


def test_the_list_stands_for_a_files_own_tasks(loopwright: Any) -> None:
    tasks()
    Path("each.yaml").write_text("[third]")
    done = loopwright("run", "two.yaml", "--each", "each.yaml", "--script", script(solver=["S"], boss=["no"]), "--json")
    assert (done.code, json.loads(done.out)["result"], open_run(STORE, "").row.inputs) == (1, "S", {"task": "third"})


def plan_with(*, type: str) -> Plan:
    text = f"kind: graph\nchannels: {{n: {{type: {type!r}, input: true}}, out: str}}\nresult: out\n"
    text += "nodes: {a: {type: think, prompt: '<{n}>', writes: out}}\nedges: [a -> end finished]\n"
    Path("typed.yaml").write_text(text)
    return load("typed.yaml").plan


def test_all_faults_of_inputs_are_told_at_once(loopwright: Any) -> None:
    done = loopwright(*ESSAY, "-i", "topic", "-i", "topik=x", "-i", "topic=a", "-i", "topic=b")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: -i topic: write it as NAME=VALUE; -i topik=x: there is no input 'topik' (did you mean 'topic'?"
        " there is only topic); -i topic=b: 'topic' is given twice\n"
    )


def test_missing_inputs_are_told_with_the_option_that_gives_them(loopwright: Any) -> None:
    plan_with(type="str")
    done = loopwright("run", "typed.yaml", "--script", script(default=["x"]))
    assert (done.code, done.out, Path(".loopwright").exists()) == (2, "", False)
    assert done.err == "error: input 'n' (str) is missing; give it with -i n=\"...\"\n"
    typed = Path("typed.yaml")
    typed.write_text(typed.read_text().replace("out: str", "count: {type: int, input: true}, out: str"))
    done = loopwright("run", "typed.yaml", "--script", script(default=["x"]))
    assert (
        done.err == "error: inputs 'n' (str), 'count' (int) are missing; give them with -i n=\"...\" -i count=\"...\"\n"
    )


@pytest.mark.parametrize(
    ("type", "text", "words"),
    [
        ("int", "three", '"three" is not of type "integer"; it takes int'),
        ("int", "3.5", '3.5 is not of type "integer"; it takes int'),
        ("float", "NaN", "NaN is not a JSON value; it takes float"),
        ("dict", '{"a": 1, "a": 2}', 'the key "a" stands twice in one object; it takes dict'),
    ],
)
def test_an_input_that_does_not_fit_is_told(loopwright: Any, type: str, text: str, words: str) -> None:
    plan_with(type=type)
    done = loopwright("run", "typed.yaml", "-i", f"n={text}", "-i", "m", "--script", script(default=["x"]))
    assert (done.code, done.out, Path(".loopwright").exists()) == (2, "", False)
    assert done.err == f"error: -i n: {words}; -i m: write it as NAME=VALUE\n"
