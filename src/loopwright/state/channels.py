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

import dataclasses
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from typing import Annotated, Any, ClassVar, Literal, NotRequired, Required, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from loopwright.state.rebuilt import plain
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
            items, defs = self.type.get("items", ANY), self.type.get("$defs")
            if not isinstance(items, Mapping):
                return ANY
            return {**items, "$defs": defs} if defs else items
        schema: JsonSchema = self.type
        return schema

    @property
    def grows(self) -> bool:
        """Whether it is a list whose writes are items that come to its end."""
        return self.reduce in ("append", "extend")

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
    """The channels of a State class, a TypedDict, a pydantic model or a dataclass; or some Channel objects.

    Fields of a model or a dataclass that have no default are inputs. In annotations, `Annotated[list[str], "append"]`
    names a reducer of this module, and `Annotated[str, "input"]` an input. LangGraph's usual reducers are understood:
    `operator.add` on a list is `extend`, on a number `add`, and `operator.or_` on a mapping is `merge`.

    Raises:
        TypeError: It is none of these, one of its types has no JSON Schema, or a reducer is a function of your own; all
            faults of a class at once.

    Example:
        >>> from typing import Annotated, TypedDict
        >>> class Notes(TypedDict):
        ...     topic: Annotated[str, "input"]
        ...     notes: Annotated[list[str], operator.add]
        >>> [(channel.name, channel.reduce, channel.input) for channel in channels_of(Notes)]
        [('topic', 'replace', True), ('notes', 'extend', False)]
    """
    if isinstance(source, type):
        if source.__module__ == "builtins":
            raise TypeError(
                f"{source.__name__} declares no channels; give a State class, a TypedDict or Channel objects"
            )
        return _channels_of_class(source)
    if not isinstance(source, Iterable):
        raise TypeError(f"{source!r} is no state; give a State class, a TypedDict or Channel objects")
    channels = tuple(source)
    for channel in channels:
        if not isinstance(channel, Channel):
            raise TypeError(f"{channel!r} is not a Channel; give a State class, a TypedDict or Channel objects")
    return channels


def types_of(source: type | Iterable[Channel]) -> Mapping[str, Any]:
    """The Python types of the channels, by their names, where a class declares them.

    Example:
        >>> class Essay(State):
        ...     notes: list[str] = append()
        >>> types_of(Essay), types_of([Channel("notes")])
        ({'notes': list[str]}, {})
    """
    return _declared(source, extras=False) if isinstance(source, type) else {}


def _declared(owner: type, *, extras: bool) -> dict[str, Any]:
    """The annotations that are channels: of a pydantic model its fields."""
    if issubclass(owner, BaseModel):
        return {
            name: known.rebuild_annotation() if extras else known.annotation
            for name, known in owner.model_fields.items()
        }
    hints = get_type_hints(owner, include_extras=extras)
    return {name: hint for name, hint in hints.items() if get_origin(hint) is not ClassVar and hint is not ClassVar}


def _channels_of_class(owner: type) -> tuple[Channel, ...]:
    channels: list[Channel] = []
    faults: list[str] = []
    for name, hint in _declared(owner, extras=True).items():
        try:
            channels.append(_channel(owner, name, hint))
        except TypeError as error:
            faults.append(f"{owner.__name__}.{name}: {error}")
    if faults:
        raise TypeError("; ".join(faults))
    return tuple(channels)


def _channel(owner: type, name: str, hint: Any) -> Channel:
    mark = _mark(owner, name)
    if get_origin(hint) in (Required, NotRequired):
        (hint,) = get_args(hint)  # a channel may be empty anyway
    type_, *words = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    kept: list[Any] = []
    for word in words:
        if word == "input":
            mark = replace(mark, input=True)
        elif isinstance(word, str) or callable(word):
            mark = replace(mark, reduce=_reducer(word, type_))
        else:
            kept.append(word)  # what pydantic says of the type: limits, descriptions
    if mark.reduce != "replace" and mark.default is not MISSING:
        if mark.default != EMPTY[mark.reduce]:
            raise TypeError(f"a channel that is written by {mark.reduce} begins with {EMPTY[mark.reduce]!r}")
        mark = replace(mark, default=MISSING)
    return Channel(name, schema_of(_annotated(type_, kept)), mark.reduce, mark.input, mark.default)


def _annotated(type_: Any, words: list[Any]) -> Any:
    annotated: Any = Annotated
    return annotated[(type_, *words)] if words else type_


def _mark(owner: type, name: str) -> _Mark:
    """What a class says of a channel beside its annotation: a mark, or a default."""
    if issubclass(owner, BaseModel):
        known = owner.model_fields[name]
        return _of_default(MISSING if known.is_required() else known.get_default(call_default_factory=True))
    if is_dataclass(owner):
        (part,) = (each for each in fields(owner) if each.name == name)
        made = part.default if part.default_factory is dataclasses.MISSING else part.default_factory()
        return _of_default(MISSING if made is dataclasses.MISSING else made)
    found = next((part.__dict__[name] for part in owner.__mro__ if name in part.__dict__), _Mark())
    return found if isinstance(found, _Mark) else _Mark(default=plain(found))


def _of_default(default: Any) -> _Mark:
    """A field that has to be given is an input."""
    return _Mark(input=True) if default is MISSING else _Mark(default=plain(default))


_OPERATORS: Mapping[Any, Mapping[str, Reducer]] = {
    operator.add: {"array": "extend", "integer": "add", "number": "add"},
    operator.or_: {"object": "merge"},
}
"""LangGraph's usual reducers by the types that they are for."""


def _reducer(word: Any, type_: Any) -> Reducer:
    """The reducer that a word or a function of Python's names."""
    known = ", ".join(REDUCERS)
    if isinstance(word, str):
        if word not in REDUCERS:
            raise TypeError(f"{word!r} is neither 'input' nor a reducer ({known})")
        return word
    kind = str(schema_of(type_).get("type"))
    try:
        return _OPERATORS[word][kind]
    except (KeyError, TypeError):
        shown = getattr(word, "__name__", repr(word))
        raise TypeError(
            f"the reducer {shown} is a function, which a plan does not hold: name one of {known}, as in "
            'Annotated[list[str], "extend"], or have the node that writes read the old value and write the new one'
        ) from None
