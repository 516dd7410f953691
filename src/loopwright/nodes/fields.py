"""The fields of a record that users make by hand: what is wrong with them, all at once."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pydantic import TypeAdapter, ValidationError


def require_fields(record: Any, types: Mapping[str, TypeAdapter[Any]]) -> None:
    """Refuse a record whose fields hold what they cannot.

    Args:
        record: A dataclass of numbers.
        types: What each of its fields takes, as `types_of` has it.

    Raises:
        ValueError: Some do; all of them are told.
    """
    faults = []
    for name, adapter in types.items():
        value = getattr(record, name)
        try:
            adapter.validate_python(value, strict=True)
        except ValidationError as error:
            for each in error.errors():
                faults.append(f"{name}: {each['msg'][:1].lower()}{each['msg'][1:]}, got {value!r}")
    if faults:
        raise ValueError(f"this {type(record).__name__} is not valid: {'; '.join(faults)}")


def types_of(record: type[Any]) -> dict[str, TypeAdapter[Any]]:
    """What each field of a dataclass takes, by name."""
    annotations: dict[str, Any] = {field.name: field.type for field in fields(record)}
    return {name: TypeAdapter(annotation) for name, annotation in annotations.items()}
