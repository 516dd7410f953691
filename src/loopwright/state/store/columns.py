"""The columns of a table, told by the fields of the records that it keeps: each is named once."""

from dataclasses import fields
from typing import Any

_TYPES: dict[object, str] = {int: "INTEGER", float: "REAL"}
"""SQLite's types of numbers; anything else is a text, or kept as one in JSON."""


def names(record: type[Any], *, without: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The fields of a dataclass, by name.

    Example:
        >>> from loopwright.state.records import Usage
        >>> names(Usage)[:3]
        ('calls', 'tokens_in', 'tokens_out')
    """
    return tuple(column.name for column in fields(record) if column.name not in without)


def declared(record: type[Any], *, without: tuple[str, ...] = ()) -> str:
    """The same as columns of a table that is made.

    Example:
        >>> from loopwright.state.store.holder import Holder
        >>> declared(Holder, without=("boot",))
        'host TEXT NOT NULL, pid INTEGER NOT NULL, started REAL NOT NULL'
    """
    return ", ".join(
        f"{column.name} {_TYPES.get(column.type, 'TEXT')} NOT NULL"
        for column in fields(record)
        if column.name not in without
    )
