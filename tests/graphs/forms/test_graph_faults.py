"""The faults of the form `graph` across its fields: names that do not exist, and nodes that break their rules."""

from typing import Any

import pytest

from loopwright.errors import Fault
from loopwright.graphs.forms.graph import GraphSpec

NODES: dict[str, Any] = {
    "write": {"type": "think", "prompt": "Write", "writes": "draft"},
    "review": {"type": "judge", "prompt": "Good? <{draft}>", "outcomes": ["pass", "revise"]},
}
ASKS = {"type": "think", "prompt": "x", "model": "strng"}


def graph(*edges: object, **fields: Any) -> GraphSpec:
    return GraphSpec.model_validate({"nodes": NODES, "edges": list(edges), **fields})


def told(spec: GraphSpec) -> list[str]:
    return [str(fault) for fault in spec.faults()]


@pytest.mark.parametrize(
    ("edge", "fault"),
    [
        (
            "wrte -> review",
            "edges.0: the edge 'wrte' starts at no node (did you mean 'write'? there are: review, write)",
        ),
        (
            "write -> finished",
            "edges.0: 'write' [done] leads to 'finished', which is neither a node nor an end "
            "(an end is written `end NAME` or `fail NAME`; there are: review, write)",
        ),
        (
            "review [revise] -> write, at most 2, then reviw",
            "edges.0: the bound 'review revise', when it is used up, leads to 'reviw', "
            "which is neither a node nor an end (an end is written `end NAME` or `fail NAME`; "
            "did you mean 'review'? there are: review, write)",
        ),
        ("write -> end review", "nodes.review: 'review' is a node and an end (rename one of them)"),
        (
            "review -> write",
            "edges.0: 'review' has several outcomes, and the edge must say which "
            "(as in review [pass] -> ...; there are: pass, revise)",
        ),
        (
            "review [done] -> write",
            "edges.0: 'review' has no outcome 'done' (there are: failed, over_budget, pass, revise, unreadable)",
        ),
        (
            "write -> review, bound rounds",
            "edges.0: 'write' [done] carries the bound 'rounds', which does not exist (there are none)",
        ),
    ],
)
def test_what_is_wrong_with_an_edge(edge: str, fault: str) -> None:
    assert told(graph(edge)) == [fault]


def test_what_is_wrong_between_edges() -> None:
    assert told(graph("write -> end x", "review [pass] -> fail x")) == [
        "edges.1: the end 'x' was a success before; one name, one end"
    ]
    assert told(
        graph("review [revise] -> write, at most 3 r, then end x", "review [pass] -> write, at most 2 r, then end x")
    ) == [
        "edges.1: the bound 'r' was at most 3, then 'x' before; "
        "name it alone to share it, or give this one another name"
    ]
    assert told(graph("review [revise] -> write, at most 3 r, then end x", "review [pass] -> write, bound rr")) == [
        "edges.1: 'review' [pass] carries the bound 'rr', which does not exist (did you mean 'r'? there is only r)"
    ]


def test_the_start_the_result_and_the_models() -> None:
    nodes = {"write": {"type": "think", "prompt": "x", "model": "strng"}}
    spec = graph(nodes=nodes, start="wrte", result="drft", channels={"draft": "str"}, models={"strong": {"model": "x"}})
    assert spec.faults() == [
        Fault("the start 'wrte' is no node", ("start",), "did you mean 'write'? there is only write"),
        Fault("the result 'drft' is no channel", ("result",), "did you mean 'draft'? there is only draft"),
        Fault(
            "'write' asks the model 'strng', which does not exist",
            ("nodes", "write", "model"),
            "did you mean 'strong'? there are: default, strong",
        ),
    ]


@pytest.mark.parametrize(
    ("node", "path", "name"),
    [
        ({"type": "each", "over": "a", "as": "b", "collect": "c", "do": ASKS}, "do", "n/n"),
        ({"type": "parallel", "bodies": {"style": ASKS}}, "bodies.style", "n[style]/style"),
    ],
)
def test_a_model_that_a_body_asks(node: dict[str, Any], path: str, name: str) -> None:
    assert told(graph("n -> end x", nodes={"n": node}, models={"strong": {"model": "x"}})) == [
        f"nodes.n.{path}.model: {name!r} asks the model 'strng', which does not exist "
        "(did you mean 'strong'? there are: default, strong)"
    ]


def test_what_may_come_of_another_fault_is_not_told() -> None:
    ends = graph(
        "write -> end x",
        "review [pass] -> write, at most 2 r, then fail x",
        "review [revise] -> write, bound r",
    )
    assert told(ends) == ["edges.1: the end 'x' was a success before; one name, one end"]
    nested = {"kind": "graph", "nodes": NODES, "edges": ["wrte -> review"]}
    inside = graph("in [said] -> write", "write -> reviw", nodes={"in": {"type": "plan", "plan": nested}, **NODES})
    assert told(inside) == [
        "nodes.in.plan.edges.0: the edge 'wrte' starts at no node (did you mean 'write'? there are: review, write)",
        "edges.1: 'write' [done] leads to 'reviw', which is neither a node nor an end "
        "(an end is written `end NAME` or `fail NAME`; did you mean 'review'? there are: in, review, write)",
    ]


def test_an_outcome_that_a_nested_plan_has_not() -> None:
    inner = {"kind": "graph", "nodes": NODES, "edges": ["write -> end said"]}
    spec = graph("in [sad] -> write", "in [failed] -> write", nodes={"in": {"type": "plan", "plan": inner}, **NODES})
    assert told(spec) == [
        "edges.0: 'in' has no outcome 'sad' (did you mean 'said'? there are: failed, over_budget, said, unreadable)"
    ]


def test_names_with_a_slash_are_those_of_nested_plans() -> None:
    assert told(graph(nodes={"a/b": NODES["write"]}, channels={"draft/2": "str"})) == [
        "channels.draft/2: a name with / in it would be one inside a nested plan (take another sign)",
        "nodes.a/b: a name with / in it would be one inside a nested plan (take another sign)",
    ]


@pytest.mark.parametrize(
    ("node", "fault"),
    [
        (
            {"type": "judge", "prompt": "x"},
            "nodes.n: a judge needs outcomes or a score (as in outcomes: [pass, revise], or score: [1, 10])",
        ),
        (
            {"type": "judge", "prompt": "x", "outcomes": ["a"], "score": [1, 10]},
            "nodes.n.score: a judge has outcomes or a score, not both (a score has one outcome, done)",
        ),
        (
            {"type": "judge", "prompt": "x", "score": [10, 10]},
            "nodes.n.score: the lowest score is not less than the highest (as in score: [1, 10])",
        ),
        (
            {"type": "judge", "prompt": "x", "outcomes": ["passed", "failed"]},
            "nodes.n.outcomes.1: the outcome 'failed' is that of a model or a function that fails "
            "(give it another name; a failure has an edge without being declared)",
        ),
        (
            {"type": "judge", "prompt": "x", "outcomes": ["a", "b", "a"]},
            "nodes.n.outcomes.2: the outcome 'a' stands twice (declare it once)",
        ),
        (
            {"type": "think", "prompt": "x", "writes": ["a", "b"]},
            "nodes.n.writes: an answer that is plain text cannot go to several channels "
            "(give output: an object with a type for each of them)",
        ),
        (
            {"type": "human", "text": "x", "outcomes": ["yes", "no"], "default": "ys"},
            "nodes.n.default: there is no action 'ys' (did you mean 'yes'? there are: no, yes)",
        ),
        (
            {"type": "human", "text": "x", "outcomes": ["yes", "no"], "on_text": "maybe"},
            "nodes.n.on_text: there is no action 'maybe' (there are: no, yes)",
        ),
        (
            {"type": "parallel", "bodies": {"a": {"type": "judge", "prompt": "x"}}},
            "nodes.n.bodies.a: a judge needs outcomes or a score (as in outcomes: [pass, revise], or score: [1, 10])",
        ),
        (
            {"type": "plan", "plan": {"kind": "graph", "nodes": NODES, "edges": ["write -> reviw"], "start": "write"}},
            "nodes.n.plan.edges.0: 'write' [done] leads to 'reviw', which is neither a node nor an end "
            "(an end is written `end NAME` or `fail NAME`; did you mean 'review'? there are: review, write)",
        ),
        (
            {"type": "plan", "plan": {"kind": "role_cycle", "rounds": {"min": 0}}},
            "nodes.n.plan.rounds.min: 0 is less than 1 (nobody can stop before a round is over)",
        ),
        (
            {"type": "plan", "plan": {"kind": "role_cycle", "budget": {"calls": 1}}},
            "nodes.n.plan.budget: a nested plan has no budget of its own "
            "(leave it out, and say at the top of the file that is run what all of it may spend)",
        ),
        (
            {"type": "plan", "plan": {"kind": "role_cycle", "tasks": ["x", "y"]}},
            "nodes.n.plan: the nested plan is given its task from outside "
            "(leave it out, and have a channel around the plan that fills it)",
        ),
        (
            {
                "type": "plan",
                "plan": {"kind": "graph", "nodes": NODES, "channels": {"draft": {"type": "str", "input": True}}},
                "inputs": {"draf": "x"},
            },
            "nodes.n.inputs.draf: the plan has no input 'draf' (did you mean 'draft'? there is only draft)",
        ),
    ],
)
def test_what_is_wrong_inside_a_node(node: dict[str, Any], fault: str) -> None:
    assert told(graph("n [other] -> end x", nodes={"n": node})) == [fault]
