"""What becomes of the result of a plan."""

from loopwright.nodes.actions.note import Note
from loopwright.nodes.contract import Node


def test_any_value_becomes_an_output() -> None:
    node = Note("note", of="draft")
    for value in ("hello", None, {"a": 1}, [1]):
        assert node.answer({"draft": value}, None).update == {"previous_brain_outputs": value}
    assert node.ask({}) is None
    assert Node.from_data(node.to_data()) == node
