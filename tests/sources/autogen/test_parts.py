"""Agents, ends, and what has no counterpart."""

from typing import Any

import pytest

from loopwright.sources.autogen.parts import Reading, named, stops


@pytest.mark.parametrize(
    ("entry", "agent", "notes"),
    [
        ("User proxy", {"name": "User_proxy"}, []),
        (
            {"name": "u", "human_input_mode": "ALWAYS", "max_consecutive_auto_reply": 2, "llm_config": False},
            {"name": "u", "human": "always", "max_replies": 2},
            [],
        ),
        ({"name": "u", "human_input_mode": "NEVER", "system_message": " "}, {"name": "u"}, []),
        ({"name": "u", "llm_config": {"model": "m"}}, {"name": "u"}, ["a.llm_config"]),
        ({"name": "u", "code_execution_config": {"x": 1}}, {"name": "u"}, ["a.code_execution_config"]),
        ({"provider": "x", "config": {"name": "u", "model_context": {"x": 1}}}, {"name": "u"}, []),
    ],
)
def test_an_agent(entry: Any, agent: Any, notes: list[str]) -> None:
    reading = Reading()
    assert reading.agent(entry, ("a",)) == agent
    assert ([fault.key for fault in reading.faults], [note.key for note in reading.notes]) == ([], notes)


@pytest.mark.parametrize(
    ("entry", "key"),
    [(5, "a"), ({}, "a.name"), ({"name": "u", "human_input_mode": "SOMETIMES"}, "a.human_input_mode")],
)
def test_what_is_no_agent(entry: Any, key: str) -> None:
    reading = Reading()
    reading.agent(entry, ("a",))
    assert [fault.key for fault in reading.faults] == [key]


def test_names_and_stops() -> None:
    assert (named(" a b/c:d "), stops("X")) == ("a_b_c_d", {"word": "X", "match": "contains"})


@pytest.mark.parametrize(("value", "number", "faults"), [(None, None, 0), (3, 3, 0), (0, None, 1), (True, None, 1)])
def test_numbers(value: Any, number: int | None, faults: int) -> None:
    reading = Reading()
    assert (reading.number(value, ()), len(reading.faults)) == (number, faults)
