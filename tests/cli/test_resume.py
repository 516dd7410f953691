"""`resume`: answers of every shape, and what cannot be resumed."""

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.exits import WrongUse
from loopwright.cli.following import how_on
from loopwright.cli.resume import require_no_code
from loopwright.cli.subjects import loop_at
from loopwright.graphs.plan import End
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.loop import PlanBuilder
from loopwright.nodes.code import Act
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel

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


def shout(text: str) -> str:
    return text.upper()


@pytest.fixture
def calling(place: Path) -> Run:
    builder = PlanBuilder("voice", [Channel("text", input=True), Channel("said")], result="said")
    builder.node(Human("ask", text="?")).edge("ask", "done", "speak")
    builder.node(Act("speak", shout, writes="said")).edge("speak", "done", End("said"))
    return builder.loop().start({"text": "Hello"}, store=f"sqlite:{place}/voice.db")


def test_a_run_with_functions_is_resumed_in_python(calling: Run) -> None:
    line = f'open_run("{calling.store.url}", "{calling.id}", loop=loop).resume("...")'
    with pytest.raises(WrongUse) as caught:
        require_no_code(calling)
    assert str(caught.value) == (
        f"run {calling.id} calls functions ({shout.__module__}:shout), and a store holds none; name the loop that it"
        f" was started from, with --loop MODULE:NAME, or resume it in Python:\n  {line}"
    )
    said = how_on("Answer it", calling, answered=True)
    command = f'loopwright resume {calling.id} "..." --store {calling.store.url} --loop MODULE:NAME'
    assert said == f"\nAnswer it with the loop that it was started from:\n  {command}\nor in Python:\n  {line}"


LOOPS = """
from loopwright import Act, Channel, End, Human, PlanBuilder, ScriptedModel, Think

def shout(text: str) -> str:
    return text.upper()

plan = PlanBuilder("voice", [Channel("text", input=True), Channel("said")], result="said")
plan.node(Human("ask", text="?")).edge("ask", "done", "speak")
plan.node(Act("speak", shout, writes="said")).edge("speak", "done", "polish")
plan.node(Think("polish", prompt="<{said}>", writes="said")).edge("polish", "done", End("said"))
loop = plan.loop(model=ScriptedModel({"polish": ["HELLO!"]}, label="a script of the loop"))
bare = plan.loop()
"""


def test_a_run_with_functions_is_resumed_with_its_loop(loopwright: Any) -> None:
    Path("loops.py").write_text(LOOPS)
    assert loopwright("run", "loops.py:loop", "-i", "text=Hello").code == 3
    run = open_run(STORE, "")
    refused = loopwright("resume", run.id, "done")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith(f"error: run {run.id} calls functions (loops:shout), and a store holds none")
    done = loopwright("resume", run.id, "done", "--loop", "loops:loop")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == "HELLO!"


def test_a_run_is_not_resumed_with_another_loop(loopwright: Any) -> None:
    Path("loops.py").write_text(LOOPS)
    loopwright("run", "loops.py:loop", "-i", "text=Hello")
    done = loopwright("resume", open_run(STORE, "").id, "done", "--loop", "essay.yaml")
    assert (done.code, done.out) == (2, "")
    assert "is of another plan than this loop" in done.err


def test_a_batch_with_functions_goes_on_with_its_loop(loopwright: Any) -> None:
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
