"""JSON Schema of the specs, held against documents."""

import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from loopwright.documents.yaml_text import read_yaml
from loopwright.errors import Fault, SourceError
from loopwright.graphs.forms.spec import FORMS
from loopwright.sources.schema import json_schema, keys_at, tags_at
from loopwright.sources.specs import load_spec
from loopwright.state.schema import fault_in_schema

ROOT = Path(__file__).parents[2]
ROLE_CYCLE = """\
kind: role_cycle
name: bridge
task: Name three risks of a wooden bridge and how to test for each.
rounds: {min: 1, max: 4}
stop: {role: boss, word: Fluggaenkoechiebolsen, match: word}
review: after_stop
models:
  default: {model: gpt-4o-mini, api_key_env: OPENAI_API_KEY, temperature: 0.7, timeout: 60, retries: 3}
roles:
  solver: {model: default}
  detractor: {sees: latest}
  master: {}
  boss: {}
order: [solver, detractor, master, boss]
"""
EVERYTHING = """\
kind: graph
channels:
  topic: {type: str, input: true, default: bridges}
  options: {type: list, items: {type: string}}
  ratings: {type: {type: array, items: {type: number}}, reduce: extend}
nodes:
  write: {type: think, prompt: Write, writes: [draft, topic], output: {draft: str, topic: str}, model: strong}
  rate:
    type: each
    over: options
    as: option
    do: {type: judge, prompt: "<{option}>", score: [1, 10]}
    collect: ratings
    at_most: 5
  both: {type: parallel, bodies: {a: {type: human, text: Well}, b: {type: wait, text: Now, reply: {type: number}}}}
  inner: {type: plan, plan: {kind: graph, nodes: {a: {type: think, prompt: x}}}, inputs: {a: topic}, writes: draft}
edges:
  - write -> rate
  - {from: rate, on: done, to: end x, at_most: 2, bound: b, then: fail y}
models: {strong: {model: gpt-4o}}
start: write
result: draft
"""


def errors_in(schema: object, text: str) -> list[str]:
    assert isinstance(schema, dict)
    return [error.message for error in Draft202012Validator(schema).iter_errors(read_yaml(text).data)]


@pytest.mark.parametrize("kind", [*sorted(FORMS), None])
def test_every_schema_is_one(kind: str | None) -> None:
    schema = json_schema(kind)
    assert fault_in_schema(schema) is None
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_documents_fit_their_schema(essay: str) -> None:
    graph = EVERYTHING.replace("{type: list, items: {type: string}}", "{type: 'list[str]'}")
    assert errors_in(json_schema("graph"), essay) == []
    assert errors_in(json_schema("graph"), graph) == []
    assert errors_in(json_schema("role_cycle"), ROLE_CYCLE) == []
    assert [errors_in(json_schema(), text) for text in (essay, graph, ROLE_CYCLE)] == [[], [], []]


def test_a_schema_refuses_what_the_reader_refuses(essay: str) -> None:
    schema = json_schema("graph")
    assert errors_in(schema, essay.replace("kind: graph\n", "")) == ['"kind" is a required property']
    assert errors_in(schema, essay + "strat: write\n") != []
    assert errors_in(schema, essay.replace("prompt:", "promt:")) != []
    assert errors_in(schema, EVERYTHING) != []
    assert errors_in(json_schema(), essay.replace("kind: graph", "kind: role_cycle")) != []


EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
BLOCKS = [
    (f"{document.name}:{document.read_text()[: found.start()].count(chr(10)) + 1}", found["said"], found["text"])
    for document in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    for found in re.finditer(r"^```yaml(?P<said>.*)\n(?P<text>(?:.*\n)*?)```$", document.read_text(), re.MULTILINE)
    if re.search("^kind:", found["text"], re.MULTILINE)
]
OF_FORM = re.compile("is not known here|is missing|expected a|is not one of the choices|must (?:be|not|have)")


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_every_example_fits_the_schema_of_all_and_of_its_kind(file: Path) -> None:
    text = file.read_text()
    kind = re.search(r"^kind: (\w+)", text, re.MULTILINE)
    if kind:
        assert (errors_in(json_schema(), text), errors_in(json_schema(kind[1]), text)) == ([], [])
    else:
        assert errors_in(json_schema(), text) != []


@pytest.mark.parametrize(("said", "text"), [block[1:] for block in BLOCKS], ids=[block[0] for block in BLOCKS])
def test_every_file_of_the_documents_fits_unless_its_fault_is_one_of_form(said: str, text: str, tmp_path: Path) -> None:
    faults: tuple[Fault, ...] = ()
    if "broken" in said:
        (tmp_path / "spec.yaml").write_text(text)
        try:
            load_spec(tmp_path / "spec.yaml")
        except SourceError as error:
            faults = error.faults
    of_form = any(OF_FORM.search(fault.message) for fault in faults)
    assert bool(errors_in(json_schema(), text)) is of_form


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("plan: {kind: graph", "plan: {kind: graf"),
        ("plan: {kind: graph, ", "plan: {"),
        ("prompt: x}}}", "promt: x}}}"),
        ("plan: {kind: graph, nodes: {a: {type: think, prompt: x}}}", "plan: 3"),
        ("- write -> rate", "- write, rate"),
        ("on: done", "onn: done"),
        ("{type: human, text: Well}", "{type: act, call: tidy}"),
        ("{type: human, text: Well}", "{type: route, outcomes: [a]}"),
    ],
)
def test_faults_of_form_are_seen_inside_nested_plans_too(said: str, meant: str) -> None:
    sound = EVERYTHING.replace("{type: list, items: {type: string}}", "{type: 'list[str]'}")
    assert errors_in(json_schema("graph"), sound) == []
    assert sound.replace(said, meant) != sound
    assert errors_in(json_schema("graph"), sound.replace(said, meant)) != []


def test_a_nested_file_and_functions_fit() -> None:
    nodes = "{a: {type: plan, plan: other.yaml}, b: {type: act, call: 'tools.py:tidy', reads: [x], writes: y}}"
    assert errors_in(json_schema("graph"), f"kind: graph\nnodes: {nodes}\n") == []


@pytest.mark.parametrize("kind", [*sorted(FORMS), None])
def test_every_key_is_described_and_every_definition_is_used(kind: str | None) -> None:
    schema: Any = json_schema(kind)
    shapes = [schema, *schema["$defs"].values()]
    assert [
        key for shape in shapes for key, each in shape.get("properties", {}).items() if "description" not in each
    ] == []
    assert set(re.findall(r"#/\$defs/(\w+)", str(schema))) == set(schema["$defs"])
    assert schema["title"] == (f"loopwright, kind: {kind}" if kind else "loopwright")
    assert schema["$id"] == "urn:loopwright:schema" + (f":{kind}" if kind else "")


def test_all_kinds_are_told_apart() -> None:
    mapping = json_schema()["discriminator"]
    assert mapping == {
        "propertyName": "kind",
        "mapping": {kind: f"#/$defs/{spec.__name__}" for kind, spec in sorted(FORMS.items())},
    }


def test_keys_are_described() -> None:
    schema: Any = json_schema("graph")
    assert schema["description"] == "Nodes and edges written by hand. The prompts' placeholders are the channels."
    assert schema["properties"]["start"] == {
        "default": "",
        "description": "The node that a run begins at; the first one when left out.",
        "title": "Start",
        "type": "string",
    }
    assert schema["$defs"]["ModelRef"]["properties"]["api_key_env"]["description"] == (
        "The environment variable that holds the key. It is read when the model is asked, and never stored."
    )
    every: Any = json_schema()
    assert every["$defs"]["GraphSpec"]["properties"] == schema["properties"]


def test_an_unknown_kind() -> None:
    with pytest.raises(SourceError) as caught:
        json_schema("role_cicle")
    assert str(caught.value) == (
        f"kind: there is no kind 'role_cicle' (did you mean 'role_cycle'? there are: {', '.join(sorted(FORMS))})"
    )


def test_keys_of_a_place() -> None:
    data = {"nodes": {"a": {"type": "wait"}, "b": {"type": "each", "do": {"type": "human"}}, "c": {}}, "edges": [{}]}
    schema = json_schema("graph")
    assert keys_at(schema, data, ("nodes", "b", "do")) == ["type", "text", "outcomes", "writes", "default", "on_text"]
    assert keys_at(schema, data, ("edges", 0)) == ["from", "on", "to", "at_most", "bound", "then"]
    assert keys_at(schema, data, ("models", "x"))[0] == "model"
    assert keys_at(schema, data, ("nodes", "a", "text", "x")) == []
    brains = {"multi_eval", "single_eval", "tree_of_thought", "zero_shot"}
    others = {"act", "emit", "human", "judge", "plan", "route", "think", "wait"}
    assert tags_at(schema, data, ("nodes", "b", "do")) == sorted(brains | others)
    assert tags_at(schema, data, ("edges",)) == []
