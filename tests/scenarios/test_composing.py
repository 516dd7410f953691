"""A first day of composing in Python: states, functions, runnables and loops as nodes, typed results, notebooks."""

import asyncio
import operator
from typing import Annotated, Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langgraph.graph import START, StateGraph
from pydantic import BaseModel
from typing_extensions import TypedDict

import loopwright as lw
from loopwright.testing import assert_path


class Review(BaseModel):
    words: str
    points: int


class Longer(Review):
    """The same class on a later day."""

    author: str


class Essay(lw.State):
    topic: str = lw.input()
    draft: str
    review: Review
    log: list[str] = lw.append()


class EssayDict(TypedDict, total=False):
    topic: Annotated[str, "input"]
    draft: str
    review: Review
    log: Annotated[list[str], operator.add]


class EssayModel(BaseModel):
    topic: str
    draft: str = ""
    review: Review | None = None
    log: Annotated[list[str], "append"] = []


def tidy(draft: str) -> str:
    """A plain function."""
    return " ".join(draft.split())


async def judge(draft: str) -> Review:
    """A plain function that is awaited, and writes a model."""
    await asyncio.sleep(0)
    return Review(words=draft, points=len(draft))


def compiled() -> Any:
    """A graph of LangGraph that takes a draft and gives one."""

    class Draft(TypedDict):
        draft: str

    graph = StateGraph(Draft)
    graph.add_node("shout", lambda state: {"draft": state["draft"].upper()})
    graph.add_edge(START, "shout")
    return graph.compile()


def chain() -> Any:
    prompt = ChatPromptTemplate.from_template("On {about}")
    return prompt | FakeListChatModel(responses=["  wood   rots "]) | StrOutputParser()


def essay(state: Any) -> lw.Loop[Any]:
    @lw.node(reads="review", outcomes=["long", "short"], kind="route", version="1", name="size")
    def size(review: Review) -> str:
        return "long" if review.points > 5 else "short"

    plan = lw.PlanBuilder("essay", state, result="review")
    plan.node(chain(), name="write", inputs={"about": "topic"}, writes="draft")
    plan.node(tidy, writes="draft").node(lw.Act("shout", compiled(), writes="draft", version="1"))
    plan.node(judge, writes="review").node(size)
    plan.edge("write", "done", "tidy").edge("tidy", "done", "shout").edge("shout", "done", "judge")
    plan.edge("judge", "done", "size").edge("size", "long", lw.End("good")).edge(
        "size", "short", lw.End("bad", ok=False)
    )
    return plan.loop()


async def begun(loop: lw.Loop[Any], way: str, inputs: Any) -> lw.Run[Any]:
    """Started in a running event loop, as a notebook has one."""
    return loop.start(inputs) if way == "start" else await loop.astart(inputs)


@pytest.mark.parametrize("state", [Essay, EssayDict, EssayModel])
@pytest.mark.parametrize("way", ["sync", "start", "astart"])
def test_everything_may_be_a_node_and_the_result_has_its_type(state: Any, way: str) -> None:
    loop = essay(state)
    assert {finding.code for finding in loop.check()} == {"unversioned-code"}
    inputs = {"topic": "wood"}
    run = loop.start(inputs) if way == "sync" else asyncio.run(begun(loop, way, inputs))
    assert_path(run, ["write done", "tidy done", "shout done", "judge done", "size long -> good"])
    assert run.result == Review(words="WOOD ROTS", points=9)
    assert run.state["review"] == {"words": "WOOD ROTS", "points": 9}


def test_the_result_is_rebuilt_in_another_process_that_has_the_loop(tmp_path: Any) -> None:
    loop, store = essay(Essay), f"sqlite:{tmp_path / 'runs.db'}"
    run = loop.start({"topic": "wood"}, store=store)
    assert lw.open_run(store, run.id, loop=loop).result == Review(words="WOOD ROTS", points=9)
    assert lw.open_run(store, run.id).result == {"words": "WOOD ROTS", "points": 9}


def test_a_model_answers_with_a_type_and_functions_get_it() -> None:
    class State(lw.State):
        topic: str = lw.input()
        review: Review
        words: str

    @lw.node(writes="words", name="quote", version="1")
    def quote(review: Review) -> str:
        return f"{review.words} ({review.points})"

    plan = lw.PlanBuilder("review", State)
    plan.node(lw.Think("review", prompt="<{topic}>", output=Review, writes="review")).node(quote)
    plan.edge("review", "done", "quote").edge("quote", "done", lw.End("quoted"))
    model = lw.ScriptedModel({"review": [{"words": "Fine.", "points": "nine"}, {"words": "Fine.", "points": "9"}]})
    run = plan.loop().start({"topic": "wood"}, model=model)
    assert run.result == {"review": {"words": "Fine.", "points": 9}, "words": "Fine. (9)"}
    assert run.usage.repairs == 1


def test_what_does_not_fit_its_type_stops_in_that_step() -> None:
    class State(lw.State):
        review: Review

    plan = lw.PlanBuilder("review", State).node(lambda: {"words": "Fine."}, name="write", writes="review")
    run = plan.edge("write", "done", lw.End("written")).loop().start()
    assert (run.status, run.reason) == (
        "suspended",
        """write: node 'write': what it wrote to 'review' does not fit: "points" is a required property""",
    )


def test_inputs_may_have_their_types_and_a_class_that_changed_is_told() -> None:
    class State(lw.State):
        review: Review = lw.input()

    plan = lw.PlanBuilder("same", State, result="review").node(lambda review: review, name="keep", writes="review")
    run = plan.edge("keep", "done", lw.End("kept")).loop().start({"review": Review(words="Fine.", points=9)})
    assert run.result == Review(words="Fine.", points=9)
    loop = lw.Loop(run.plan, code={**plan.code, "type of the result": Longer})
    with pytest.raises(lw.RunError, match=f"the result of run {run.id} does not fit the type that the loop declares"):
        _ = lw.open_run(run.store, run.id, loop=loop).result


def test_loops_and_plans_are_nodes_and_bodies() -> None:
    class State(lw.State):
        topics: list[str] = lw.input()
        texts: list[str]
        best: str

    cycle = lw.RoleCycle(roles={"solver": {}, "boss": {}}, rounds={"max": 1})
    plan = lw.PlanBuilder("texts", State, result="best")
    write = lw.PlanBuilder("write", [lw.Channel("topic", input=True), lw.Channel("text")], result="text")
    write.node(lw.Think("draft", prompt="<{topic}>", writes="text")).edge("draft", "done", lw.End("written"))
    plan.each("write", over="topics", as_="topic", do=write.loop(), collect="texts", at_most=3)
    plan.node(lambda texts: texts[-1], name="choose", inputs={"texts": "texts"}, writes="best")
    plan.node(cycle, name="cycle", inputs={"task": "best"}, writes="best")
    plan.edge("write", "done", "choose").edge("choose", "done", "cycle")
    plan.edge("cycle", "stopped", lw.End("good")).edge("cycle", "max_rounds", lw.End("enough"))
    model = lw.ScriptedModel({"draft": ["A", "B"], "solver": ["C"], "boss": ["Fluggaenkoechiebolsen"]})
    run = plan.loop().start({"topics": ["a", "b"]}, model=model)
    assert (run.end, run.result, run.state["texts"]) == (lw.End("good"), "C", ["A", "B"])
