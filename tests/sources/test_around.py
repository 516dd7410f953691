"""Files that name files and functions: their paths, their faults with the line of the right file, and circles."""

from pathlib import Path
from typing import Any

import pytest

import loopwright
from loopwright.errors import SourceError
from loopwright.sources.specs import load_spec, spec_from_data

INNER = """\
kind: graph
name: inner
channels: {text: {type: str, input: true}, out: str}
nodes:
  tidy: {type: act, call: "tools.py:tidy", writes: out}
  look: {type: judge, prompt: "Good? <{out}>", outcomes: [good, bad]}
edges:
  - tidy -> look
  - look [good] -> end good
  - look [bad] -> fail bad
result: out
"""
OUTER = """\
kind: graph
channels: {words: {type: str, input: true}, out: str}
nodes:
  inner:
    type: plan
    plan: sub/inner.yaml
    inputs: {text: words}
    writes: out
edges:
  - inner [good] -> end good
  - inner [bad] -> fail bad
result: out
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("sub").mkdir()
    Path("sub/tools.py").write_text("def tidy(text):\n    return ' '.join(text.split())\n")
    Path("sub/inner.yaml").write_text(INNER)
    Path("outer.yaml").write_text(OUTER)
    return tmp_path


def faults(name: str = "outer.yaml") -> list[str]:
    with pytest.raises(SourceError) as caught:
        load_spec(name)
    return str(caught.value).splitlines()


def test_a_file_in_a_file_runs_with_its_functions() -> None:
    loop = loopwright.load("outer.yaml")
    assert list(loop.check()) == []
    assert [ref.name for ref in loop.plan.code] == list(loop.code) == ["sub/tools.py:tidy"]
    run = loop.start({"words": " two  words"}, model=loopwright.ScriptedModel({"look": [{"outcome": "good"}]}))
    assert [(visit.node, visit.outcome) for visit in run.visits] == [("inner/tidy", "done"), ("inner/look", "good")]
    assert (run.end, run.result) == (loopwright.End("good"), "two words")


def test_the_inner_file_alone_names_its_function_from_itself() -> None:
    assert list(loopwright.load("sub/inner.yaml").code) == ["tools.py:tidy"]


def test_a_file_of_any_kind_in_every_place() -> None:
    Path("cycle.yaml").write_text("kind: role_cycle\nroles: {solver: {}, boss: {}}\nrounds: {max: 2}\n")
    Path("all.yaml").write_text("""\
kind: graph
channels: {task: {type: str, input: true}, tasks: {type: "list[str]", input: true}, answers: "list[str]", both: dict}
nodes:
  cycle: {type: plan, plan: cycle.yaml}
  each: {type: each, over: tasks, as: task, at_most: 3, do: {type: plan, plan: cycle.yaml}, collect: answers}
  both: {type: parallel, bodies: {a: {type: plan, plan: cycle.yaml}}}
edges:
  - cycle [stopped] -> each
  - cycle [max_rounds] -> each
  - each [done] -> both
  - each [failed] -> both
  - both [done] -> end finished
  - both [failed] -> fail undone
""")
    loop = loopwright.load("all.yaml")
    assert list(loop.check()) == []
    assert loop.certificate.calls == 4 + 3 * 4 + 4


def test_faults_stand_in_the_inner_file_with_its_lines() -> None:
    Path("sub/inner.yaml").write_text(INNER.replace("prompt:", "promt:").replace("fail bad", "nowhere"))
    Path("outer.yaml").write_text(OUTER.replace("fail bad", "nobody"))
    assert [fault.partition(" (")[0] for fault in faults()] == [
        "outer.yaml:11: edges.1: 'inner' [bad] leads to 'nobody', which is neither a node nor an end",
        "sub/inner.yaml:6: nodes.look.prompt: the key 'prompt' is missing",
        "sub/inner.yaml:6: nodes.look.promt: the key 'promt' is not known here",
    ]


def test_a_function_that_is_not_there_is_told_in_its_file() -> None:
    Path("sub/inner.yaml").write_text(INNER.replace("tools.py:tidy", "tools.py:tidi"))
    assert faults() == [
        "sub/inner.yaml:5: nodes.tidy.call: sub/tools.py has no 'tidi' (did you mean 'tidy'? there is only tidy)"
    ]


def test_findings_stand_in_the_inner_file_with_its_lines() -> None:
    Path("sub/inner.yaml").write_text(INNER.replace("Good? <{out}>", "Good? <{draft}>"))
    findings = list(loopwright.load("outer.yaml").check())
    assert [(finding.code, finding.file, finding.line) for finding in findings] == [
        ("unknown-placeholder", "sub/inner.yaml", 6)
    ]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("sub/iner.yaml", "sub/iner.yaml: there is no such file (did you mean 'inner.yaml'? there is only inner.yaml)"),
        ("sub", "sub: this is a folder, not a file (there is only inner.yaml)"),
        ("x" * 300, f"{'x' * 300}: cannot be read: File name too long"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_where_it_is_named(name: str, told: str) -> None:
    Path("outer.yaml").write_text(OUTER.replace("sub/inner.yaml", name))
    assert faults() == [f"outer.yaml:6: nodes.inner.plan: {told}"]


def test_a_circle_of_files_is_told_with_its_path() -> None:
    Path("sub/inner.yaml").write_text(OUTER.replace("sub/inner.yaml", "../outer.yaml"))
    assert faults() == [
        "sub/inner.yaml:6: nodes.inner.plan: the files name each other in a circle: "
        "outer.yaml -> sub/inner.yaml -> outer.yaml (a plan cannot hold itself)"
    ]
    Path("outer.yaml").write_text(OUTER.replace("sub/inner.yaml", "outer.yaml"))
    assert faults() == [
        "outer.yaml:6: nodes.inner.plan: the files name each other in a circle: outer.yaml -> outer.yaml"
        " (a plan cannot hold itself)"
    ]


def test_files_are_named_in_files_only() -> None:
    data: Any = {"nodes": {"a": {"type": "plan", "plan": "sub/inner.yaml"}}}
    with pytest.raises(SourceError, match=r"nodes\.a\.plan: only a file names other files"):
        spec_from_data(data, "graph")


@pytest.mark.parametrize(
    ("inner", "told"),
    [
        ("result: out\n", "the plan names no result (say result: there, or leave writes out here)"),
        (
            None,
            "the plan's result is its input 'text', which is 'words' here"
            " (have the plan write its result to a channel that is no input, or leave writes out)",
        ),
    ],
)
def test_a_result_that_would_get_lost_is_told(inner: str | None, told: str) -> None:
    text = INNER.replace(inner, "") if inner else INNER.replace("result: out", "result: text")
    Path("sub/inner.yaml").write_text(text)
    assert faults() == [f"outer.yaml:8: nodes.inner.writes: {told}"]
