"""Hints: what a function's annotation says that it returns."""

import types
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from langgraph.types import Command
from typing_extensions import is_typeddict


@dataclass(frozen=True, slots=True)
class Returns:
    """What a function is annotated to return.

    Args:
        commands: Whether that may be a `Command`.
        goto: The names that such a command is annotated to go to.
        single: Whether it is one answer, and no list.
        shape: The TypedDict that it returns, or None.
    """

    commands: bool = False
    goto: tuple[str, ...] = ()
    single: bool = False
    shape: Any = None


def returns_of(function: Any) -> Returns:
    """What a function is annotated to return; nothing, where its annotations cannot be read.

    Example:
        >>> def route(state: dict) -> Literal["write", "stop"]: ...
        >>> returns_of(route).single, returns_of(len).single
        (True, False)
    """
    try:
        hint = get_type_hints(function).get("return")
    except Exception:  # annotations name what only a type checker knows
        return Returns()
    parts = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    commands = [part for part in parts if (get_origin(part) or part) is Command]
    goto = [
        name
        for part in commands
        for inner in get_args(part)
        if get_origin(inner) is Literal
        for name in get_args(inner)
    ]
    return Returns(
        commands=bool(commands),
        goto=tuple(str(name) for name in goto),
        single=all(_is_single(part) for part in parts),
        shape=hint if is_typeddict(hint) else None,
    )


def _is_single(hint: Any) -> bool:
    return get_origin(hint) is Literal or (isinstance(hint, type) and issubclass(hint, str | bool | int | Enum))


def writes_of(shape: Any) -> tuple[frozenset[str], frozenset[str]]:
    """The keys that a TypedDict always has, and all that it may have."""
    required: Sequence[str] = tuple(shape.__required_keys__)
    return frozenset(required), frozenset((*required, *shape.__optional_keys__))
