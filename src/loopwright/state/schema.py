"""Types as JSON Schema: made from Python types or short words, and compiled to checks.

A plan holds types as JSON Schema, so that it stays data. `check_for` turns a schema into a function that takes a
value and raises `ValueError` with the reason.
"""

import math
import reprlib
from collections.abc import Callable, Mapping
from typing import Any

from jsonschema_rs import Draft202012Validator, ValidationError
from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema

from loopwright.state.values import Json, JsonObject, JsonSchema

Check = Callable[[Json], None]

ANY: JsonSchema = {}
TEXT: JsonSchema = {"type": "string"}

_WORDS: dict[str, dict[str, Json]] = {
    "any": {},
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "number": {"type": "number"},
    "bool": {"type": "boolean"},
    "list": {"type": "array"},
    "dict": {"type": "object"},
}


def as_list(schema: JsonSchema, **limits: int) -> JsonSchema:
    """JSON Schema of a list; what its items name from the root stands there.

    Example:
        >>> as_list({"$ref": "#/$defs/A", "$defs": {"A": {}}}, maxItems=2)
        {'type': 'array', 'items': {'$ref': '#/$defs/A'}, 'maxItems': 2, '$defs': {'A': {}}}
    """
    items, definitions = embedded(schema)
    return {"type": "array", "items": items, **limits, **({"$defs": definitions} if definitions else {})}


def as_object(required: Mapping[str, JsonSchema], **optional: JsonSchema) -> JsonSchema:
    """JSON Schema of a closed object; what its parts name from the root stands there.

    Example:
        >>> as_object({"rating": {"type": "number"}}, reason={"type": "string"})["required"]
        ['rating']
    """
    definitions: dict[str, Json] = {}
    properties: dict[str, Json] = {}
    for name, schema in {**required, **optional}.items():
        properties[name], found = embedded(schema)
        definitions |= found
    made: dict[str, Json] = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
    return {**made, "$defs": definitions} if definitions else made


def schema_of(type_: Any) -> dict[str, Json]:
    """The JSON Schema of a Python type.

    Args:
        type_: Any type that pydantic understands: builtins, typing forms, dataclasses, models, TypedDicts.

    Returns:
        The schema, without its title.

    Raises:
        TypeError: pydantic cannot describe this type in JSON Schema.

    Example:
        >>> schema_of(list[str])
        {'items': {'type': 'string'}, 'type': 'array'}
    """
    if type_ is Any:
        return {}
    try:
        schema = TypeAdapter(type_).json_schema()
    except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema, PydanticUserError) as error:
        raise TypeError(f"{type_!r} has no JSON Schema, and state holds JSON values: {error}") from error
    schema.pop("title", None)
    return schema


def as_schema(type_: Any) -> JsonSchema:
    """A JSON Schema as it is, and that of a Python type.

    Raises:
        TypeError: pydantic cannot describe this type in JSON Schema.

    Example:
        >>> as_schema({"type": "string"}), as_schema(str)
        ({'type': 'string'}, {'type': 'string'})
    """
    return type_ if isinstance(type_, Mapping) else schema_of(type_)


def schema_from_word(word: str) -> dict[str, Json]:
    """The JSON Schema of a short type word as YAML files have it.

    Args:
        word: `str`, `int`, `float`, `number`, `bool`, `any`, `list`, `dict`, `list[...]`, `dict[str, ...]`, or any of
            these with ` | None`.

    Raises:
        ValueError: The word is none of these.

    Example:
        >>> schema_from_word("list[str]")
        {'type': 'array', 'items': {'type': 'string'}}
    """
    text = word.strip()
    if text.endswith("| None"):
        return {"anyOf": [schema_from_word(text.removesuffix("| None")), {"type": "null"}]}
    if text in _WORDS:
        return dict(_WORDS[text])
    if text.startswith("list[") and text.endswith("]"):
        return {"type": "array", "items": schema_from_word(text[5:-1])}
    if text.startswith("dict[str,") and text.endswith("]"):
        return {"type": "object", "additionalProperties": schema_from_word(text[9:-1])}
    raise ValueError(f"{word!r} is not a type; types are {', '.join(_WORDS)}, list[...], dict[str, ...] and ... | None")


def word_of(schema: JsonSchema) -> str:
    """A short word for a schema, for messages and tables: the opposite of `schema_from_word` where there is one.

    Example:
        >>> word_of({"type": "array", "items": {"type": "string"}})
        'list[str]'
    """
    kind = schema.get("type")
    items = schema.get("items")
    if kind == "array" and isinstance(items, Mapping):
        return f"list[{word_of(items)}]"
    if isinstance(choices := schema.get("enum"), list):
        return " | ".join(str(choice) for choice in choices)
    if isinstance(options := schema.get("anyOf"), list):
        return " | ".join(word_of(option) for option in options if isinstance(option, Mapping))
    words = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "dict"}
    return words.get(kind, "None" if kind == "null" else "any") if isinstance(kind, str) else "any"


def fault_in_schema(schema: JsonSchema) -> str | None:
    """Why this is no valid JSON Schema (draft 2020-12), or None when it is one."""
    try:
        _validator(schema)
    except ValidationError as error:
        return error.message
    return None


def embedded(schema: JsonSchema) -> tuple[JsonObject, JsonObject]:
    """A schema as it stands inside of another one, and the definitions that it needs at the root of that.

    References name things from the root. Where they name more of it than its definitions, all of it becomes one.

    Example:
        >>> embedded({"$ref": "#/$defs/A", "$defs": {"A": {}}})
        ({'$ref': '#/$defs/A'}, {'A': {}})
        >>> embedded({"type": "array", "items": {"$ref": "#"}})
        ({'$ref': '#/$defs/root'}, {'root': {'type': 'array', 'items': {'$ref': '#/$defs/root'}}})
    """
    inner = dict(schema)
    found: Any = inner.pop("$defs", {})
    definitions: JsonObject = dict(found)
    name = "root"
    while name in definitions:
        name += "_"
    root = f"#/$defs/{name}"
    moved = _referring({word: part for word, part in inner.items() if word != "$id"}, root)
    moved_definitions: JsonObject = {each: _referring(part, root) for each, part in definitions.items()}
    if moved == inner and moved_definitions == definitions:
        return inner, definitions
    return {"$ref": root}, {**moved_definitions, name: moved}


_NAMED = {"properties", "patternProperties", "dependentSchemas", "definitions", "$defs"}
"""Keywords under which schemas stand by names, which are no keywords."""

_VALUES = {"enum", "const", "default", "examples"}
"""Keywords under which values stand."""


def _referring(part: Json, root: str, named: bool = False) -> Json:
    """A part of a schema with the references that it has once the schema is a definition itself."""
    if isinstance(part, list):
        return [_referring(each, root) for each in part]
    if not isinstance(part, dict):
        return part
    if named:
        return {name: _referring(each, root) for name, each in part.items()}
    made: JsonObject = {}
    for word, each in part.items():
        if word == "$ref" and isinstance(each, str):
            outside = each == "#" or (each.startswith("#/") and not each.startswith("#/$defs/"))
            made[word] = root + each[1:] if outside else each
        else:
            made[word] = each if word in _VALUES else _referring(each, root, word in _NAMED)
    return made


DEEPEST = 100
"""Lists and mappings that may stand in each other; what goes deeper cannot be stored."""


def is_json(value: Any, deepest: int = DEEPEST) -> bool:
    """Whether a value is JSON all the way down: texts and numbers that can be stored, text keys, no other types.

    Args:
        value: Any value.
        deepest: How many lists and mappings may stand in each other.

    Example:
        >>> is_json({"a": [1, 2.5, None]}), is_json({1: "a"}), is_json(float("nan"))
        (True, False, False)
    """
    kind = type(value)
    if kind is str:
        return _is_encodable(value)
    if kind is bool or value is None:
        return True
    if kind is int:
        return bool(-(2**63) <= value < 2**63)
    if kind is float:
        return math.isfinite(value)
    if not deepest:
        return False
    if kind is list:
        return all(is_json(item, deepest - 1) for item in value)
    if kind is dict:
        return all(
            type(key) is str and _is_encodable(key) and is_json(item, deepest - 1) for key, item in value.items()
        )
    return False


def _is_encodable(text: str) -> bool:
    """Whether a text can be written anywhere: half a surrogate pair, as broken JSON brings it, can not."""
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_for(schema: JsonSchema) -> Check:
    """A function that raises `ValueError` when a value does not fit the schema, or is not JSON.

    Compiling costs 0.1 ms, a check a microsecond. The same schema object is compiled once while it is remembered, so
    nodes keep theirs.

    Example:
        >>> check = check_for({"type": "integer"})
        >>> check(3)
        >>> check("eight")
        Traceback (most recent call last):
        ValueError: "eight" is not of type "integer"
    """
    known = _compiled.get(id(schema))
    if known is not None and known[0] is schema:
        return known[1]
    check = _compile(schema)
    if len(_compiled) >= _REMEMBERED:
        _compiled.pop(next(iter(_compiled)), None)
    _compiled[id(schema)] = (schema, check)
    return check


_REMEMBERED = 4096
_compiled: dict[int, tuple[JsonSchema, Check]] = {}
"""Checks by the identity of their schema, which is held here so that its identity stays its own."""


def _validator(schema: JsonSchema) -> Draft202012Validator:
    return Draft202012Validator(dict(schema), retriever=_refuse)


def _refuse(address: str) -> Json:
    """A schema that refers to another document is not fetched: nothing here asks a network."""
    raise ValueError(f"schemas are not fetched ({address})")


_KEPT = (
    "text that can be encoded, finite numbers of 64 bits, booleans, null, and lists and dicts with text keys,"
    f" {DEEPEST} deep at most"
)


def _compile(schema: JsonSchema) -> Check:
    validator = _validator(schema)

    def check(value: Json) -> None:
        if not is_json(value):
            raise ValueError(f"{reprlib.repr(value)} is not JSON that can be kept: {_KEPT}")
        if not validator.is_valid(value):
            raise ValueError("; ".join(_words(error) for error in validator.iter_errors(value)))

    return check


def _words(error: ValidationError) -> str:
    place = ".".join(str(part) for part in error.instance_path)
    return f"at {place}: {error.message}" if place else error.message
