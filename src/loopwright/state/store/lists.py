"""What was written to lists since their last whole copy on disk, found without reading the checkpoints in between.

The engine keeps a list as what was written to it, and from time to time a whole copy; each checkpoint counts the steps
since that copy. A run's checkpoints are one row, as a fork of a run is a run of its own: so the copy stands so many
checkpoints back, and all that was written since is one range of the table of writes.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.checkpoint.base import DeltaChannelHistory, writes_sort_key
from langgraph.checkpoint.serde.base import SerializerProtocol

COUNTERS = "counters_since_delta_snapshot"
"""In a checkpoint's metadata: for each list the writes and the steps since its last copy."""

_HERE = "thread_id = ? AND checkpoint_ns = ?"
_METADATA = f"SELECT metadata FROM checkpoints WHERE {_HERE} AND checkpoint_id = ?"
_BACK = (
    f"SELECT checkpoint_id FROM checkpoints WHERE {_HERE} AND checkpoint_id < ?"
    " ORDER BY checkpoint_id DESC LIMIT 1 OFFSET ?"
)
_CHECKPOINT = f"SELECT type, checkpoint FROM checkpoints WHERE {_HERE} AND checkpoint_id = ?"
_WRITES = (
    "SELECT checkpoint_id, task_path, task_id, idx, type, value FROM writes"
    f" WHERE {_HERE} AND checkpoint_id >= ? AND checkpoint_id < ? AND channel = ?"
)


def read_lists(
    connection: sqlite3.Connection, serde: SerializerProtocol, place: tuple[str, str], until: str, lists: Sequence[str]
) -> Mapping[str, DeltaChannelHistory] | None:
    """What makes each list as it was at a checkpoint.

    Args:
        connection: The store's connection.
        serde: What reads values.
        place: The run, and the namespace of the graph.
        until: The checkpoint's id.
        lists: The channels.

    Returns:
        For each list its last copy and the writes since, the oldest first; None where the checkpoint does not count the
        steps of one, or there is no copy where it should be: then all checkpoints have to be looked through.
    """
    found = connection.execute(_METADATA, (*place, until)).fetchone()
    counters = json.loads(found[0]).get(COUNTERS, {}) if found and found[0] else {}
    histories: dict[str, DeltaChannelHistory] = {}
    for name in lists:
        if name not in counters:
            return None
        _, steps = counters[name]
        start = connection.execute(_BACK, (*place, until, steps - 1)).fetchone()
        history: DeltaChannelHistory = {"writes": []}
        if start:
            values = _values(connection, serde, place, start[0])
            if name not in values:
                return None
            history["seed"] = values[name]
        rows = connection.execute(_WRITES, (*place, start[0] if start else "", until, name)).fetchall()
        rows.sort(key=lambda row: (row[0], writes_sort_key(*row[1:4])))
        writes = [(task, name, serde.loads_typed(typed)) for _, _, task, _, *typed in rows]
        if not all(isinstance(value, list) for _, _, value in writes):
            raise TypeError(f"what was written to {name!r} is no list")
        history["writes"] = writes
        histories[name] = history
    return histories


def _values(
    connection: sqlite3.Connection, serde: SerializerProtocol, place: tuple[str, str], checkpoint: str
) -> Mapping[str, Any]:
    row = connection.execute(_CHECKPOINT, (*place, checkpoint)).fetchone()
    values: Mapping[str, Any] = serde.loads_typed(row)["channel_values"]
    return values
