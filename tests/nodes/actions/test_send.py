"""What the last output of a chain becomes."""

from typing import Any

import pytest

from loopwright.nodes.actions.send import Nothing, SendEvent
from loopwright.nodes.contract import Answer, Node
from loopwright.state.records import Outgoing

ARGS: Any = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
SEND = SendEvent("send", sender="<{id}>", next_actions=("b", "c"))


def answer(output: Any, node: SendEvent = SEND, pending: Any = (), args: Any = ARGS) -> Answer:
    command = {"name": "World:gives", "args": args}
    outputs = ["Current goal: give", output]
    view: Any = {"command": command, "previous_brain_outputs": outputs, "pending": list(pending), "id": "ada"}
    return node.answer(view, None)


def test_a_valid_output_is_an_event_of_its_type_and_sender() -> None:
    made = answer({"to": "bob", "sender_id": "eve", "event_type": "x", "created_at": "now"})
    assert (made.outcome, made.reason) == ("sent", "ada sent gives")
    assert made.update["events"] == {"event_type": "gives", "sender_id": "ada", "to": "bob"}
    assert made.events == (Outgoing("gives", {"sender_id": "ada", "to": "bob"}),)


@pytest.mark.parametrize(
    ("pending", "after"),
    [
        ((), ["b", "c"]),
        (("World:gives", "x"), ["x"]),
        (("World:gives",), ["b", "c"]),
        (("other", "x"), ["other", "x"]),
    ],
)
def test_what_is_pending_after_it(pending: Any, after: Any) -> None:
    assert answer({"to": "bob"}, pending=pending).update["pending"] == after


@pytest.mark.parametrize("output", [None, "to bob", ["bob"], 3, {"to": 3}, {}, {"to": "bob", "more": 1}])
def test_anything_else_is_told_and_arms_nothing(output: Any) -> None:
    made = answer(output)
    assert (made.outcome, made.events) == ("invalid", ())
    assert made.update == {"last_failure": made.reason}
    assert made.reason.startswith("World:gives: ")


def test_under_an_envelope_the_type_is_in_the_payload() -> None:
    (event,) = answer({"to": "bob"}, SendEvent("send", sender="ada", envelope="agent_event")).events
    assert event == Outgoing("agent_event", {"event_type": "gives", "sender_id": "ada", "to": "bob"})


def test_in_a_world_nothing_leaves() -> None:
    made = answer({"to": "bob"}, SendEvent("send", sender="ada", sends=False))
    assert (made.outcome, made.events) == ("sent", ())
    assert made.update["events"]


def test_nothing_says_which_brain_it_was_and_why() -> None:
    node = Nothing("no answer", brains=("a", "b"), told=("why a", ""))
    view: Any = {"command": {"name": "wave"}, "why a": "no option is good", "previous_brain_outputs": ["goal"]}
    assert node.answer(view, None).update == {"last_failure": "wave: a came to nothing: no option is good"}
    view["previous_brain_outputs"] = ["goal", "said"]
    assert node.answer(view, None).reason == "wave: b came to nothing"
    unread = Nothing("unread", brains=("a", "b"))
    assert unread.answer(view, None).reason == "wave: b came to nothing: its answer could not be read"


def test_they_are_data() -> None:
    for node in (SEND, Nothing("nothing", brains=("a",), told=("",))):
        assert node.ask({}) is None
        assert Node.from_data(node.to_data()).to_data() == node.to_data()
