"""Conversations as files have them: what is wrong with one is told at once, each with its place."""

from typing import Any

import pytest

from loopwright.graphs.certificate.certify import certify
from loopwright.graphs.forms.conversation import ConversationSpec
from loopwright.graphs.verify.check import verify

A, B, C = ({"name": name, "prompt": "Say <{stop_word}> at the end."} for name in "ABC")


def spec(*agents: Any, **fields: Any) -> ConversationSpec:
    return ConversationSpec.model_validate({"agents": [*agents] or [A, B], **fields})


def faults(*agents: Any, **fields: Any) -> list[tuple[str, str]]:
    return [(fault.key, fault.message) for fault in spec(*agents, **fields).faults()]


@pytest.mark.parametrize(
    ("fields", "key", "message"),
    [
        ({"opens": "D"}, "opens", "there is no agent 'D'"),
        ({"transitions": {"A": ["D"]}}, "transitions.A", "there is no agent 'D'"),
        ({"disallowed": {"D": []}}, "disallowed.D", "there is no agent 'D'"),
        ({"transitions": {"A": ["B"]}, "disallowed": {}}, "disallowed", "there are both transitions and disallowed"),
        ({"stop": {"by": ["D"]}}, "stop.by.0", "there is no agent 'D'"),
        ({"stop": {"word": " "}}, "stop.word", "the stop word is empty"),
        ({"stop": {"word": "a\nb"}}, "stop.word", "the stop word is of several lines"),
        ({"notes": ["x", {"text": "y", "to": ["D"]}]}, "notes.1", "there is no agent 'D'"),
        ({"task": " "}, "task", "the opening message is empty"),
        ({"summary": "model", "summary_model": "big"}, "summary_model", "there is no model 'big'"),
        ({"speaker": "chosen", "choose_model": "big"}, "choose_model", "there is no model 'big'"),
        ({"max_messages": 2}, "agents.1", "agent 'B' never speaks"),
        ({"transitions": {"A": []}}, "agents.1", "agent 'B' never speaks"),
    ],
)
def test_faults_have_their_place(fields: Any, key: str, message: str) -> None:
    assert (key, message) in faults(**fields)


def test_two_agents_of_one_name() -> None:
    assert faults(A, A) == [("agents.1.name", "there are two agents 'A'")]


@pytest.mark.parametrize(
    "name", ["next", "stopped", "max_messages", "ask B", "B hears", "B says", "sum up stopped", "a/b", " ", "a\nb"]
)
def test_names_that_no_agent_can_have(name: str) -> None:
    assert [key for key, _ in faults({"name": name}, {**B, "human": "always"})] == ["agents.0.name"]


def test_all_faults_are_told_at_once() -> None:
    assert len(faults({**A, "model": "big"}, {**B, "prompt": "<{tusk}>"}, opens="D", task="")) == 4


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"opens": "A", "max_messages": 5},
        {"speaker": "chosen"},
        {"stop": None, "summary": "model"},
        {"transitions": {"A": ["B"], "B": ["A", "C"], "C": ["A"]}},
        {"transitions": {"A": ["B"], "B": ["A", "C"], "C": []}, "speaker": "chosen"},
        {"disallowed": {"A": ["C"]}},
    ],
)
@pytest.mark.parametrize("human", ["never", "always", "only", "at_termination"])
def test_its_plan_has_no_findings(fields: Any, human: str) -> None:
    made = spec(A, {**B, "human": human}, C, **fields)
    assert made.faults() == []
    assert verify(made.plan()).errors == ()
    assert not [finding for finding in verify(made.plan()) if finding.code != "doubtful-node"]
    assert certify(made.plan()).calls is not None


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (("nodes", "A", "prompt"), ("agents", 0, "prompt")),
        (("nodes", "ask B"), ("agents", 1, "human")),
        (("edges", "B", "said"), ("agents", 1)),
        (("nodes", "next"), ("speaker",)),
        (("nodes", "sum up stopped"), ("summary",)),
        (("bounds", "messages"), ("max_messages",)),
        (("channels", "task"), ()),
    ],
)
def test_where_a_finding_is_in_the_file(place: Any, path: Any) -> None:
    assert spec(A, {**B, "human": "always"}).path_of(place) == path


def test_runs_are_given_the_task_or_take_it() -> None:
    assert (spec(task="x").runs(), spec().runs()) == ([{"task": "x"}], [{}])
