"""The plan of an action-brain map."""

from typing import Any

import pytest

from loopwright.graphs.actions.action_map import MapAction, MapSettings
from loopwright.graphs.actions.chains import map_brain
from loopwright.graphs.brains.techniques import brain
from loopwright.graphs.certificate.certify import certify
from loopwright.graphs.plan import Plan
from loopwright.graphs.verify.check import verify

FILL = map_brain(brain("zero_shot", {"role": "event_filler"}), once=True)


def planned(follow: dict[str, list[str]], **more: Any) -> Plan:
    actions = {name: MapAction(["fill"], after) for name, after in follow.items()}
    return MapSettings("map", actions, {"fill": FILL}, sender="ada", **more).builder().build()


def ways(plan: Plan, source: str) -> dict[str, str]:
    return {edge.outcome: edge.way.target for edge in plan.edges if edge.source == source}


def test_each_follow_up_is_the_edge_from_the_step_before_it() -> None:
    plan = planned({"x": ["a", "b"], "a": ["c"], "b": ["d"], "c": [], "d": []})
    assert not verify(plan)
    assert ways(plan, "x/send") == {"sent": "then a, then b/begin", "invalid": "nothing"}
    assert ways(plan, "then a, then b/send")["sent"] == "then b/begin"
    assert ways(plan, "then b/send")["sent"] == "then d/begin"
    assert ways(plan, "a/send")["sent"] == "then c/begin"
    assert ways(plan, "choose") == {name: f"{name}/begin" for name in ("x", "a", "b", "c", "d")}


def test_a_follow_up_is_tried_again_so_often() -> None:
    plan = planned({"x": ["a"], "a": []}, retries=2)
    bound = plan.bounds["then a again"]
    assert (bound.at_most, bound.then.target) == (2, "follow_up_failed")
    assert ways(plan, "a/send")["invalid"] == "nothing"
    assert certify(plan).calls == 4  # x, and three attempts of a


def test_a_map_that_is_resumed_can_be_entered_where_something_is_pending() -> None:
    plan = planned({"x": ["a", "b"], "a": [], "b": []}, resumes=True)
    assert {"then a, then b", "then b"} <= ways(plan, "choose").keys()
    assert plan.channels["pending"].input
    assert not planned({"x": []}).channels["pending"].input


def test_when_asked_follow_ups_are_no_edges() -> None:
    plan = planned({"x": ["a"], "a": []}, queued=False)
    assert ways(plan, "x/send")["sent"] == "done"
    assert "follow_up_failed" not in plan.ends
    assert not verify(plan)


@pytest.mark.parametrize("follow", [{"a": ["a"]}, {"a": ["b"], "b": ["a"]}, {"x": ["a"], "a": ["b", "a"], "b": []}])
def test_follow_ups_that_never_end_are_a_finding(follow: dict[str, list[str]]) -> None:
    found = verify(planned(follow))
    assert {finding.code for finding in found} <= {"unbounded-loop", "two-entries"}
    assert found


def test_what_is_on_offer_is_an_input_where_a_world_says_it() -> None:
    assert "commands" in planned({"x": []}, offered=True).channels
    assert "commands" not in planned({"x": []}).channels


def test_the_action_is_closed_unless_there_is_a_default() -> None:
    assert planned({"x": [], "y": []}).channels["action"].type == {"type": "string", "enum": ["x", "y"]}
    assert planned({"x": [], "default": []}).channels["action"].type == {"type": "string"}
