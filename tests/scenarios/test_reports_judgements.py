"""Judgement edges: what users of other engines reported, and what must happen here. Each test names its report."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.main import main
from loopwright.errors import PlanError, SourceError
from loopwright.graphs.plan import End
from loopwright.loop.load import load, loop_of
from loopwright.loop.loop import Loop
from loopwright.sources.specs import load_spec, spec_from_data
from loopwright.testing.scripts import RecordingModel

THINK = {"type": "think", "prompt": "x"}
JUDGE = {"type": "judge", "prompt": "x", "outcomes": ["pass", "revise"]}


def graph(*edges: str, nodes: dict[str, Any], channels: dict[str, Any] | None = None) -> Loop[Any]:
    """A graph as a file has it."""
    return loop_of(spec_from_data({"channels": channels or {}, "nodes": nodes, "edges": list(edges)}, "graph"))


# --- langgraphjs#2666: a join, and everything after it, is dropped when one parent was skipped ---

SPLIT = {
    "pick": {**JUDGE, "outcomes": ["left", "right"]},
    "left": {**THINK, "writes": "a"},
    "right": {**THINK, "writes": "b"},
    "join": {"type": "think", "prompt": "<{a}> <{b}>", "writes": "text"},
    "after": {"type": "think", "prompt": "<{text}>"},
}
SPLIT_EDGES = ("pick [left] -> left", "pick [right] -> right", "left -> join", "right -> join", "join -> after")
SPLIT_CHANNELS = {"a": "str", "b": "str", "text": "str"}


def test_langgraphjs_2666_a_choice_into_a_join_of_both_is_refused_with_the_way_that_shows_it() -> None:
    loop = graph(*SPLIT_EDGES, "after -> end done", nodes=SPLIT, channels=SPLIT_CHANNELS)
    model = RecordingModel(lambda call: "x")
    with pytest.raises(PlanError) as caught:
        loop.start(model=model)
    assert [(finding.code, finding.path) for finding in loop.check()] == [
        ("read-before-write", ("pick", "right", "join")),
        ("read-before-write", ("pick", "left", "join")),
    ]
    assert "path: pick -> right -> join" in str(caught.value)
    assert "'join' reads 'a' before anything is sure to be written to it" in str(caught.value)
    assert model.calls == []


@pytest.mark.parametrize("way", ["left", "right"])
def test_langgraphjs_2666_a_join_that_needs_one_runs_once_with_all_that_follows(drive: Any, way: str) -> None:
    channels = {name: {"type": "str", "default": "-"} for name in SPLIT_CHANNELS}
    loop = graph(*SPLIT_EDGES, "after -> end done", nodes=SPLIT, channels=channels)
    run = drive.start(loop, model=RecordingModel(lambda call: {"outcome": way} if call.schema else call.node))
    assert ([visit.node for visit in run.visits], run.end) == (["pick", way, "join", "after"], End("done"))


def test_langgraphjs_2666_all_branches_together_are_a_fork_and_joined_once(drive: Any) -> None:
    nodes = {
        "both": {"type": "parallel", "bodies": {"a": THINK, "b": THINK}},
        "join": {"type": "think", "prompt": "<{both}>"},
    }
    loop = graph("both -> join", "join -> end done", nodes=nodes, channels={"both": "dict[str, str]"})
    run = drive.start(loop, model=RecordingModel(lambda call: call.node))
    assert sorted(visit.node for visit in run.visits) == ["both", "both[a]/a", "both[b]/b", "join"]


# --- langgraph#6735, #8641, PR #8640: what compiles without a word ---

FOUR = {
    "an unreachable node": (("a -> end done", "b -> end done"), "unreachable-node", ("b",)),
    "a dead end": (("a -> b", "b -> c", "j [pass] -> end done", "j [revise] -> a"), "missing-edge", ("c",)),
    "a cycle without an exit": (("a -> b", "b -> a"), "unbounded-loop", ("a", "b")),
    "a trap beside the end": (("j [pass] -> end done", "j [revise] -> a", "a -> b", "b -> a"), "trap", ("a", "b")),
}


@pytest.mark.parametrize("graph_of", FOUR)
def test_langgraph_6735_each_of_the_four_graphs_has_its_own_finding(graph_of: str) -> None:
    edges, code, nodes = FOUR[graph_of]
    named = {word for edge in edges for word in edge.replace(" [pass]", "").replace(" [revise]", "").split(" -> ")}
    order = ["j", "a", "b", "c"] if edges[0].startswith("j") else ["a", "b", "c", "j"]
    known: dict[str, Any] = {name: JUDGE if name == "j" else THINK for name in order if name in named}
    loop = graph(*edges, nodes=known)
    findings = {str(finding.code): finding for finding in loop.check()}
    assert findings[code].severity == "error"
    assert set(nodes) <= set(findings[code].nodes)
    others = {other for each, (_, other, _) in FOUR.items() if each != graph_of}
    assert not ({code} & others)
    with pytest.raises(PlanError):
        loop.start(model=RecordingModel(lambda call: "x"))


def test_langgraph_8641_no_end_at_all_is_a_finding_of_its_own() -> None:
    assert "no-end" in {finding.code for finding in graph("a -> b", "b -> a", nodes={"a": THINK, "b": THINK}).check()}


def test_langgraph_8640_an_edge_to_a_node_that_is_not_there_is_a_fault_of_the_file() -> None:
    with pytest.raises(SourceError, match=r"edges\.0: 'a' \[done\] leads to 'b', which is neither a node nor an end"):
        graph("a -> b", nodes={"a": THINK})


# --- langgraph PR #5586 (#5572): an unknown goto is a line in a log and a normal end ---

VERDICTS = ("j [pass] -> end good", "j [revise] -> fail bad", "j [unreadable] -> fail unclear")
SHAPES: dict[str, Callable[[Any], Any]] = {"text": lambda word: word, "mapping": lambda word: {"outcome": word}}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("word", ["pass", "Pass.", " PASS ", "**pass**", "pass\n"])
def test_langgraph_5586_a_verdict_in_other_letters_is_the_verdict_and_says_how_it_was_read(
    drive: Any, word: str, shape: str
) -> None:
    model = RecordingModel(lambda call: SHAPES[shape](word))
    run = drive.start(graph(*VERDICTS, nodes={"j": JUDGE}), model=model)
    assert (run.end, run.usage.calls, run.usage.repairs) == (End("good"), 1, 0)
    to_the_letter = SHAPES[shape](word) == {"outcome": "pass"}
    assert (run.visits[0].note == "") is to_the_letter


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("word", ["passed", "", None, "banana", "pass or revise", "I would not say pass", 1, ["pass"]])
def test_langgraph_5586_any_other_word_is_unreadable_and_never_a_normal_end(drive: Any, word: Any, shape: str) -> None:
    model = RecordingModel(lambda call: SHAPES[shape](word))
    run = drive.start(graph(*VERDICTS, nodes={"j": JUDGE}), model=model)
    assert (run.end, run.visits[0].outcome) == (End("unclear", ok=False), "unreadable")
    assert (run.usage.calls, run.usage.repairs, len(model.calls)) == (1, 1, 2)


@pytest.mark.parametrize("word", ["passed", "", None, "banana"])
def test_langgraph_5572_without_an_edge_for_it_the_run_is_suspended_and_asks_again(drive: Any, word: Any) -> None:
    run = drive.start(graph(*VERDICTS[:2], nodes={"j": JUDGE}), model=RecordingModel(lambda call: word))
    assert (run.status, run.end, run.row.at, len(run.visits)) == ("suspended", None, ("j",), 0)
    drive.resume(run, model=RecordingModel(lambda call: "Pass."))
    assert run.end == End("good")


# --- hive#2886: a conditional edge without a condition always fires ---

HIVE = """\
kind: graph
nodes:
  work: {type: think, prompt: Work.}
  judge: {type: judge, prompt: "Good?", outcomes: [pass, revise]}
edges:
  - work -> judge
  - {from: judge, on: pass, to: end good}
  - {from: judge, on: revise, to: fail bad}
"""


WORDS = "failed, over_budget, pass, revise, unreadable"
KEYS = "there are: at_most, bound, from, on, then, to"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("when: pass", f"7: edges.1.when: the key 'when' is not known here (did you mean 'then'? {KEYS})"),
        ("when: ", f"7: edges.1.when: the key 'when' is not known here (did you mean 'then'? {KEYS})"),
        ("onn: pass", f"7: edges.1.onn: the key 'onn' is not known here (did you mean 'on'? {KEYS})"),
        ("on: ", "7: edges.1.on: expected a text, got nothing"),
        ("on: ''", "7: edges.1.on: must not be empty, got the text ''"),
        ("on: passed", f"7: edges.1: 'judge' has no outcome 'passed' (did you mean 'pass'? there are: {WORDS})"),
    ],
)
def test_hive_2886_a_condition_that_is_empty_or_misspelt_is_a_fault_with_its_line(
    tmp_path: Path, text: str, told: str
) -> None:
    file = tmp_path / "hive.yaml"
    file.write_text(HIVE.replace("on: pass", text))
    with pytest.raises(SourceError) as caught:
        load_spec(file)
    assert str(caught.value).replace(f"{file}:", "").splitlines()[0] == told


def test_hive_2886_an_edge_that_says_no_outcome_of_several_is_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "hive.yaml"
    file.write_text(HIVE.replace("on: pass, ", ""))
    with pytest.raises(SourceError, match=r":7: edges\.1: 'judge' has several outcomes, and the edge must say which"):
        load_spec(file)


def test_hive_2886_the_command_says_it_and_asks_no_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hive.yaml").write_text(HIVE.replace("on: pass", "when: "))
    assert main(["run", "hive.yaml", "--model", "gpt-4o-mini"]) == 2
    assert "hive.yaml:7: edges.1.when: the key 'when' is not known here" in capsys.readouterr().err
    Path("hive.yaml").write_text(HIVE)
    assert list(load("hive.yaml").check()) == []
