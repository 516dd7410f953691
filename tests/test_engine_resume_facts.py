"""What LangGraph 1.2.24 does with a run that stops and goes on; the companion of `test_engine_facts.py`."""

import operator
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.graph import END, START, StateGraph
from langgraph.pregel._checkpoint import channels_from_checkpoint
from langgraph.types import Command, Send, interrupt

THREAD: RunnableConfig = {"configurable": {"thread_id": "one"}}


class Log(TypedDict):
    log: Annotated[list[str], operator.add]


def runnable(saver: InMemorySaver, **nodes: Any) -> Any:
    """A graph whose nodes all begin at once."""
    graph = StateGraph(Log)
    for name, node in nodes.items():
        graph.add_node(name, node).add_edge(START, name)
    return graph.compile(checkpointer=saver)


def asks(calls: list[str], name: str = "ask") -> Any:
    """A node that notes that it runs, and asks."""

    def node(state: Log) -> Any:
        calls.append(name)
        return {"log": [f"{name} {interrupt('?')}"]}

    return node


def test_an_interrupt_leaves_its_node_as_an_exception() -> None:
    raised: list[BaseException] = []

    def node(state: Log) -> Any:
        try:
            interrupt("?")
        except BaseException as error:
            raised.append(error)
            raise

    runnable(InMemorySaver(), ask=node).invoke({"log": []}, THREAD)
    assert [type(error) for error in raised] == [GraphInterrupt], "the driver lets GraphBubbleUp pass: see nodes/driver"
    assert isinstance(raised[0], GraphBubbleUp)


def test_a_resume_runs_the_whole_node_again() -> None:
    calls: list[str] = []
    graph = runnable(InMemorySaver(), ask=asks(calls))
    graph.invoke({"log": []}, THREAD)
    assert graph.invoke(Command(resume="yes"), THREAD) == {"log": ["ask yes"]}
    assert calls == ["ask", "ask"], (
        "a node goes on after its interrupt now; our nodes do nothing before theirs either way"
    )


def test_two_answers_to_one_question_run_its_node_twice() -> None:
    both = threading.Barrier(2)

    def node(state: Log) -> Any:
        answer = interrupt("?")
        both.wait(timeout=10)
        return {"log": [answer]}

    graph = runnable(InMemorySaver(), ask=node)
    graph.invoke({"log": []}, THREAD)
    with ThreadPoolExecutor(2) as pool:
        ends = list(pool.map(lambda word: graph.invoke(Command(resume=word), THREAD), ["yes", "no"]))
    assert ends == [{"log": ["yes"]}, {"log": ["no"]}], (
        "the engine refuses a second answer now; the lease and the answers table in state/store must still come first"
    )


def test_an_answer_without_an_id_is_refused_when_two_questions_wait() -> None:
    graph = runnable(InMemorySaver(), one=asks([]), two=asks([]))
    graph.invoke({"log": []}, THREAD)
    with pytest.raises(RuntimeError, match="multiple pending interrupts"):
        graph.invoke(Command(resume="yes"), THREAD)


def test_a_renamed_node_loses_its_question() -> None:
    calls: list[str] = []
    saver = InMemorySaver()
    runnable(saver, ask=asks(calls)).invoke({"log": []}, THREAD)
    renamed = runnable(saver, approve=asks(calls, "approve"))
    assert renamed.get_state(THREAD).interrupts == (), "the engine keeps the question now; see graphs/migrate"
    assert renamed.invoke(Command(resume="yes"), THREAD) == {"log": []}
    assert calls == ["ask"], "a run whose plan has changed is refused or migrated before the engine sees it"


def test_a_finished_sibling_is_not_run_again_on_resume_and_is_on_new_input() -> None:
    calls: list[str] = []

    def work(state: Log) -> Any:
        calls.append("work")
        return {"log": ["work"]}

    graph = runnable(InMemorySaver(), work=work, ask=asks([]))
    graph.invoke({"log": []}, THREAD)
    assert sorted(graph.invoke(Command(resume="yes"), THREAD)["log"]) == ["ask yes", "work"]
    assert calls == ["work"], "finished branches are paid for again: graphs/run counts on their pending writes"
    other: RunnableConfig = {"configurable": {"thread_id": "two"}}
    graph.invoke({"log": []}, other)
    graph.invoke({"log": []}, other)
    assert calls == ["work", "work", "work"], (
        "new input keeps finished branches now; we always resume, which stays right"
    )


def test_a_suspension_is_continued_with_none_and_asks_again() -> None:
    calls: list[str] = []
    graph = runnable(InMemorySaver(), ask=asks(calls))
    graph.invoke({"log": []}, THREAD)
    for _ in range(2):
        graph.invoke(None, THREAD)
    assert [task.interrupts[0].value for task in graph.get_state(THREAD).tasks] == ["?"]
    assert calls == ["ask", "ask", "ask"], "a suspended visit is continued by invoke(None): see graphs/run"


def test_the_task_id_is_stable_across_a_resume_and_unique_for_each_visit() -> None:
    seen: list[str] = []

    def node(state: Log, config: RunnableConfig) -> Any:
        seen.append(config["configurable"]["__pregel_task_id"])
        if not state["log"]:
            interrupt("?")
        return Command(update={"log": ["x"]}, goto="ask" if len(state["log"]) < 2 else END)

    graph = StateGraph(Log).add_node("ask", node).add_edge(START, "ask").compile(checkpointer=InMemorySaver())
    graph.invoke({"log": []}, THREAD)
    graph.invoke(Command(resume="yes"), THREAD)
    first, resumed, second, third = seen
    assert first == resumed, "the record of visits is keyed by the task id: see state/store and graphs/run"
    assert len({first, second, third}) == 3


def test_what_waits_is_told_among_the_values() -> None:
    parts = list(runnable(InMemorySaver(), ask=asks([])).stream({"log": []}, THREAD, stream_mode="values"))
    assert [stop.value for stop in parts[-1]["__interrupt__"]] == ["?"], "see INTERRUPT in graphs/run/session.py"


def test_a_whole_copy_of_a_list_in_a_checkpoint_needs_no_other_checkpoint() -> None:
    def extend(value: list[str], writes: Sequence[list[str]]) -> list[str]:
        return [*value, *(item for write in writes for item in write)]

    class Said(TypedDict):
        log: Annotated[list[str], DeltaChannel(extend)]

    saver, graph = InMemorySaver(), StateGraph(Said).add_node("say", lambda state: {"log": ["b"]})
    graph.add_edge(START, "say").compile(checkpointer=saver).invoke({"log": ["a"]}, THREAD)
    found = saver.get_tuple(THREAD)
    assert found is not None
    channels, _ = channels_from_checkpoint(graph.channels, found.checkpoint, saver=saver, config=found.config)
    assert channels["log"].get() == ["a", "b"], "the states of a run's past are read so: see graphs/run/past.py"
    values = {**found.checkpoint["channel_values"], "log": _DeltaSnapshot(["c"])}
    copied = {**found.checkpoint, "channel_values": values}
    channels, _ = channels_from_checkpoint(graph.channels, copied, saver=InMemorySaver(), config=found.config)  # type: ignore[arg-type]
    assert channels["log"].get() == ["c"], "forks and pruned runs rest on whole copies: see graphs/run/past.py"


def test_writes_say_whether_their_task_is_alone_and_come_before_the_checkpoint_that_they_lead_to() -> None:
    class Noting(InMemorySaver):
        def put_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
            told.append(task_path.partition(",")[0])
            super().put_writes(config, writes, task_id, task_path)

        def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> RunnableConfig:
            told.append("checkpoint" + (", sent" if checkpoint["channel_values"].get("__pregel_tasks") else ""))
            return super().put(config, checkpoint, metadata, new_versions)

    told: list[str] = []
    graph = StateGraph(Log).add_node("one", lambda state: Command(goto=[Send("each", state)]))
    graph.add_node("each", lambda state: {"log": ["x"]}).add_edge(START, "one")
    graph.compile(checkpointer=Noting()).invoke({"log": []}, THREAD, durability="sync")
    pull, push = "~__pregel_pull", "~__pregel_push"
    assert told == ["checkpoint", pull, "checkpoint", pull, "checkpoint, sent", push, "checkpoint"], (
        "see ALONE in state/store/steps.py, which keeps a step in one transaction, and SENT there"
    )


def test_a_checkpoint_says_by_one_channel_which_node_is_next_and_a_question_s_id_is_of_node_and_checkpoint() -> None:
    saver, calls = InMemorySaver(), list[str]()
    runnable(saver, ask=asks(calls)).invoke({"log": ["a"]}, THREAD)
    found = saver.get_tuple(THREAD)
    assert found is not None
    assert "branch:to:ask" in found.checkpoint["channel_values"], (
        "graphs/run/moving.py reads where a run stands from it"
    )
    version: Any = saver.get_next_version(str(max(found.checkpoint["channel_versions"].values())), None)
    ids = [stop.id for _, _, stops in found.pending_writes or () for stop in stops]
    for name in ("ask", "renamed"):
        thread: RunnableConfig = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
        values = {"log": ["a"], f"branch:to:{name}": None}
        versions: Any = dict.fromkeys(values, version)
        made: Any = {**found.checkpoint, "channel_values": values, "channel_versions": versions, "versions_seen": {}}
        made["updated_channels"] = [f"branch:to:{name}"]
        saver.put(thread, made, found.metadata, versions)
        graph = runnable(saver, **{name: asks(calls), "other": asks(calls, "other")})
        assert graph.get_state(thread).next == (name,)
        ids += [stop.id for stop in graph.invoke(None, thread)["__interrupt__"]]
        assert graph.invoke(Command(resume={ids[-1]: "yes"}), thread)["log"] == ["a", "ask yes"]
    first, same, renamed = ids
    assert same == first
    assert renamed != first, "a question of a node that is renamed has another id: `Question.formerly`"
    assert "other" not in calls
