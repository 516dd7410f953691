"""What nodes write is the run's own, and what is added stays a number that can be kept."""

from typing import Any

import pytest

from loopwright.graphs.plan import End
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.functions import node
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store

KEPT: list[list[int]] = []


@node(writes="numbers")
def give(first: int) -> list[int]:
    KEPT.append([first])
    return KEPT[-1]


@node(writes="done")
def meddle() -> bool:
    KEPT[-1].append(2)
    return True


@node(writes="sum")
def add_to(step: float) -> float:
    return step


def adding() -> Loop[Any]:
    builder = PlanBuilder("sums", [Channel("step", input=True), Channel("sum", float, reduce="add")])
    builder.node(add_to, name="one").node(add_to, name="two").edge("one", "done", "two").edge("two", "done", End("end"))
    return builder.loop()


def test_a_value_that_a_function_keeps_is_not_the_one_that_it_wrote(drive: Any, store: Store) -> None:
    channels = [Channel("first", input=True), Channel("numbers"), Channel("done")]
    builder = PlanBuilder("own", channels, result="numbers").node(give).node(meddle)
    loop = builder.edge("give", "done", "meddle").edge("meddle", "done", End("end")).loop()
    run = drive.start(loop, {"first": 1}, store=store)
    assert (run.end, run.result, run.state["numbers"], KEPT[-1]) == (End("end"), [1], [1], [1, 2])


def test_a_sum_stays_what_it_is(drive: Any) -> None:
    assert drive.start(adding(), {"step": 2}).state["sum"] == 4
    assert drive.start(adding(), {"step": 0.5}).state["sum"] == 1.0


@pytest.mark.parametrize("step", [1.5e308, 2**62])
def test_a_sum_that_is_too_large_stops_the_run_in_its_step(drive: Any, step: Any) -> None:
    run = drive.start(adding(), {"step": step})
    assert (run.status, run.state["sum"]) == ("suspended", step)
    assert f"the sum of {step} and {step} is too large to be kept" in run.reason
