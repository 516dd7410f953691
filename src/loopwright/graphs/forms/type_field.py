"""A spec's field for a type: a short word, a mapping of names to words, or JSON Schema."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from loopwright.graphs.forms.spec import Refused
from loopwright.state.schema import as_object, fault_in_schema, schema_from_word
from loopwright.state.values import Json, JsonObject

_KEYWORDS = {"type", "enum", "const", "properties", "items", "anyOf", "oneOf", "allOf", "$ref", "$defs"}


def schema_from_text(value: object) -> object:
    """The JSON Schema of a type as a file has it.

    Args:
        value: A word as `list[str]`; a mapping of the fields of an object to words; or JSON Schema, which is told by
            one of its keywords.

    Raises:
        Refused: It is none of these.

    Example:
        >>> schema_from_text({"risk": "str"})["required"]
        ['risk']
    """
    if isinstance(value, str):
        try:
            return schema_from_word(value)
        except ValueError as error:
            raise Refused(str(error)) from error
    if not isinstance(value, Mapping):
        raise Refused("a type is a word as `list[str]`, a mapping of fields, or JSON Schema")
    if not value or _KEYWORDS & value.keys():
        fault = fault_in_schema(value)
        if fault:
            raise Refused(f"this is not JSON Schema: {fault}", "a short word as `str` stands alone, without `type:`")
        return value
    fields: dict[str, Any] = {str(name): schema_from_text(word) for name, word in value.items()}
    return as_object(fields)


TypeField = Annotated[JsonObject, BeforeValidator(schema_from_text, json_schema_input_type=str | dict[str, Json])]
"""The annotation of a field that holds a type."""
