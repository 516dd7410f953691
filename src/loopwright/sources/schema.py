"""JSON Schema of the specs: for editors, for `loopwright schema`, and for hints that name the keys of a place."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic.json_schema import models_json_schema

from loopwright.documents.document import inside
from loopwright.errors import Fault, SourceError
from loopwright.graphs.forms import spec as forms
from loopwright.graphs.forms.descriptions import arguments_of, summary_of
from loopwright.graphs.forms.nested_entries import ANY_SPEC
from loopwright.hints import did_you_mean
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
        >>> json_schema("graph")["$id"], json_schema()["$id"]
        ('urn:loopwright:schema:graph', 'urn:loopwright:schema')
    """
    if kind is not None:
        spec_class_of(kind)
    places, found = models_json_schema([(each, "validation") for each in forms.FORMS.values()])
    refs = {word: places[each, "validation"]["$ref"] for word, each in sorted(forms.FORMS.items())}
    definitions = _described(found["$defs"])
    for ref in refs.values():
        definitions[_name(ref)] = _with_kind(definitions[_name(ref)])
    any_spec: dict[str, Any] = {
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": "kind", "mapping": refs},
    }
    whole: dict[str, Any] = _with_nested(
        {
            "$schema": DIALECT,
            "$id": f"urn:loopwright:schema:{kind}" if kind else "urn:loopwright:schema",
            **(definitions[_name(refs[kind])] if kind else any_spec),
            "title": f"loopwright, kind: {kind}" if kind else "loopwright",
            "$defs": {**definitions, _ANY: {**any_spec, "description": "A loop of any kind."}},
        }
    )
    needed = _needed(whole, {key: value for key, value in whole.items() if key != "$defs"})
    return {**whole, "$defs": {name: each for name, each in whole["$defs"].items() if name in needed}}


_ANY = "AnySpec"


def _name(ref: str) -> str:
    return ref.rpartition("/")[2]


def _with_nested(schema: Any) -> Any:
    """The schema with all kinds in the place of a nested plan's."""
    if schema == ANY_SPEC:
        return {"$ref": f"#/$defs/{_ANY}"}
    if isinstance(schema, Mapping):
        return {key: _with_nested(value) for key, value in schema.items()}
    return [_with_nested(value) for value in schema] if isinstance(schema, list) else schema


def _needed(schema: Mapping[str, Any], part: Any, known: frozenset[str] = frozenset()) -> frozenset[str]:
    """The definitions that a part of a schema refers to, and those that they do."""
    if isinstance(part, Mapping) and isinstance(part.get("$ref"), str):
        name = _name(part["$ref"])
        return known if name in known else _needed(schema, schema["$defs"][name], known | {name})
    for each in part.values() if isinstance(part, Mapping) else part if isinstance(part, list) else ():
        known = _needed(schema, each, known)
    return known


def spec_class_of(kind: str) -> type[forms.Spec]:
    """The class of the specs of a kind.

    Raises:
        SourceError: There is no such kind.
    """
    if kind not in forms.FORMS:
        raise SourceError([Fault(f"there is no kind {kind!r}", ("kind",), did_you_mean(kind, forms.FORMS))])
    return forms.FORMS[kind]


def _described(definitions: dict[str, Any]) -> dict[str, Any]:
    """The definitions with the docstrings taken apart: a summary of each class, and what it says of its keys."""
    for each in definitions.values():
        text = each.get("description", "")
        if text:
            each["description"] = summary_of(text)
        for key, words in arguments_of(text).items():
            if key in each.get("properties", {}):
                each["properties"][key].setdefault("description", words)
    return definitions


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
        ['type', 'text', 'reply', 'source', 'writes', 'event', 'where', 'after', 'until']
    """
    places, data = _places(schema, data, path)
    shapes = (shape for place in places for shape in _shapes(place, schema, data))
    return list(dict.fromkeys(key for shape in shapes for key in shape.get("properties", {})))


def tags_at(schema: Mapping[str, Any], data: object, path: Sequence[str | int]) -> list[str]:
    """The words by which a place of a document says its shape; arguments as of `keys_at`.

    Example:
        >>> tags_at(json_schema("graph"), {"nodes": {"a": {}}}, ("nodes", "a"))[:5]
        ['act', 'each', 'emit', 'human', 'judge']
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
