"""What becomes of the result of a plan."""

from typing import Any

from loopwright.nodes.actions.note import Note
from loopwright.nodes.contract import Node


def test_any_value_becomes_an_output() -> None:
    node = Note("note", of="draft")
    values: list[Any] = ["hello", None, {"a": 1}, [1]]
    for value in values:
        assert node.answer({"draft": value}, None).update == {"previous_brain_outputs": value}
    assert Node.from_data(node.to_data()) == node
