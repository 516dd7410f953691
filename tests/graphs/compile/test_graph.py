"""The engine's graph of a plan: its edges, and how it stands in other LangGraph programs."""

import asyncio
from dataclasses import asdict
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from loopwright.errors import ContractError, PlanError, RunError
from loopwright.graphs.compile.graph import compile_plan
from loopwright.graphs.compile.names import body_name, engine_name, join_name
from loopwright.graphs.plan import End, Fork, Plan
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.loop.role_cycle import RoleCycle
from loopwright.nodes.functions import Act
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.records import Usage
from loopwright.testing.scripts import RecordingModel

THREAD: Any = {"configurable": {"thread_id": "one"}}


def approval() -> Loop[Any]:
    builder = PlanBuilder("approval", [Channel("topic", input=True), Channel("draft"), Channel("notes")])
    builder.node(Think("write", prompt="<{topic}>", writes="draft")).edge("write", "done", "approve")
    node = Human("approve", text="<{draft}>?", outcomes=["yes", "no"], writes="notes", on_text="no")
    builder.node(node).edge("approve", "yes", End("published"))
    return builder.edge("approve", "no", "write", at_most=2, then=End("dropped", ok=False)).loop()


def forked() -> Loop[Any]:
    builder = PlanBuilder("forked", [Channel("items", input=True), Channel("marks")])
    builder.each("rate", over="items", as_="item", do=Think("grade", prompt="<{item}>"), collect="marks", at_most=2)
    builder.node(Judge("A:|b% /c", prompt="<{marks}>", outcomes=["good", "again"])).edge("rate", "done", "A:|b% /c")
    builder.edge("A:|b% /c", "again", "rate", at_most=1, then=End("bad", ok=False))
    return builder.edge("A:|b% /c", "good", End("good")).loop()


def nested() -> Loop[Any]:
    outer = PlanBuilder("outer", [Channel("topic", input=True)])
    outer.node(approval()).edge("approval", "published", End("good")).edge("approval", "dropped", End("bad", ok=False))
    return outer.loop()


def moves_as_edges(plan: Plan) -> set[tuple[str, str]]:
    """What the engine's drawing should show of a plan: its moves, and for a fork its way out and back."""
    found = {("__start__", engine_name(plan.start))}
    for move in plan.moves:
        source = engine_name(move.source)
        target = "__end__" if move.way.target in plan.ends else engine_name(move.way.target)
        if isinstance(plan.nodes[move.source].node, Fork):
            found |= {(source, body_name(source)), (source, join_name(source)), (body_name(source), join_name(source))}
            source = join_name(source)
        found.add((source, target))
    return found


@pytest.mark.parametrize("loop", [approval(), forked(), nested(), RoleCycle(task="T", review="each_round")], ids=str)
def test_the_engines_edges_are_the_plans_moves(loop: Loop[Any]) -> None:
    drawn = loop.compile(model=RecordingModel({"default": ["x"]})).get_graph()
    assert {(edge.source, edge.target) for edge in drawn.edges} == moves_as_edges(loop.plan)


def test_the_engines_edges_say_their_outcomes() -> None:
    drawn = approval().compile(model=RecordingModel({"default": ["x"]})).get_graph()
    assert {(edge.source, edge.target): edge.data for edge in drawn.edges} == {
        ("__start__", "write"): None,
        ("write", "approve"): "done",
        ("approve", "write"): "no",
        ("approve", "__end__"): "yes, no",
    }


def drafts() -> RecordingModel:
    return RecordingModel({"write": ["A", "B", "C"]})


def test_a_graph_of_its_own_asks_and_is_answered() -> None:
    model = drafts()
    graph = approval().compile(InMemorySaver(), model=model)
    asked = graph.invoke({"topic": "bridges"}, THREAD)["__interrupt__"][0].value["question"]
    assert (asked["node"], asked["text"]) == ("approve", "A?")
    wrong = graph.invoke(Command(resume={"action": "maybe"}), THREAD)["__interrupt__"][0].value["question"]
    assert wrong["text"] == 'A?\n(at action: "maybe" is not one of "yes" or "no")'
    graph.invoke(Command(resume={"action": "no", "text": "longer"}), THREAD)
    final = graph.invoke(Command(resume={"action": "yes"}), THREAD)
    assert (final["draft"], final["notes"]) == ("B", "longer")
    assert final["lw:end"] == {"end": "published", "reason": "approve answered 'yes'"}
    assert model.asked == ["write", "write"]


class Outer(TypedDict, total=False):
    topic: str
    draft: str
    log: str


def around(node: Any) -> Any:
    """A plain LangGraph program with something of ours in its middle."""
    graph = StateGraph(Outer).add_node("first", lambda state: {"topic": "bridges"}).add_node("ours", node)
    graph.add_node("last", lambda state: {"log": f"got {state['draft']}"}).add_edge(START, "first")
    return graph.add_edge("first", "ours").add_edge("ours", "last").add_edge("last", END).compile(InMemorySaver())


def as_node(model: RecordingModel) -> Any:
    inner = approval().compile(model=model)

    def call(state: Outer) -> Any:
        return {"draft": inner.invoke({"topic": state["topic"]})["draft"]}

    return call


@pytest.mark.parametrize(("kind", "awaited"), [("subgraph", False), ("subgraph", True), ("node", False)])
def test_inside_of_another_program(kind: str, awaited: bool) -> None:
    model = drafts()
    graph = around(approval().compile(model=model) if kind == "subgraph" else as_node(model))

    def go(value: Any) -> Any:
        return asyncio.run(graph.ainvoke(value, THREAD)) if awaited else graph.invoke(value, THREAD)

    assert go({})["__interrupt__"][0].value["question"]["text"] == "A?"
    assert go(Command(resume={"action": "no"}))["__interrupt__"][0].value["question"]["text"] == "B?"
    assert go(Command(resume="Yes"))["log"] == "got B"
    assert model.asked == ["write", "write"]


def test_a_fork_inside_of_another_program() -> None:
    class Items(TypedDict, total=False):
        items: list[str]
        marks: list[str]

    ours = forked().compile(model=RecordingModel(lambda call: {"outcome": "good"} if call.schema else call.node))
    graph = StateGraph(Items).add_node("ours", ours).add_edge(START, "ours").add_edge("ours", END).compile()
    assert graph.invoke({"items": ["a", "b"]})["marks"] == ["rate[0]/grade", "rate[1]/grade"]


def test_a_failure_is_no_end() -> None:
    graph = approval().compile(InMemorySaver(), model=RecordingModel({"write": [{"error": "down"}, "A"]}))
    asked = graph.invoke({"topic": "x"}, THREAD)["__interrupt__"][0].value
    failed = asdict(Usage(failed=1))
    assert (asked.pop("asked"), asked.pop("said")) == ("x", ())
    assert asked == {"suspended": "write", "reason": "down", "model": "recording", "usage": failed, "short": {}}
    assert graph.invoke(None, THREAD)["__interrupt__"][0].value["question"]["text"] == "A?"


def test_what_cannot_be_compiled() -> None:
    with pytest.raises(RunError, match="no model is given for 'default'"):
        approval().compile()
    with pytest.raises(PlanError, match="this plan cannot run"):
        PlanBuilder("broken").node(Think("write", prompt="?")).loop().compile()
    builder = PlanBuilder("act", [Channel("said")]).node(Act("speak", str.upper, reads="said", writes="said"))
    with pytest.raises(ContractError, match="needs the code 'speak', which is not in the loop's registry"):
        compile_plan(builder.edge("speak", "done", End("said")).build(), {})
