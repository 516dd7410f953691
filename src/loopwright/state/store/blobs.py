"""Long values, kept once: a checkpoint names them, and does not hold them again at every step."""

import sqlite3
from typing import Any, TypeAlias

from langgraph.checkpoint.base import Checkpoint
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.types import _DeltaSnapshot

LONG = 200
"""Bytes from which on a value is long: its row and key take half of that."""

APART = "lw_apart"
"""Among the values of a checkpoint on disk: the channels whose values are kept here."""

BLOBS = (
    "CREATE TABLE IF NOT EXISTS blobs (run TEXT NOT NULL, namespace TEXT NOT NULL, channel TEXT NOT NULL,"
    " version TEXT NOT NULL, type TEXT NOT NULL, value BLOB NOT NULL,"
    " PRIMARY KEY (run, namespace, channel, version))"
)
_INSERT = "INSERT OR REPLACE INTO blobs VALUES (?, ?, ?, ?, ?, ?)"
_SELECT = "SELECT type, value FROM blobs WHERE run = ? AND namespace = ? AND channel = ? AND version = ?"

Place: TypeAlias = tuple[str, str]
"""A run, and the namespace of the graph."""


class Blobs:
    """The long values of a store's checkpoints.

    Args:
        serde: What reads and writes values.
    """

    def __init__(self, serde: SerializerProtocol) -> None:
        self._serde = serde
        self._known: dict[tuple[Place, str], tuple[str, bool]] = {}

    def taken_out(self, connection: sqlite3.Connection, place: Place, checkpoint: Checkpoint) -> Checkpoint:
        """A checkpoint without its long values, which are kept here. Copies of lists stay where they are sought."""
        values, apart = dict(checkpoint["channel_values"]), []
        for name, value in checkpoint["channel_values"].items():
            version = str(checkpoint["channel_versions"].get(name, ""))
            known = self._known.get((place, name))
            if known is None or known[0] != version:
                known = (
                    version,
                    not isinstance(value, _DeltaSnapshot) and self._keep(connection, place, name, version, value),
                )
                self._known[place, name] = known
            if known[1]:
                apart.append(name)
                del values[name]
        if not apart:
            return checkpoint
        return {**checkpoint, "channel_values": {**values, APART: apart}}

    def forget(self) -> None:
        """Take none for kept any more."""
        self._known.clear()

    def put_back(self, connection: sqlite3.Connection, place: Place, checkpoint: Checkpoint) -> None:
        """Give a checkpoint that was read its long values again.

        Raises:
            ValueError: One is not there.
        """
        values = checkpoint["channel_values"]
        for name in values.pop(APART, ()):
            version = checkpoint["channel_versions"][name]
            row = connection.execute(_SELECT, (*place, name, version)).fetchone()
            if row is None:
                raise ValueError(f"the value of {name!r} is not there")
            values[name] = self._serde.loads_typed(row)

    def _keep(self, connection: sqlite3.Connection, place: Place, name: str, version: str, value: Any) -> bool:
        """Whether the value is long, and so kept here."""
        kind, data = self._serde.dumps_typed(value)
        if len(data) < LONG:
            return False
        connection.execute(_INSERT, (*place, name, version, kind, data))
        return True
