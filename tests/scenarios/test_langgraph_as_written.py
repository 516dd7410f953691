"""LangGraph graphs as their tutorials write them: sends, hand-overs, chats, decorators. Good ones have no error."""

import functools
import operator
import warnings
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from langchain_core.language_models import FakeListChatModel
from langgraph.errors import InvalidUpdateError
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import create_react_agent
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

from loopwright import stategraph


class Notes(TypedDict):
    topics: list[str]
    draft: str
    notes: Annotated[list[str], operator.add]


class Task(TypedDict):
    task: str


def does(state: Task) -> dict[str, Any]:
    return {"notes": [state["task"]]}


def idle(state: Notes) -> dict[str, Any]:
    return {}


def writes(state: Notes) -> dict[str, Any]:
    return {"draft": "one"}


def of_tasks(router: Callable[..., Any]) -> Any:
    return StateGraph(Notes).add_node("do", does).add_conditional_edges(START, router).add_edge("do", END)


def one_task() -> Any:
    return of_tasks(lambda state: Send("do", {"task": state["topics"][0]}))


def gathered_tasks() -> Any:
    def each(state: Notes) -> list[Send]:
        tasks = []
        for topic in state["topics"]:
            tasks.append(Send("do", {"task": topic}))
        return tasks

    return of_tasks(each)


def hands_over(state: Notes) -> Command[Literal["talk"]]:
    return Command(goto="talk", update={"draft": interrupt("?")})


def chat_that_waits_for_a_person() -> Any:
    builder = StateGraph(Notes).add_node("talk", writes).add_node("person", hands_over)
    return builder.add_edge(START, "talk").add_edge("talk", "person")


def decorated_router() -> Any:
    def to_end(router: Callable[[Notes], str]) -> Callable[[Notes], str]:
        @functools.wraps(router)
        def routed(state: Notes) -> str:
            return END if router(state) == "done" else "write"

        return routed

    @to_end
    def route(state: Notes) -> str:
        return "done" if state["draft"] else "not yet"

    builder = StateGraph(Notes).add_node("ask", idle).add_node("write", writes)
    return builder.add_edge(START, "ask").add_conditional_edges("ask", route, [END, "write"]).add_edge("write", END)


GOOD = [one_task, gathered_tasks, chat_that_waits_for_a_person, decorated_router]


@pytest.mark.parametrize("make", GOOD, ids=lambda make: make.__name__)
def test_of_a_good_graph_nothing_is_told(make: Callable[[], Any]) -> None:
    assert list(stategraph.check(make())) == []


def test_agents_that_hand_over_to_each_other_may_also_be_done() -> None:
    """A swarm: an agent that calls no tool to hand over is the last one."""
    builder = StateGraph(MessagesState)
    for name, other in (("flights", "hotels"), ("hotels", "flights")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            agent = create_react_agent(FakeListChatModel(responses=["hi"]), [], name=name)
        builder.add_node(name, agent, destinations=(other,))
    findings = stategraph.check(builder.add_edge(START, "flights"))
    assert not findings.errors
    assert ("unbounded-loop", ("flights", "hotels")) in [(finding.code, finding.nodes) for finding in findings]


def echoes(state: Notes) -> dict[str, Any]:
    return {**state, "draft": "one"}


def whole_states_side_by_side() -> Any:
    builder = StateGraph(Notes).add_node("a", echoes).add_node("b", echoes)
    return builder.add_edge(START, "a").add_edge(START, "b").add_edge("a", END).add_edge("b", END)


def two_tasks_of_one_node() -> Any:
    builder = StateGraph(Notes).add_node("a", writes).add_edge("a", END)
    return builder.add_conditional_edges(START, lambda state: [Send("a", state), Send("a", state)])


@pytest.mark.parametrize(
    ("make", "step"), [(whole_states_side_by_side, "a + b"), (two_tasks_of_one_node, "a + a")], ids=["states", "tasks"]
)
def test_writers_in_one_step(make: Callable[[], Any], step: str) -> None:
    """LangGraph refuses what is told here, when it runs."""
    (finding,) = stategraph.check(make())
    assert (finding.code, finding.severity, finding.path) == ("parallel-writers", "error", ("start", step))
    with pytest.raises(InvalidUpdateError, match="only one value per step"):
        make().compile().invoke({"topics": [], "draft": "", "notes": []})
