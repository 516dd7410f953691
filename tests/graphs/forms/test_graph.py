"""The form `graph`: what a document becomes, and its faults across the fields."""

from typing import Any

import pytest
from pydantic import ValidationError

from loopwright.errors import Fault
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.graph import ChannelEntry, GraphSpec
from loopwright.graphs.forms.spec import Path
from loopwright.graphs.plan import Bound, End, Plan, Way
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.think import Judge, Think
from loopwright.state.channels import Channel

NODES: dict[str, Any] = {
    "write": {"type": "think", "prompt": "Write", "writes": "draft"},
    "review": {"type": "judge", "prompt": "Good? <{draft}>", "outcomes": ["pass", "revise"]},
}


ASKS = {"type": "think", "prompt": "x", "model": "strng"}


def graph(*edges: object, **fields: Any) -> GraphSpec:
    return GraphSpec.model_validate({"nodes": NODES, "edges": list(edges), **fields})


def told(spec: GraphSpec) -> list[str]:
    return [str(fault) for fault in spec.faults()]


def test_a_document_makes_the_plan_that_the_builder_makes() -> None:
    spec = graph(
        "write -> review",
        "review [pass] -> end finished",
        "review [revise] -> write, at most 3 rounds, then fail max_rounds",
        name="essay",
        channels={"topic": {"type": "str", "input": True}, "draft": "str"},
        result="draft",
        models={"default": {"model": "gpt-4o-mini", "timeout": 30}},
    )
    builder = PlanBuilder(
        "essay",
        [Channel("topic", {"type": "string"}, input=True), Channel("draft", {"type": "string"})],
        result="draft",
        models={"default": ModelRef("gpt-4o-mini", timeout=30)},
    )
    builder.node(Think("write", prompt="Write", writes="draft"))
    builder.node(Judge("review", prompt="Good? <{draft}>", outcomes=("pass", "revise")))
    builder.edge("write", "done", "review").edge("review", "pass", End("finished"))
    builder.edge("review", "revise", "write", at_most=3, bound="rounds", then=End("max_rounds", ok=False))
    assert told(spec) == []
    assert spec.plan().to_data() == builder.build().to_data()


def test_edges_as_mappings_say_the_same_as_texts() -> None:
    texts = graph("write -> review", "review [revise] -> write, at most 3 rounds, then fail max_rounds")
    mappings = graph(
        {"from": "write", "to": "review"},
        {"from": "review", "on": "revise", "to": "write", "at_most": 3, "bound": "rounds", "then": "fail max_rounds"},
    )
    assert texts.plan() == mappings.plan()


def test_edges_share_a_bound_in_any_order() -> None:
    plan = graph(
        "review [pass] -> write, bound rounds", "review [revise] -> write, at most 3 rounds, then end x"
    ).plan()
    assert plan.bounds == {"rounds": Bound("rounds", 3, Way("x"))}
    assert [edge.way.bound for edge in plan.edges] == ["rounds", "rounds"]


def test_a_bound_without_a_name_is_named_by_its_edge() -> None:
    plan = graph("review [revise] -> write, at most 3, then write", "write -> write, at most 1, then end x").plan()
    assert plan.bounds == {
        "review revise": Bound("review revise", 3, Way("write")),
        "write done": Bound("write done", 1, Way("x")),
    }


def test_the_start_and_the_name() -> None:
    assert graph().plan().start == "write"
    assert graph(start="review").plan().start == "review"
    assert (graph().plan().name, graph(name="x").plan().name) == ("graph", "x")


def test_a_failure_may_have_an_edge() -> None:
    spec = graph("write [unreadable] -> fail unreadable", "write [over_budget] -> end cheap")
    assert told(spec) == []
    assert list(spec.plan().ends.values()) == [End("unreadable", ok=False), End("cheap")]


def test_a_nested_plan_is_inlined() -> None:
    inner = {
        "kind": "graph",
        "channels": {"about": {"type": "str", "input": True}, "text": "str"},
        "nodes": {"a": {"type": "think", "prompt": "About <{about}>", "writes": "text"}},
        "edges": ["a -> end said"],
        "result": "text",
    }
    nodes = {"in": {"type": "plan", "plan": inner, "inputs": {"about": "topic"}, "writes": "draft"}, **NODES}
    spec = graph(
        "in [said] -> write",
        "in [failed] -> fail broken",
        nodes=nodes,
        channels={"topic": {"type": "str", "input": True}, "draft": "str"},
    )
    plan = spec.plan()
    assert told(spec) == []
    assert plan.start == "in/a"
    assert plan.nodes["in/a"].contract.reads == ("topic",)
    assert plan.nodes["in/a"].contract.writes == ("draft",)
    assert [(edge.source, edge.outcome, edge.way.target) for edge in plan.edges] == [
        ("in/a", "done", "write"),
        ("in/a", "failed", "broken"),
    ]


def test_a_plan_of_another_form_can_be_nested() -> None:
    cycle = {"kind": "role_cycle", "roles": {"solver": {}, "boss": {}}}
    spec = graph(
        "team [stopped] -> end a", "team [max_rounds] -> end b", nodes={"team": {"type": "plan", "plan": cycle}}
    )
    assert told(spec) == []
    assert [name for name in spec.plan().nodes if name.startswith("team/")] == ["team/solver", "team/boss"]


def test_the_plan_survives_its_own_json() -> None:
    fork = {
        "type": "each",
        "over": "options",
        "as": "one",
        "do": {"type": "judge", "prompt": "<{one}>", "score": [1, 10]},
        "collect": "ratings",
    }
    plan = graph("write -> rate", "rate -> end x", nodes={**NODES, "rate": fork}).plan()
    assert Plan.from_data(plan.to_data()).fingerprint == plan.fingerprint


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


def test_a_bound_may_be_zero() -> None:
    spec = graph("review [revise] -> write, at most 0, then fail x")
    assert told(spec) == []
    assert spec.plan().bounds == {"review revise": Bound("review revise", 0, Way("x", ""))}


def test_where_the_parts_of_a_plan_stand() -> None:
    inner = {
        "kind": "graph",
        "nodes": NODES,
        "edges": ["write -> review", "review [revise] -> write, at most 1 r, then end x"],
    }
    nodes = {
        "write": NODES["write"],
        "in": {"type": "plan", "plan": inner},
        "rate": {"type": "each", "over": "a", "as": "b", "collect": "c", "do": ASKS},
        "both": {"type": "parallel", "bodies": {"a": {"type": "plan", "plan": inner}}},
        "team": {
            "type": "plan",
            "plan": {"kind": "role_cycle", "roles": {"solver": {}, "boss": {}}, "review": "each_round"},
        },
    }
    spec = graph("write -> in", "in [x] -> rate", "in [x] -> write, at most 2 tries, then fail y", nodes=nodes)
    places: dict[Path, Path] = {
        ("nodes", "write"): ("nodes", "write"),
        ("nodes", "write", "model"): ("nodes", "write", "model"),
        ("nodes", "in/review"): ("nodes", "in", "plan", "nodes", "review"),
        ("nodes", "in"): ("nodes", "in"),
        ("nodes", "rate/rate"): ("nodes", "rate", "do"),
        ("nodes", "both[a]/review"): ("nodes", "both", "bodies", "a", "plan", "nodes", "review"),
        ("nodes", "team/solver"): ("nodes", "team", "plan", "roles", "solver"),
        ("nodes", "team/review"): ("nodes", "team", "plan", "review"),
        ("nodes", "gone"): (),
        ("edges", "in", "x"): ("edges", 1),
        ("edges", "in", "x", "rate"): ("edges", 1),
        ("edges", "in", "x", "write"): ("edges", 2),
        ("edges", "write", "done", "in"): ("edges", 0),
        ("edges", "in/write", "done", "in/review"): ("nodes", "in", "plan", "nodes", "write"),
        ("bounds", "tries"): ("edges", 2),
        ("bounds", "in/r"): ("nodes", "in"),
        ("channels", "draft"): ("channels", "draft"),
        ("start",): ("start",),
        (): (),
    }
    assert {place: spec.path_of(place) for place in places} == places


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


@pytest.mark.parametrize(
    ("entry", "channel"),
    [
        ({"type": "str"}, Channel("c", {"type": "string"})),
        ({"type": "str", "default": "x", "input": True}, Channel("c", {"type": "string"}, input=True, default="x")),
        ({"type": {"type": "null"}, "default": None}, Channel("c", {"type": "null"}, default=None)),
        ({"type": "list", "reduce": "extend"}, Channel("c", {"type": "array"}, reduce="extend")),
        ({}, Channel("c")),
    ],
)  # fmt: skip
def test_what_a_channel_becomes(entry: dict[str, Any], channel: Channel) -> None:
    assert ChannelEntry.model_validate(entry).channel("c") == channel


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"type": "str", "default": 3}, "it begins as 3, which does not fit its type str"),
        ({"type": "str", "reduce": "append"}, "it begins as [], which does not fit its type str"),
        ({"type": "list", "reduce": "add"}, "it begins as 0, which does not fit its type list"),
        ({"type": "list", "reduce": "append", "default": []}, "a channel with reduce: append has no default"),
    ],
)
def test_a_channel_must_begin_well(entry: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        ChannelEntry.model_validate(entry)
    (error,) = caught.value.errors()
    assert str(error["ctx"]["error"]) == message


@pytest.mark.parametrize(
    ("edge", "message"),
    [
        ("write -> review, at most 3", "`at most` needs `then`: where to go when it is used up"),
        ("write -> review, then end x", "`then` needs `at most`: after how many times"),
        (["write", "review"], "an edge is a text or a mapping"),
        ({"from": "write", "to": ["review"]}, "a target is a text"),
    ],
)
def test_an_edge_that_is_not_whole(edge: object, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        graph(edge)
    (error,) = caught.value.errors()
    assert str(error["ctx"]["error"]) == message
