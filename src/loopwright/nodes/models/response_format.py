"""The forms in which an answer of a schema is asked for: `response_format`, a tool that is called with it, and words.

The first two take schemas of objects only. Any other schema is sent inside an object with the one key `value`, and the
answer is taken out of it again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.nodes.contract import Message
from loopwright.state.schema import embedded
from loopwright.state.text import parsed
from loopwright.state.values import Json, JsonObject, JsonSchema

ANSWER = "answer"
"""The name of the schema, and of the tool that stands for it."""

_KEY = "value"

_STRICT_KEYWORDS = frozenset(
    {
        *("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs"),
        *("title", "description", "pattern", "format", "minItems", "maxItems"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    }
)
"""Keywords that the API's strict mode knows. A schema with any other is sent without `strict`."""

_REMEMBERED = 1024


@dataclass(frozen=True, slots=True)
class Forms:
    """All that is sent of one schema.

    Args:
        response_format: For the API's parameter of this name.
        tool: A tool whose arguments are the answer.
        words: The wish in words.
    """

    response_format: JsonObject
    tool: JsonObject
    words: str


def forms_of(schema: JsonSchema) -> Forms:
    """What is sent of a schema. It is built once for one schema object, as nodes keep theirs.

    Example:
        >>> forms_of({"type": "array"}).tool["function"]["parameters"]["properties"]
        {'value': {'type': 'array'}}
    """
    known = _built.get(id(schema))
    if known is not None and known[0] is schema:
        return known[1]
    sent = dict(schema) if _is_object(schema) else _wrapped(schema)
    strict = _is_strict(sent)
    named: JsonObject = {"name": ANSWER, "schema": sent, "strict": strict}
    function: JsonObject = {"name": ANSWER, "description": "Give the answer.", "parameters": sent}
    forms = Forms(
        {"type": "json_schema", "json_schema": named},
        {"type": "function", "function": {**function, "strict": True} if strict else function},
        f"nswer with JSON of this schema, and nothing else:\n{json.dumps(schema, ensure_ascii=False)}",
    )
    if len(_built) >= _REMEMBERED:
        _built.pop(next(iter(_built)), None)
    _built[id(schema)] = (schema, forms)
    return forms


_built: dict[int, tuple[JsonSchema, Forms]] = {}
"""Forms by the identity of their schema, which is held here so that its identity stays its own."""


def in_words(messages: Sequence[Message], schema: JsonSchema, *, tools: bool) -> list[Message]:
    """The chat with the wish for an answer of a schema.

    It is said at the end of the last message where that is a user's: some models take no two of them in a row.

    Args:
        messages: The chat.
        schema: JSON Schema of the answer.
        tools: Whether tools are offered, which come before the answer.

    Example:
        >>> print(in_words([{"role": "user", "content": "How many?"}], {"type": "integer"}, tools=False)[0]["content"])
        How many?
        <BLANKLINE>
        Answer with JSON of this schema, and nothing else:
        {"type": "integer"}
    """
    wish = ("When no tool is needed, a" if tools else "A") + forms_of(schema).words
    if messages and messages[-1]["role"] == "user":
        last = messages[-1]
        return [*messages[:-1], {**last, "content": f"{last['content']}\n\n{wish}"}]
    return [*messages, {"role": "user", "content": wish}]


def unwrapped(content: Json, schema: JsonSchema | None) -> Json:
    """The answer to a schema: what stands under `value` where the schema was sent wrapped, else the content as it is.

    Example:
        >>> unwrapped('{"value": ["a", "b"]}', {"type": "array"}), unwrapped('["a"]', {"type": "array"})
        (['a', 'b'], '["a"]')
    """
    if not schema or _is_object(schema):
        return content
    answer: Any = content
    if isinstance(content, str):
        try:
            answer = parsed(content)
        except ValueError:
            return content
    return answer[_KEY] if isinstance(answer, dict) and answer.keys() == {_KEY} else content


def _is_object(schema: JsonSchema) -> bool:
    return schema.get("type") == "object"


def _wrapped(schema: JsonSchema) -> JsonObject:
    inner, definitions = embedded(schema)
    return {
        "type": "object",
        "properties": {_KEY: inner},
        "required": [_KEY],
        "additionalProperties": False,
        **({"$defs": definitions} if definitions else {}),
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
