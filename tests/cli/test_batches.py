"""Batches on the command line: the table of all runs, and how a batch goes on."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopwright.graphs.run.batch import Batch
from loopwright.graphs.run.opening import open_batch
from loopwright.state.store.store import Store
from loopwright.testing.model_server import ModelServer, Trouble

STORE = "sqlite:.loopwright/runs.db"
WORD = "Fluggaenkoechiebolsen"
LIMIT = 60.0
"""Seconds after which a process that says nothing has failed the test."""


def roles(*, review: str = "never", models: str = "") -> None:
    text = f"kind: role_cycle\nname: three\ntasks: [first, second, third]\nreview: {review}\n{models}"
    Path("three.yaml").write_text(f"{text}rounds: {{max: 1}}\norder: [solver, boss]\n")


def script(name: str, **queues: Any) -> str:
    Path(name).write_text(json.dumps(queues))
    return name


def batch() -> Batch:
    with Store(STORE) as store:
        (id,) = {row.batch for row in store.registry.all()}
    return open_batch(STORE, id)


def table(out: str) -> list[list[str]]:
    """The rows of the last table, without the runs' ids."""
    (rows,) = re.findall(r"^task  .*\n((?:.+\n)+)", out, re.MULTILINE)
    return [
        [cell for cell in re.split("  +", row) if not re.fullmatch("[0-9a-f]{8}", cell)] for row in rows.splitlines()
    ]


def test_all_runs_are_told_in_one_table(loopwright: Any) -> None:
    roles()
    done = loopwright("run", "three.yaml", "--script", script("s.json", solver=["Wood."], boss=[WORD]))
    made = batch()
    assert done.code == 0
    assert done.out.startswith(f"task: first\nthree: run {made[0].id}, asks scripted (s.json)\n")
    head, lines = done.out.split(f"\nbatch {made.id}: 3 runs, 3 finished\n")
    assert head.count("ended as stopped") == 3
    assert lines.splitlines() == [
        "task    run       status    end      rounds  calls  answer",
        *(
            f"{name:6}  {run.id}  finished  stopped  1       2      Wood."
            for name, run in zip(["first", "second", "third"], made, strict=True)
        ),
    ]


def test_what_the_runs_are_for_is_told_by_their_inputs(loopwright: Any) -> None:
    Path("topics.yaml").write_text("[ropes, bridges]")
    done = loopwright("run", "essay.yaml", "--each", "topics.yaml", "--script", "essay.script.yaml")
    header, first, second = done.out.splitlines()[-3:]
    assert (header.split()[:2], first.split()[0], second.split()[0]) == (["topic", "run"], "ropes", "bridges")
    essay = Path("essay.yaml")
    essay.write_text(essay.read_text().replace("  draft: str", "  size: {type: int, input: true}\n  draft: str"))
    done = loopwright("run", "essay.yaml", "--each", "topics.yaml", "-i", "size=3", "--script", "essay.script.yaml")
    assert (
        done.err == "error: topics.yaml:1: 0: expected a mapping, from inputs to values\n"
        "topics.yaml:1: 1: expected a mapping, from inputs to values\n"
    )
    Path("topics.yaml").write_text("- topic: ropes\n- topic: bridges\n")
    done = loopwright("run", "essay.yaml", "--each", "topics.yaml", "-i", "size=3", "--script", "essay.script.yaml")
    header, first, _ = done.out.splitlines()[-3:]
    assert (header.split()[0], first.partition("  ")[0]) == ("inputs", '{"topic": "ropes", "size": …')


def test_a_failure_stops_no_other_run_and_the_batch_goes_on(loopwright: Any) -> None:
    roles()
    done = loopwright("run", "three.yaml", "--script", script("bad.json", solver=["Wood."], boss=[{"error": "503"}]))
    made = batch()
    assert (done.code, done.err) == (4, "")
    assert table(done.out) == [[task, "suspended", "1", "1", "boss: 503"] for task in ("first", "second", "third")]
    assert done.out.endswith(f"\n\nGo on with:\n  loopwright resume --batch {made.id}\n")
    done = loopwright("resume", "--batch", made.id[:5], "--script", script("good.json", solver=["Wood."], boss=[WORD]))
    assert (done.code, done.err, [run.status for run in made]) == (0, "", ["finished"] * 3)
    assert done.out.count(" goes on, asks scripted (good.json)\n") == 3
    assert [visit.node for visit in made[2].visits] == ["solver", "boss"]


def test_a_batch_in_memory_is_gone_with_its_process(loopwright: Any) -> None:
    roles()
    replies = script("s.json", solver=["Wood."], boss=[{"error": "503"}])
    done = loopwright("run", "three.yaml", "--script", replies, "--store", "memory:")
    assert (done.code, done.out.count("is gone now; start it with --store sqlite:PATH to leave it.")) == (4, 3)
    assert table(done.out)[2] == ["third", "suspended", "1", "1", "boss: 503"]
    assert done.out.endswith("boss: 503\n")


def test_a_batch_with_nothing_to_go_on_with_is_only_told(loopwright: Any) -> None:
    roles(review="after_stop")
    done = loopwright("run", "three.yaml", "--script", script("s.json", solver=["Wood."], boss=[WORD]))
    made = batch()
    assert (done.code, table(done.out)[0]) == (3, ["first", "waiting", "1", "2", "Boss wishes to stop in round 1."])
    assert loopwright("resume", made[0].id, "accept").code == 0
    assert loopwright("resume", made[1].id, "reject").code == 1
    done = loopwright("resume", "--batch", made.id)
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith(f"batch {made.id}: 3 runs, 2 finished, 1 waiting\n")
    assert [row[1:3] for row in table(done.out)] == [
        ["finished", "accepted"],
        ["finished", "max_rounds"],
        ["waiting", "1"],
    ]
    assert "Go on" not in done.out


def test_a_batch_is_a_document(loopwright: Any) -> None:
    roles()
    loopwright("run", "three.yaml", "--script", script("s.json", solver=["Wood."], boss=[{"error": "503"}, WORD]))
    made = batch()
    for words in (
        ["runs", "--batch", made.id],
        ["resume", "--batch", made.id, "--script", script("g.json", boss=[WORD])],
    ):
        done = loopwright(*words, "--json")
        document = json.loads(done.out)
        assert [document["batch"], *(run["id"] for run in document["runs"])] == [made.id, *(run.id for run in made)]
    assert (done.code, {run["end"] for run in document["runs"]}) == (0, {"stopped"})


def test_the_runs_of_a_batch_are_listed(loopwright: Any) -> None:
    roles()
    loopwright("run", "three.yaml", "--script", script("s.json", solver=["Wood."], boss=[WORD]))
    done = loopwright("runs", "--batch", batch().id[:4])
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"batch {batch().id}: 3 runs, 3 finished\n")
    assert [row[0] for row in table(done.out)] == ["first", "second", "third"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("resume",), "say what goes on: a RUN, or --batch ID"),
        (("resume", "3f2a", "--batch", "b7"), "a RUN and --batch both say what goes on; give one of them"),
        (("resume", "--batch", "b7"), f"there is no batch 'b7' in store {STORE}; `loopwright runs` lists them"),
        (("runs", "--batch", "b7"), f"there is no batch 'b7' in store {STORE}; `loopwright runs` lists them"),
    ],
)
def test_what_is_no_batch_is_told(loopwright: Any, words: tuple[str, ...], message: str) -> None:
    loopwright("run", "essay.yaml", "--script", "essay.script.yaml")
    done = loopwright(*words)
    assert (done.code, done.out, done.err) == (2, "", f"error: {message}\n")


def test_an_answer_for_a_whole_batch_is_refused(loopwright: Any) -> None:
    done = loopwright("resume", "--batch", "b7", "--question", "8c1d")
    assert (done.code, done.err) == (2, "error: an answer is for one run: loopwright resume RUN ANSWER\n")


@pytest.fixture
def hanging(place: Path) -> Iterator[ModelServer]:
    with ModelServer(["Wood.", WORD, "Stone.", Trouble(hang=True), WORD, "Rope.", WORD]) as server:
        roles(models=f"models: {{default: {{model: m, base_url: '{server.base_url}', api_key_env: '', retries: 0}}}}\n")
        yield server


def stopped_in_the_second_run(server: ModelServer, stop: signal.Signals) -> tuple[int, str]:
    command = [sys.executable, "-m", "loopwright", "run", "three.yaml"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as run:
        limit = time.monotonic() + LIMIT
        while len(server.requests) < 4:
            assert time.monotonic() < limit, "the model was not asked"
            time.sleep(0.02)
        run.send_signal(stop)
        said, _ = run.communicate(timeout=LIMIT)
    return run.returncode, said


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_batch_loses_nothing_and_makes_nothing_twice(
    loopwright: Any, hanging: ModelServer, stop: signal.Signals
) -> None:
    code, said = stopped_in_the_second_run(hanging, stop)
    made = batch()
    assert [row[1] for row in table(loopwright("runs", "--batch", made.id).out)] == [
        "finished",
        "interrupted",
        "not begun",
    ]
    if stop == signal.SIGKILL:
        assert code == -9
    else:
        assert (code, [row[1] for row in table(said)]) == (130, ["finished", "interrupted", "not begun"])
        assert f"\nbatch {made.id}: 3 runs, 1 finished, 1 interrupted, 1 not begun\n" in said
        assert said.endswith(f"\nGo on with:\n  loopwright resume --batch {made.id}\n")
    done = loopwright("resume", "--batch", made.id)
    assert (done.code, [run.result for run in made]) == (0, ["Wood.", "Stone.", "Rope."])
    bodies: list[Any] = [request.body for request in hanging.requests]
    asked = [body["messages"][0]["content"].rpartition("\n")[2] for body in bodies]
    assert asked == ["first", "first", "second", "second", "second", "third", "third"]


def test_a_batch_says_how_its_waiting_runs_are_answered(loopwright: Any) -> None:
    roles(review="after_stop")
    done = loopwright("run", "three.yaml", "--script", script("s.json", solver=["Rot."], boss=[WORD]), "--no-input")
    first = batch()[0]
    assert f'Answer the first that waits with:\n  loopwright resume {first.id} "..."' in done.out + done.err


def test_a_run_that_another_process_has_taken_stops_no_other(loopwright: Any) -> None:
    def reply(body: Any) -> str:
        if len(server.requests) == 1:
            with Store(STORE) as store:
                taken.append(batch()[1].id)
                store.registry.claim(taken[0])
        return WORD if len(body["messages"]) > 2 else "Wood."

    taken: list[str] = []
    with ModelServer(reply) as server:
        roles(models=f"models: {{default: {{model: m, base_url: '{server.base_url}', api_key_env: '', retries: 0}}}}\n")
        done = loopwright("run", "three.yaml")
    assert (done.code, [row[1] for row in table(done.out)]) == (75, ["finished", "running", "finished"])
    assert f"run {taken[0]} is being run by process " in done.out
