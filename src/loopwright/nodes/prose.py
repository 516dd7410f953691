"""Prose: the JSON, the fences and the thoughts that stand in what a model said."""

import re
from collections.abc import Iterator

from loopwright.state.text import TOLERANT
from loopwright.state.values import Json

_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n?```", re.DOTALL)
_THOUGHT = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_OPENING = re.compile(r"[{\[]")
_BRACKET = re.compile(r"[{}\[\]]")


def embedded(text: str) -> Iterator[Json]:
    """The objects and lists that stand in a text, outermost only.

    Brackets that close but hold no JSON are passed over. One that never closes ends the search: what comes after it may
    be the inside of something that was cut off.

    Example:
        >>> list(embedded('As {they} say: {"a": [1]} and [2], or {"b": [3]'))
        [{'a': [1]}, [2]]
    """
    place = 0
    while opening := _OPENING.search(text, place):
        try:
            value, place = TOLERANT.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            place = _closing(text, opening.start())
        else:
            yield value
        if place < 0:
            return


def fenced(text: str) -> list[str]:
    """What stands between code fences, in order.

    Example:
        >>> fenced("So:\\n```\\npass\\n```")
        ['pass']
    """
    return [match[1] for match in _FENCE.finditer(text)]


def spoken_after_thought(text: str) -> str:
    """What stands after the thought that a text begins with; "" where the thought has no end.

    Models that think write `<think>...</think>` before they answer; some servers leave the first mark out. What stands
    in a thought is no answer yet.

    Example:
        >>> spoken_after_thought('<think>{"score": 3}? No.</think>{"score": 8}'), spoken_after_thought("8")
        ('{"score": 8}', '8')
    """
    if text.lstrip()[:1] in ("{", "[", '"'):
        return text
    ends = _THOUGHT_ENDS.search(text)
    if ends:
        return text[ends.end() :]
    return "" if _THOUGHT.match(text) else text


def _closing(text: str, start: int) -> int:
    """Where the bracket at `start` has closed, or -1."""
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        depth += 1 if bracket[0] in "{[" else -1
        if depth == 0:
            return bracket.end()
    return -1
