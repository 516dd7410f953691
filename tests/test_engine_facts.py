"""What LangGraph 1.2.24 does with a graph, as far as this package rests on it or guards against it.

Each test pins one fact by running it. A test that fails after an upgrade is news, not an accident: its message says
what to look at in this package. What a run does when it stops and goes on is in `test_engine_resume_facts.py`.
"""

import asyncio
import itertools
import operator
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph._internal._config import DEFAULT_RECURSION_LIMIT
from langgraph._internal._runnable import RunnableCallable
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, RetryPolicy, Send
from pydantic import BaseModel, ValidationError


class Log(TypedDict):
    log: Annotated[list[str], operator.add]


def graph_of(*names: str, **nodes: Any) -> "StateGraph[Log, None, Log, Log]":
    """A graph that begins at its first node; a plain name is a node that logs it."""
    graph = StateGraph(Log)
    for name in names:
        graph.add_node(name, logs(name))
    for name, node in nodes.items():
        graph.add_node(name, node)
    return graph.add_edge(START, next(iter(graph.nodes)))


def logs(word: str) -> Any:
    return lambda state: {"log": [word]}


def test_the_facts_are_those_of_this_version() -> None:
    assert version("langgraph") == "1.2.24", (
        "read every message of this file's failures, then change the version here and the range in pyproject.toml"
    )


def test_the_default_recursion_limit_is_no_fence() -> None:
    assert DEFAULT_RECURSION_LIMIT == 10007, "graphs/compile and graphs/run set their own limit: see that they still do"


def test_a_limit_of_n_is_used_up_by_n_visits() -> None:
    graph = graph_of("a", "b").add_edge("a", "b").add_edge("b", END).compile()
    assert graph.invoke({"log": []}, {"recursion_limit": 3}) == {"log": ["a", "b"]}, "the limit set is visits + 1"
    with pytest.raises(GraphRecursionError):
        graph.invoke({"log": []}, {"recursion_limit": 2})


def test_an_unreachable_node_compiles() -> None:
    assert graph_of("a", "lost").compile().invoke({"log": []}) == {"log": ["a"]}, (
        "the engine reports unreachable nodes now; graphs/verify must stay the first to say so"
    )


def test_a_command_to_an_unknown_node_ends_as_a_success(caplog: pytest.LogCaptureFixture) -> None:
    graph = graph_of(a=lambda state: Command(update={"log": ["a"]}, goto="nowhere")).compile()
    assert graph.invoke({"log": []}) == {"log": ["a"]}, "an unknown goto is no silent end any more"
    assert [record.levelname for record in caplog.records] == ["WARNING"], (
        "the log line has changed; the driver takes targets from the plan alone, and must go on doing so"
    )


def test_a_router_without_a_path_map_ends_as_a_success() -> None:
    graph = graph_of("a").add_conditional_edges("a", lambda state: "nowhere")
    assert graph.compile().invoke({"log": []}) == {"log": ["a"]}, (
        "sources/langgraph warns of such routers: adapt its words"
    )


def test_a_router_with_a_path_map_fails_with_a_bare_key_error() -> None:
    graph = graph_of("a").add_conditional_edges("a", lambda state: "nowhere", {"end": END})
    with pytest.raises(KeyError, match=r"^'nowhere'"):
        graph.compile().invoke({"log": []})


def test_a_drawing_stops_at_250_edges() -> None:
    names = [f"n{number}" for number in range(300)]
    graph = graph_of(*names)
    for source, target in itertools.pairwise(names):
        graph.add_edge(source, target)
    drawn = graph.compile().get_graph()
    assert (len(drawn.nodes), len(drawn.edges)) == (302, 252), (
        "the engine's own drawing has another limit; ours is drawn from the plan and has none"
    )


def test_a_write_to_an_unknown_key_is_dropped() -> None:
    assert graph_of(a=lambda state: {"lgo": ["a"]}).compile().invoke({"log": []}) == {"log": []}, (
        "the engine refuses unknown keys now; the driver's own check of writes says more and stays"
    )


def test_a_pydantic_state_does_not_validate_what_a_node_wrote() -> None:
    class Count(BaseModel):
        count: int

    graph: StateGraph[Any, None, Any, Any] = StateGraph(Count)
    graph.add_node("write", lambda state: {"count": "eight"})
    graph.add_node("read", lambda state: {})
    last = graph.add_edge(START, "write").compile()
    assert last.invoke({"count": 1}) == {"count": "eight"}, "writes are validated by the engine now, too"
    with pytest.raises(ValidationError):
        graph.add_edge("write", "read").compile().invoke({"count": 1})


def test_a_choice_into_a_join_drops_the_join() -> None:
    graph = graph_of("a", "b", "c", "join", "after").add_conditional_edges("a", lambda state: "b", ["b", "c"])
    graph.add_edge(["b", "c"], "join").add_edge("join", "after")
    assert graph.compile().invoke({"log": []}) == {"log": ["a", "b"]}, (
        "joins of skipped parents fire now; forks are regions in our plans, and need no such join"
    )


def test_unequal_branches_make_their_join_run_twice() -> None:
    def fan_out(state: Log) -> list[Send]:
        return [Send("short", state), Send("long", state)]

    graph = graph_of("a", "short", "long", "longer", "join").add_conditional_edges("a", fan_out, ["short", "long"])
    graph.add_edge("short", "join").add_edge("long", "longer").add_edge("longer", "join")
    assert graph.compile().invoke({"log": []})["log"].count("join") == 2, (
        "graphs/compile makes a subgraph of each longer body so that the join fires once; that may be needless now"
    )


@pytest.mark.parametrize("mark", ["|", ":"])
def test_engine_names_must_not_hold(mark: str) -> None:
    with pytest.raises(ValueError, match="reserved character"):
        graph_of(f"a{mark}b")


@pytest.mark.parametrize("name", ["a/b", "a b", "a[0]", "a%3Ab"])
def test_engine_names_may_be(name: str) -> None:
    assert graph_of(name).compile().invoke({"log": []}) == {"log": [name]}, "the encoding of names uses these marks"


def test_a_node_may_be_called_as_a_channel_is() -> None:
    assert graph_of("log").compile().invoke({"log": []}) == {"log": ["log"]}, "nodes keep the names of channels"


def test_an_async_only_node_fails_under_invoke() -> None:
    async def node(state: Log) -> Any:
        return {"log": ["a"]}

    with pytest.raises(TypeError, match="No synchronous function"):
        graph_of(a=node).compile().invoke({"log": []})


def test_the_sync_saver_refuses_async_calls() -> None:
    with SqliteSaver.from_conn_string(":memory:") as saver:
        graph = graph_of("a").compile(checkpointer=saver)
        with pytest.raises(NotImplementedError, match="does not support async"):
            asyncio.run(graph.ainvoke({"log": []}, {"configurable": {"thread_id": "one"}}))


def test_the_default_retry_policy_does_not_retry_a_value_error() -> None:
    calls: list[str] = []

    def fail(state: Log) -> Any:
        calls.append("a")
        raise ValueError("no JSON")

    graph = StateGraph(Log).add_node("a", fail, retry_policy=RetryPolicy(initial_interval=0)).add_edge(START, "a")
    with pytest.raises(ValueError, match="no JSON"):
        graph.compile().invoke({"log": []})
    assert calls == ["a"], "retries are the driver's; a node of ours never gets the engine's policy"


def bytes_of_list_after(steps: int, channel: Any, path: Path) -> int:
    """The size of a database after a run that adds a text of 2,000 characters to its list in every step."""

    class Texts(TypedDict):
        log: Annotated[list[str], channel]

    def add(state: Texts) -> Any:
        return Command(update={"log": ["x" * 2000]}, goto="add" if len(state["log"]) + 1 < steps else END)

    with SqliteSaver.from_conn_string(str(path)) as saver:
        graph = StateGraph(Texts).add_node("add", add).add_edge(START, "add").compile(checkpointer=saver)
        graph.invoke({"log": []}, {"configurable": {"thread_id": "one"}, "recursion_limit": steps + 1})
    return path.stat().st_size


def test_a_list_is_stored_whole_at_every_step_and_a_delta_channel_stores_what_was_added(
    tmp_path: Path,
) -> None:
    def extend(value: list[str], writes: Sequence[list[str]]) -> list[str]:
        return [*value, *(item for write in writes for item in write)]

    whole, twice = (bytes_of_list_after(steps, operator.add, tmp_path / f"whole{steps}") for steps in (40, 80))
    assert twice > 3.5 * whole, "plain lists grow linearly now; the delta channel may be needless"
    delta, more = (bytes_of_list_after(steps, DeltaChannel(extend), tmp_path / f"delta{steps}") for steps in (40, 80))
    assert more < 2.5 * delta, "DeltaChannel is no longer linear: look at its snapshots and at state/store"
    assert more < twice / 10


@pytest.mark.parametrize(("container", "kept"), [(list, AIMessage), (tuple, dict)])
def test_mappings_that_look_like_messages_stay_mappings_in_a_tuple(container: Any, kept: type) -> None:
    def extend(value: list[Any], writes: Sequence[Any]) -> list[Any]:
        return [*value, *(item for write in writes for item in write)]

    class Said(TypedDict):
        log: Annotated[list[Any], DeltaChannel(extend)]

    def say(state: Said) -> Any:
        return {"log": container([{"role": "assistant", "content": "hello"}])}

    graph = StateGraph(Said).add_node("say", say).add_edge(START, "say").compile(checkpointer=InMemorySaver())
    final = graph.invoke({"log": []}, {"configurable": {"thread_id": "one"}})
    assert [type(item) for item in final["log"]] == [kept], "look at engine_write in graphs/compile/channels.py"


def test_runnable_callable_takes_a_sync_and_an_async_function_and_gives_them_config_and_runtime() -> None:
    seen: list[tuple[str, object, object]] = []

    def sync(state: Log, config: RunnableConfig, runtime: Runtime[None]) -> Any:
        seen.append(("sync", config["configurable"]["given"], type(runtime)))
        return {"log": ["sync"]}

    async def asynchronous(state: Log, config: RunnableConfig, runtime: Runtime[None]) -> Any:
        seen.append(("async", config["configurable"]["given"], type(runtime)))
        return {"log": ["async"]}

    graph = graph_of(a=RunnableCallable(sync, asynchronous, name="a", trace=False)).compile()
    config: RunnableConfig = {"configurable": {"given": 1}}
    assert graph.invoke({"log": []}, config) == {"log": ["sync"]}
    assert asyncio.run(graph.ainvoke({"log": []}, config)) == {"log": ["async"]}
    assert seen == [("sync", 1, Runtime), ("async", 1, Runtime)], (
        "RunnableCallable has moved: graphs/compile falls back to RunnableLambda, at twice the time per step"
    )


def test_a_command_s_destinations_are_drawn_as_labelled_edges() -> None:
    graph = StateGraph(Log).add_node("a", logs("a"), destinations={"b": "pass", END: "fail"}).add_node("b", logs("b"))
    drawn = {(edge.source, edge.target, edge.data) for edge in graph.add_edge(START, "a").compile().get_graph().edges}
    assert {("a", "b", "pass"), ("a", END, "fail")} <= drawn, "the embedded graph loses its labels: see graphs/compile"
