"""The beginning of an action's chain."""

from typing import Any

from loopwright.nodes.actions.begin import Begin
from loopwright.nodes.contract import Node

ARGS: Any = {"type": "object", "properties": {"to": {"type": "string"}}}


def command(node: Begin, **view: Any) -> Any:
    return node.answer({"aim": "greet", "last_failure": "", **view}, None).update["command"]


def test_its_own_arguments_are_taken_before_those_that_are_on_offer() -> None:
    node = Begin("begin", action="wave", command={"args": ARGS}, offered=True)
    assert "commands" not in node.contract.reads
    assert command(node) == {"name": "wave", "args": ARGS}


def test_what_is_on_offer_is_looked_up_by_the_action_that_was_chosen() -> None:
    node = Begin("begin", offered=True, command={"description": "Wave."})
    assert node.contract.reads == ("aim", "last_failure", "action", "commands")
    offers = {"wave": {"args": ARGS, "description": "Of the world."}}
    assert command(node, action="wave", commands=offers) == {"name": "wave", "args": ARGS, "description": "Wave."}
    assert command(node, action="sing", commands=offers)["args"] == {"type": "object", "additionalProperties": True}
    assert command(node, action="sing", commands=["no mapping"])["name"] == "sing"


def test_each_brain_gets_its_own_copy_of_the_last_failure() -> None:
    node = Begin("begin", action="wave", shows=("why one", "why two"))
    update = node.answer({"aim": "greet", "last_failure": "too loud"}, None).update
    assert (update["why one"], update["why two"]) == ("too loud", "too loud")
    assert Node.from_data(node.to_data()) == node
