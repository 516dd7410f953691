"""Python's own types at the edge of the state: they become JSON when they are written, and are rebuilt where declared.

What is kept is always JSON. A pydantic model, a dataclass, an enum or a date is made of it again where a function says
that it wants one, and where the result of a run has such a type.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict
from uuid import UUID

from pydantic import BaseModel, PydanticUserError, TypeAdapter
from pydantic_core import to_jsonable_python

from loopwright.state.values import Json

Rebuild = Callable[[Json], Any]

_JSON = (str, bool, int, float)

_SINGLE = (Enum, datetime, date, time, timedelta, Decimal, UUID, Path)
"""Types of single values that have one form as JSON."""


def rebuilder(type_: Any) -> Rebuild | None:
    """What makes a value of a declared type of JSON; None where JSON is that value already.

    Raises:
        ValueError: By what is returned, where the JSON does not fit the type.

    Example:
        >>> rebuild = rebuilder(list[date])
        >>> rebuild(["2026-11-30"])
        [datetime.date(2026, 11, 30)]
        >>> rebuilder(dict[str, int]) is None
        True
    """
    if not _is_rebuilt(type_):
        return None
    try:
        adapter = TypeAdapter(type_)
    except (PydanticUserError, NameError):  # a type that pydantic knows nothing of is the user's own affair
        return None
    return adapter.validate_python


def rebuilders_of(function: Callable[..., Any]) -> dict[str, Rebuild]:
    """What rebuilds the parameters of a function that are declared with a type of Python's own.

    A function whose annotations name what cannot be found gets JSON.

    Example:
        >>> def late(day: date, words: str): return day
        >>> list(rebuilders_of(late))
        ['day']
    """
    try:
        hints = get_type_hints(function)
    except (NameError, TypeError):
        return {}
    made = {name: rebuilder(hint) for name, hint in hints.items() if name != "return"}
    return {name: rebuild for name, rebuild in made.items() if rebuild}


def _is_rebuilt(type_: Any) -> bool:
    if get_origin(type_) is not None:
        return any(_is_rebuilt(part) for part in get_args(type_))
    if not isinstance(type_, type) or is_typeddict(type_):
        return False
    return is_dataclass(type_) or issubclass(type_, (BaseModel, *_SINGLE))


def plain(value: Any) -> Json:
    """The JSON that stands for a value, as a copy; a value of a type that has none stays, and is refused by the check.

    Example:
        >>> plain({"due": date(2026, 11, 30), "notes": ["a"]})
        {'due': '2026-11-30', 'notes': ['a']}
    """
    if value is None or type(value) in _JSON:
        same: Json = value
        return same
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, BaseModel):
        dumped: Json = value.model_dump(mode="json")
        return dumped
    if isinstance(value, _SINGLE):
        single: Json = to_jsonable_python(value)
        return single
    if is_dataclass(value) and not isinstance(value, type):
        with suppress(PydanticUserError, NameError):  # a type that pydantic knows nothing of
            data: Json = _adapter(type(value)).dump_python(value, mode="json")
            return data
    for simple in _JSON:
        if isinstance(value, simple):
            return simple(value)  # a text or a number of a library's own type, as that of a message
    unknown: Json = value
    return unknown


@cache
def _adapter(type_: Any) -> TypeAdapter[Any]:
    """Made once for each type: making one takes milliseconds."""
    return TypeAdapter(type_)


RESULT_TYPE = "type of the result"
"""The name in a loop's registry of live code that its result's Python type has; no code has such a name."""


def rebuilt_result(code: Mapping[str, Any], value: Json) -> Any:
    """A run's result in the type that its loop declares for it; the JSON itself where there is none, or no result.

    Raises:
        ValueError: It does not fit that type.
    """
    rebuild = rebuilder(code.get(RESULT_TYPE))
    return value if value is None or rebuild is None else rebuild(value)
