"""JSON Schema of the specs: for editors, for `loopwright schema`, and for hints that name the keys of a place."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic.json_schema import models_json_schema

from loopwright.documents.document import inside
from loopwright.errors import Fault, SourceError
from loopwright.graphs.forms import spec as forms
from loopwright.hints import did_you_mean
from loopwright.state.values import JsonObject

_ARGUMENT = re.compile(r"^    (\w+): (.*(?:\n        .*)*)", re.MULTILINE)
"""One entry of a docstring's `Args`."""

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
        return {"$schema": DIALECT, **_with_kind(_described(schema))}
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
        **_described(found),
    }


def spec_class_of(kind: str) -> type[forms.Spec]:
    """The class of the specs of a kind.

    Raises:
        SourceError: There is no such kind.
    """
    if kind not in forms.FORMS:
        raise SourceError([Fault(f"there is no kind {kind!r}", ("kind",), did_you_mean(kind, forms.FORMS))])
    return forms.FORMS[kind]


def _described(schema: JsonObject) -> JsonObject:
    """The schema with the docstrings taken apart: a first paragraph for each class, and a line for each of its keys."""
    definitions: Any = schema.get("$defs", {})
    for each in (schema, *definitions.values()):
        text = each.get("description", "")
        each["description"] = " ".join(text.partition("\n\n")[0].split())
        for key, words in _ARGUMENT.findall(text.partition("\nArgs:\n")[2]):
            if key in each.get("properties", {}):
                each["properties"][key].setdefault("description", " ".join(words.split()))
    return schema


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
    places, data = _places(schema, data, path)
    shapes = (shape for place in places for shape in _shapes(place, schema, data))
    return list(dict.fromkeys(key for shape in shapes for key in shape.get("properties", {})))


def tags_at(schema: Mapping[str, Any], data: object, path: Sequence[str | int]) -> list[str]:
    """The words by which a place of a document says its shape; arguments as of `keys_at`.

    Example:
        >>> tags_at(json_schema("graph"), {"nodes": {"a": {}}}, ("nodes", "a"))
        ['each', 'human', 'judge', 'parallel', 'plan', 'think', 'wait']
    """
    places, _ = _places(schema, data, path)
    return [tag for place in places for tag in place.get("discriminator", {}).get("mapping", ())]


def _places(
    schema: Mapping[str, Any], data: object, path: Sequence[str | int]
) -> tuple[list[Mapping[str, Any]], object]:
    """The schemas of a place, and the data there."""
    here = [schema]
    for part in path:
        shapes = [shape for each in here for shape in _shapes(each, schema, data)]
        here = [step for shape in shapes for step in _steps(shape, part)]
        data = inside(data, part)
    return here, data


def _shapes(schema: Mapping[str, Any], root: Mapping[str, Any], data: object) -> Iterator[Mapping[str, Any]]:
    """The plain schemas that a schema stands for at this data."""
    if "$ref" in schema:
        yield from _shapes(root["$defs"][schema["$ref"].rpartition("/")[2]], root, data)
        return
    told = schema.get("discriminator", {})
    tag = inside(data, told.get("propertyName", ""))
    ref = told.get("mapping", {}).get(tag) if isinstance(tag, str) else None
    if ref:
        yield from _shapes({"$ref": ref}, root, data)
        return
    choices = [choice for word in ("anyOf", "oneOf", "allOf") for choice in schema.get(word, ())]
    for choice in choices:
        yield from _shapes(choice, root, data)
    if not choices:
        yield schema


def _steps(schema: Mapping[str, Any], part: str | int) -> Iterator[Mapping[str, Any]]:
    found = schema.get("items") if isinstance(part, int) else schema.get("properties", {}).get(part)
    found = schema.get("additionalProperties") if found is None else found
    if isinstance(found, Mapping):
        yield found
