"""An agent of a conversation as a file has it."""

from typing import Any

import pytest

from loopwright.graphs.forms.conversation_agents import AgentEntry, faults_of_agent

INNER: Any = {"kind": "conversation", "agents": [{"name": "w"}, {"name": "e"}]}
GRAPH: Any = {
    "kind": "graph",
    "channels": {"one": {"type": "str", "input": True}, "two": {"type": "str", "input": True}, "out": "str"},
    "nodes": {"write": {"type": "think", "prompt": "<{one}> <{two}>", "writes": "out"}},
    "edges": ["write -> end done"],
}


def faults(**fields: Any) -> list[tuple[str, str]]:
    agent = AgentEntry.model_validate({"name": "A", **fields})
    return [(fault.key, fault.message) for fault in faults_of_agent(agent, ("A", "B"), ())]


@pytest.mark.parametrize(
    ("fields", "key", "message"),
    [
        ({"model": "big"}, "model", "there is no model 'big'"),
        ({"hears": ["D"]}, "hears.0", "there is no agent 'D'"),
        ({"prompt": "<{tusk}>"}, "prompt", "a prompt has no placeholder <{tusk}>"),
        (
            {"history": {"last": 2, "summary": True}},
            "history.summary",
            "the history of an agent has no summary",
        ),
        ({"plan": INNER, "prompt": "x"}, "prompt", "a whole loop speaks for this agent, and has no prompt here"),
        ({"plan": INNER, "human": "always"}, "human", "a person cannot speak for an agent that is a whole loop"),
        ({"plan": {**INNER, "task": "x"}}, "plan", "the nested plan is given its task from outside"),
        ({"plan": {**INNER, "budget": {"calls": 3}}}, "plan.budget", "a nested plan has no budget of its own"),
        ({"plan": {**INNER, "opens": "x"}}, "plan.opens", "there is no agent 'x'"),
        ({"plan": GRAPH}, "plan", "the loop of an agent says its result, and this one names none"),
    ],
)
def test_faults_have_their_place(fields: Any, key: str, message: str) -> None:
    assert (key, message) in faults(**fields)


def test_an_agent_hears_one_text() -> None:
    words = "the loop of an agent has one input without a default, and this one has 2: one, two"
    assert faults(plan={**GRAPH, "result": "out"}) == [("plan", words)]


def test_one_that_is_right() -> None:
    assert faults(plan=INNER) == faults(prompt="<{name}>", hears=["B"]) == []
