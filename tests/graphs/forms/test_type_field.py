"""Types as a file has them."""

import pytest

from loopwright.graphs.forms.spec import Refused
from loopwright.graphs.forms.type_field import schema_from_text


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("str", {"type": "string"}),
        ("list[int]", {"type": "array", "items": {"type": "integer"}}),
        ({"type": "string"}, {"type": "string"}),
        ({"enum": ["a", "b"]}, {"enum": ["a", "b"]}),
        ({}, {}),
        (
            {"risk": "str", "tests": {"name": "str"}},
            {
                "type": "object",
                "properties": {
                    "risk": {"type": "string"},
                    "tests": {
                        "type": "object",
                        "properties": {"name": {"type": "string"}},
                        "required": ["name"],
                        "additionalProperties": False,
                    },
                },
                "required": ["risk", "tests"],
                "additionalProperties": False,
            },
        ),
    ],
)
def test_what_a_type_becomes(value: object, schema: object) -> None:
    assert schema_from_text(value) == schema


@pytest.mark.parametrize(
    ("value", "message", "hint"),
    [
        (
            "strr",
            "'strr' is not a type; types are any, str, int, float, number, bool, list, dict, list[...], "
            "dict[str, ...] and ... | None",
            "",
        ),
        (3, "a type is a word as `list[str]`, a mapping of fields, or JSON Schema", ""),
        ({"a": None}, "a type is a word as `list[str]`, a mapping of fields, or JSON Schema", ""),
        (
            {"type": "str"},
            "this is not JSON Schema: ",
            "a short word as `str` stands alone, without `type:`",
        ),
    ],
)
def test_what_is_no_type(value: object, message: str, hint: str) -> None:
    with pytest.raises(Refused) as caught:
        schema_from_text(value)
    assert str(caught.value).startswith(message)
    assert caught.value.hint == hint
