"""Channels: the named, typed places of a state, and what happens when something is written to one.

A channel holds JSON. Its reducer says how a write changes it:

| reducer | a write is | the channel becomes | before the first write |
|---|---|---|---|
| `replace` | the new value | that value | absent, or `default` |
| `append` | one item | the list with that item at its end | `[]` |
| `extend` | a list of items | the list with those items at its end | `[]` |
| `add` | a number | the sum | `0` |
| `merge` | a mapping | the mapping updated with it | `{}` |

All but `replace` let several nodes write in the same step.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from loopwright.state.schema import ANY, schema_from_word, schema_of
from loopwright.state.values import Json, JsonSchema

Reducer = Literal["replace", "append", "extend", "add", "merge"]
REDUCERS: tuple[Reducer, ...] = get_args(Reducer)
EMPTY: dict[Reducer, Json] = {"append": [], "extend": [], "add": 0, "merge": {}}


class Missing(Enum):
    """The default of a channel that has none; `None` is a JSON value and may be a default. A copied enum is itself."""

    MISSING = "missing"


MISSING = Missing.MISSING


@dataclass(frozen=True, slots=True)
class Channel:
    """One named place of the state.

    Args:
        name: The channel's name, unique in its plan. In a nested plan it gets the nested node's name and `/` before it.
        type: The type of the whole value (for `append`: of the list): JSON Schema, a Python type, or a word as
            `list[str]`; it is kept as JSON Schema.
        reduce: How a write changes the value. It is the new value (`replace`), an item that comes to the end of a list
            (`append`), a list of such items (`extend`), a number that is added (`add`), or a mapping that is merged in
            (`merge`).
        input: Whether `start` takes it.
        default: Its value before the first write, for `replace` channels; an input with a default may be left out.

    Raises:
        TypeError: A Python type has no JSON Schema.
        ValueError: A word is no type.

    Example:
        >>> Channel("notes", list[str], reduce="append").write_schema
        {'type': 'string'}
    """

    name: str
    type: Any = field(default_factory=dict)
    reduce: Reducer = "replace"
    input: bool = False
    default: Any = MISSING

    def __post_init__(self) -> None:
        schema = schema_from_word(self.type) if isinstance(self.type, str) else self.type
        if not isinstance(schema, Mapping):
            schema = schema_of(schema)
        object.__setattr__(self, "type", schema)

    @property
    def write_schema(self) -> JsonSchema:
        """JSON Schema of what a node may write to it."""
        if self.reduce == "append":
            items = self.type.get("items", ANY)
            defs = self.type.get("$defs")
            return (
                {**items, "$defs": defs}
                if isinstance(items, Mapping) and defs
                else items
                if isinstance(items, Mapping)
                else ANY
            )
        schema: JsonSchema = self.type
        return schema

    @property
    def always_there(self) -> bool:
        """Whether it can be read before anything was written to it."""
        return self.reduce != "replace" or self.default is not MISSING

    @property
    def first_value(self) -> Any:
        """Its value before the first write, or `MISSING`."""
        return EMPTY[self.reduce] if self.reduce != "replace" else self.default


@dataclass(frozen=True, slots=True)
class _Mark:
    """What `input()` and `append()` put on a State's attribute."""

    reduce: Reducer = "replace"
    input: bool = False
    default: Any = MISSING


def input(default: Any = MISSING) -> Any:
    """Mark a State's attribute as one that `start` takes.

    Args:
        default: Its value when `start` gives none; without a default it must be given.

    Example:
        >>> class Essay(State):
        ...     topic: str = input()
        >>> channels_of(Essay)[0].input
        True
    """
    return _Mark(input=True, default=default)


def append() -> Any:
    """Mark a list: a node writes one item, which comes to its end.

    Example:
        >>> class Essay(State):
        ...     notes: list[str] = append()
        >>> channels_of(Essay)[0].reduce
        'append'
    """
    return _Mark(reduce="append")


def extend() -> Any:
    """Mark a list: a node writes a list of items, which come to its end.

    Example:
        >>> class Search(State):
        ...     found: list[str] = extend()
        >>> channels_of(Search)[0].reduce
        'extend'
    """
    return _Mark(reduce="extend")


def add() -> Any:
    """Mark a number: what a node writes is added to it. It begins at 0.

    Example:
        >>> class Game(State):
        ...     points: int = add()
        >>> channels_of(Game)[0].first_value
        0
    """
    return _Mark(reduce="add")


def merge() -> Any:
    """Mark a mapping: what a node writes is merged into it, key by key.

    Example:
        >>> class Reading(State):
        ...     facts: dict[str, str] = merge()
        >>> channels_of(Reading)[0].reduce
        'merge'
    """
    return _Mark(reduce="merge")


class State:
    """Base of a class whose annotations are channels.

    Example:
        >>> class Essay(State):
        ...     topic: str = input()
        ...     draft: str
        ...     notes: list[str] = append()
        >>> [channel.name for channel in channels_of(Essay)]
        ['topic', 'draft', 'notes']
    """


def channels_of(source: type | Iterable[Channel]) -> tuple[Channel, ...]:
    """The channels of a State class, of a TypedDict with Annotated reducers, or of some Channel objects.

    In a TypedDict, `Annotated[list[str], "append"]` names a reducer of this module, and
    `Annotated[str, "input"]` an input.

    Raises:
        TypeError: It is none of these, or one of its types has no JSON Schema.

    Example:
        >>> from typing import Annotated, TypedDict
        >>> class Notes(TypedDict):
        ...     topic: Annotated[str, "input"]
        ...     notes: Annotated[list[str], "append"]
        >>> [(channel.name, channel.reduce, channel.input) for channel in channels_of(Notes)]
        [('topic', 'replace', True), ('notes', 'append', False)]
    """
    if isinstance(source, type):
        hints = get_type_hints(source, include_extras=True)
        return tuple(_channel(source, name, hint) for name, hint in hints.items())
    channels = tuple(source)
    for channel in channels:
        if not isinstance(channel, Channel):
            raise TypeError(f"{channel!r} is not a Channel; give a State class, a TypedDict or Channel objects")
    return channels


def _channel(owner: type, name: str, hint: Any) -> Channel:
    mark = owner.__dict__.get(name, _Mark())
    if not isinstance(mark, _Mark):
        mark = _Mark(default=mark)
    words: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        words = tuple(word for word in rest if isinstance(word, str))
    for word in words:
        if word == "input":
            mark = _Mark(mark.reduce, True, mark.default)
        elif word in REDUCERS:
            mark = _Mark(word, mark.input, mark.default)
        else:
            raise TypeError(
                f"{owner.__name__}.{name}: {word!r} is neither 'input' nor a reducer ({', '.join(REDUCERS)})"
            )
    return Channel(name, schema_of(hint), mark.reduce, mark.input, mark.default)
