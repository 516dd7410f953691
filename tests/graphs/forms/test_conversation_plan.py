"""The plan of a conversation: exact edges, and how many messages come."""

from typing import Any

import pytest

from loopwright.graphs.certificate.certify import certify
from loopwright.graphs.forms.conversation import ConversationSpec


def plan(*agents: Any, **fields: Any) -> Any:
    return ConversationSpec.model_validate({"agents": [*agents], **fields}).plan()


def edges(made: Any) -> list[str]:
    return [f"{edge.source} {edge.outcome} -> {edge.way.target}" for edge in made.edges]


def test_two_in_turn() -> None:
    made = plan({"name": "A"}, {"name": "B"}, stop={"by": ["B"]})
    assert edges(made) == [
        "next A -> A",
        "next B -> B",
        "A said -> next",
        "B said -> next",
        "B stop -> stopped",
    ]
    assert (made.start, made.bounds["messages"].at_most, made.bounds["messages"].then.target) == (
        "next",
        8,
        "max_messages",
    )


def test_a_person_and_a_choice() -> None:
    agents = ({"name": "A", "human": "always"}, {"name": "B", "human": "at_termination"}, {"name": "C"})
    made = plan(*agents, speaker="chosen", stop={"by": ["C"]})
    assert set(edges(made)) >= {
        "next A -> ask A",
        "next unreadable -> in_turn",
        "next ask B -> ask B",
        "C stop -> next",
        "ask A auto -> A",
        "ask A exit -> exited",
        "ask B end -> stopped",
        "ask B said -> next",
    }


def test_a_whole_loop_is_inside() -> None:
    inner = {"kind": "conversation", "agents": [{"name": "w"}, {"name": "e"}], "max_messages": 3}
    made = plan({"name": "team", "plan": inner}, {"name": "boss"})
    assert {"team hears", "team/next", "team/w", "team says"} <= set(made.nodes)
    assert "team says stop -> stopped" in edges(made)


@pytest.mark.parametrize(
    ("fields", "calls"),
    [
        ({}, 9),
        ({"max_messages": 5}, 4),
        ({"opens": "A"}, 9),
        ({"transitions": {"A": ["B"], "B": []}}, 2),
        ({"stop": None, "summary": "model"}, 10),
    ],
)
def test_the_certificate_is_exact(fields: Any, calls: int) -> None:
    assert certify(plan({"name": "A"}, {"name": "B"}, **fields)).calls == calls


def test_an_end_by_a_limit_is_a_success_where_nothing_else_ends_it() -> None:
    rules: list[Any] = [None, {}]
    ends = [plan({"name": "A"}, {"name": "B"}, stop=stop).ends["max_messages"].ok for stop in rules]
    assert ends == [True, False]
