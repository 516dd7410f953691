"""The script of a scripted model as it is written in a file, and all that can be wrong with it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from loopwright.documents.files import read_file
from loopwright.errors import Fault, SourceError
from loopwright.nodes.contract import ToolCall
from loopwright.state.schema import is_json
from loopwright.state.values import Json, JsonObject

_FAILURE = {"error", "retryable", "retry_after"}
_TIMED = {"reply", "delay"}
_CALL = {"tool", "args"}


@dataclass(frozen=True, slots=True)
class Line:
    """One reply of a script.

    Args:
        reply: What is said.
        error: The words of a failure that comes instead, or None.
        retryable: Whether the failed call may be made again.
        retry_after: Seconds that the failure asks to wait, or None.
        delay: Seconds before any of it comes.
    """

    reply: Json = None
    error: str | None = None
    retryable: bool = False
    retry_after: float | None = None
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Script:
    """The queues of replies by name, whether their last reply repeats, and the data they were made of."""

    queues: Mapping[str, tuple[Line, ...]]
    repeats: bool
    data: JsonObject


def read_script(path: str | os.PathLike[str]) -> Script:
    """The script in a YAML or JSON file.

    Raises:
        SourceError: The file, or the script in it, has faults; all of them, in the order of their lines.
    """
    document = read_file(path)
    try:
        return script_of(document.data)
    except SourceError as error:
        raise SourceError(document.located(error.faults)) from error


def script_of(data: Any) -> Script:
    """The script in a mapping.

    Raises:
        SourceError: With all faults.

    Example:
        >>> script_of({"default": ["hello"], "repeat": "last"}).queues
        {'default': (Line(reply='hello', error=None, retryable=False, retry_after=None, delay=0.0),)}
    """
    if not isinstance(data, Mapping):
        raise SourceError([Fault("a script is a mapping", hint="of node names, or default, to lists of replies")])
    faults: list[Fault] = []
    queues: dict[str, tuple[Line, ...]] = {}
    repeats = data.get("repeat")
    for name, replies in data.items():
        if name == "repeat" and not isinstance(replies, list):
            if replies != "last":
                faults.append(Fault(f"repeat is {replies!r}", (name,), "the one choice is: last"))
        elif not isinstance(name, str):
            faults.append(Fault(f"{name!r} is no name of a node", (), "put it in quotes"))
        elif not isinstance(replies, list | tuple) or not replies:
            faults.append(Fault("a queue is a list of replies, with at least one", (name,)))
        else:
            queues[name] = tuple(_line(reply, (name, index), faults) for index, reply in enumerate(replies))
    if not queues and not faults:
        faults.append(Fault("the script has no replies", hint="give a list under default, or under a node's name"))
    if faults:
        raise SourceError(faults)
    return Script(queues, repeats == "last", {str(name): _plain(value) for name, value in data.items()})


def tool_calls_of(reply: Json) -> tuple[ToolCall, ...]:
    """The calls of tools that a reply stands for where tools are offered; none where it is an answer.

    Example:
        >>> tool_calls_of({"tool": "search", "args": {"words": "oak"}})
        (ToolCall(name='search', args={'words': 'oak'}, id=''),)
        >>> tool_calls_of({"tools": [{"tool": "now"}, {"tool": "now"}]}) == (ToolCall("now"), ToolCall("now"))
        True
        >>> tool_calls_of({"tool": "a hammer", "price": 3})
        ()
    """
    several = reply["tools"] if isinstance(reply, dict) and reply.keys() == {"tools"} else [reply]
    calls = several if isinstance(several, list) else []
    if not calls or not all(_is_call(call) for call in calls):
        return ()
    return tuple(ToolCall(str(call["tool"]), call.get("args", {})) for call in calls if isinstance(call, dict))


def _is_call(reply: Any) -> bool:
    return isinstance(reply, dict) and reply.keys() <= _CALL and isinstance(reply.get("tool"), str)


def _line(reply: Any, path: tuple[str | int, ...], faults: list[Fault]) -> Line:
    """A reply of any kind; what is wrong with it is added to the faults."""
    if isinstance(reply, Mapping) and "reply" in reply and reply.keys() <= _TIMED:
        delay = reply.get("delay", 0)
        if not _is_seconds(delay):
            faults.append(Fault(f"{delay!r} is no number of seconds", (*path, "delay")))
            delay = 0
        return replace(_line(reply["reply"], (*path, "reply"), faults), delay=float(delay))
    if isinstance(reply, Mapping) and "error" in reply and reply.keys() <= _FAILURE:
        return _failure(reply, path, faults)
    value = _plain(reply)
    if value is None or not is_json(value):
        hint = "a reply is a text, a list or a mapping of texts and numbers; put anything else in quotes"
        faults.append(Fault(f"{reply!r} is no reply", path, hint))
    return Line(value)


def _failure(reply: Mapping[str, Any], path: tuple[str | int, ...], faults: list[Fault]) -> Line:
    retryable, retry_after = reply.get("retryable", False), reply.get("retry_after")
    if not isinstance(reply["error"], str):
        faults.append(Fault(f"{reply['error']!r} is no text", (*path, "error"), "put it in quotes"))
    if not isinstance(retryable, bool):
        faults.append(Fault(f"{retryable!r} is not true or false", (*path, "retryable")))
    if retry_after is not None and not _is_seconds(retry_after):
        faults.append(Fault(f"{retry_after!r} is no number of seconds", (*path, "retry_after")))
        retry_after = None
    return Line(
        error=str(reply["error"]),
        retryable=retryable is True,
        retry_after=None if retry_after is None else float(retry_after),
    )


def _is_seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def _plain(value: Any) -> Any:
    """Mappings and sequences of any kind as dicts and lists."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
