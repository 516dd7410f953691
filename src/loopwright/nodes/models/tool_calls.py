"""Tools as chat models know them: how they are offered, and how a message wishes to call them.

Messages are known by what they have and not by their class, so that nothing of LangChain is imported here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from loopwright.nodes.contract import Message, ToolCall, ToolSpec
from loopwright.state.text import parsed
from loopwright.state.values import JsonObject

ANY_ARGUMENTS: JsonObject = {"type": "object", "properties": {}}
"""The parameters of a tool that says none; the API wants an object."""


def offered(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """The tools in the form of the OpenAI-compatible API, which all of LangChain's chat models take.

    Example:
        >>> offered([ToolSpec("now", "The time of day.")])[0]["function"]["name"]
        'now'
    """
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters) or ANY_ARGUMENTS,
            },
        }
        for tool in tools
    ]


def wished(message: Any) -> tuple[ToolCall, ...]:
    """The calls that a LangChain message wishes for, those that LangChain could not read included.

    Example:
        >>> from langchain_core.messages import AIMessage
        >>> wished(AIMessage("", tool_calls=[{"id": "1", "name": "now", "args": {}}]))
        (ToolCall(name='now', args={}, id='1'),)
    """
    return tuple(_calls(getattr(message, "tool_calls", None) or (), getattr(message, "invalid_tool_calls", None) or ()))


def _calls(*several: Iterable[Any]) -> Iterator[ToolCall]:
    for calls in several:
        for call in calls:
            if isinstance(call, Mapping):
                yield ToolCall(str(call.get("name") or ""), _args(call.get("args")), str(call.get("id") or ""))


def called(functions: Iterable[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    """The calls that a completion of the API wishes for. Arguments that are no object of JSON stay what was said.

    Example:
        >>> called([{"id": "1", "function": {"name": "now", "arguments": '{"zone": "UTC"}'}}])
        (ToolCall(name='now', args={'zone': 'UTC'}, id='1'),)
    """
    return tuple(
        ToolCall(
            str(call["function"].get("name") or ""), _read(call["function"].get("arguments")), str(call.get("id") or "")
        )
        for call in functions
    )


def _read(said: Any) -> Any:
    args = _args(said)
    if not isinstance(args, str):
        return args
    try:
        value = parsed(args, line_ends=True)
    except ValueError:
        return args
    return value if isinstance(value, dict) else args


def _args(said: Any) -> Any:
    """The arguments; some servers write nothing where a tool takes none."""
    return {} if said is None or (isinstance(said, str) and said.strip() in ("", "null")) else said


def sendable(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """The chat as it may be sent: arguments that were no object are left out, as no provider takes them back.

    Example:
        >>> call = {"id": "1", "name": "now", "args": "oops"}
        >>> sendable([{"role": "assistant", "content": "", "tool_calls": [call]}])[0]["tool_calls"]
        [{'id': '1', 'name': 'now', 'args': {}}]
    """
    return [_sendable(message) for message in messages]


def _sendable(message: Message) -> dict[str, Any]:
    if "tool_calls" not in message:
        return dict(message)
    calls = [{**call, "args": call["args"] if isinstance(call["args"], dict) else {}} for call in message["tool_calls"]]
    return {**message, "tool_calls": calls}
