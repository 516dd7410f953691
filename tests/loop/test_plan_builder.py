"""Loops of plans made by hand."""

from typing import Any

import loopwright as lw
from loopwright.testing.scripts import RecordingModel


class Essay(lw.State):
    topic: str = lw.input()
    words: int = lw.input(100)
    draft: str
    notes: list[str] = lw.append()
    count: int = lw.add()


def essay(**fields: Any) -> lw.PlanBuilder:
    builder = lw.PlanBuilder("essay", Essay, **fields)
    builder.node(lw.Think("write", prompt="<{topic}>, <{words}> words", writes="draft"))
    return builder.edge("write", "done", lw.End("written"))


def test_a_loop_of_a_builder(drive: Any) -> None:
    model = RecordingModel({"write": ["A"]})
    run = drive.start(essay(result="draft").loop(model=model), {"topic": "bridges"})
    assert (run.result, run.end) == ("A", lw.End("written"))
    assert model.prompts("write") == [[{"role": "user", "content": "bridges, 100 words"}]]


def test_whole_numbers_stay_whole(drive: Any) -> None:
    builder = lw.PlanBuilder("count", Essay, result="count")
    builder.node(lw.Act("tick", tick, writes="count")).edge("tick", "done", "enough")
    builder.node(lw.Route("enough", enough, outcomes=["yes", "no"])).edge("enough", "yes", lw.End("counted"))
    builder.edge("enough", "no", "tick", at_most=5, then=lw.End("long", ok=False))
    run = drive.start(builder.loop(), {"topic": "x"})
    assert (run.result, type(run.result), run.state["count"]) == (3, int, 3)


def tick() -> int:
    return 1


def enough(count: int) -> str:
    return "yes" if count == 3 else "no"
