"""Role cycles that sum up what they no longer send: scripted, at a real server, interrupted, and in the worst case."""

import json
from pathlib import Path
from typing import Any

import pytest

import loopwright as lw
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.opening import open_run
from loopwright.nodes.models.contract import ModelCall
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject
from loopwright.testing import ModelServer
from loopwright.testing.scripts import RecordingModel

ROUNDS = 12
TWO: Any = {"solver": {}, "boss": {}}


def cycle(rounds: int = ROUNDS, **fields: Any) -> lw.RoleCycle:
    given: Any = {"history": {"last": 4, "summary": True}, "roles": TWO, **fields}
    return lw.RoleCycle(task="A risk?", rounds=lw.Rounds(min=rounds, max=rounds), **given)


def test_a_scripted_run_sums_up_only_where_the_bound_is_passed() -> None:
    script = {
        "solver": ["S1", "S2", "S3", "S4"],
        "boss": ["B1", "B2", "B3", "B4"],
        "summarise": ["Two rounds.", "More."],
    }
    run = cycle(4).start(model=lw.ScriptedModel(script))
    assert (run.end, run.result) == (lw.End("max_rounds", ok=False), "S4")
    summing = [visit for visit in run.visits if visit.node == "summarise"]
    assert [visit.reason for visit in summing] == [
        "nothing to sum up yet",
        "3 messages summed up",
        "5 messages summed up",
        "round 4 of at most 4 is over",
    ]
    assert run.usage.calls == 10
    assert run.state["summary"] == {"text": "More.", "covers": 5}
    transcript: Any = run.state["transcript"]
    assert len(transcript) == 8, "the transcript keeps everything"
    asked = [str(moment.asked) for moment in run.history if moment.visit.node == "solver"]
    assert ["Two rounds." in text for text in asked] == [False, False, True, False]
    assert "More." in asked[3]


def test_what_a_round_sends_stays_as_it_is_while_the_summary_carries_on() -> None:
    summed = 0

    def reply(body: JsonObject) -> str:
        nonlocal summed
        messages: Any = body["messages"]
        if messages[0]["content"].startswith("Some people work on a task."):
            summed += 1
            return f"Summary {summed:02}: " + "the bearings rot. " * 5
        return "Rot at the bearings, and nobody sees it. " * 5

    loop = cycle(history={"tokens": 400, "summary": True})
    with ModelServer(reply) as server:
        run = loop.start(model=lw.ModelRef("any", base_url=server.base_url, api_key_env=""))
        bodies: list[Any] = [request.body for request in server.requests]
    assert 2 <= summed < ROUNDS - 1
    assert len(bodies) == 2 * ROUNDS + summed == run.usage.calls
    seen = 0
    for messages in (body["messages"] for body in bodies):
        if messages[0]["content"].startswith("Some people"):
            assert (f"Summary {seen:02}:" in messages[0]["content"]) == (seen > 0)
            seen += 1
        else:
            assert "A risk?" in messages[0]["content"]
            assert not seen or f"Summary {seen:02}:" in messages[1]["content"]
    assert max(len(json.dumps(body)) for body in bodies) < 4 * (400 + 300)


class Leaves:
    """A model at one of whose calls somebody presses Ctrl-C: at the first of this node after so many in all."""

    def __init__(self, node: str, after: int) -> None:
        self.asked: list[str] = []
        self.node, self.after = node, after

    def __call__(self, call: ModelCall) -> str:
        if call.node == self.node and len(self.asked) == self.after:
            self.after = -1
            raise KeyboardInterrupt
        self.asked.append(call.node)
        return f"{call.node} {len(self.asked)}"


TWICE = ["solver", "boss"]


@pytest.mark.parametrize(("node", "after"), [("summarise", 4), ("solver", 5), ("boss", 6)])
def test_nothing_is_asked_twice_where_the_run_is_left_beside_a_summary(node: str, after: int, store: Store) -> None:
    model = RecordingModel(Leaves(node, after))
    with pytest.raises(KeyboardInterrupt):
        cycle(3).start(store=store, model=model)
    (row,) = store.registry.all()
    assert row.status == "interrupted"
    run = open_run(store, row.id, models={"default": model}).resume()
    assert run.state["summary"] == {"text": "summarise 5", "covers": 3}
    assert [visit.node for visit in run.visits] == [*TWICE, "summarise"] * 3
    asked = [call.node for call in model.calls]
    left = asked.index(node, after)
    assert asked[:left] + asked[left + 1 :] == [*TWICE, *TWICE, "summarise", *TWICE]


def test_a_summary_that_fails_suspends_the_run_and_is_asked_again() -> None:
    script = {"solver": ["S1", "S2", "S3"], "boss": ["B1", "B2", "B3"], "summarise": [{"error": "down"}, "Short."]}
    run = cycle(3).start(model=lw.ScriptedModel(script))
    assert (run.status, run.reason) == ("suspended", "summarise: down")
    run.resume()
    assert (run.state["summary"], run.usage.calls) == ({"text": "Short.", "covers": 3}, 7)


def test_the_worst_case_is_a_summary_for_each_round_and_no_run_passes_it() -> None:
    loop = cycle(5, history={"tokens": 1, "summary": True})
    assert str(loop.certificate) == "worst case: 5 rounds, 15 model calls, 15 visits"
    run = loop.start(model=lw.ScriptedModel({"default": ["Rot."], "repeat": "last"}))
    assert (run.usage.calls, len(run.visits)) == (14, 15)
    assert str(cycle(5, history={"tokens": 1}).certificate) == "worst case: 5 rounds, 10 model calls, 10 visits"


def test_a_tool_loop_has_no_summary(tmp_path: Path) -> None:
    def look() -> str:
        """Look."""
        return ""

    with pytest.raises(lw.SourceError, match=r"history\.summary: a tool loop has no summary \(leave it out"):
        lw.ToolLoop([look], history=lw.Window(last=3, summary=True))
    (tmp_path / "tools.py").write_text('def look() -> str:\n    """Look."""\n    return ""\n')
    (tmp_path / "loop.yaml").write_text("kind: tool_loop\ntools: [tools.py:look]\nhistory: {last: 2, summary: true}\n")
    with pytest.raises(lw.SourceError, match=r"loop\.yaml:3: history\.summary: a tool loop has no summary"):
        lw.load(tmp_path / "loop.yaml")


SUMMED: Any = {"last": 4, "summary": True}


def test_a_summary_is_a_node_on_the_way_back() -> None:
    roles: Any = {"solver": {}, "critic": {"brief": "x", "sees": "latest"}, "boss": {"history": {"last": 9}}}
    plan = cycle(roles=roles, review="each_round").plan
    nodes: dict[str, Any] = {name: placed.node for name, placed in plan.nodes.items()}
    assert [(edge.source, edge.outcome) for edge in plan.edges if edge.way.target == "summarise"] == [
        ("review", "continue"),
        ("review", "reject"),
        ("review_stop", "continue"),
        ("review_stop", "reject"),
    ]
    assert [edge.way.bound for edge in plan.edges if edge.source == "summarise"] == ["rounds"]
    histories = [nodes[name].history for name in roles]
    assert histories == [lw.Window(last=4, summary=True), lw.Window(last=4), lw.Window(last=9)]
    assert nodes["summarise"].models == ("default",)
    named: Any = cycle(models={"summary": lw.ModelRef("small")}).plan.nodes["summarise"].node
    assert named.models == ("summary",)
    assert Plan.from_data(json.loads(json.dumps(plan.to_data()))) == plan
    assert "summar" not in json.dumps(cycle(history={"last": 4}).plan.to_data())


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"roles": {"solver": {"history": SUMMED}, "boss": {}}}, "roles.solver.history.summary: a role has no summary"),
        ({"roles": {"solver": {"sees": "latest"}, "boss": {"history": {"last": 2}}}}, "history.summary: no role is"),
        ({"roles": {"summarise": {"brief": "x"}, "boss": {}}}, "roles.summarise: no role can be named 'summarise'"),
    ],
)
def test_where_no_summary_can_be(fields: Any, fault: str) -> None:
    with pytest.raises(lw.SourceError) as caught:
        cycle(**fields)
    (found,) = caught.value.faults
    assert str(found).startswith(fault)


def test_a_role_may_have_the_name_of_the_node_where_nothing_is_summed_up() -> None:
    loop = cycle(history={"last": 4}, roles={"summarise": {"brief": "x"}, "boss": {}})
    assert list(loop.plan.nodes) == ["summarise", "boss"]
