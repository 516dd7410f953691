"""A document that something was done to is read, or refused with its faults; nothing else ever comes out."""

import copy
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.documents.yaml_text import read_yaml
from loopwright.errors import Fault, SourceError
from loopwright.sources.specs import load_spec, spec_from_data

TEXT = """\
kind: graph
name: everything
channels:
  topic: {type: str, input: true}
  options: {type: 'list[str]', default: []}
  ratings: {type: list, reduce: extend}
  notes: {type: 'list[str]', reduce: append}
  draft: str
nodes:
  write: {type: think, prompt: 'About <{topic}>', writes: draft, model: strong}
  review: {type: judge, prompt: 'Good? <{draft}>', outcomes: [pass, revise], writes: notes}
  ask: {type: human, text: 'Publish?', outcomes: ['yes', 'no'], default: 'no'}
  rate: {type: each, over: options, as: one, do: {type: judge, prompt: '<{one}>', score: [1, 10]}, collect: ratings}
  both: {type: parallel, bodies: {a: {type: think, prompt: A}, b: {type: wait, text: B}}, collect: draft}
  inner: {type: plan, plan: {kind: graph, nodes: {a: {type: think, prompt: x}}, edges: [a -> end said]}}
edges:
  - write -> review
  - review [pass] -> ask
  - review [revise] -> write, at most 3 rounds, then fail max_rounds
  - review [failed] -> write, bound rounds
  - {from: ask, on: 'yes', to: rate}
  - {from: ask, on: 'no', to: write, at_most: 2, bound: refusals, then: end refused}
  - rate -> both
  - both -> inner
  - inner [said] -> end finished
models: {strong: {model: gpt-4o, timeout: 60}}
start: write
result: draft
"""
DATA: Any = read_yaml(TEXT).data

scalars = st.sampled_from(
    [None, True, 0, -1, 3, 1.5, "", "write", "review", "end", "judge", "code", "a -> b", "x [y] -> end z", "list[str]"]
)
values = scalars | st.sampled_from(
    [[], {}, ["a"], {"type": "think"}, {"type": "str"}, {"kind": "graph"}, [[1]], 10**30]
)
words = st.sampled_from(["type", "kind", "nodes", "plan", "writes", "then", "x", "", "a b"])


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all entries."""
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [(*path, key) for key, _ in entries] + [
        place for key, item in entries for place in places(item, (*path, key))
    ]


@st.composite
def mutated(draw: Callable[[Any], Any]) -> Any:
    """The document with a few entries replaced, removed, renamed or added."""
    data = copy.deepcopy(DATA)
    for _ in range(draw(st.integers(1, 3))):
        *around, key = draw(st.sampled_from(places(data)))
        owner = data
        for part in around:
            owner = owner[part]
        deed = draw(st.sampled_from(["replace", "remove", "rename", "add"]))
        if deed == "replace":
            owner[key] = copy.deepcopy(draw(values))
        elif deed == "remove":
            del owner[key]
        elif isinstance(owner, list):
            owner.append(copy.deepcopy(draw(values)))
        else:
            owner[draw(words)] = owner.pop(key) if deed == "rename" else copy.deepcopy(draw(values))
    return data


def faults_of(file: Path) -> list[Fault]:
    """The faults of a file; none where it can be read, and then it makes a plan."""
    try:
        spec = load_spec(file).spec
    except SourceError as error:
        return list(error.faults)
    assert spec.plan().start
    return []


def read_or_refuse(text: str, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"x{suffix}")
        file.write_text(text, encoding="utf-8")
        found = faults_of(file)
    assert {fault.file for fault in found} <= {str(file)}
    lines = [fault.line for fault in found]
    assert lines == sorted(lines)
    assert 0 not in lines


def test_the_document_itself_is_sound() -> None:
    plan = spec_from_data(DATA).plan()
    assert list(plan.nodes) == ["write", "review", "ask", "rate", "both", "inner/a"]
    assert list(plan.bounds) == ["rounds", "refusals"]


@settings(max_examples=100, deadline=None)
@given(mutated())
def test_mutated_data_is_read_or_refused(data: Any) -> None:
    read_or_refuse(json.dumps(data, indent=1), ".json")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_mutated_text_is_read_or_refused(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(TEXT)))
    length = data.draw(st.integers(0, 8))
    put = data.draw(st.text("\t\n :,-[]{}\"'&*!|>#%@\\\0é<a1", max_size=6))
    read_or_refuse(TEXT[:start] + put + TEXT[start + length :], ".yaml")
