"""Loops and limits: what users of other engines reported, and what must happen here. Each test names its report."""

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.main import main
from loopwright.errors import PlanError
from loopwright.graphs.plan import End
from loopwright.graphs.run.opening import open_run
from loopwright.loop.load import load, loop_of
from loopwright.loop.loop import Loop
from loopwright.loop.role_cycle import RoleCycle
from loopwright.nodes.models.contract import ModelCall
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.role import Rounds
from loopwright.sources.specs import spec_from_data
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel, assert_path

LATE = End("max_rounds", ok=False)
WORK = {"type": "think", "prompt": "Work. <{notes}>", "writes": "draft"}
JUDGE = {"type": "judge", "prompt": "Good? <{draft}>", "outcomes": ["pass", "revise"], "writes": "notes"}
CHANNELS = {"draft": "str", "notes": {"type": "list[str]", "reduce": "append"}}


def graph(*edges: str, nodes: dict[str, Any] | None = None, channels: dict[str, Any] | None = None) -> Loop[Any]:
    """A graph as a file has it; a worker and its judge, if no nodes are given."""
    data: dict[str, Any] = {"channels": channels or CHANNELS, "nodes": nodes or {"work": WORK, "judge": JUDGE}}
    return loop_of(spec_from_data({**data, "edges": list(edges)}, "graph"))


def worst(call: ModelCall) -> Any:
    """A worker that works, and judges that are never content."""
    return {"outcome": "revise", "reason": "no"} if call.schema else f"work {call.node}"


# --- AssemblyZero#2790, deepagents#5882: a limit of 10007 steps, and hours of calls ---


def test_assemblyzero_2790_a_loop_without_a_bound_is_refused_by_its_name() -> None:
    loop = graph("work -> judge", "judge [pass] -> end good", "judge [revise] -> work")
    model = RecordingModel(worst)
    with pytest.raises(PlanError) as caught:
        loop.start(model=model)
    assert "the loop of 'work' has no bound: 'judge' [revise] leads back to it" in str(caught.value)
    assert "judge [revise] -> work, at most 3 rounds" in str(caught.value)
    assert model.calls == []


FIVE = ("work -> judge", "judge [pass] -> end good", "judge [revise] -> work, at most 4 rounds, then fail max_rounds")


def test_deepagents_5882_five_rounds_are_five_calls_of_each_and_then_the_edge_of_the_bound(drive: Any) -> None:
    model = RecordingModel(worst)
    loop = graph(*FIVE)
    run = drive.start(loop, model=model)
    assert (model.asked.count("work"), model.asked.count("judge"), len(model.calls)) == (5, 5, 10)
    assert (run.end, run.visits[-1].target) == (LATE, "max_rounds")
    assert run.reason.startswith("bound 'rounds' used up: led back to 'work' 4 of 4 times")
    assert (loop.certificate.calls, loop.certificate.limit) == (10, 11)
    assert loop.compile(model=model).config["recursion_limit"] == loop.certificate.limit


def test_deepagents_5882_the_rounds_of_a_role_cycle(drive: Any) -> None:
    model = RecordingModel(lambda call: "Once more.")
    run = drive.start(RoleCycle(task="T", rounds=Rounds(max=5), roles={"solver": {}, "boss": {}}), model=model)
    assert (model.asked, run.end) == (["solver", "boss"] * 5, LATE)


# --- AssemblyZero#2245, #2258: nested loops, and a limit by a formula that was too small ---

NESTED = {
    "draft": {"type": "think", "prompt": "Draft.", "writes": "text"},
    "test": {"type": "judge", "prompt": "<{text}>", "outcomes": ["pass", "revise"]},
    "repair": {"type": "think", "prompt": "Repair.", "writes": "text"},
    "review": {"type": "judge", "prompt": "<{text}>", "outcomes": ["pass", "revise"]},
}
NESTED_EDGES = (
    "draft -> repair",
    "repair -> test",
    "test [revise] -> repair, at most 2 repairs, then review",
    "test [pass] -> review",
    "review [revise] -> draft, at most 3 revisions, then fail max_rounds",
    "review [pass] -> end good",
)


def test_assemblyzero_2245_the_certified_bound_of_nested_loops_is_the_measured_maximum(drive: Any) -> None:
    loop = graph(*NESTED_EDGES, nodes=NESTED, channels={"text": "str"})
    most = (3 + 1) * (1 + (2 + 1) * 2 + 1)
    assert (loop.certificate.visits, loop.certificate.calls, loop.certificate.exact) == (most, most, True)
    model = RecordingModel(worst)
    run = drive.start(loop, model=model)
    assert (len(run.visits), len(model.calls), run.end) == (most, most, LATE)
    assert run.reason.startswith("bound 'revisions' used up: led back to 'draft' 3 of 3 times")


def test_assemblyzero_2258_no_script_comes_to_the_engines_limit() -> None:
    loop = graph(*NESTED_EDGES, nodes=NESTED, channels={"text": "str"})
    for tests, reviews in itertools.product(itertools.product(["pass", "revise"], repeat=3), ["pass", "revise"]):
        turns = itertools.cycle(tests)

        def answer(call: ModelCall, turns: Any = turns, reviews: str = reviews) -> Any:
            return {"outcome": next(turns) if call.node == "test" else reviews} if call.schema else "x"

        run = loop.start(model=RecordingModel(answer))
        assert run.status == "finished"
        assert loop.certificate.visits is not None
        assert len(run.visits) <= loop.certificate.visits < loop.certificate.limit


# --- deer-flow#55, langmanus#61: the limit is reached, and all work is lost ---

KEEP = """\
def keep(draft, score, best, best_score):
    better = score > best_score
    return {"best": draft if better else best, "best_score": max(score, best_score), "notes": f"{draft}: {score}"}


def enough(best_score):
    return "enough" if best_score >= 9 else "more"
"""
RATED_FILE = """\
kind: graph
name: the best so far
channels:
  draft: str
  notes: {type: "list[str]", reduce: append}
  score: float
  best: {type: str, default: ""}
  best_score: {type: float, default: 0}
nodes:
  work: {type: think, prompt: "Work. <{notes}>", writes: draft}
  rate: {type: judge, prompt: "1 to 10: <{draft}>", score: [1, 10], writes: score}
  keep: {type: act, call: "best.py:keep", writes: [best, best_score, notes]}
  enough: {type: route, call: "best.py:enough", outcomes: [enough, more]}
edges:
  - work -> rate
  - rate -> keep
  - keep -> enough
  - enough [enough] -> end good
  - enough [more] -> work, at most 4 rounds, then fail max_rounds
result: best
"""


@pytest.fixture
def rated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("best.py").write_text(KEEP)
    Path("best.yaml").write_text(RATED_FILE)
    scores = [3, 7, 5, 6, 4, 2, 8, 1]
    lines = [f"work: [{', '.join(f'd{index}' for index in range(1, 9))}]", f"rate: {[{'score': s} for s in scores]}"]
    Path("s.yaml").write_text("\n".join(lines).replace("'", "") + "\n")
    return tmp_path


def test_deer_flow_55_the_best_so_far_comes_back_and_more_goes_on_from_round_6(
    rated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "best.yaml", "--script", "s.yaml"]) == 1
    with Store("sqlite:.loopwright/runs.db") as store:
        (found,) = store.registry.all()
        result = store.registry.result(found.id)
    assert (found.status, found.end, found.ok, result) == ("finished", "max_rounds", False, "d2")
    capsys.readouterr()
    assert main(["resume", found.id, "--bound", "rounds", "+3"]) == 2
    assert f"loopwright resume {found.id} --loop FILE" in capsys.readouterr().err
    assert main(["resume", found.id, "--bound", "rounds", "+3", "--loop", "best.yaml"]) == 1
    run = open_run("sqlite:.loopwright/runs.db", found.id)
    work = [visit.reply for visit in run.visits if visit.node == "work"]
    assert work == ["d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8"]
    assert (run.result, run.reason) == ("d7", "bound 'rounds' used up: led back to 'work' 7 of 7 times")
    capsys.readouterr()
    assert main(["show", found.id]) == 0
    assert re.search(r"^more rounds +3, before visit 20$", capsys.readouterr().out, re.MULTILINE)


def test_langmanus_61_the_rounds_of_a_role_cycle_go_on_at_6(drive: Any) -> None:
    loop = RoleCycle(task="T", rounds=Rounds(max=5), roles={"solver": {}, "boss": {}})
    script = {"solver": [f"answer {index}" for index in range(1, 9)], "boss": ["Go on."] * 8}
    run = drive.start(loop, model=ScriptedModel(script))
    assert (run.end, run.result, len(run.visits)) == (LATE, "answer 5", 10)
    drive.resume(run, bounds={"rounds": 3})
    assert [visit.reply for visit in run.visits[10:]][::2] == ["answer 6", "answer 7", "answer 8"]
    assert (run.end, run.result) == (LATE, "answer 8")
    assert [entry["round"] for entry in run.state["transcript"]][10:12] == [6, 6]


KILLED = """\
import os, sys
from loopwright.graphs.run.opening import open_run
from loopwright.testing.scripts import RecordingModel

def answer(call):
    if len(model.calls) == int(sys.argv[3]):
        os.kill(os.getpid(), 9)
    return {"outcome": "revise", "reason": "no"} if call.schema else "work"

model = RecordingModel(answer)
open_run(sys.argv[1], sys.argv[2]).resume(model=model, bounds={"rounds": 2})
"""


@pytest.mark.parametrize("call", [1, 2, 3, 4])
def test_deer_flow_55_a_kill_keeps_what_was_given_and_gives_it_once(tmp_path: Path, call: int) -> None:
    url = f"sqlite:{tmp_path}/runs.db"
    run = graph(*FIVE).start(store=url, model=RecordingModel(worst))
    killed = subprocess.run([sys.executable, "-c", KILLED, url, run.id, str(call)], env={**os.environ}, check=False)
    assert killed.returncode == -9
    assert (run.status, len(run.visits)) == ("interrupted", 10 + call - 1)
    model = RecordingModel(worst)
    run.resume(model=model)
    assert (run.end, len(run.visits), len(model.calls)) == (LATE, 14, 4 - call + 1)
    assert [(given.bound, given.more, given.visits) for given in run.extensions] == [("rounds", 2, 10)]


# --- openai-agents-python#1055, #1284: the cap stands in the prompt only ---


SEVEN = ("work -> judge", "judge [pass] -> end good", "judge [revise] -> work, at most 7 tries, then fail max_rounds")


def test_openai_agents_1055_a_judge_that_ignores_its_prompt_for_ever_is_left(drive: Any) -> None:
    model = RecordingModel(worst)
    run = drive.start(graph(*SEVEN), model=model)
    assert (run.end, len(model.calls)) == (LATE, 16)


def test_openai_agents_1284_the_cap_is_not_sent_to_the_model() -> None:
    model = RecordingModel(worst)
    graph(*SEVEN).start(model=model)
    sent = " ".join(str(call.messages) + str(call.schema) for call in model.calls)
    assert re.search(r"\b7\b|tries|max_rounds", sent) is None


# --- adk-python#1376, #2988, #3672: the inner exit ends the outer sequence, or nothing ---

PUBLISH = """\
kind: graph
name: draft, discuss, publish
channels: {topic: {type: str, input: true}, draft: str, final: str, page: str}
nodes:
  draft: {type: think, prompt: "Draft <{topic}>.", writes: draft}
  discuss: {type: plan, plan: discuss.yaml, inputs: {task: draft}, writes: final}
  publish: {type: think, prompt: "Publish <{final}>.", writes: page}
edges:
  - draft -> discuss
  - discuss [stopped] -> publish
  - discuss [max_rounds] -> fail undecided
  - publish -> end published
result: page
"""
DISCUSS = """\
kind: role_cycle
rounds: {max: 3}
stop: {role: detractor, word: STOP}
roles:
  solver: {brief: "Solve <{task}>"}
  detractor: {brief: "Object, or say <{stop_word}> on a line of its own."}
"""


@pytest.fixture
def publish(tmp_path: Path) -> Loop[Any]:
    (tmp_path / "discuss.yaml").write_text(DISCUSS)
    (tmp_path / "publish.yaml").write_text(PUBLISH)
    return load(tmp_path / "publish.yaml")


def script(*detractor: str) -> ScriptedModel:
    return ScriptedModel({"draft": ["D"], "solver": ["S1", "S2", "S3"], "detractor": list(detractor), "publish": ["P"]})


def test_adk_1376_the_inner_stop_ends_the_inner_loop_alone_and_publish_runs(drive: Any, publish: Loop[Any]) -> None:
    run = drive.start(publish, {"topic": "wood"}, model=script("Too short.", "STOP"))
    assert_path(
        run,
        [
            "draft done -> discuss",
            "discuss done -> discuss/solver",
            "discuss/solver done -> discuss/detractor",
            "discuss/detractor continue -> discuss/solver",
            "discuss/solver done -> discuss/detractor",
            "discuss/detractor stop -> publish",
            "publish done -> published",
        ],
    )
    assert (run.end, run.result, run.state["final"]) == (End("published"), "P", "S2")


@pytest.mark.parametrize(
    "quoted", ['You said "STOP" too early.', "> STOP here", "STOP it, please.", "`STOP` is not said"]
)
def test_adk_2988_a_stop_word_in_quoted_text_does_not_stop(drive: Any, publish: Loop[Any], quoted: str) -> None:
    run = drive.start(publish, {"topic": "wood"}, model=script(quoted, quoted, "Still not good."))
    assert (run.end, len(run.visits)) == (End("undecided", ok=False), 1 + 1 + 6)


def test_adk_3672_an_exit_that_is_never_said_leads_on_by_the_bound(drive: Any, publish: Loop[Any]) -> None:
    run = drive.start(publish, {"topic": "wood"}, model=script("No.", "No.", "No."))
    assert run.end == End("undecided", ok=False)
    assert run.reason.startswith("bound 'discuss/rounds' used up: led back to 'discuss/solver' 2 of 2 times")
