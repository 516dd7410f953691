"""Specs from files and from data: each fault with file, line and key, and all of them at once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.errors import Fault, SourceError
from loopwright.graphs.forms.graph import GraphSpec
from loopwright.graphs.forms.role_cycle import RoleCycleSpec
from loopwright.graphs.forms.spec import FORMS
from loopwright.nodes.models.reference import ModelRef
from loopwright.sources.specs import load_spec, spec_from_data, validated

KINDS = ", ".join(sorted(FORMS))

Told = Callable[..., list[str]]
FORM = "(an edge is written as in: review [revise] -> write, at most 3 rounds, then fail max_rounds)"
TOP = "there are: budget, channels, edges, kind, models, name, nodes, result, start"


def test_a_sound_file_becomes_a_plan(tmp_path: Path, essay: str) -> None:
    file = tmp_path / "essay.yaml"
    file.write_text(essay)
    loaded = load_spec(file)
    plan = loaded.spec.plan()
    assert (plan.name, plan.start, [channel.name for channel in plan.inputs]) == (
        "draft and review",
        "write",
        ["topic"],
    )
    assert [(edge.source, edge.outcome, edge.way.target, edge.way.bound) for edge in plan.edges] == [
        ("write", "done", "review", ""),
        ("review", "pass", "finished", ""),
        ("review", "revise", "write", "rounds"),
    ]
    assert loaded.document.file == str(file)
    assert loaded.document.line(("nodes", "review")) == 6


def test_json_and_yaml_of_one_spec_make_one_plan(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("kind: graph\nnodes: {a: {type: think, prompt: Hello}}\nedges: [a -> end said]\n")
    (tmp_path / "a.json").write_text(
        '{"kind": "graph",\n\t"nodes": {"a": {"type": "think", "prompt": "Hello"}},\n\t"edges": ["a -> end said"]}'
    )
    plans = [load_spec(tmp_path / name).spec.plan() for name in ("a.yaml", "a.json")]
    assert plans[0] == plans[1]


def test_the_kind_picks_the_form(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("kind: role_cycle\ntask: How do we test a wooden bridge?\n")
    assert type(load_spec(tmp_path / "a.yaml").spec) is RoleCycleSpec


@pytest.mark.parametrize(
    ("old", "new", "told_as"),
    [
        (
            "kind: graph",
            "kind: grph",
            f"1: kind: there is no kind 'grph' (did you mean 'graph'? there are: {KINDS})",
        ),
        ("kind: graph\n", "", f"1: kind: the key 'kind' is missing (kinds are: {KINDS})"),
        ("kind: graph", "kind: 3", f"1: kind: the kind must be a text (kinds are: {KINDS})"),
        ("name: draft", "naem: draft", f"2: naem: the key 'naem' is not known here (did you mean 'name'? {TOP})"),
        ("name: draft and review", "name: [a]", "2: name: expected a text, got a list"),
        (
            "writes: draft}",
            "wirtes: draft}",
            "5: nodes.write.wirtes: the key 'wirtes' is not known here "
            "(did you mean 'writes'? there are: audience, model, output, prompt, system, type, writes)",
        ),
        ("writes: draft}", "writes: 3}", "5: nodes.write.writes: expected a text or a list, got the number 3"),
        ("writes: draft}", "writes: [3]}", "5: nodes.write.writes.0: expected a text, got the number 3"),
        ("writes: draft}", "writes: ''}", "5: nodes.write.writes: must not be empty, got the text ''"),
        ('prompt: "Good enough? <{draft}>", ', "", "6: nodes.review.prompt: the key 'prompt' is missing"),
        ("[pass, revise]", "pass", "6: nodes.review.outcomes: expected a list, got the text 'pass'"),
        ("[pass, revise]", "{a: b}", "6: nodes.review.outcomes: expected a list, got a mapping"),
        (
            "type: judge",
            "type: juge",
            "6: nodes.review.type: the text 'juge' is not one of the choices "
            "(did you mean 'judge'? there are: act, each, emit, human, judge, multi_eval, parallel, plan, route, "
            "single_eval, think, tree_of_thought, wait, zero_shot)",
        ),
        (
            "type: judge, ",
            "",
            "6: nodes.review.type: the key 'type' is missing "
            "(there are: act, each, emit, human, judge, multi_eval, parallel, plan, route, "
            "single_eval, think, tree_of_thought, wait, zero_shot)",
        ),
        (
            "type: judge",
            "type: code",
            "6: nodes.review.type: the text 'code' is not one of the choices "
            "(there are: act, each, emit, human, judge, multi_eval, parallel, plan, route, "
            "single_eval, think, tree_of_thought, wait, zero_shot)",
        ),
        (
            "draft: str",
            "draft: strr",
            "3: channels.draft: 'strr' is not a type; types are any, str, int, float, number, bool, list, dict, "
            "list[...], dict[str, ...] and ... | None",
        ),
        (
            "draft: str",
            "draft: 3",
            "3: channels.draft: a channel is a type, or a mapping "
            "(as in draft: str, or notes: {type: 'list[str]', reduce: append})",
        ),
        ("input: true", "input: maybe", "3: channels.topic.input: expected true or false, got the text 'maybe'"),
        (
            "reduce: append",
            "reduce: apend",
            "3: channels.notes.reduce: the text 'apend' is not one of the choices "
            "(did you mean 'append'? there are: add, append, extend, merge, replace)",
        ),
        ("-> review\n", "-> reviw\n", None),
        (
            "[pass]",
            "[pas]",
            "9: edges.1: 'review' has no outcome 'pas' "
            "(did you mean 'pass'? there are: failed, over_budget, pass, revise, unreadable)",
        ),
        (
            "3 rounds",
            "three rounds",
            f"10: edges.2: 'three', at character 35, stands where a whole number should {FORM}",
        ),
        (
            "- write -> review",
            "- {from: write, when: , to: review}",
            "8: edges.0.when: the key 'when' is not known here "
            "(did you mean 'then'? there are: at_most, bound, from, on, then, to)",
        ),
        ("- write -> review", "- {from: write, on: , to: review}", "8: edges.0.on: expected a text, got nothing"),
        (
            "- write -> review",
            "- {from: write, on: '', to: review}",
            "8: edges.0.on: must not be empty, got the text ''",
        ),
        ("name: draft", "models: {a: x}\nname: draft", "2: models.a: expected a mapping, got the text 'x'"),
        (
            "name: draft",
            "models:\n  a:\n    modle: x\n    model: y\nname: draft",
            "4: models.a.modle: the key 'modle' is not known here (did you mean 'model'? "
            "there are: api_key_env, base_url, budget, max_concurrency, max_tokens, model, "
            "price, proxy, repairs, requests_per_minute, retries, structured, temperature, timeout, tokens_per_minute)",
        ),
        (
            "name: draft",
            "models: {a: {model: y, timeout: 0}}\nname: draft",
            "2: models.a.timeout: must be more than 0, got the number 0",
        ),
        (
            "name: draft",
            "models: {a: {model: y, retries: -1}}\nname: draft",
            "2: models.a.retries: must be at least 0, got the number -1",
        ),
        (
            "name: draft",
            "models: {a: {model: y, timeout: soon}}\nname: draft",
            "2: models.a.timeout: expected a number, got the text 'soon'",
        ),
    ],
)
def test_one_fault_is_told_with_line_and_key(told: Told, essay: str, old: str, new: str, told_as: str | None) -> None:
    assert essay.count(old) >= 1
    expected = told_as or (
        "8: edges.0: 'write' [done] leads to 'reviw', which is neither a node nor an end (an end is written "
        "`end NAME` or `fail NAME`; did you mean 'review'? there are: finished, max_rounds, review, write)"
    )
    assert told(essay.replace(old, new, 1)) == [f"x.yaml:{expected}"]


def test_all_faults_come_at_once_in_the_order_of_their_lines(told: Told) -> None:
    text = """\
kind: graph
naem: essay
channels:
  draft: {typ: str}
nodes:
  write: {type: think, prompt: Write, writes: 3}
  review: {type: judge, prompt: Good, outcomes: [pass, revise], score: high}
edges:
  - write ->
  - write -> reviw
  - review [pas] -> end finished
  - {from: review, on: revise, to: write, at_most: 2, then: fail rounds, bounds: rounds}
start: wrte
"""
    assert told(text) == [
        f"x.yaml:2: naem: the key 'naem' is not known here (did you mean 'name'? {TOP})",
        "x.yaml:4: channels.draft.typ: the key 'typ' is not known here "
        "(did you mean 'type'? there are: default, input, reduce, type)",
        "x.yaml:6: nodes.write.writes: expected a text or a list, got the number 3",
        "x.yaml:7: nodes.review.score: expected a list, got the text 'high'",
        f"x.yaml:9: edges.0: the text ends where a target should stand {FORM}",
        "x.yaml:10: edges.1: 'write' [done] leads to 'reviw', which is neither a node nor an end (an end is written "
        "`end NAME` or `fail NAME`; did you mean 'review'? there are: finished, review, rounds, write)",
        "x.yaml:11: edges.2: 'review' has no outcome 'pas' "
        "(did you mean 'pass'? there are: failed, over_budget, pass, revise, unreadable)",
        "x.yaml:12: edges.3.bounds: the key 'bounds' is not known here "
        "(did you mean 'bound'? there are: at_most, bound, from, on, then, to)",
        "x.yaml:13: start: the start 'wrte' is no node (did you mean 'write'? there are: review, write)",
    ]


def test_what_may_come_of_another_fault_is_not_told(told: Told, essay: str) -> None:
    """Without its outcomes the judge would have none, and its edges would name none."""
    assert told(essay.replace("outcomes: [", "outcoms: [")) == [
        "x.yaml:6: nodes.review.outcoms: the key 'outcoms' is not known here "
        "(did you mean 'outcomes'? there are: model, outcomes, prompt, score, system, type, writes)"
    ]


@pytest.mark.parametrize("text", ["- a\n- b\n", "just text\n", "3\n"])
def test_a_file_that_is_no_mapping(told: Told, text: str) -> None:
    assert told(text) == [
        f"x.yaml:1: a spec is a mapping of keys, and this is not (it begins as in kind: graph; kinds are: {KINDS})"
    ]


def test_a_key_that_stands_twice(told: Told, essay: str) -> None:
    assert told(essay + "name: other\n") == ["x.yaml:11: name: the key 'name' stands twice, in lines 2 and 11"]


def test_broken_yaml(told: Told, essay: str) -> None:
    assert told(essay.replace("name: draft", "name: the draft: draft")) == [
        "x.yaml:2: broken YAML at column 16: mapping values are not allowed here "
        "(a text that holds ': ' stands in quotes)"
    ]


def test_a_missing_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("essay.yaml").write_text("a: 1")
    with pytest.raises(SourceError) as caught:
        load_spec("esay.yaml")
    assert str(caught.value) == (
        "esay.yaml: there is no such file (did you mean 'essay.yaml'? there is only essay.yaml)"
    )


def test_another_form_is_told_in_the_same_words(told: Told) -> None:
    text = "kind: role_cycle\ntask: x\nrounds: {min: 3, maxx: 2}\n"
    text += "roles:\n  solver: {sees: lates}\n  boss: {}\nreview: sometimes\n"
    assert told(text) == [
        "x.yaml:3: rounds.maxx: the key 'maxx' is not known here (did you mean 'max'? there are: max, min)",
        "x.yaml:5: roles.solver.sees: the text 'lates' is not one of the choices "
        "(did you mean 'latest'? there are: all, latest)",
        "x.yaml:7: review: the text 'sometimes' is not one of the choices (there are: after_stop, each_round, never)",
    ]


def test_data_of_python_has_the_same_faults_without_a_file() -> None:
    with pytest.raises(SourceError) as caught:
        spec_from_data({"nodes": {"a": {"type": "think", "prompt": 3}}, "edges": ["a -> b"]}, "graph")
    assert caught.value.faults == (Fault("expected a text, got the number 3", ("nodes", "a", "prompt")),)


def test_the_kind_of_data_may_be_given_beside_it() -> None:
    data = {"nodes": {"a": {"type": "think", "prompt": "Hello"}}}
    assert type(spec_from_data(data, "graph")) is GraphSpec
    with pytest.raises(SourceError, match=rf"kind: the key 'kind' is missing \(kinds are: {KINDS}\)"):
        spec_from_data(data)
    with pytest.raises(SourceError, match="kind: there is no kind 'grph'"):
        spec_from_data(data, "grph")


def test_live_objects_are_taken_as_they_are() -> None:
    spec = validated(RoleCycleSpec, {"task": "x", "models": {"default": ModelRef("gpt-4o-mini")}})
    assert spec.models["default"] == ModelRef("gpt-4o-mini")
