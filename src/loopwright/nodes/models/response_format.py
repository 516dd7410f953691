"""What a provider is told about the shape of an answer: `response_format` of the OpenAI-compatible API.

The API takes schemas of objects only. Any other schema is sent inside an object with the one key `value`, and the
answer is taken out of it again.
"""

import json
from collections.abc import Mapping

from loopwright.state.values import Json, JsonObject, JsonSchema

_KEY = "value"

_STRICT_KEYWORDS = frozenset(
    {
        *("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs"),
        *("title", "description", "pattern", "format", "minItems", "maxItems"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    }
)
"""Keywords that the API's strict mode knows. A schema with any other is sent without `strict`."""


def response_format(schema: JsonSchema) -> JsonObject | None:
    """The `response_format` for a schema, or None where the schema allows anything.

    Example:
        >>> sent = response_format({"type": "array", "items": {"type": "string"}})["json_schema"]
        >>> sent["strict"], sent["schema"]["properties"]
        (True, {'value': {'type': 'array', 'items': {'type': 'string'}}})
    """
    if not schema:
        return None
    sent = dict(schema) if _is_object(schema) else _wrapped(schema)
    return {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": sent, "strict": _is_strict(sent)},
    }


def unwrapped(content: str, schema: JsonSchema | None) -> Json:
    """The answer to a schema: what stands under `value` where the schema was sent wrapped, else the content as it is.

    Example:
        >>> unwrapped('{"value": ["a", "b"]}', {"type": "array"}), unwrapped('["a"]', {"type": "array"})
        (['a', 'b'], '["a"]')
    """
    if not schema or _is_object(schema):
        return content
    try:
        answer: Json = json.loads(content)
    except (ValueError, RecursionError):
        return content
    return answer[_KEY] if isinstance(answer, dict) and answer.keys() == {_KEY} else content


def _is_object(schema: JsonSchema) -> bool:
    return schema.get("type") == "object"


def _wrapped(schema: JsonSchema) -> JsonObject:
    inner = dict(schema)
    definitions = inner.pop("$defs", None)  # references name them from the root, so they stay there
    return {
        "type": "object",
        "properties": {_KEY: inner},
        "required": [_KEY],
        "additionalProperties": False,
        **({} if definitions is None else {"$defs": definitions}),
    }


def _is_strict(schema: Json) -> bool:
    """Whether strict mode takes a schema: closed objects with every property required, and known keywords only."""
    if not isinstance(schema, Mapping) or not schema or not _STRICT_KEYWORDS.issuperset(schema):
        return False
    if schema.get("type") == "object" and not _is_closed(schema):
        return False
    parts: list[Json] = []
    for keyword in ("properties", "$defs"):
        if isinstance(named := schema.get(keyword), Mapping):
            parts.extend(named.values())
    if isinstance(options := schema.get("anyOf"), list):
        parts.extend(options)
    if "items" in schema:
        parts.append(schema["items"])
    return all(_is_strict(part) for part in parts)


def _is_closed(schema: Mapping[str, Json]) -> bool:
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, Mapping) or not isinstance(required, list):
        return False
    return schema.get("additionalProperties") is False and set(properties) == set(map(str, required))
