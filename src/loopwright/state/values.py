"""What a state may hold: JSON values, and nothing else."""

from collections.abc import Mapping
from typing import TypeAlias

from pydantic import JsonValue

Json: TypeAlias = JsonValue
JsonObject: TypeAlias = dict[str, Json]
JsonSchema: TypeAlias = Mapping[str, Json]


def copied(value: Json) -> Json:
    """A copy that may be changed without changing the value.

    Example:
        >>> notes = [["a"]]
        >>> copied(notes)[0].append("b")
        >>> notes
        [['a']]
    """
    if isinstance(value, list):
        return [copied(item) for item in value]
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return value
