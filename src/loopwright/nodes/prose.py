"""JSON in what a model said: the whole of it, or the pieces that stand in prose and fences."""

import json
import re
from collections.abc import Iterator
from typing import NoReturn

from loopwright.state.values import Json

_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n?```", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_BRACKET = re.compile(r"[{}\[\]]")


def parsed(text: str) -> Json:
    """The JSON value that a whole text is.

    Raises:
        ValueError: It is none. Neither are `NaN` and `Infinity`, nor an object that has a key twice.

    Example:
        >>> parsed(' {"score": 8} ')
        {'score': 8}
    """
    try:
        value: Json = _DECODER.decode(text.strip())
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return value


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
            value, place = _DECODER.raw_decode(text, opening.start())
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


def _closing(text: str, start: int) -> int:
    """Where the bracket at `start` has closed, or -1."""
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        depth += 1 if bracket[0] in "{[" else -1
        if depth == 0:
            return bracket.end()
    return -1


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON value")


def _no_duplicates(pairs: list[tuple[str, Json]]) -> Json:
    """JSON does not say which of two values of one key is meant."""
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f'the key "{twice}" stands twice in one object')
    return value


_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_duplicates)
