"""The builder: what it makes, and the mistakes that it refuses where they are made."""

import re
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from pydantic import BaseModel

from loopwright.graphs.builder import one_node_plan
from loopwright.graphs.plan import Bound, End, Fork, PlanNode, Way
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.contract import Contract, Node
from loopwright.nodes.functions import Act, Route, node
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait
from loopwright.state.channels import Channel, State, append
from loopwright.state.rebuilt import RESULT_TYPE

WRITE = Think("write", prompt="<{topic}>", writes="draft")
REVIEW = Judge("review", prompt="<{draft}>", outcomes=["pass", "revise"])


def test_the_first_node_is_the_start_unless_another_is_named() -> None:
    assert PlanBuilder("a").node(WRITE).node(REVIEW).build().start == "write"
    assert PlanBuilder("a", start="review").node(WRITE).node(REVIEW).build().start == "review"
    assert PlanBuilder("a").build().start == ""


def test_a_node_under_another_name() -> None:
    plan = PlanBuilder("a").node(WRITE, name="again").build()
    assert plan.nodes == {"again": PlanNode("again", Think("again", prompt="<{topic}>", writes="draft"))}


def test_edges_that_share_a_bound() -> None:
    builder = PlanBuilder("a").node(WRITE).node(REVIEW)
    builder.edge("review", "revise", "write", at_most=2, bound="rounds", then=End("bad", ok=False))
    builder.edge("write", "done", "write", bound="rounds")
    assert builder.build().bounds == {"rounds": Bound("rounds", 2, Way("bad"))}
    builder.edge("review", "pass", "write", at_most=1, then="review")
    assert builder.build().bounds["review pass"] == Bound("review pass", 1, Way("review"))


def test_a_bound_may_be_named_before_it_is_made() -> None:
    builder = PlanBuilder("a").node(WRITE).edge("write", "done", "write", bound="rounds")
    assert builder.build().bounds == {}
    builder.edge("write", "failed", "write", at_most=2, bound="rounds", then=End("bad", ok=False))
    assert builder.build().bounds == {"rounds": Bound("rounds", 2, Way("bad"))}


def choose() -> str:
    return "a"


MISTAKES: dict[str, tuple[Any, str]] = {
    "a name": (lambda b: b.node(WRITE).node(WRITE), "'a' has a node 'write' already; give this one another name="),
    "an end": (
        lambda b: b.edge("x", "y", End("e")).edge("x", "z", End("e", ok=False)),
        "the end 'e' was a success before; one name, one end",
    ),
    "no way on": (
        lambda b: b.edge("x", "y", "z", at_most=2),
        "the bound 'x y' needs at_most and then: how often, and where to go when it is used up",
    ),
    "no count": (
        lambda b: b.edge("x", "y", "z", bound="rounds", then="w"),
        "the bound 'rounds' needs at_most and then: how often, and where to go when it is used up",
    ),
    "another count": (
        lambda b: b.edge("x", "y", "z", bound="r", at_most=1, then="w").edge("x", "q", "z", bound="r", at_most=2),
        "the bound 'r' was at most 1, then 'w' before; name it alone to share it, or give this one another name",
    ),
    "other code": (
        lambda b: b.node(Route("r", lambda: "a", outcomes=["a", "b"])).node(
            Route("r", lambda: "b", outcomes=["a"]), name="s"
        ),
        "'a' has other code named 'r' already; give one of the two another name=",
    ),
}


@pytest.mark.parametrize(("make", "message"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_that_would_lose_something(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make(PlanBuilder("a"))


@pytest.mark.parametrize("given", [3, Think])
def test_what_is_no_body(given: Any) -> None:
    with pytest.raises(TypeError, match="is neither a node, nor a plan, nor a loop"):
        PlanBuilder("a").node(given)
    with pytest.raises(TypeError, match="is neither a node, nor a plan, nor a loop"):
        PlanBuilder("a").parallel("b", {"c": given})


def test_a_faulty_plan_is_built_and_not_judged() -> None:
    plan = PlanBuilder("a", result="nothing").node(WRITE).edge("nowhere", "done", "never").build()
    assert (plan.result, plan.edges[0].source) == ("nothing", "nowhere")


def test_functions_are_declared_and_kept_apart() -> None:
    @node(writes="draft", name="polish", version="1")
    def polish(draft: str) -> str:
        return draft.strip()

    builder = PlanBuilder("a").node(polish).node(polish, name="again").node(Act("choose", choose))
    assert builder.code == {"polish": polish.function, f"{choose.__module__}:choose": choose}
    assert [ref.name for ref in builder.build().code] == ["polish", f"{choose.__module__}:choose"]


def test_code_of_loops_inside_comes_along() -> None:
    inner = PlanBuilder("inner").node(Act("choose", choose)).edge("choose", "done", End("done")).loop()
    outer = (
        PlanBuilder("outer").node(inner).edge("inner", "done", End("end")).parallel("both", {"a": inner, "b": inner})
    )
    assert outer.code == {f"{choose.__module__}:choose": choose}


def test_the_plan_of_one_node() -> None:
    plan = one_node_plan(WRITE)
    assert (plan.start, plan.result, plan.ends) == ("write", "draft", {"done": End("done")})
    assert plan.channels == {"topic": Channel("topic", input=True), "draft": Channel("draft", {"type": "string"})}
    silent = one_node_plan(Think("look", prompt="<{item}>"))
    assert (silent.result, silent.channels["look"]) == ("look", Channel("look", {"type": "string"}))
    verdict = one_node_plan(REVIEW)
    assert (verdict.result, list(verdict.ends)) == ("", ["pass", "revise"])
    person = one_node_plan(Human("ask", text="?"))
    assert (person.result, person.channels) == ("", {})


def test_forks() -> None:
    builder = PlanBuilder("a", [Channel("items"), Channel("marks")])
    builder.each("rate", over="items", as_="item", do=Think("grade", prompt="<{item}>"), collect="marks", at_most=3)
    builder.parallel("both", {"one": WRITE, "two": REVIEW})
    nodes = builder.build().nodes
    rate, both = nodes["rate"].node, nodes["both"].node
    assert isinstance(rate, Fork)
    assert isinstance(both, Fork)
    assert (rate.kind, rate.over, rate.as_, rate.collect, rate.at_most) == ("each", "items", "item", "marks", 3)
    assert rate.contract.reads == ("items",)
    assert (both.kind, list(both.branches), both.collect) == ("parallel", ["one", "two"], "both")
    assert both.contract.reads == ("topic", "draft")


def polish(draft: str) -> str:
    return draft.strip()


def test_a_function_and_a_runnable_stand_for_themselves() -> None:
    chain = ChatPromptTemplate.from_template("On {topic}") | FakeListChatModel(responses=["Rot."])
    builder = (
        PlanBuilder("a").node(polish, writes="note").node(chain, name="write", inputs={"topic": "wood"}, writes="draft")
    )
    plan = builder.build()
    assert plan.nodes["polish"].contract == Contract("act", ("draft",), ("note",), ("done",))
    assert plan.nodes["write"].contract == Contract("act", ("wood",), ("draft",), ("done",))
    assert set(builder.code) == {f"{polish.__module__}:polish", "write"}


@pytest.mark.parametrize("nameless", [lambda draft: draft, RunnableLambda(str.upper)])
def test_what_has_no_name_needs_one(nameless: Any) -> None:
    with pytest.raises(TypeError, match="needs a name here: give it with name="):
        PlanBuilder("a").node(nameless)


def test_an_input_that_a_function_does_not_have() -> None:
    with pytest.raises(ValueError, match="polish has no input 'topic'; it has: draft"):
        PlanBuilder("a").node(polish, inputs={"topic": "wood"})


class Note(BaseModel):
    words: str


class Notes(State):
    notes: list[Note] = append()
    data: dict[str, str]


@pytest.mark.parametrize(
    ("result", "node", "declared"),
    [
        ("notes", Think("write", prompt="?", output=Note, writes="notes"), list[Note]),
        ("data", Think("write", prompt="?", output=Note, writes="data"), Note),
        ("data", Think("write", prompt="?", output=Note, writes="notes"), None),
        ("data", Think("write", prompt="?", writes="data"), None),
        ("data", Wait("write", text="?", reply=Note, writes="data"), Note),
    ],
)
def test_the_type_of_the_result_is_the_states_or_the_nodes(result: str, node: Node, declared: Any) -> None:
    builder = PlanBuilder("a", Notes, result=result).node(node, name="renamed")
    assert builder.code.get(RESULT_TYPE) == declared
    outer = PlanBuilder("b").node(builder)
    assert RESULT_TYPE not in outer.code
