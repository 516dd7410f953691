"""Values as a schema has them, where what was said can mean only one thing.

`fitted` changes nothing that is already as it should be, and leaves what it does not know for the check that follows.
"""

import re
from collections.abc import Callable, Mapping

from loopwright.state.schema import check_for
from loopwright.state.values import Json, JsonObject, JsonSchema

_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,400})(?:\.\d+)?")
"""A number that Python reads without complaint; one with more digits fits no schema."""

_OUT_OF = re.compile(rf"({_NUMBER.pattern})\s*/\s*({_NUMBER.pattern})\.?")


def fitted(value: Json, schema: JsonSchema) -> Json:
    """The one value of the schema that is meant, or the value as it is.

    Understood are, inside of objects and lists too:

    - a word of an enum in another case, or with spaces, quotes or a final punctuation mark around it
    - a number written as text, or as `8/10` where the schema's maximum is 10
    - a bare word or number where the only required property of an object is an enum or a number
    - null for an optional property

    Args:
        value: What was said.
        schema: JSON Schema of what is meant.

    Example:
        >>> score = {"type": "number", "maximum": 10}
        >>> schema = {"type": "object", "properties": {"score": score}, "required": ["score"]}
        >>> fitted("8/10", schema), fitted({"score": "7.5"}, schema), fitted("eight", schema)
        ({'score': 8}, {'score': 7.5}, 'eight')
    """
    return _fitted(value, schema, schema)


def _fitted(value: Json, schema: Json | JsonSchema, root: JsonSchema) -> Json:
    if not isinstance(schema, Mapping):
        return value
    if isinstance(reference := schema.get("$ref"), str):
        return _fitted(value, _referred(reference, root), root)
    if isinstance(options := schema.get("anyOf"), list):
        return _of_options(value, options, root)
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(choices, list):
        return _chosen(value, choices)
    kind = schema.get("type")
    fit = _BY_TYPE.get(kind) if isinstance(kind, str) else None
    return fit(value, schema, root) if fit else value


def _referred(reference: str, root: JsonSchema) -> Json:
    """What `#/$defs/Name` points at; anything else is left to the check."""
    definitions = root.get("$defs")
    name = reference.removeprefix("#/$defs/")
    return definitions.get(name) if isinstance(definitions, Mapping) and name != reference else None


def _of_options(value: Json, options: list[Json], root: JsonSchema) -> Json:
    """The value where it fits an option; else the one meaning that any option gives it."""
    fits = [_fitted(value, option, root) for option in options]
    if all(fit is value for fit in fits):
        return value
    for option, fit in zip(options, fits, strict=True):
        if _fits(value, option, root):
            return fit
    meanings = [fit for option, fit in zip(options, fits, strict=True) if _fits(fit, option, root)]
    return meanings[0] if meanings and all(meaning == meanings[0] for meaning in meanings) else value


def _fits(value: Json, schema: Json, root: JsonSchema) -> bool:
    if not isinstance(schema, Mapping):
        return False
    try:
        check_for({**schema, "$defs": root["$defs"]} if "$defs" in root else schema)(value)
    except ValueError:
        return False
    return True


def _chosen(value: Json, choices: list[Json]) -> Json:
    if not isinstance(value, str) or value in choices:
        return value
    word = _folded(value)
    meant = [choice for choice in choices if word and isinstance(choice, str) and _folded(choice) == word]
    return meant[0] if len(meant) == 1 else value


def _folded(word: str) -> str:
    return word.strip().rstrip(".!,;:").strip(" \t\r\n\"'`*").rstrip(".!,;:").casefold()


def _number(value: Json, schema: JsonSchema, root: JsonSchema) -> Json:
    del root
    if isinstance(value, str):
        value = _spelled(value.strip(), schema.get("maximum"))
    whole = isinstance(value, float) and value.is_integer() and schema["type"] == "integer"
    return int(value) if whole and isinstance(value, float) else value


def _spelled(text: str, maximum: Json) -> Json:
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    score = _OUT_OF.fullmatch(text)
    if score and isinstance(maximum, int | float) and float(score[2]) == maximum:
        return _spelled(score[1], None)
    return text


def _list(value: Json, schema: JsonSchema, root: JsonSchema) -> Json:
    return [_fitted(item, schema.get("items"), root) for item in value] if isinstance(value, list) else value


def _object(value: Json, schema: JsonSchema, root: JsonSchema) -> Json:
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, Mapping):
        return value
    required = required if isinstance(required, list) else []
    if not isinstance(value, dict):
        return _bare(value, properties, required, root)
    fits: JsonObject = {}
    for name, item in value.items():
        fit = _fitted(item, properties.get(name), root)
        if fit is None and name in properties and name not in required and not _fits(None, properties[name], root):
            continue  # an optional property that is null is one that was left out
        fits[name] = fit
    return fits


def _bare(value: Json, properties: Mapping[str, Json], required: list[Json], root: JsonSchema) -> Json:
    """An object for a value that stands alone, where only one property can be meant."""
    if len(required) != 1 or isinstance(value, bool | list):
        return value
    name = str(required[0])
    schema = properties.get(name)
    if not isinstance(schema, Mapping):
        return value
    fit = _fitted(value, schema, root)
    if schema.get("type") in ("number", "integer"):
        return {name: fit} if isinstance(fit, int | float) else value
    return {name: fit} if "enum" in schema and _fits(fit, schema, root) else value


_BY_TYPE: dict[str, Callable[[Json, JsonSchema, JsonSchema], Json]] = {
    "number": _number,
    "integer": _number,
    "array": _list,
    "object": _object,
}
