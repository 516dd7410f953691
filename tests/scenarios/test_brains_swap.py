"""Any brain stands where another stands: one word, or one class, and the graph around it stays."""

from pathlib import Path
from typing import Any

import pytest

import loopwright as lw
from loopwright.nodes.contract import FAILURES
from loopwright.nodes.models.contract import ModelCall
from loopwright.state.values import Json
from loopwright.testing import RecordingModel, path_of

TECHNIQUES = {
    "zero_shot": lw.ZeroShot,
    "single_eval": lw.SingleEval,
    "multi_eval": lw.MultiEval,
    "tree_of_thought": lw.TreeOfThought,
}
CALLS = {"zero_shot": 1, "single_eval": 2, "multi_eval": 4, "tree_of_thought": 4 + 2 * 4}

GRAPH = """
kind: graph
name: titles
channels: {{topic: {{type: str, input: true}}, title: str, text: str}}
nodes:
  think: {{type: {technique}, n: 3, breadth: 2, {threshold}prompt: "A title for <{{topic}}>", writes: title}}
  write: {{type: think, prompt: "A text for <{{title}}>", writes: text}}
  excuse: {{type: think, prompt: "Say sorry.", writes: text}}
edges:
  - think [done] -> write
  - think [none] -> excuse
{failures}
  - write -> end written
  - excuse -> fail sorry
result: text
"""


def answering(rating: float = 8) -> RecordingModel:
    def reply(call: ModelCall) -> Json:
        asked: Any = (call.schema or {}).get("properties", {})
        if not asked:
            return f"text by {call.node}"
        if "options" in asked:
            return {"options": ["one", "two", "three"]}
        return {"choice": 2} if "choice" in asked else {"rating": rating}

    return RecordingModel(reply)


def written(folder: Path, technique: str, threshold: str = "", *, failures: bool = True) -> Path:
    edges = "\n".join(f"  - think [{name}] -> fail broken" for name in FAILURES) if failures else ""
    file = folder / f"{technique}.yaml"
    file.write_text(GRAPH.format(technique=technique, threshold=threshold, failures=edges))
    return file


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("threshold", ["", "threshold: 7, "])
def test_one_word_in_a_file_changes_the_technique(tmp_path: Path, technique: str, threshold: str) -> None:
    loop = lw.load(written(tmp_path, technique, threshold))
    assert not loop.check()
    model = answering()
    run = loop.start({"topic": "bridges"}, model=model)
    assert (run.end, run.result) == (lw.End("written"), "text by write")
    assert len(model.calls) == CALLS[technique] + 1 == loop.certificate.calls


@pytest.mark.parametrize("technique", ["multi_eval", "tree_of_thought"])
def test_only_a_brain_that_can_come_to_none_needs_an_edge_for_it(tmp_path: Path, technique: str) -> None:
    loop = lw.load(written(tmp_path, technique, "threshold: 9, "))
    run = loop.start({"topic": "bridges"}, model=answering(8))
    assert (run.end, run.result) == (lw.End("sorry", ok=False), "text by excuse")
    file = written(tmp_path, technique, "threshold: 9, ")
    file.write_text(file.read_text().replace("  - think [none] -> excuse\n", "").replace("excuse", "other"))
    (found,) = [each for each in lw.load(file).check() if each.code == "missing-edge"]
    assert found.message == "'think' [none] leads nowhere"
    assert found.hint == "add an edge from 'think' for 'none'"


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_an_edge_without_an_outcome_is_that_of_done(tmp_path: Path, technique: str) -> None:
    file = written(tmp_path, technique, "threshold: 7, ")
    file.write_text(file.read_text().replace("think [done] ->", "think ->"))
    assert lw.load(file).start({"topic": "bridges"}, model=answering()).end == lw.End("written")


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("awaited", [False, True])
async def test_one_class_in_python_changes_the_technique(technique: str, awaited: bool) -> None:
    plan = lw.PlanBuilder("titles", [lw.Channel("topic", input=True), lw.Channel("title", str)], result="title")
    plan.node(TECHNIQUES[technique](prompt="A title for <{topic}>", breadth=2), name="think", writes="title")
    plan.edge("think", "done", lw.End("thought")).edge("think", "none", lw.End("nothing", ok=False))
    model = answering()
    loop = plan.loop(model=model)
    run = await loop.astart({"topic": "bridges"}) if awaited else loop.start({"topic": "bridges"})
    assert (run.end, len(model.calls)) == (lw.End("thought"), CALLS[technique])


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_a_brain_is_the_body_of_a_fork(technique: str) -> None:
    channels = [lw.Channel("topics", list[str], input=True), lw.Channel("titles", list[str])]
    plan = lw.PlanBuilder("many", channels, result="titles")
    body = TECHNIQUES[technique](prompt="A title for <{topic}>", breadth=2)
    plan.each("think", over="topics", as_="topic", do=body, collect="titles", at_most=2)
    plan.edge("think", "done", lw.End("thought")).edge("think", "failed", lw.End("nothing", ok=False))
    loop = plan.loop()
    assert not loop.check()
    model = answering()
    run = loop.start({"topics": ["bridges", "boats"]}, model=model)
    assert (run.end, len(run.result)) == (lw.End("thought"), 2)
    assert len(model.calls) == 2 * CALLS[technique] == loop.certificate.calls


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_a_brain_in_a_loop_begins_afresh_each_time(technique: str) -> None:
    plan = lw.PlanBuilder("again", [lw.Channel("title", str)], result="title")
    plan.node(TECHNIQUES[technique](prompt="A title.", breadth=2), name="think", writes="title")
    plan.node(lw.Judge("look", prompt="<{title}>?", outcomes=["good", "bad"]))
    plan.edge("think", "done", "look").edge("think", "none", lw.End("nothing", ok=False))
    plan.edge("look", "good", lw.End("good")).edge("look", "bad", "think", at_most=2, then=lw.End("bad", ok=False))
    loop = plan.loop()
    model = answering()
    judging = RecordingModel(lambda call: {"outcome": "bad"} if call.node == "look" else model.ask(call))
    run = loop.start(model=judging)
    assert run.end == lw.End("bad", ok=False)
    assert len(judging.calls) == 3 * (CALLS[technique] + 1) == loop.certificate.calls
    assert loop.certificate.exact


def failing_at(node: str) -> RecordingModel:
    good = answering()

    def reply(call: ModelCall) -> Any:
        if call.node == node:
            raise lw.ModelError("m: 500", retryable=False)
        return good.ask(call)

    return RecordingModel(reply)


FAILING = [
    ("zero_shot", "think/decide"),
    ("single_eval", "think/generate"),
    ("single_eval", "think/choose"),
    ("multi_eval", "think/generate"),
    ("multi_eval", "think/rate[1]/judge"),
    ("tree_of_thought", "think/expand 2[1]/expand"),
    ("tree_of_thought", "think/rate 2[3]/judge"),
]


@pytest.mark.parametrize(("technique", "node"), FAILING)
def test_a_failure_anywhere_inside_takes_the_edge(tmp_path: Path, technique: str, node: str) -> None:
    loop = lw.load(written(tmp_path, technique))
    run = loop.start({"topic": "bridges"}, model=failing_at(node))
    assert run.end == lw.End("broken", ok=False), path_of(run)


@pytest.mark.parametrize(("technique", "node"), FAILING)
def test_without_an_edge_it_suspends_there_and_nothing_else_is_asked_again(
    tmp_path: Path, technique: str, node: str
) -> None:
    loop = lw.load(written(tmp_path, technique, failures=False))
    model = failing_at(node)
    run = loop.start({"topic": "bridges"}, model=model)
    assert (run.status, run.row.at) == ("suspended", (node,))
    more = answering()
    assert run.resume(model=more).end == lw.End("written")
    assert len(model.calls) - 1 + len(more.calls) == CALLS[technique] + 1
    assert node in more.asked


SCRIPT: dict[str, Any] = {
    "decide": ["one"],
    "generate": [{"options": ["one", "two"]}],
    "choose": [{"choice": 2, "reason": "shorter"}],
    "expand": [{"options": ["one", "two"]}],
    "judge": [{"rating": 8, "reason": "clear"}],
    "write": ["a text"],
    "repeat": "last",
}


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_one_script_has_the_replies_for_every_technique(tmp_path: Path, technique: str) -> None:
    loop = lw.load(written(tmp_path, technique, "threshold: 7, "))
    assert loop.start({"topic": "bridges"}, model=lw.ScriptedModel(SCRIPT)).end == lw.End("written")


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_one_word_changes_a_file_as_it_is_loaded(tmp_path: Path, technique: str) -> None:
    file = tmp_path / "name.yaml"
    file.write_text("kind: brain\ntype: zero_shot\nprompt: A name for <{what}>.\n")
    loop = lw.load(file, type=technique)
    assert loop.plan.fingerprint == TECHNIQUES[technique](prompt="A name for <{what}>.").plan.fingerprint
