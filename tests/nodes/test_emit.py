"""Emit nodes, and events as functions return them."""

from typing import Any

import pytest

import loopwright as lw
from loopwright.nodes.contract import Contract, Node
from loopwright.nodes.emit import Emit, as_events, event_faults, events_data, own_events
from loopwright.state.records import Outgoing

GIVE = Emit("give", event="gives", payload={"what": "<{gift}>", "said": "for <{heir}>"}, to="<{heir}>")


def test_a_payload_holds_values_and_an_address_text() -> None:
    answer = GIVE.answer({"gift": {"name": "mic"}, "heir": "ada"}, None)
    assert answer.events == (Outgoing("gives", {"what": {"name": "mic"}, "said": "for ada"}, "ada"),)
    assert (answer.outcome, answer.update, answer.reason) == ("done", {}, "sent gives to ada")
    assert (GIVE.contract, GIVE.ask({})) == (Contract("act", ("gift", "heir"), (), ("done",)), None)


def test_the_payload_is_a_copy() -> None:
    gift: Any = {"name": "mic"}
    (event,) = Emit("give", event="gives", payload="<{gift}>").answer({"gift": gift}, None).events
    gift["name"] = "hat"
    assert event.payload == {"name": "mic"}


def test_it_is_data() -> None:
    assert Node.from_data(GIVE.to_data()) == GIVE


def test_an_event_needs_a_type() -> None:
    assert [str(fault) for fault in Emit("give", event="").faults()] == [
        "event: the event has no type (name it, as in event: agent_gives_object)"
    ]


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        ("rings", "it sent 'rings', and an event is an lw.Outgoing"),
        (
            Outgoing("rings", {"at": {1}}),  # type: ignore[dict-item]
            "the payload of the event 'rings' is no JSON: {'at': {1}}",
        ),
        (Outgoing("rings", to=3), "the event 'rings' is for 3, which is no id of a run and no name of a plan"),  # type: ignore[arg-type]
        (Outgoing(""), "it sent an event without a type"),
    ],
)
def test_what_is_wrong_with_events(event: Any, fault: str) -> None:
    assert list(event_faults([event])) == [fault]


def test_events_are_data() -> None:
    events = (Outgoing("rings", [1], "ada"), Outgoing("falls"))
    assert as_events(events_data(events)) == own_events(events) == events
    assert as_events(None) == ()


def test_a_function_sends_with_its_answer(store: lw.Store) -> None:
    plan = lw.PlanBuilder("ring", [lw.Channel("who", str, input=True)])

    @lw.node(name="ring")
    def ring(who: str) -> lw.Answer:
        return lw.Answer("done", events=(lw.Outgoing("rings", {"who": who}), lw.Outgoing("rings", {"who": "all"})))

    run = plan.node(ring).edge("ring", "done", lw.End("rung")).loop().start({"who": "ada"}, store=store)
    assert [(each.id, each.payload) for each in store.inbox.all()] == [
        (f"{run.id}/0/0", {"who": "ada"}),
        (f"{run.id}/0/1", {"who": "all"}),
    ]


def test_a_wrong_event_suspends_the_run_and_none_leaves(store: lw.Store) -> None:
    plan = lw.PlanBuilder("ring", [lw.Channel("who", str, input=True)])

    @lw.node(name="ring", kind="route")
    def ring(who: str) -> lw.Answer:
        return lw.Answer("done", events=(lw.Outgoing("rings"), lw.Outgoing("", {"who": who})))

    run = plan.node(ring).edge("ring", "done", lw.End("rung")).loop().start({"who": "ada"}, store=store)
    assert (run.status, run.reason) == ("suspended", "ring: node 'ring': it sent an event without a type")
    assert list(store.inbox.all()) == []
