"""What a state may hold: JSON values, and nothing else."""

from collections.abc import Mapping
from typing import TypeAlias

from pydantic import JsonValue

Json: TypeAlias = JsonValue
JsonObject: TypeAlias = dict[str, Json]
JsonSchema: TypeAlias = Mapping[str, Json]
