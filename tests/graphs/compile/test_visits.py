"""One node as the engine's callable: what it reads, what it writes, where it leads, and what is kept of it."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langgraph.graph import END
from langgraph.runtime import Runtime
from langgraph.types import Command

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.compile.context import Context
from loopwright.graphs.compile.exits import Exits
from loopwright.graphs.compile.names import AT, END_KEY
from loopwright.graphs.compile.visits import EngineNode
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.events import VisitEnded, VisitStarted
from loopwright.nodes.think import Think
from loopwright.state.channels import Channel
from loopwright.state.records import Outgoing, Usage, Visit
from loopwright.testing.scripts import RecordingModel

TASK: Any = {"configurable": {"__pregel_task_id": "t1", AT: "rate[2]/"}}


def essays() -> Plan:
    """A nested plan, whose channels have other names outside: the subject comes in, a line of its log goes out."""
    channels = [
        Channel("topic", str, input=True),
        Channel("tone", default="plain"),
        Channel("log", list[str], "append"),
    ]
    inner = PlanBuilder("essay", channels).node(Think("write", prompt="<{topic}>, <{tone}>, <{log}>", writes="log"))
    builder = PlanBuilder("outer", [Channel("subject", str, input=True)])
    builder.node(inner.edge("write", "done", End("written")).build(), inputs={"topic": "subject"})
    return builder.edge("essay", "written", End("end")).build()


class Visiting:
    """Makes one visit of the nested node, and keeps what the engine and the store would be given."""

    def __init__(self, reply: Any, *, awaited: bool, listening: bool = True) -> None:
        plan, self.awaited = essays(), awaited
        placed = plan.nodes["essay/write"]
        self.node = EngineNode(Exits(plan), placed, placed.node.bound({}), Context())  # type: ignore[union-attr]
        self.model = RecordingModel(lambda call: reply, label="of a test")
        self.events: list[Any] = []
        self.kept: list[Visit] = []
        self.runtime = Runtime(
            context=Context({"default": self.model}, self.note, listening), stream_writer=self.events.append
        )

    def note(
        self,
        task: str,
        namespace: str,
        visit: Visit,
        kept: Callable[[int], None],
        events: Sequence[Outgoing],
        taken: Sequence[int],
    ) -> None:
        self.kept.append(visit)
        kept(len(self.kept) - 1)

    def __call__(self, state: dict[str, Any]) -> Command[str]:
        if self.awaited:
            return asyncio.run(self.node.arun(state, TASK, self.runtime))
        return self.node.run(state, TASK, self.runtime)


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def awaited(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_a_visit_reads_and_writes_by_the_outer_names(awaited: bool) -> None:
    visit = Visiting("A", awaited=awaited)
    command = visit({"subject": "bridges", "essay/tone": "dry", "essay/log": ["x"], "topic": "wrong"})
    assert visit.model.prompts("rate[2]/essay/write") == [[{"role": "user", "content": "bridges, dry, - x"}]]
    end = {"end": "end", "reason": "essay/write is done"}
    assert (command.goto, command.update) == (END, {"essay/log": ("A",), END_KEY: end})


def test_what_was_not_written_is_read_as_before_the_first_write(awaited: bool) -> None:
    visit = Visiting("A", awaited=awaited)
    visit({"subject": "bridges"})
    assert visit.model.prompts("rate[2]/essay/write") == [[{"role": "user", "content": "bridges, plain, []"}]]


def test_what_is_kept_and_told_of_a_visit(awaited: bool) -> None:
    visit = Visiting("A", awaited=awaited)
    visit({"subject": "bridges"})
    (kept,) = visit.kept
    assert (kept.node, kept.kind, kept.outcome, kept.target) == ("rate[2]/essay/write", "think", "done", "end")
    assert (kept.reply, kept.model, kept.usage) == ("A", "of a test", Usage(calls=1))
    assert kept.started > 0
    assert 0 <= kept.seconds < 60
    started, ended = visit.events
    assert started == VisitStarted("rate[2]/essay/write", "think", "t1", "of a test")
    assert isinstance(ended, VisitEnded)
    assert (ended.task, ended.visit.index) == ("t1", 0)


def test_nothing_is_told_where_nobody_listens(awaited: bool) -> None:
    visit = Visiting("A", awaited=awaited, listening=False)
    visit({"subject": "bridges"})
    assert (visit.events, len(visit.kept)) == ([], 1)
