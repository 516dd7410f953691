"""Texts into values: what a person types, or a model says, as JSON. It is read more strictly than the library does."""

import json
from typing import NoReturn

from loopwright.state.schema import Check, check_for
from loopwright.state.values import Json, JsonSchema


def value_from_text(text: str, schema: JsonSchema) -> Json:
    """The value of a type that a text stands for: itself where the type takes it, else what it says in JSON.

    A type that says nothing takes everything: there JSON is its value, and any other text is itself.

    Args:
        text: The text.
        schema: JSON Schema of the value.

    Raises:
        ValueError: It stands for no such value; with the reason.

    Example:
        >>> value_from_text("12", {"type": "string"}), value_from_text("12", {"type": "integer"})
        ('12', 12)
        >>> value_from_text("twelve", {"type": "integer"})
        Traceback (most recent call last):
        ValueError: "twelve" is not of type "integer"
    """
    check = check_for(schema)
    refusal = _refusal(check, text)
    if schema and not refusal:
        return text
    try:
        value = parsed(text)
    except json.JSONDecodeError as error:
        if not refusal:
            return text
        meant = text.lstrip().startswith(("{", "["))
        raise ValueError(f"it is not valid JSON: {error}" if meant else refusal) from error
    check(value)
    return value


def _refusal(check: Check, text: str) -> str:
    """Why a type does not take a text, or ""."""
    try:
        check(text)
    except ValueError as error:
        return str(error)
    return ""


def parsed(text: str, *, line_ends: bool = False) -> Json:
    """The JSON value that a whole text is.

    Args:
        text: The text.
        line_ends: Whether line ends and tabs may stand inside of texts as they are, which can mean only themselves.

    Raises:
        ValueError: It is none. Neither are `NaN` and `Infinity`, nor an object that has a key twice.

    Example:
        >>> parsed(' {"score": 8} ')
        {'score': 8}
    """
    try:
        value: Json = (TOLERANT if line_ends else STRICT).decode(text.strip())
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return value


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


STRICT = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_duplicates)
"""Refuses what Python's reader lets through: `NaN` and `Infinity`, and keys that stand twice."""

TOLERANT = json.JSONDecoder(strict=False, parse_constant=_no_constant, object_pairs_hook=_no_duplicates)
"""The same, which takes line ends and tabs inside of texts, as models write them."""
