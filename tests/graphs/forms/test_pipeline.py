"""Pipelines as files have them."""

from typing import Any

import pytest
from pydantic import ValidationError

from loopwright.graphs.forms.pipeline import PipelineSpec

A: Any = {"agent": {"name": "a"}}
TALK: Any = {"agents": [{"name": "x"}, {"name": "y"}]}


def spec(*steps: Any, **fields: Any) -> PipelineSpec:
    return PipelineSpec.model_validate({"steps": [*steps], **fields})


def faults(*steps: Any, **fields: Any) -> list[tuple[str, str]]:
    return [(fault.key, fault.message) for fault in spec(*steps, **fields).faults()]


@pytest.mark.parametrize(
    ("steps", "key", "message"),
    [
        ([{}], "steps.0", "a step has one of agent, judge, conversation, plan, and this one has none of them"),
        (
            [{**A, "conversation": TALK}],
            "steps.0",
            "a step has one of agent, judge, conversation, plan, and this one has agent and conversation",
        ),
        ([{"conversation": {**TALK, "opens": "z"}}], "steps.0.conversation.opens", "there is no agent 'z'"),
        ([{"plan": {"kind": "conversation", **TALK, "opens": "z"}}], "steps.0.plan.opens", "there is no agent 'z'"),
        ([A, A], "steps.1", "there are two steps 'a'"),
        ([{"plan": {"kind": "pipeline", "question": "q", "steps": [A]}}], "steps.0.plan", None),
    ],
)
def test_faults_have_their_place(steps: list[Any], key: str, message: str | None) -> None:
    found = dict(faults(*steps))
    assert key in found
    assert message in (None, found[key])


def test_an_agent_that_talks_is_no_step() -> None:
    with pytest.raises(ValidationError, match="human is for an agent that talks, and a step only processes"):
        spec({"agent": {"name": "a", "human": "always"}})


def test_an_empty_question() -> None:
    assert faults(A, question=" ") == [("question", "the question is empty")]


def test_names_of_steps() -> None:
    made = spec(
        A, {"conversation": TALK}, {"plan": {"kind": "pipeline", "name": "inner", "steps": [A]}}, {**A, "name": "b"}
    )
    assert [step.called for step in made.steps] == ["a", "conversation", "inner", "b"]
    assert {"conversation/next", "inner/a", "b"} <= set(made.plan().nodes)


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (("nodes", "a", "prompt"), ("steps", 0, "agent", "prompt")),
        (("nodes", "a"), ("steps", 0, "agent")),
        (("nodes", "conversation is handed"), ("steps", 1, "conversation")),
        (("nodes", "conversation/x"), ("steps", 1, "conversation")),
        (("bounds", "x"), ("steps",)),
    ],
)
def test_where_a_finding_is_in_the_file(place: Any, path: Any) -> None:
    assert spec(A, {"conversation": TALK}).path_of(place) == path


def test_runs_are_given_the_question_or_take_it() -> None:
    assert (spec(A, question="q").runs(), spec(A).runs()) == ([{"question": "q"}], [{}])
