"""The form `graph`: what a document becomes, and where the parts of its plan stand."""

from typing import Any

from loopwright.documents.document import Path
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.graph import GraphSpec
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
    spec = graph("write [unreadable] -> fail unreadable", "write [failed] -> end cheap")
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
