"""What a model is asked, as a recording knows it: each part by its digest, so that a long chat is written only once."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any

from loopwright.nodes.contract import Message
from loopwright.nodes.models.contract import ModelCall
from loopwright.state.values import Json

_SHOWN = 60
"""So many characters of a line are shown where two differ."""


def digest_of(value: Any) -> str:
    """A name for a value that only it has.

    Example:
        >>> digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1})
        True
    """
    return _digest_of_text(json.dumps(value, sort_keys=True, default=repr))


def _digest_of_text(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:20]


def _digest_of_message(message: Message) -> str:
    """The digest of a message. A chat may have thousands of them, and most are a text."""
    if len(message) == 2 and isinstance(message["content"], str):
        return _digest_of_text(f"{message['role']}\n{message['content']}")
    return digest_of(message)


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked: the digests of its parts.

    Args:
        messages: The messages, oldest first.
        schema: The schema of the answer, or "" for plain text.
        tools: The tools, or "" where there are none.
    """

    messages: tuple[str, ...]
    schema: str = ""
    tools: str = ""

    @property
    def digest(self) -> str:
        """The digest of the whole."""
        return _digest_of_text(" ".join([*self.messages, f"schema:{self.schema}", f"tools:{self.tools}"]))


def asked_in(call: ModelCall) -> tuple[Asked, dict[str, Any]]:
    """What a call asks, and its parts by their digests.

    Example:
        >>> asked, parts = asked_in(ModelCall("solver", [{"role": "user", "content": "A risk?"}]))
        >>> [parts[digest]["content"] for digest in asked.messages]
        ['A risk?']
    """
    parts: dict[str, Any] = {}

    def named(value: Any, digest: str) -> str:
        parts[digest] = value
        return digest

    messages = tuple(named(message, _digest_of_message(message)) for message in call.messages)
    schema = named(call.schema, digest_of(call.schema)) if call.schema is not None else ""
    offered = [asdict(tool) for tool in call.tools]
    tools = named(offered, digest_of(offered)) if offered else ""
    return Asked(messages, schema, tools), parts


def likeness(one: Asked, other: Asked) -> tuple[int, int]:
    """How much alike two questions are, to be compared: messages that begin both, and how near their lengths are.

    Example:
        >>> likeness(Asked(("a", "b", "c")), Asked(("a", "b", "d"))) > likeness(Asked(("a", "x")), Asked(("a", "b")))
        True
    """
    pairs = list(zip(one.messages, other.messages, strict=False))
    same = next((index for index, (mine, yours) in enumerate(pairs) if mine != yours), len(pairs))
    return same, -abs(len(one.messages) - len(other.messages))


def difference(recorded: Asked, asked: Asked, parts: Mapping[str, Json]) -> str:
    """Where a question first differs from a recorded one, in words; "" where it does not.

    Args:
        recorded: The one that is in the file.
        asked: The one that is asked.
        parts: The parts of both by their digests.
    """
    for index, (old, new) in enumerate(zip_longest(recorded.messages, asked.messages)):
        if old is None:
            return f"message {index} of now, {_message(parts.get(new))}, is not there"
        if new is None:
            return f"it has message {index} more, {_message(parts.get(old))}"
        if old != new:
            return f"message {index} differs in {_in_message(parts.get(old), parts.get(new))}"
    if recorded.schema != asked.schema:
        return f"the schema differs in {_in_text(_pretty(recorded.schema, parts), _pretty(asked.schema, parts))}"
    if recorded.tools != asked.tools:
        return f"the tools differ in {_in_text(_pretty(recorded.tools, parts), _pretty(asked.tools, parts))}"
    return ""


def _message(message: Any) -> str:
    """A message in a few words."""
    if not isinstance(message, Mapping):
        return "whose text is not known"
    lines = str(message.get("content", "")).splitlines() or [""]
    return f"{message.get('role')}: {_clipped(lines[0])}"


def _in_message(old: Any, new: Any) -> str:
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return "a text that the file does not have any more"
    if old.get("role") != new.get("role"):
        return f"its role: {old.get('role')} there, {new.get('role')} now"
    if old.get("content") != new.get("content"):
        return _in_text(str(old.get("content", "")), str(new.get("content", "")))
    rest = [{key: value for key, value in each.items() if key not in ("role", "content")} for each in (old, new)]
    return _in_text(*(json.dumps(each, indent=1, sort_keys=True, ensure_ascii=False) for each in rest))


def _in_text(old: str, new: str) -> str:
    """The first line in which two texts differ."""
    pairs = enumerate(zip_longest(old.split("\n"), new.split("\n")), 1)
    number, (there, now) = next(pair for pair in pairs if pair[1][0] != pair[1][1])
    return f"line {number}: {_shown(there, now)} there, {_shown(now, there)} now"


def _shown(line: str | None, other: str | None) -> str:
    """A line, from a little before where it differs from the other."""
    if line is None:
        return "no such line"
    pairs = enumerate(zip(line, other or "", strict=False))
    first = next((index for index, (one, two) in pairs if one != two), min(len(line), len(other or "")))
    begin = max(0, first - _SHOWN // 3) if len(line) > _SHOWN else 0
    return ("..." if begin else "") + _clipped(line[begin:])


def _clipped(line: str) -> str:
    return repr(line if len(line) <= _SHOWN else f"{line[:_SHOWN]}...")


def _pretty(digest: str, parts: Mapping[str, Json]) -> str:
    return json.dumps(parts.get(digest), indent=1, sort_keys=True, ensure_ascii=False) if digest else "none"
