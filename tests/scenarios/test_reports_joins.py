"""Joins and back edges: what users of other engines reported, and what must happen here. Each test names its report."""

import itertools
from typing import Any

import pytest

from loopwright.errors import PlanError
from loopwright.graphs.plan import End
from loopwright.loop.load import loop_of
from loopwright.loop.loop import Loop
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.sources.specs import spec_from_data
from loopwright.testing.scripts import RecordingModel

WORK = {"type": "think", "prompt": "Work. <{notes}>", "writes": "draft"}
JUDGE = {"type": "judge", "prompt": "Good? <{draft}>", "outcomes": ["pass", "revise"], "writes": "notes"}
CHANNELS = {"draft": "str", "notes": {"type": "list[str]", "reduce": "append"}}
BACK = ("work -> judge", "judge [pass] -> end good", "judge [revise] -> work, at most 4 rounds, then fail max_rounds")


def graph(*edges: str, nodes: dict[str, Any] | None = None, channels: dict[str, Any] | None = None) -> Loop[Any]:
    """A graph as a file has it; a worker and its judge, if no nodes are given."""
    data: dict[str, Any] = {"channels": channels or CHANNELS, "nodes": nodes or {"work": WORK, "judge": JUDGE}}
    return loop_of(spec_from_data({**data, "edges": list(edges)}, "graph"))


# --- autogen#6643, #6710, #6716: a back edge is taken for one more way to wait for ---


def test_autogen_6643_the_start_and_a_back_edge_lead_into_one_node(drive: Any) -> None:
    loop = graph(*BACK)
    assert loop.plan.start == "work"
    assert str(loop.certificate) == "worst case: 5 rounds, 10 model calls, 10 visits"
    run = drive.start(loop, model=ScriptedModel({"work": ["a", "b"], "judge": ["revise", "pass"]}))
    assert [visit.node for visit in run.visits] == ["work", "judge", "work", "judge"]


def test_autogen_6710_a_loop_that_is_entered_in_the_middle_of_a_row(drive: Any) -> None:
    nodes = {
        "gen": WORK,
        "limit": {"type": "think", "prompt": "x"},
        "rev": JUDGE,
        "fin": {"type": "think", "prompt": "y"},
    }
    edges = ("gen -> limit", "limit -> rev", "rev [revise] -> limit, at most 3 rounds, then fail max_rounds")
    loop = graph(*edges, "rev [pass] -> fin", "fin -> end done", nodes=nodes)
    model = ScriptedModel({"gen": ["g"], "limit": ["l"] * 2, "rev": ["revise", "pass"], "fin": ["f"]})
    run = drive.start(loop, model=model)
    assert [visit.node for visit in run.visits] == ["gen", "limit", "rev", "limit", "rev", "fin"]
    assert (run.end, loop.certificate.visits) == (End("done"), 1 + 4 * 2 + 1)


def test_autogen_6716_a_verdict_that_no_edge_takes_is_no_complete_run() -> None:
    with pytest.raises(PlanError) as caught:
        graph("work -> judge", "judge [pass] -> end good").start(model=RecordingModel(lambda call: "x"))
    assert "'judge' [revise] leads nowhere" in str(caught.value)


# --- haystack#8641, #8059, #7371: an optional branch and a join ---

OPTIONAL = {
    "ask": {"type": "judge", "prompt": "Search?", "outcomes": ["search", "skip"]},
    "search": {"type": "think", "prompt": "Search.", "writes": "found"},
    "write": {"type": "think", "prompt": "Write with <{found}>.", "writes": "draft"},
}
OPTIONAL_EDGES = ("ask [search] -> search", "ask [skip] -> write", "search -> write", "write -> end done")


def test_haystack_8641_a_join_after_an_optional_branch_is_refused_with_the_way_that_shows_it() -> None:
    loop = graph(*OPTIONAL_EDGES, nodes=OPTIONAL, channels={"found": "str", "draft": "str"})
    (finding,) = loop.check()
    with pytest.raises(PlanError) as caught:
        loop.start(model=RecordingModel(lambda call: "x"))
    assert (finding.code, finding.path) == ("read-before-write", ("ask", "write"))
    assert "path: ask -> write" in str(caught.value)


@pytest.mark.parametrize(("said", "visits"), [("search", ["ask", "search", "write"]), ("skip", ["ask", "write"])])
def test_haystack_8059_with_a_default_both_ways_lead_through_the_join_once(
    drive: Any, said: str, visits: list[str]
) -> None:
    channels = {"found": {"type": "str", "default": "nothing"}, "draft": "str"}
    loop = graph(*OPTIONAL_EDGES, nodes=OPTIONAL, channels=channels)
    run = drive.start(loop, model=ScriptedModel({"ask": [said], "search": ["oak"], "write": ["a text"]}))
    assert ([visit.node for visit in run.visits], run.end) == (visits, End("done"))


def test_haystack_7371_a_fork_of_which_one_branch_takes_a_longer_way_is_joined_once(drive: Any) -> None:
    plan = {"kind": "graph", "nodes": OPTIONAL, "edges": list(OPTIONAL_EDGES), "result": "draft"}
    body = {"type": "plan", "plan": {**plan, "channels": {"found": {"type": "str", "default": "-"}, "draft": "str"}}}
    nodes = {"both": {"type": "parallel", "bodies": {"a": body, "b": body}}, "end": {"type": "think", "prompt": "x"}}
    loop = graph("both -> end", '"end" -> end done', nodes=nodes, channels={"both": "dict"})
    said = itertools.cycle(["search", "skip"])
    model = RecordingModel(lambda call: {"outcome": next(said)} if call.schema else call.node)
    run = drive.start(loop, model=model)
    assert [visit.node for visit in run.visits][-2:] == ["both", "end"]
    assert sorted(visit.node for visit in run.visits).count("end") == 1
    assert len(run.visits) == 3 + 2 + 2
