"""Brains as nodes of a graph file: the fields, their faults, and where what is found stands."""

from typing import Any, get_args

import pytest

from loopwright.errors import Fault
from loopwright.graphs.brains.settings import FIELDS, TECHNIQUES
from loopwright.graphs.forms.brain_entries import BodyBrainEntry, BrainEntry, BrainFields, Technique
from loopwright.graphs.forms.graph import GraphSpec
from loopwright.graphs.verify.check import verify
from loopwright.nodes.brains.roles import ROLES


def graph(**brain: Any) -> GraphSpec:
    node = {"type": "multi_eval", "prompt": "A title for <{topic}>", "writes": "title", **brain}
    return GraphSpec.model_validate(
        {
            "channels": {"topic": {"type": "str", "input": True}, "title": "str"},
            "nodes": {"think": node},
            "edges": ["think -> end thought", "think [none] -> fail nothing"],
        }
    )


def test_the_words_and_the_fields_are_those_of_python() -> None:
    assert get_args(Technique) == TECHNIQUES
    renamed = {"model_name": "model", "judge_model_name": "judge_model"}
    in_files = {renamed.get(name, name) for name in FIELDS} - {"name", "models"}
    assert BrainFields.model_fields.keys() == in_files | {"type"}
    words = {word for each in get_args(BrainFields.model_fields["role"].annotation) for word in get_args(each)}
    assert words == {name for name in ROLES if name}


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_the_same_fields_are_legal_for_every_technique(technique: str) -> None:
    fields = {"n": 2, "breadth": 1, "depth": 1, "threshold": 5, "judge_model": "strong", "output": {"title": "str"}}
    spec = graph(type=technique, **fields, sees=["topic"])
    assert not spec.faults()
    assert spec.plan().folds["think"].words.startswith(technique)


def test_an_edge_without_an_outcome_is_that_of_done() -> None:
    plan = graph(threshold=7).plan()
    assert (plan.routes["think/pick", "done"].way.target, plan.routes["think/pick", "none"].way.target) == (
        "thought",
        "nothing",
    )


@pytest.mark.parametrize(
    ("brain", "faults"),
    [
        (
            {"judge_prompt": "<{optin}>", "prompt": "<{options}>"},
            [
                (("nodes", "think", "prompt"), "<{options}> is what the brain itself fills in"),
                (
                    ("nodes", "think", "judge_prompt"),
                    "the placeholder <{optin}> names neither an input of the brain nor what it fills in",
                ),
                (("nodes", "think", "judge_prompt"), "it does not show <{option}>"),
            ],
        ),
        ({"inputs": {"tpic": "topic"}}, [(("nodes", "think", "inputs", "tpic"), "the brain has no input 'tpic'")]),
    ],
)
def test_faults_have_their_place(brain: Any, faults: Any) -> None:
    assert [(fault.path, fault.message) for fault in graph(**brain).faults()] == faults


def test_what_is_found_in_its_nodes_stands_at_the_brain() -> None:
    spec = graph()
    assert spec.path_of(("nodes", "think/generate", "prompt")) == ("nodes", "think", "prompt")
    assert spec.path_of(("nodes", "think/rate/judge")) == ("nodes", "think")
    body: Any = {"type": "each", "over": "topic", "as": "t", "collect": "title"}
    inner = GraphSpec.model_validate(
        {"nodes": {"all": {**body, "do": {"type": "tree_of_thought", "prompt": "<{t}>"}}}, "edges": []}
    )
    assert inner.path_of(("nodes", "all/rate 2/judge", "prompt")) == ("nodes", "all", "do", "prompt")


def test_a_brain_in_a_forks_body_has_faults_too() -> None:
    entry = BodyBrainEntry(type="multi_eval", prompt="<{n}>")
    assert entry.faults() == [
        Fault("<{n}> is what the brain itself fills in", ("prompt",), "give the input another name")
    ]
    assert not BrainEntry(type="zero_shot").faults()


def test_a_channel_that_is_not_there_is_told_once() -> None:
    (found,) = verify(graph(prompt="A title for <{topik}>").plan())
    assert (found.code, found.nodes) == ("unknown-placeholder", ("think",))
