"""Explanations: every code has one, and its examples are run. The wrong one has this finding, the right one none."""

import re
from textwrap import dedent
from typing import Any, get_args

import pytest
from ruamel.yaml import YAML

import loopwright as lw
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.edge_text import parse_edge
from loopwright.graphs.verify.explanations import ESSAY, EXPLANATIONS
from loopwright.graphs.verify.findings import Code
from loopwright.graphs.verify.graph_explanations import OF_LANGGRAPH
from loopwright.loop.load import loop_of
from loopwright.sources.specs import spec_from_data

yaml = YAML(typ="safe")


def parts(code: Code) -> tuple[str, str, str]:
    """The meaning, what is wrong and what is right."""
    meaning, _, examples = EXPLANATIONS[code].partition("\n\nwrong:\n")
    wrong, _, right = examples.partition("\nright:\n")
    return meaning, wrong, right


def in_essay(part: dict[str, Any]) -> dict[str, Any]:
    """The essay with a part of it said anew: keys by their names, edges by the node and the outcome that they leave."""
    whole = yaml.load(ESSAY)
    said = part.pop("edges", [])
    places = {place_of(line) for line in said}
    for key, value in part.items():
        whole[key] = {**whole.get(key, {}), **value} if isinstance(value, dict) else value
    return {**whole, "edges": [*(line for line in whole["edges"] if place_of(line) not in places), *said]}


def place_of(line: str) -> tuple[str, str]:
    """The node and the outcome that an edge leaves."""
    edge = parse_edge(line)
    return edge.source, edge.outcome


def essay() -> PlanBuilder:
    """The builder of the essay, for examples in Python."""
    plan = PlanBuilder("essay", [lw.Channel("topic", str, input=True), lw.Channel("draft", str)], result="draft")
    plan.node(lw.Think("write", prompt="Write about <{topic}>", writes="draft"))
    plan.node(lw.Judge("review", prompt="Good? <{draft}>", outcomes=["pass", "revise"]))
    plan.edge("write", "done", "review").edge("review", "pass", lw.End("finished"))
    plan.edge("review", "revise", "write", at_most=3, bound="rounds", then=lw.End("max_rounds", ok=False))
    return plan


def findings_of(example: str) -> list[str]:
    """The codes of what is found in an example, each once."""
    if not re.match(r"\w+:", example):
        names: dict[str, Any] = {"lw": lw, "plan": essay()}
        exec(example, names)
        plan = names["plan"]
        found = lw.Loop(plan if isinstance(plan, lw.Plan) else plan.build()).check()
    else:
        data = yaml.load(example)
        found = loop_of(spec_from_data(data if "kind" in data else in_essay(data))).check()
    return list(dict.fromkeys(finding.code for finding in found))


def test_every_code_is_explained_in_order() -> None:
    assert list(EXPLANATIONS) == sorted(get_args(Code))


@pytest.mark.parametrize("code", EXPLANATIONS)
def test_an_explanation_is_a_meaning_and_two_examples(code: Code) -> None:
    meaning, wrong, right = parts(code)
    assert meaning.endswith(".")
    for line in (*wrong.splitlines(), *right.splitlines()):
        assert line.startswith("    ") or not line


@pytest.mark.parametrize("code", [code for code in EXPLANATIONS if code not in OF_LANGGRAPH])
def test_the_wrong_example_has_this_finding_alone_and_the_right_one_none(code: Code) -> None:
    _, wrong, right = parts(code)
    assert (findings_of(dedent(wrong)), findings_of(dedent(right))) == ([code], [])


def test_the_essay_is_right_and_the_same_in_both_languages() -> None:
    assert findings_of(ESSAY) == []
    assert spec_from_data(yaml.load(ESSAY)).plan() == essay().build()
