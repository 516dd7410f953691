"""How tools are offered, and how messages wish to call them."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from loopwright.nodes.contract import ToolCall, ToolSpec
from loopwright.nodes.models.tool_calls import called, offered, sendable, wished
from loopwright.state.values import JsonObject


def test_tools_are_offered_in_the_form_of_the_api() -> None:
    parameters: JsonObject = {"type": "object", "properties": {"zone": {"type": "string"}}}
    first, second = offered([ToolSpec("now", "The time.", parameters), ToolSpec("stop")])
    assert first == {
        "type": "function",
        "function": {"name": "now", "description": "The time.", "parameters": parameters},
    }
    assert second["function"]["parameters"] == {"type": "object", "properties": {}}


def test_calls_that_langchain_could_not_read_are_calls_too() -> None:
    message = AIMessage(
        "",
        tool_calls=[{"id": "1", "name": "now", "args": {"zone": "UTC"}}],
        invalid_tool_calls=[
            {"id": "2", "name": "now", "args": '{"zone": ', "error": "cut", "type": "invalid_tool_call"}
        ],
    )
    assert wished(message) == (ToolCall("now", {"zone": "UTC"}, "1"), ToolCall("now", '{"zone": ', "2"))


def test_arguments_that_were_left_out_are_none() -> None:
    message = AIMessage(
        "", invalid_tool_calls=[{"id": "2", "name": "now", "args": " ", "error": "", "type": "invalid_tool_call"}]
    )
    assert wished(message) == (ToolCall("now", {}, "2"),)


@pytest.mark.parametrize(
    ("arguments", "args"),
    [
        ('{"zone": "UTC"}', {"zone": "UTC"}),
        ({"zone": "UTC"}, {"zone": "UTC"}),
        ('{"text": "two\nlines"}', {"text": "two\nlines"}),
        ("", {}),
        (" null", {}),
        (None, {}),
        ("[1]", "[1]"),
        ("3", "3"),
        ('"oak"', '"oak"'),
        ('{"zone": ', '{"zone": '),
        ('{"zone": "UTC", "zone": "CET"}', '{"zone": "UTC", "zone": "CET"}'),
        ('{"zone": NaN}', '{"zone": NaN}'),
        ("[" * 100_000, "[" * 100_000),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_arguments_are_an_object_or_what_was_said(arguments: Any, args: Any) -> None:
    assert called([{"id": "2", "function": {"name": "now", "arguments": arguments}}]) == (ToolCall("now", args, "2"),)


def test_a_call_without_a_name_or_an_id_is_one_too() -> None:
    assert called([{"function": {}}]) == (ToolCall("", {}, ""),)


def test_messages_without_calls_wish_for_none() -> None:
    assert (wished(AIMessage("hello")), wished("hello")) == ((), ())


def test_arguments_that_are_no_object_are_not_sent_back() -> None:
    messages: list[Any] = [
        {"role": "user", "content": "Now?"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "name": "now", "args": "{"}]},
    ]
    assert sendable(messages) == [
        messages[0],
        {**messages[1], "tool_calls": [{"id": "1", "name": "now", "args": {}}]},
    ]
