"""JSON Schema of the specs: for editors, for `loopwright schema`, and for hints that name the keys of a place."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic.json_schema import models_json_schema

from loopwright.errors import Fault, SourceError
from loopwright.graphs.forms import spec as forms
from loopwright.nodes.prompts import did_you_mean
from loopwright.state.values import JsonObject

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(kind: str | None = None) -> JsonObject:
    """The JSON Schema of one kind of spec, or of all of them, told apart by `kind`.

    Args:
        kind: A kind, or None for all.

    Raises:
        SourceError: There is no such kind.

    Example:
        >>> json_schema("graph")["required"]
        ['nodes', 'kind']
    """
    if kind is not None:
        schema: JsonObject = spec_class_of(kind).model_json_schema()
        return {"$schema": DIALECT, **_with_kind(schema)}
    models = sorted(forms.FORMS.items())
    places, found = models_json_schema([(model, "validation") for _, model in models])
    refs = {word: places[model, "validation"]["$ref"] for word, model in models}
    for ref in refs.values():
        name = ref.rpartition("/")[2]
        found["$defs"][name] = _with_kind(found["$defs"][name])
    return {
        "$schema": DIALECT,
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": "kind", "mapping": refs},
        **found,
    }


def spec_class_of(kind: str) -> type[forms.Spec]:
    """The class of the specs of a kind.

    Raises:
        SourceError: There is no such kind.
    """
    if kind not in forms.FORMS:
        raise SourceError([Fault(f"there is no kind {kind!r}", ("kind",), did_you_mean(kind, forms.FORMS))])
    return forms.FORMS[kind]


def _with_kind(schema: JsonObject) -> JsonObject:
    """The schema of a file: in Python the class says the kind, a file has to."""
    required = schema.get("required")
    return {**schema, "required": [*(required if isinstance(required, list) else []), "kind"]}


def keys_at(schema: Mapping[str, Any], data: object, path: Sequence[str | int]) -> list[str]:
    """The keys that a schema knows at a place of a document.

    Args:
        schema: JSON Schema of the whole document.
        data: The document; where several shapes are possible, the one that it says by its discriminator counts.
        path: The place.

    Example:
        >>> keys_at(json_schema("graph"), {"nodes": {"a": {"type": "wait"}}}, ("nodes", "a"))
        ['type', 'text', 'reply', 'source', 'writes']
    """
    here = [schema]
    for part in path:
        shapes = [shape for each in here for shape in _shapes(each, schema, data)]
        here = [step for shape in shapes for step in _steps(shape, part)]
        data = _inside(data, part)
    shapes = [shape for each in here for shape in _shapes(each, schema, data)]
    return list(dict.fromkeys(key for shape in shapes for key in shape.get("properties", {})))


def _shapes(schema: Mapping[str, Any], root: Mapping[str, Any], data: object) -> Iterator[Mapping[str, Any]]:
    """The plain schemas that a schema stands for at this data."""
    if "$ref" in schema:
        yield from _shapes(root["$defs"][schema["$ref"].rpartition("/")[2]], root, data)
        return
    told = schema.get("discriminator", {})
    ref = told.get("mapping", {}).get(_inside(data, told.get("propertyName", "")))
    if ref:
        yield from _shapes({"$ref": ref}, root, data)
        return
    choices = [choice for word in ("anyOf", "oneOf", "allOf") for choice in schema.get(word, ())]
    for choice in choices:
        yield from _shapes(choice, root, data)
    if not choices:
        yield schema


def _steps(schema: Mapping[str, Any], part: str | int) -> Iterator[Mapping[str, Any]]:
    inside = schema.get("items") if isinstance(part, int) else schema.get("properties", {}).get(part)
    found = inside if inside is not None else schema.get("additionalProperties")
    if isinstance(found, Mapping):
        yield found


def _inside(data: object, part: str | int) -> Any:
    if isinstance(data, Mapping):
        return data.get(part)
    if isinstance(data, list | tuple) and isinstance(part, int) and part < len(data):
        return data[part]
    return None
