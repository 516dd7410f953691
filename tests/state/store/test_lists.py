"""Lists on disk: found as the engine itself would find them, without the checkpoints in between."""

from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.sqlite import SqliteSaver

from loopwright.graphs.compile import channels
from loopwright.graphs.plan import End
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.saver import Saver
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel


def growing(rounds: int) -> Loop[Any]:
    builder = PlanBuilder("growing", [Channel("log", list[str], reduce="append"), Channel("seldom", reduce="append")])
    builder.node(Think("write", prompt="Go on.", writes="log")).edge("write", "done", "judge")
    builder.node(Judge("judge", prompt="Enough?", outcomes=["yes", "no"])).edge("judge", "yes", End("good"))
    builder.edge("judge", "no", "write", at_most=rounds, bound="rounds", then="once")
    builder.node(Think("once", prompt="Once.", writes="seldom")).edge("once", "done", "look")
    builder.node(Human("look", text="Well?", outcomes=["go", "stop"])).edge("look", "stop", End("stopped"))
    return builder.edge("look", "go", "write").loop()


def model() -> RecordingModel:
    counts = iter(range(10**6))
    return RecordingModel(lambda call: {"outcome": "no"} if call.node == "judge" else f"text {next(counts)}")


@settings(max_examples=12)
@given(every=st.sampled_from([1, 2, 3, 7, 1000]), rounds=st.integers(0, 9), goes=st.integers(0, 2))
def test_the_engines_own_way_finds_the_same(every: int, rounds: int, goes: int) -> None:
    with pytest.MonkeyPatch.context() as patch, Store("memory:") as store:
        patch.setattr(channels, "SNAPSHOT_EVERY", every)
        run = growing(rounds).start(store=store, model=model())
        for _ in range(goes):
            run.resume("go")
        saver = Saver(store.database)
        found = list(saver.list({"configurable": {"thread_id": run.id}}))
        assert len(found) > goes
        for each in found:
            asked: Any = {
                "config": each.config,
                "channels": [c for c in ("log", "seldom") if c in each.checkpoint["channel_versions"]],
            }
            assert saver.get_delta_channel_history(**asked) == SqliteSaver.get_delta_channel_history(saver, **asked)


def statements(store: Store, function: Any) -> list[str]:
    said: list[str] = []
    store.database.connection.set_trace_callback(said.append)
    function()
    store.database.connection.set_trace_callback(None)
    return said


def test_a_run_that_goes_on_reads_no_checkpoint_in_between() -> None:
    counts = []
    for rounds in (3, 30):
        with Store("memory:") as store:
            loop = growing(rounds)
            run = loop.start(store=store, model=model())
            opened = open_run(store, run.id, loop=loop, models={"default": model()})
            counts.append(len(statements(store, partial(opened.resume, "stop"))))
    assert counts[0] == counts[1]


LONG = ("FROM visits", "FROM writes", "FROM checkpoints", "FROM blobs", "result FROM")


def test_a_run_is_opened_without_its_lists() -> None:
    with Store("memory:") as store:
        loop = growing(3)
        run = loop.start(store=store, model=model())

        def look() -> None:
            opened = open_run(store, run.id, loop=loop)
            assert (opened.status, len(opened.questions), opened.end, opened.reason) == ("waiting", 1, None, "")
            assert repr(opened)

        said = statements(store, look)
        assert [line for line in said for words in LONG if words in line] == []
        assert any("FROM runs" in line for line in said)
