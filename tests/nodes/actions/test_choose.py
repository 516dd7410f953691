"""Which chain an action leads to."""

import pytest

from loopwright.errors import ContractError
from loopwright.nodes.actions.choose import ChooseAction
from loopwright.nodes.contract import Node

QUEUES = {"then a, then b": ("a", "b"), "then b": ("b",)}


def test_what_is_pending_comes_before_what_was_chosen() -> None:
    node = ChooseAction("choose", actions=("a", "b"), queues=QUEUES)
    assert node.contract.reads == ("action", "pending")
    assert node.answer({"action": "a", "pending": ["b"]}, None).outcome == "then b"
    assert node.answer({"action": "b", "pending": ["a", "b"]}, None).outcome == "then a, then b"
    assert node.answer({"action": "b", "pending": []}, None).outcome == "b"


def test_without_queues_nothing_else_is_read() -> None:
    node = ChooseAction("choose", actions=("a", "default"))
    assert node.contract.reads == ("action",)
    assert node.answer({"action": "zzz"}, None).outcome == "default"
    assert Node.from_data(node.to_data()) == node


def test_an_action_that_the_map_has_not_is_an_error_in_that_step() -> None:
    with pytest.raises(ContractError, match="there is no action 'c'"):
        ChooseAction("choose", actions=("a",)).answer({"action": "c"}, None)
