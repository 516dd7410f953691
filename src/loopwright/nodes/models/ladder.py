"""The ladder: how a structured answer is asked for, from what a server holds to best, down to words.

    json_schema   `response_format` with the schema
    tool_call     one tool, whose arguments are the answer, and which must be called
    text          the schema in words

A server that does not know a form refuses it, each in its own words. Then the next form is taken, and remembered.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args

from loopwright.nodes.models.contract import ModelCall
from loopwright.nodes.models.reference import Structured
from loopwright.state.values import JsonSchema

Rung = Literal["json_schema", "tool_call", "required_tool", "text"]
"""`required_tool` is `tool_call` for servers that know the word `required`, and not how a tool is named."""

_DOWN: tuple[Rung, ...] = get_args(Rung)

NOTES: Mapping[Rung, str] = {
    "tool_call": "answered by a tool call",
    "required_tool": "answered by a tool call",
    "text": "asked for in words",
}
"""What a visit says of an answer that came by a lower rung than the first."""

_REFUSING = (400, 404, 405, 415, 422, 500, 501)
"""Statuses with which servers refuse a form; a wrong key, too many calls and an overload have others."""

_OF_SCHEMAS = re.compile(
    r"response[_ ]?format|response mime type|json[_ ]?schema|structured[_ ]?output|json[_ ]mode|guided[_ ]|grammar",
    re.IGNORECASE,
)
_OF_TOOLS = re.compile(r"\btools?\b|tool[_ ]?(choice|call|use)|function[_ ]?call", re.IGNORECASE)
_OF_CHOICE = re.compile(r"tool[_ ]?choice", re.IGNORECASE)
_OF_LENGTH = re.compile(r"context[_ ](length|window|size)|maximum context|too many tokens", re.IGNORECASE)
_OF_THIS_SCHEMA = re.compile(r"invalid (json[_ ]?)?schema|schema is (not|in)valid", re.IGNORECASE)

_WORDY = ("message", "msg", "param", "code", "type", "detail", "error", "errors", "loc")
"""Where a server says what is wrong. Elsewhere it may quote the question."""


_MOST = 100
"""Schemas that are remembered by themselves; a process that makes them anew for each run has no end of them."""


class Ladder:
    """On which rung one client stands.

    A server may take a form alone that it refuses beside tools, so there are two standings. A form that is refused for
    its schema is refused for that schema only.

    Args:
        structured: As in the reference. Any but `auto` is the only rung.

    Example:
        >>> from loopwright.nodes.models.contract import ModelCall
        >>> ladder, call = Ladder("auto"), ModelCall("n", [], {"type": "number"})
        >>> refused = {"message": "This response_format type is unavailable now"}
        >>> ladder.rung(call), ladder.steps_down(call, "json_schema", 400, refused), ladder.rung(call)
        ('json_schema', True, 'tool_call')
    """

    def __init__(self, structured: Structured) -> None:
        self._first: Rung = "json_schema" if structured == "auto" else structured
        self._climbs = structured == "auto"
        self._found: dict[bool, Rung] = {}
        self._of_schema: dict[int, tuple[JsonSchema, Rung]] = {}

    def rung(self, call: ModelCall) -> Rung | None:
        """How the answer to this call is asked for; None where any will do."""
        if not call.schema:
            return None
        schema, rung = self._of_schema.get(id(call.schema), (None, self._first))
        if schema is not call.schema:
            rung = self._found.get(bool(call.tools), self._first)
        return "text" if call.tools and rung != "json_schema" else rung

    def note(self, rung: Rung | None) -> str:
        """What is worth telling of an answer that came by this rung, or ""."""
        return NOTES.get(rung, "") if self._climbs and rung else ""

    def steps_down(self, call: ModelCall, rung: Rung | None, status: int, body: Any) -> bool:
        """Whether the server has refused the form; then the next call is asked for in the next one.

        Args:
            call: What was asked.
            rung: How it was asked.
            status: The status that came back.
            body: What the server said: the error of its body.
        """
        words = " ".join(_said(body))
        if not (self._climbs and rung and _is_refusal(rung, status, words)):
            return False
        schema = call.schema
        if rung == "json_schema" and schema is not None and _OF_THIS_SCHEMA.search(words):
            if len(self._of_schema) >= _MOST:
                self._of_schema.pop(next(iter(self._of_schema)), None)
            self._of_schema[id(schema)] = (schema, "text" if call.tools else "tool_call")
            return True
        lower = _next(rung, words)
        if schema is not None and id(schema) in self._of_schema:
            self._of_schema[id(schema)] = (schema, lower)
        else:  # a branch whose refusal comes late leads nobody up again
            standing = self._found.get(bool(call.tools), self._first)
            self._found[bool(call.tools)] = max(standing, lower, key=_DOWN.index)
        return True


def _is_refusal(rung: Rung, status: int, words: str) -> bool:
    if rung == "text" or status not in _REFUSING or _OF_LENGTH.search(words):
        return False
    return bool((_OF_SCHEMAS if rung == "json_schema" else _OF_TOOLS).search(words))


def _next(rung: Rung, words: str) -> Rung:
    if rung == "json_schema":
        return "tool_call"
    return "required_tool" if rung == "tool_call" and _OF_CHOICE.search(words) else "text"


def _said(body: Any) -> Iterator[str]:
    """The words of an error, without what it quotes of the question."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, list):
        for part in body:
            yield from _said(part)
    elif isinstance(body, Mapping):
        for name in _WORDY:
            yield from _said(body.get(name))
