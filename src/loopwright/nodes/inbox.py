"""What has come to a run's inbox, for nodes that take it without waiting for it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from loopwright.state.values import Json, JsonSchema


@dataclass(frozen=True, slots=True)
class AskInbox:
    """Take the events that have come and that the run has not taken yet; none, where none have.

    The reply is the list of their payloads, in the order in which they came. They are taken when the visit is on disk,
    in one transaction with it: each once, however often the run is killed.

    Args:
        event: Their type.
        where: What their payloads must have, by property.
        reply: JSON Schema of their payloads; one that does not fit is not taken.
    """

    event: str
    where: Mapping[str, Json] = field(default_factory=dict)
    reply: JsonSchema = field(default_factory=dict)


Come: TypeAlias = Callable[[str, Mapping[str, Json], JsonSchema], Sequence[tuple[int, Json]]]
"""Finds what has come for a run, by the fields of `AskInbox`: the place of each event in the inbox, and its payload."""
