"""The names of actions, and their commands."""

from typing import Any

import pytest

from loopwright.nodes.actions.names import ANY_ARGUMENTS, command_of, event_type, goal


@pytest.mark.parametrize(
    ("action", "word"),
    [("World:gives", "gives"), ("gives", "gives"), ("a:b:c", "c"), ("ends:", "")],
)
def test_the_type_of_an_event_is_the_last_part_of_its_action(action: str, word: str) -> None:
    assert event_type(action) == word


def test_what_is_known_of_a_command_is_kept_and_the_rest_is_open() -> None:
    args: Any = {"type": "object", "properties": {}}
    known: Any = {"args": args, "description": "Wave.", "more": 1}
    assert command_of("wave", known) == {"name": "wave", "args": args, "description": "Wave."}
    assert command_of("wave", None) == {"name": "wave", "args": ANY_ARGUMENTS}


def test_an_aim_is_what_the_original_called_it() -> None:
    assert goal("greet") == "Current goal: greet"
