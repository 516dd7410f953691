"""References to models: what a plan may hold of one, and what is refused."""

from dataclasses import asdict
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from loopwright.nodes.models.reference import ModelRef

READ: TypeAdapter[ModelRef] = TypeAdapter(ModelRef)


def test_only_the_name_must_be_given() -> None:
    assert asdict(READ.validate_python({"model": "gpt-4o-mini"})) == {
        "model": "gpt-4o-mini",
        "base_url": None,
        "api_key_env": "OPENAI_API_KEY",
        "proxy": None,
        "temperature": None,
        "timeout": 60.0,
        "retries": 3,
    }


def test_a_reference_and_its_json_are_one() -> None:
    ref = ModelRef("m", base_url="http://localhost:1/v1", api_key_env="", temperature=0.0, timeout=0.5, retries=0)
    assert READ.validate_json(READ.dump_json(ref)) == ref
    assert READ.validate_python(asdict(ref)) == ref


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("api_key", "sk-1", "Unexpected keyword argument"),
        ("timeout", 0, "greater than 0"),
        ("timeout", -1, "greater than 0"),
        ("retries", -1, "greater than or equal to 0"),
        ("retries", 1.5, "valid integer"),
        ("temperature", "hot", "valid number"),
    ],
)
def test_what_a_file_may_not_say(field: str, value: Any, words: str) -> None:
    with pytest.raises(ValidationError, match=words) as caught:
        READ.validate_python({"model": "m", field: value})
    assert [error["loc"] for error in caught.value.errors()] == [(field,)]


def test_equal_references_share_a_client() -> None:
    assert len({ModelRef("m"), ModelRef("m"), ModelRef("m", retries=1)}) == 2
