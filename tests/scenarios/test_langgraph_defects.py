"""Broken LangGraph graphs that compile without a word, each with its own code; and good ones, without findings."""

import operator
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Annotated, Any, Literal

import pytest
from langchain_core.language_models import FakeListChatModel
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import create_react_agent
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

from loopwright import stategraph
from loopwright.graphs.verify.findings import Finding


class State(TypedDict):
    topic: str
    draft: str
    verdict: str


class Notes(TypedDict):
    topics: list[str]
    notes: Annotated[list[str], operator.add]


def idle(state: State) -> dict[str, Any]:
    return {}


def writes(state: State) -> dict[str, Any]:
    return {"draft": "one"}


def graph(*edges: tuple[Any, str], schema: Any = State, **nodes: Any) -> Any:
    """A builder of nodes and of edges; "start" and "end" are START and END."""
    builder = StateGraph(schema)
    for name, node in nodes.items():
        builder.add_node(name, node)
    for source, target in edges:
        builder.add_edge(START if source == "start" else source, END if target == "end" else target)
    return builder


def d1() -> Any:
    return graph(("start", "write"), ("write", "end"), ("publish", "end"), write=idle, publish=idle)


def d2() -> Any:
    return graph(("start", "write"), ("write", "review"), write=idle, review=idle)


def d3() -> Any:
    return graph(("start", "a"), ("a", "b"), ("b", "a"), a=idle, b=idle)


def judged(state: State) -> Literal["write", "__end__"]:
    return "__end__" if state["verdict"] == "pass" else "write"


def d4() -> Any:
    return graph(("start", "write"), ("write", "judge"), write=idle, judge=idle).add_conditional_edges("judge", judged)


def d5_router() -> Any:
    builder = graph(("start", "write"), ("write", "judge"), write=idle, judge=idle)
    return builder.add_conditional_edges("judge", lambda state: state["verdict"])


def d5_answer() -> Any:
    builder = graph(("start", "write"), ("write", "judge"), write=idle, judge=idle)
    return builder.add_conditional_edges("judge", lambda state: END if state["draft"] else "Pass.")


def d5_path_map() -> Any:
    builder = graph(("start", "write"), ("write", "judge"), write=idle, judge=idle)
    return builder.add_conditional_edges(
        "judge", lambda state: "pass" if state["draft"] else "Pass.", {"pass": END, "revise": END}
    )


def decides(state: State) -> Command[Any]:
    return Command(goto=state["verdict"])


def d5_command() -> Any:
    return graph(("start", "judge"), judge=decides, write=idle)


class Input(TypedDict):
    topic: str


def reads(state: State) -> dict[str, Any]:
    return {"verdict": state["draft"]}


def d6() -> Any:
    builder = StateGraph(State, input_schema=Input)
    builder.add_node("review", reads).add_node("write", writes)
    return builder.add_edge(START, "review").add_edge("review", "write").add_edge("write", END)


def d7() -> Any:
    ways = [("start", "a"), ("start", "b"), (["a", "b"], "c"), ("c", "end")]
    return graph(*ways, a=writes, b=writes, c=idle)


def d8() -> Any:
    builder = graph(
        ("start", "ask"), (["web", "books"], "answer"), ("answer", "end"), ask=idle, web=idle, books=idle, answer=idle
    )
    return builder.add_conditional_edges("ask", lambda state: "web" if state["topic"] else "books", ["web", "books"])


def d9() -> Any:
    ways = [("start", "a"), ("a", "b"), ("a", "c"), ("c", "d"), ("b", "merge"), ("d", "merge"), ("merge", "end")]
    return graph(*ways, a=idle, b=idle, c=idle, d=idle, merge=idle)


def d10() -> Any:
    builder = graph(("start", "a"), ("b", "end"), ("c", "d"), ("d", "c"), a=idle, b=idle, c=idle, d=idle)
    return builder.add_conditional_edges("a", lambda state: "b" if state["topic"] else "c", ["b", "c"])


def orphan_chain() -> Any:
    """Of langgraph#6735: nodes that are joined to each other, and to nothing else."""
    return graph(("start", "work"), ("work", "end"), ("log", "mail"), ("mail", "end"), work=idle, log=idle, mail=idle)


def dead_branch() -> Any:
    """Of langgraph#6735: one way of a choice ends in a node that nothing follows."""
    builder = graph(("start", "ask"), ("good", "end"), ask=idle, good=idle, bad=idle)
    return builder.add_conditional_edges("ask", lambda state: "good" if state["topic"] else "bad", ["good", "bad"])


BROKEN: dict[str, tuple[Callable[[], Any], str, str, str]] = {
    "D1 unreachable node": (d1, "error", "unreachable-node", "publish"),
    "D2 dead end": (d2, "warning", "dead-end", "start -> write -> review"),
    "D3 cycle without an exit": (d3, "error", "no-end", "a -> b -> a"),
    "D4 cycle without a bound": (d4, "warning", "unbounded-loop", "write -> judge -> write"),
    "D5 router that may say anything": (d5_router, "warning", "open-router", "start -> write -> judge -> ?"),
    "D5 answer that no edge handles": (d5_answer, "error", "unknown-target", "start -> write -> judge -> ?"),
    "D5 answer beside the path map": (d5_path_map, "error", "unknown-target", "start -> write -> judge -> ?"),
    "D5 command that may go anywhere": (d5_command, "warning", "open-router", "start -> judge -> ?"),
    "D6 read before written": (d6, "error", "read-before-write", "start -> review"),
    "D7 two writers": (d7, "error", "parallel-writers", "start -> a + b"),
    "D8 choice into a join": (d8, "error", "dropped-join", "start -> ask -> web -> end"),
    "D9 fork without a join": (d9, "error", "double-run", "start -> a -> b + c -> d + merge -> merge"),
    "D10 trap": (d10, "error", "trap", "start -> a -> c -> d -> c"),
    "6735 orphan chain": (orphan_chain, "error", "unreachable-node", "log"),
    "6735 dead branch": (dead_branch, "warning", "dead-end", "start -> ask -> bad"),
}


@pytest.mark.parametrize(("make", "severity", "code", "path"), BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("compiled", [False, True], ids=["builder", "compiled"])
def test_a_defect_has_its_code_and_a_path_that_shows_it(
    make: Callable[[], Any], severity: str, code: str, path: str, compiled: bool
) -> None:
    made = make().compile() if compiled else make()
    first: Finding = stategraph.check(made)[0]
    assert (first.severity, first.code, " -> ".join(first.path)) == (severity, code, path)
    assert {finding.code for finding in stategraph.check(made)} == {code}


def test_what_the_engine_does_with_a_dropped_join_and_a_double_run() -> None:
    """The two findings are so: the engine drops the join, and runs the merge twice."""
    ran: list[str] = []

    def logged(name: str) -> Callable[[State], None]:
        def node(state: State) -> None:
            ran.append(name)

        return node

    for make in (d8, d9):
        builder = make()
        for name in list(builder.nodes):
            builder.nodes.pop(name)
            builder.add_node(name, logged(name))
        builder.compile().invoke({"topic": "ropes"})
    assert sorted(ran) == ["a", "ask", "b", "c", "d", "merge", "merge", "web"]  # b and c run at once, in any order


class Agent(FakeListChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


def look_up(topic: str) -> str:
    """Look a topic up."""
    return topic


def react(**options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return create_react_agent(Agent(responses=["."]), [look_up], **options)


def react_with_hooks() -> Any:
    return react(pre_model_hook=idle, post_model_hook=idle)


def fan_out_and_in() -> Any:
    ways = [("start", "plan"), ("plan", "a"), ("plan", "b"), ("b", "c"), (["a", "c"], "sum_up"), ("sum_up", "end")]
    return graph(*ways, plan=writes, a=idle, b=writes, c=idle, sum_up=writes)


def spread(state: Notes) -> list[Send]:
    return [Send("note", {"topic": topic}) for topic in state["topics"]]


def note(state: Input) -> dict[str, Any]:
    return {"notes": [state["topic"]]}


def map_reduce() -> Any:
    builder = graph(
        ("start", "plan"), ("note", "sum_up"), ("sum_up", "end"), schema=Notes, plan=idle, note=note, sum_up=idle
    )
    return builder.add_conditional_edges("plan", spread, ["note"])


def unmapped_map_reduce() -> Any:
    builder = graph(("note", "end"), schema=Notes, note=note)
    return builder.add_conditional_edges(START, spread)


def boss(state: MessagesState) -> Command[Literal["web", "books", "__end__"]]:
    said: Any = state["messages"][-1].content
    return Command(goto=said if said in ("web", "books") else END)


def reports(state: MessagesState) -> Command[Literal["boss"]]:
    return Command(goto="boss", update={"messages": [("user", "done")]})


def supervisor() -> Any:
    return (
        graph(("start", "boss"), schema=MessagesState, boss=boss, web=reports, books=reports)
        .compile()
        .with_config(recursion_limit=25)
    )


class Counted(TypedDict):
    rounds: Annotated[int, operator.add]


def counted(state: Counted) -> str:
    return "write" if state["rounds"] < 3 else END


def counted_loop() -> Any:
    builder = graph(("start", "write"), schema=Counted, write=lambda state: {"rounds": 1})
    return builder.add_conditional_edges("write", counted)


def asks(state: State) -> dict[str, Any]:
    return {"verdict": interrupt("Good?")}


def person_in_the_loop() -> Any:
    builder = graph(("start", "write"), ("write", "ask"), write=idle, ask=asks)
    return builder.add_conditional_edges("ask", judged)


def several(state: State) -> list[str]:
    return ["b", "c"] if state["topic"] else ["c", "d"]


def router_of_lists() -> Any:
    ways = [("start", "a"), ("b", "e"), ("c", "e"), ("d", "e"), ("e", "end")]
    return graph(*ways, a=idle, b=idle, c=idle, d=idle, e=idle).add_conditional_edges("a", several, ["b", "c", "d"])


def all_in_a_list_then_a_join() -> Any:
    builder = graph(("start", "a"), (["b", "c"], "d"), ("d", "end"), a=idle, b=idle, c=idle, d=idle)
    return builder.add_conditional_edges("a", lambda state: ["b", "c"], ["b", "c"])


def subgraph_in_a_graph() -> Any:
    return graph(("start", "inner"), ("inner", "after"), ("after", "end"), inner=fan_out_and_in().compile(), after=idle)


def fails_well() -> Any:
    builder = graph(("start", "work"), ("work", "end"))
    return builder.add_node("work", writes, error_handler=idle)


GOOD = [
    react,
    react_with_hooks,
    fan_out_and_in,
    map_reduce,
    unmapped_map_reduce,
    supervisor,
    counted_loop,
    person_in_the_loop,
    router_of_lists,
    all_in_a_list_then_a_join,
    subgraph_in_a_graph,
    fails_well,
]


@pytest.mark.parametrize("make", GOOD, ids=lambda make: make.__name__)
def test_of_a_good_graph_nothing_is_told(make: Callable[[], Any]) -> None:
    assert list(stategraph.check(make())) == []


def test_an_agent_that_fails_at_its_first_tool_call() -> None:
    """LangGraph's own agent, in a version that its hook does not fit: it raises KeyError('tools') when it runs."""
    (finding,) = stategraph.check(react(post_model_hook=idle, version="v1")).errors
    assert (finding.code, finding.path) == ("unknown-target", ("start", "agent", "?"))
    assert finding.message == (
        "the router 'should_continue' of 'agent' answers 'tools', and its path map has no such answer: the run fails"
        " there"
    )


def test_an_agent_with_a_last_node_that_nothing_follows() -> None:
    findings = stategraph.check(react(response_format=Input))
    assert [(finding.code, finding.nodes) for finding in findings] == [("dead-end", ("generate_structured_response",))]


def test_a_large_graph_is_drawn_whole() -> None:
    """LangGraph's own picture has 250 edges at most."""
    names = [f"n{number}" for number in range(300)]
    ways = [("start", names[0]), *pairwise(names), (names[-1], "end")]
    large = graph(*ways, **dict.fromkeys(names, idle)).compile()
    assert len(large.get_graph().edges) < 301
    text = stategraph.draw(large, format="mmd")
    assert sum("-->" in line for line in text.splitlines()) == 301
    assert list(stategraph.check(large)) == []
