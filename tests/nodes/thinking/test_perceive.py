"""What an agent perceives, what it remembers of it, and what wakes it."""

from typing import Any

import pytest

from loopwright.nodes.contract import Answer, Node
from loopwright.nodes.thinking.perceive import Hear, Perceive, Remember, concerns, remembered

GIVES: Any = {"event_type": "gives", "sender_id": "bob", "recipient": "ada"}
NODE = Perceive("perceive", wakes_on={"gives": {"recipient": "<{id}>"}, "rings": {}}, n=2)


def perceived(event: Any, node: Perceive = NODE, memory: Any = ()) -> Answer:
    return node.answer({"id": "ada", "memory": list(memory), "heard": event}, None)


@pytest.mark.parametrize(
    ("event", "outcome"),
    [
        (GIVES, "awake"),
        ({**GIVES, "recipient": "bob"}, "asleep"),
        ({"event_type": "gives"}, "asleep"),
        ({"event_type": "rings"}, "awake"),
        ({"event_type": "rings", "sender_id": "ada"}, "asleep"),
        ({"event_type": "rings", "target_id": "bob"}, "asleep"),
        ({"event_type": "speaks"}, "asleep"),
        ({"event_type": "user_speaks_with_agent_event"}, "awake"),
    ],
)
def test_what_wakes(event: Any, outcome: str) -> None:
    assert perceived(event).outcome == outcome


def test_what_concerns_it_is_remembered_whether_it_wakes_or_not() -> None:
    assert perceived({"event_type": "speaks"}).update["memory"] == [{"event_type": "speaks"}]
    assert perceived({"event_type": "speaks", "target_id": "bob"}).update["memory"] == []
    assert perceived(GIVES, memory=[1, 2]).update["memory"] == [2, GIVES]


def test_it_hears_what_has_come_and_remembers_what_concerns_it() -> None:
    node = Hear("hear", n=2)
    asked = node.ask({"id": "ada", "memory": []})
    assert (asked.event, asked.where) == ("agent_event", {})
    events: Any = [{"event_type": "rain"}, {"event_type": "rain", "sender_id": "ada"}, GIVES, {"event_type": "wind"}]
    made = node.answer({"id": "ada", "memory": []}, events)
    assert made.update == {"memory": [GIVES, {"event_type": "wind"}]}
    assert made.reason == "rain, gives, wind"
    assert node.answer({"id": "ada", "memory": [1]}, []).update == {"memory": [1]}
    assert Node.from_data(node.to_data()) == node


def test_it_may_heed_what_is_for_others() -> None:
    event = {"event_type": "speaks", "target_id": "bob"}
    node = Perceive("perceive", heeds=("speaks",), wakes_on={"speaks": {}})
    assert perceived(event, node).outcome == "awake"
    assert not concerns({**event, "sender_id": "ada"}, "ada", ("speaks",))


def test_the_last_events_are_kept() -> None:
    assert remembered([1, 2], [3, 4], 3) == [2, 3, 4]
    made = Remember("remember", n=2).answer({"memory": [1], "events": [2, 3]}, None)
    assert made.update == {"memory": [2, 3]}


def test_they_are_data_that_read_what_their_filters_name() -> None:
    assert Perceive("perceive", wakes_on={"a": {"b": "<{role}>"}}).contract.reads == ("heard", "id", "memory", "role")
    for node in (NODE, Remember("remember")):
        assert node.ask({}) is None
        assert Node.from_data(node.to_data()) == node
