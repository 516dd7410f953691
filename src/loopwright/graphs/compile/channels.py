"""The engine's channels for a plan's channels.

Lists are stored as deltas, so that bytes and time grow with what is written and not with what is there.
"""

import operator
from collections.abc import Sequence
from typing import Annotated, Any

from langgraph.channels import BinaryOperatorAggregate, DeltaChannel, LastValue, Topic
from langgraph.types import Overwrite
from typing_extensions import TypedDict

from loopwright.graphs.compile.names import END_KEY, count_key, results_key
from loopwright.graphs.plan import Fork, Plan
from loopwright.state.channels import EMPTY, Channel

SNAPSHOT_EVERY = 5000
"""Writes to a list between two whole copies of it on disk; the engine itself makes one after so many steps.

Copies make bytes grow with the square of a run's length, and save little: our saver finds what was written since the
last one without reading the checkpoints in between.
"""


def concatenated(state: list[Any] | None, writes: Sequence[Sequence[Any]]) -> list[Any]:
    """The reducer of lists: what was there, and all items written since."""
    return [*(state or ()), *(item for write in writes for item in write)]


def engine_schema(plan: Plan) -> Any:
    """The state schema that the engine's graph is made with: the plan's channels, and our own."""
    fields: dict[str, Any] = {name: _engine_channel(channel) for name, channel in plan.channels.items()}
    fields[END_KEY] = Annotated[Any, LastValue(Any)]
    for bound in plan.bounds:
        fields[count_key(bound)] = Annotated[int, LastValue(int)]
    for name, placed in plan.nodes.items():
        if isinstance(placed.node, Fork):
            fields[results_key(name)] = Annotated[list[Any], Topic(list, accumulate=False)]
    return TypedDict("State", fields, total=False)  # type: ignore[operator]


def _engine_channel(channel: Channel) -> Any:
    if channel.grows:
        return Annotated[list[Any], DeltaChannel(concatenated, list, snapshot_frequency=SNAPSHOT_EVERY)]
    if channel.reduce == "add":
        # An int to begin with, so that whole numbers stay whole.
        return Annotated[Any, BinaryOperatorAggregate(int, operator.add)]
    if channel.reduce == "merge":
        return Annotated[dict[str, Any], BinaryOperatorAggregate(dict, operator.or_)]
    return Annotated[Any, LastValue(Any)]


def engine_write(channel: Channel, value: Any) -> Any:
    """A node's write as the engine's channel takes it.

    Items are written in a tuple: of a list, the engine would take every mapping with a `role` for a message of
    LangChain's, and make an object of it.
    """
    if channel.reduce == "append":
        return (value,)
    return tuple(value) if channel.reduce == "extend" else value


def engine_input(channel: Channel, value: Any) -> Any:
    """An input as the engine's channel takes it: a list is there as a whole."""
    return tuple(value) if channel.grows else value


def engine_reset(channel: Channel) -> Any:
    """The write that makes a channel as it was before the first write; `MISSING` where nothing need be written."""
    if channel.reduce == "replace":
        return channel.default
    return Overwrite(EMPTY[channel.reduce])
