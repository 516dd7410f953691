"""What a run lends to its nodes: events go to whoever listens, and visits are told when they are kept."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar, copy_context
from typing import Any

import pytest
from langgraph.runtime import Runtime

from loopwright.errors import ContractError
from loopwright.graphs.compile.context import Context, EngineTask, Left
from loopwright.graphs.compile.names import AT
from loopwright.nodes.events import Event, RunStarted, VisitEnded
from loopwright.state.records import Outgoing, Visit

VISIT = Visit(-1, "write", "think", "done")
TASK: Any = {"configurable": {"__pregel_task_id": "t1", "checkpoint_ns": "ns", AT: "rate[2]/"}}
place: ContextVar[str] = ContextVar("place", default="nowhere")


class Kept:
    """Keeps what it is given, and calls back when it is told to."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, str, Visit]] = []
        self.told: list[Callable[[int], None]] = []
        self.sent: list[Outgoing] = []
        self.taken: list[int] = []

    def __call__(
        self,
        task: str,
        namespace: str,
        visit: Visit,
        kept: Callable[[int], None],
        events: Sequence[Outgoing],
        taken: Sequence[int],
    ) -> None:
        self.notes.append((task, namespace, visit))
        self.taken += taken
        self.sent += events
        self.told.append(kept)


def task_of(context: Any, default: Context | None = None) -> tuple[EngineTask, list[tuple[str, Event]]]:
    written: list[tuple[str, Event]] = []
    runtime: Runtime[Any] = Runtime(context=context, stream_writer=lambda event: written.append((place.get(), event)))
    return EngineTask(TASK, runtime, default or Context()), written


def test_a_task_knows_its_place() -> None:
    task, _ = task_of(Context())
    assert (task.id, task.label) == ("t1", "rate[2]/")
    outside: Any = {"configurable": {"__pregel_task_id": "t2"}}
    assert EngineTask(outside, Runtime(), Context()).label == ""


@pytest.mark.parametrize("foreign", [None, {"user": "a context of another program"}])
def test_a_context_of_another_kind_is_not_ours(foreign: Any) -> None:
    default = Context({}, listening=True)
    assert task_of(foreign, default)[0].context is default
    ours = Context()
    assert task_of(ours, default)[0].context is ours


def test_events_go_to_whoever_listens() -> None:
    task, written = task_of(Context(listening=True))
    task.tell(RunStarted("r1"))
    assert written == [("nowhere", RunStarted("r1"))]
    task, written = task_of(Context())
    task.tell(RunStarted("r1"))
    assert written == []


def test_a_visit_is_told_when_it_is_kept_and_not_before() -> None:
    keeper = Kept()
    task, written = task_of(Context(note=keeper, listening=True))
    inside = copy_context()
    inside.run(place.set, "in the task")
    inside.run(task.keep, VISIT)
    assert (keeper.notes, written) == ([("t1", "ns", VISIT)], [])
    keeper.told[0](4)
    assert written == [("in the task", VisitEnded(Visit(4, "write", "think", "done"), "t1"))]


def test_a_visit_is_kept_where_nobody_listens() -> None:
    keeper = Kept()
    task, written = task_of(Context(note=keeper))
    task.keep(VISIT)
    keeper.told[0](0)
    assert (keeper.notes, written) == ([("t1", "ns", VISIT)], [])


def test_without_a_store_nothing_is_kept() -> None:
    task, written = task_of(Context(listening=True))
    task.keep(VISIT)
    assert written == []


def test_a_visit_stops_where_it_would_tell_something_to_nobody() -> None:
    context = Context(listening=True)
    task, written = task_of(context)
    context.left.set()
    with pytest.raises(Left):
        task.tell(RunStarted("r1"))
    assert written == []
    assert not issubclass(Left, Exception), "no node takes it for a failure of its own"


def test_a_visit_that_is_made_again_is_told_so_once() -> None:
    task, _ = task_of(Context(again={"rate[2]/judge"}))
    assert [task.takes_again("rate[2]/judge"), task.takes_again("rate[2]/judge")] == [True, False]
    assert not task.takes_again("pick")


def test_events_are_kept_with_their_visit() -> None:
    keeper = Kept()
    task_of(Context(note=keeper))[0].keep(VISIT, (Outgoing("rings"),))
    assert keeper.sent == [Outgoing("rings")]


def test_where_there_is_no_inbox_an_event_is_refused() -> None:
    with pytest.raises(ContractError, match="'write' sends an event, and a graph that another program runs has no"):
        task_of(Context())[0].keep(VISIT, (Outgoing("rings"),))
