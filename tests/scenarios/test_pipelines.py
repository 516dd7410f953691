"""AG-1, AG-2, AG-7 to AG-9, AG-13, AG-14 and AG-17: pipelines with exact messages, driven in both ways."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import loopwright as lw
from loopwright.testing import RecordingModel, assert_path, break_at_every_write


def model(**said: list[Any]) -> RecordingModel:
    """Nodes say what is given, in order; a node without lines says its name."""
    lines = {name.replace("__", "/"): iter(each) for name, each in said.items()}
    return RecordingModel(lambda call: next(lines[call.node]) if call.node in lines else f"said by {call.node}")


def nothing(text: str) -> str:
    """A step whose result is empty; a model whose answer is empty is asked again."""
    del text
    return ""


def contents(answers: RecordingModel, node: str) -> list[list[str]]:
    return [[message["content"] for message in prompt] for prompt in answers.prompts(node)]


def test_ag_1_a_static_pipeline(drive: Any) -> None:
    answers = model(planner=["Add them."], solver=["4"])
    planner = lw.StaticAgent("planner", "Plan: <{question}>")
    solver = lw.StaticAgent("solver", system="You solve.")
    loop = lw.Pipeline([planner, {"do": solver, "carry": "all"}], model=answers)
    run = drive.start(loop, {"question": "2 + 2?"})
    assert (run.result, run.end, answers.asked) == ("4", lw.End("finished"), ["planner", "solver"])
    assert contents(answers, "planner") == [["Plan: 2 + 2?"]]
    assert contents(answers, "solver") == [["You solve.", "question:\n2 + 2?\n\nplanner:\nAdd them."]]


def test_ag_1_the_same_by_hand_as_in_the_issue() -> None:
    question = "2 + 2?"
    planner = lw.StaticAgent("planner", model=model(planner=["Add them."]))
    solver = lw.StaticAgent("solver", model=(answers := model(solver=["4"])))
    plan = planner.process(question)
    assert solver.process(plan + question) == "4"
    assert contents(answers, "solver") == [["Add them.2 + 2?"]]


def test_ag_1_two_hundred_calls_all_answer() -> None:
    """AG-D7: in the original every hundred-and-first static call returned None."""
    answers = model()
    agent = lw.StaticAgent("echo", "<{question}>", model=answers)
    assert {agent.process(str(number)) for number in range(100)} == {"said by echo"}

    async def ask() -> list[str]:
        return [await agent.aprocess(str(number)) for number in range(100, 200)]

    assert set(asyncio.run(ask())) == {"said by echo"}
    assert contents(answers, "echo") == [[str(number)] for number in range(200)]


FILE = """
kind: pipeline
name: plan, discuss, check
steps:
  - agent: {name: planner, prompt: "Plan: <{question}>"}
  - conversation:
      agents: [{name: assistant, prompt: "Say <{stop_word}>."}, {name: user}]
      max_messages: 6
      stop: {word: DONE, match: contains}
    name: talk
    carry: all
  - agent: {name: checker, prompt: "Check: <{carried}>"}
"""


@pytest.mark.parametrize("given", ["file", "python"])
def test_ag_2_static_and_interactive(drive: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    lines = {
        "planner": ["the plan"],
        "talk/assistant": ["step?", "ans DONE"],
        "talk/user": ["step!"],
        "checker": ["ok"],
    }
    answers = RecordingModel(lw.ScriptedModel(lines))
    if given == "file":
        Path(tmp_path / "p.yaml").write_text(FILE)
        loop: Any = lw.load(tmp_path / "p.yaml")
    else:
        assistant, user = lw.InteractiveAgent("assistant", "Say <{stop_word}>."), lw.InteractiveAgent("user")
        talk = user.talk(assistant, stop={"word": "DONE", "match": "contains"}, max_messages=6)
        checker = lw.StaticAgent("checker", "Check: <{carried}>")
        steps = [lw.StaticAgent("planner", "Plan: <{question}>"), {"do": talk, "name": "talk", "carry": "all"}, checker]
        loop = lw.Pipeline(steps)
    run = drive.start(loop, {"question": "q"}, model=answers)
    assert answers.asked == ["planner", "talk/assistant", "talk/user", "talk/assistant", "checker"]
    assert contents(answers, "checker") == [["Check: ans"]]
    assert (run.result, run.usage.calls) == ("ok", 5)
    assert loop.certificate.calls == 7


def test_ag_7_carry_over_is_chosen_and_made_anew(drive: Any) -> None:
    """AG-D10: in the original a second run of the same queue carried all of the first."""
    steps: list[Any] = [
        {"agent": {"name": "one", "prompt": "m1 <{question}>"}},
        {"agent": {"name": "two", "prompt": "m2\n<{carried}>"}},
        {"agent": {"name": "three", "prompt": "m3\n<{carried}>"}, "carry": ["two"]},
        {"agent": {"name": "four", "prompt": "<{one}>, <{carried}>"}, "carry": ["question", "one", "three"]},
    ]
    loop = lw.Pipeline(steps)
    for _ in range(2):
        answers = model(one=["14+1"], two=["sumY"], three=["Z"])
        run = drive.start(loop, {"question": "q"}, model=answers)
        assert contents(answers, "two") == [["m2\n14+1"]]
        assert contents(answers, "three") == [["m3\nsumY"]]
        assert contents(answers, "four") == [["14+1, question:\nq\n\none:\n14+1\n\nthree:\nZ"]]
        assert run.result == "said by four"


def test_ag_7_an_empty_result_adds_nothing(drive: Any) -> None:
    """AG-D10: in the original a chat without a summary added an empty line to the context."""
    three = {"do": lw.StaticAgent("three", "m3:<{carried}>"), "carry": ["one", "two"]}
    four = {"do": lw.StaticAgent("four", "m4:<{carried}>"), "carry": ["one"]}
    steps = [lw.StaticAgent("one", do=nothing), lw.StaticAgent("two"), three, four]
    answers = model(two=["y"], three=["z"])
    drive.start(lw.Pipeline(steps, question="q"), model=answers)
    assert (contents(answers, "three"), contents(answers, "four")) == ([["m3:y"]], [["m4:"]])


def test_ag_7_a_summary_is_carried(drive: Any) -> None:
    steps: list[Any] = [{"agent": {"name": "one"}}, {"agent": {"name": "two"}}]
    steps.append({"agent": {"name": "three", "prompt": "m3: <{carried}>"}, "carry": "summary"})
    answers = RecordingModel(lw.ScriptedModel({"one": ["x"], "two": ["y"], "three is handed": ["x+y"], "three": ["z"]}))
    run = drive.start(lw.Pipeline(steps, question="q"), model=answers)
    assert (contents(answers, "three"), run.result) == ([["m3: x+y"]], "z")
    assert contents(answers, "three is handed")[0][1] == "question:\nq\n\none:\nx\n\ntwo:\ny"


def test_ag_7_a_step_that_fails_keeps_what_was_done(drive: Any) -> None:
    lines = {"one": ["x"], "two": [{"error": "no connection"}, "y"]}
    loop = lw.Pipeline([{"agent": {"name": "one"}}, {"agent": {"name": "two"}}], question="q")
    run = drive.start(loop, model=lw.ScriptedModel(lines))
    assert (run.status, run.state["one"]) == ("suspended", "x")
    drive.resume(run)
    assert_path(run, ["one done -> two", "two done -> finished"])


def test_ag_8_what_is_needed_comes_first_and_side_by_side(drive: Any) -> None:
    steps: list[Any] = [
        {"agent": {"name": "x", "prompt": "x <{question}>"}, "needs": []},
        {"agent": {"name": "y", "prompt": "y <{question}>"}, "needs": []},
        {"agent": {"name": "z", "prompt": "<{carried}>|<{x}>"}, "needs": ["x", "y"]},
    ]
    lines = {"x + y[x]/x": ["X0"], "x + y[y]/y": ["Y0"], "z": ["Z0"]}
    answers = RecordingModel(lw.ScriptedModel(lines))
    loop = lw.Pipeline(steps, question="q")
    run = drive.start(loop, model=answers)
    assert contents(answers, "z") == [["x:\nX0\n\ny:\nY0|X0"]]
    assert (run.result, set(answers.asked[:2]), answers.asked[2:]) == (
        "Z0",
        {"x + y[x]/x", "x + y[y]/y"},
        ["z"],
    )


def test_ag_8_a_circle_is_told_when_it_is_loaded() -> None:
    """AG-D11: in the original a circle of prerequisites returned nothing, silently."""
    steps: list[Any] = [
        {"agent": {"name": "x"}, "needs": ["z"]},
        {"agent": {"name": "y"}, "needs": ["x"]},
        {"agent": {"name": "z"}, "needs": ["y"]},
    ]
    with pytest.raises(lw.SourceError, match="steps need each other in a circle: 'x' needs 'z' needs 'y' needs 'x'"):
        lw.Pipeline(steps)


def test_ag_9_a_pipeline_speaks_for_an_agent(drive: Any) -> None:
    """The writer's own model is not asked: research and critic speak for it."""
    research = {"agent": {"name": "research", "prompt": "<{question}>"}}
    critic = {"agent": {"name": "critic", "prompt": "criticise\n<{carried}>"}}
    inner = {"kind": "pipeline", "steps": [research, critic]}
    lines = {"writer/research": ["facts"], "writer/critic": ["bad"], "user": ["Thanks.\nTERMINATE"]}
    answers = RecordingModel(lw.ScriptedModel(lines))
    loop = lw.Conversation([{"name": "writer", "plan": inner}, {"name": "user"}], task="write X")
    run = drive.start(loop, model=answers)
    assert answers.asked == ["writer/research", "writer/critic", "user"]
    assert contents(answers, "writer/research") == [["write X"]]
    assert contents(answers, "writer/critic") == [["criticise\nfacts"]]
    assert [each["text"] for each in run.state["transcript"]] == ["bad", "Thanks.\nTERMINATE"]


LOOP: list[Any] = [
    {"agent": {"name": "A"}},
    {"judge": {"name": "B", "prompt": "<{carried}>", "verdict": {"loop": "A", "APPROVE": "next"}, "at_most": 3}},
    {"agent": {"name": "C"}},
]


def looped(*verdicts: str) -> dict[str, list[Any]]:
    return {"A": ["a"] * 4, "B": [{"outcome": each, "reason": each} for each in verdicts], "C": ["c"]}


def test_ag_13_a_verdict_leads_back_and_on(drive: Any) -> None:
    run = drive.start(lw.Pipeline(LOOP, question="q"), model=lw.ScriptedModel(looped("loop", "loop", "APPROVE")))
    path = ["A done", "B loop", "A done", "B loop", "A done", "B APPROVE -> C", "C done -> finished"]
    assert_path(run, path)


def test_ag_13_the_way_back_is_bounded(drive: Any) -> None:
    loop = lw.Pipeline(LOOP, question="q")
    run = drive.start(loop, model=lw.ScriptedModel(looped(*["loop"] * 4)))
    assert (run.end, run.usage.calls, loop.certificate.calls) == (lw.End("given_up", ok=False), 8, 9)


def test_ag_14_it_goes_on_in_the_middle_of_a_circle(drive: Any, tmp_path: Path) -> None:
    """AG-D16: the original stopped early after a reload."""
    lines = looped("loop", "APPROVE")
    lines["B"].insert(1, {"error": "no connection"})
    url = f"sqlite:{tmp_path / 'runs.db'}"
    run = drive.start(lw.Pipeline(LOOP, question="q"), model=lw.ScriptedModel(lines), store=url)
    assert run.status == "suspended"
    again = drive.resume(lw.open_run(url, run.id))
    assert_path(again, ["A done", "B loop", "A done", "B APPROVE", "C done"])


def test_ag_14_a_new_process_goes_on_with_the_next_step(tmp_path: Path) -> None:
    """AG-D16: nothing of the first process is left but the store; the step after the break is the next one."""
    file, script = tmp_path / "loop.json", tmp_path / "script.json"
    file.write_text(json.dumps({"kind": "pipeline", "question": "q", "steps": LOOP}))
    first = {"A": ["a"], "B": [{"error": "no connection"}]}
    later = {"A": ["a"], "B": [{"outcome": each, "reason": each} for each in ("loop", "APPROVE")], "C": ["c"]}

    def command(*words: str) -> Any:
        store = ["--store", f"sqlite:{tmp_path / 'runs.db'}", "--script", str(script), "--json"]
        line = [sys.executable, "-m", "loopwright", *words, *store]
        return json.loads(subprocess.run(line, capture_output=True, text=True, check=False).stdout)

    script.write_text(json.dumps(first))
    begun = command("run", str(file))
    assert begun["status"] == "suspended"
    script.write_text(json.dumps(later))
    ended = command("resume", begun["id"])
    assert (ended["status"], ended["result"]) == ("finished", "c")
    run = lw.open_run(f"sqlite:{tmp_path / 'runs.db'}", begun["id"])
    assert_path(run, ["A done", "B loop", "A done", "B APPROVE", "C done"])


def test_ag_17_an_error_is_no_end(drive: Any) -> None:
    run = drive.start(
        lw.Pipeline([{"agent": {"name": "A"}}, {"agent": {"name": "B"}}], question="q"),
        model=lw.ScriptedModel({"A": ["a"], "B": [{"error": "down"}]}),
    )
    assert (run.status, run.end, run.state["A"]) == ("suspended", None, "a")


def test_an_interactive_agent_is_no_step() -> None:
    ann = lw.InteractiveAgent("ann")
    with pytest.raises(lw.SourceError) as caught:
        lw.Pipeline([lw.StaticAgent("planner"), ann])
    (fault,) = caught.value.faults
    assert (fault.key, fault.message) == ("steps.1", "'ann' is an interactive agent, and a step only processes")
    assert "ann.static() processes once" in fault.hint
    assert lw.Pipeline([lw.StaticAgent("planner"), ann.static()]).certificate.calls == 2


def test_it_is_broken_at_every_write() -> None:
    """Killed between steps, each call is made once; killed in a call, that one twice and no other."""
    steps: list[Any] = [
        {"agent": {"name": "x", "prompt": "x <{question}>"}, "needs": []},
        {"agent": {"name": "y", "prompt": "y <{question}>"}, "needs": []},
        {"agent": {"name": "z", "prompt": "<{carried}>"}, "needs": ["x", "y"]},
        {"agent": {"name": "end"}, "needs": ["z"]},
    ]
    loop = lw.Pipeline(steps, question="q")
    broken = break_at_every_write(loop, model=lambda call: f"by {call.node}")
    assert (broken.calls, broken.breaks) == (4, 2 * broken.writes)
    assert broken.most <= 2
