"""The steps of a run on their way to disk: visits that are not kept yet, and the writes that wait for a checkpoint."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointTuple
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Interrupt

from loopwright.errors import DamagedRun
from loopwright.state.records import Outgoing, Visit
from loopwright.state.store.database import Database
from loopwright.state.store.effects import CLOSE
from loopwright.state.store.events import keep_sent, take_come
from loopwright.state.store.lease import lease_lost, require_lease
from loopwright.state.store.visits import count_visits, insert_visit

ALONE = "~__pregel_pull"
"""How the engine's path of a task begins that is the only one of its step: all but those of a fork's branches."""

INTERRUPT = "__interrupt__"
"""The engine's key, among what it streams and writes, for what nodes wait for."""

SENT = "__pregel_tasks"
"""The engine's channel of what is sent to a fork's branches."""

_COPY = _DeltaSnapshot(None)


def stops_of(found: CheckpointTuple | None) -> Iterator[Interrupt]:
    """What a run stopped for, as a checkpoint has it.

    Raises:
        DamagedRun: Something else stands there.
    """
    for _, channel, stops in (found.pending_writes or ()) if found else ():
        for stop in (stops if isinstance(stops, list | tuple) else [stops]) if channel == INTERRUPT else ():
            if not isinstance(stop, Interrupt):
                raise DamagedRun(f"what a run stopped for cannot be read: {stop!r:.200}")
            yield stop


class Writes(NamedTuple):
    """What a saver's `put_writes` was called with."""

    config: RunnableConfig
    writes: Sequence[tuple[str, Any]]
    task: str
    path: str

    def to_lists(self, checkpoint: Checkpoint) -> "Writes":
        """Those to lists, which a checkpoint holds no values of but their copies."""
        values, versions = checkpoint["channel_values"], checkpoint["channel_versions"]
        lists = [
            (name, value)
            for name, value in self.writes
            if name in versions and isinstance(values.get(name, _COPY), _DeltaSnapshot)
        ]
        return self._replace(writes=lists)


class _Note(NamedTuple):
    """A visit that is not on disk yet."""

    namespace: str
    visit: Visit
    kept: Callable[[int], None]
    events: Sequence[Outgoing]
    taken: Sequence[int]


class Steps:
    """What a runner has made of a run's steps that is not on disk yet.

    Args:
        database: The store's file.
        token: The token with which the run is held, or None; see `Saver`.
    """

    def __init__(self, database: Database, token: int | None) -> None:
        self._database, self._token = database, token
        self._notes: dict[str, _Note] = {}
        self._waiting: dict[str, Writes] = {}
        self._places: dict[str, int] = {}
        self._written: set[str] = set()

    def note(
        self,
        task: str,
        namespace: str,
        visit: Visit,
        kept: Callable[[int], None],
        events: Sequence[Outgoing] = (),
        taken: Sequence[int] = (),
    ) -> None:
        """Take the record of a visit; it is kept with its writes or with the checkpoint that they led to.

        The engine hands these over side by side, and a kill may come between the two.

        Args:
            task: The id of the engine's task.
            namespace: The task's namespace: that of its graph, and after a bar its own part.
            visit: The visit.
            kept: Called with the visit's place in the run when it is on disk, on whichever thread wrote it.
            events: What it sends; it is in the inbox when the visit is on disk.
            taken: The places of the events that it took; they are taken when the visit is on disk.
        """
        self._notes[task] = _Note(namespace.rpartition("|")[0], visit, kept, events, taken)

    def are_put_off(self, given: Writes) -> bool:
        """Whether writes are kept with the checkpoint that they lead to, which comes at once.

        What a fork sends stands in that checkpoint as it is, and is sent again where a kill comes between.
        """
        if not given.path.startswith(ALONE):
            return False
        if given.task in self._notes:
            self._waiting[given.task] = given
            return True
        return bool(given.writes) and all(channel == SENT for channel, _ in given.writes)

    def of_graph(self, namespace: str) -> list[str]:
        """The tasks of a graph whose visits are not kept yet."""
        # A copy, in one step of the interpreter: other tasks take notes meanwhile, on other threads.
        return [task for task, note in list(self._notes.items()) if note.namespace == namespace]

    @property
    def left(self) -> list[Writes]:
        """The writes that wait for a checkpoint."""
        return list(self._waiting.values())

    def write(
        self, connection: sqlite3.Connection, config: RunnableConfig, tasks: Sequence[str], reached: Checkpoint | None
    ) -> tuple[list[tuple[str, int]], list[Writes]]:
        """Write the visits of some tasks, as the first thing in a transaction: only who holds the run writes anything.

        Of writes whose checkpoint comes with them, it has the values; only what was written to lists is not in it.

        Args:
            connection: The store's connection, in a transaction.
            config: Where the step began.
            tasks: The tasks.
            reached: The checkpoint that is kept in the same transaction.

        Returns:
            The tasks with the places of their visits, and what has waited for them and is to be written now.

        Raises:
            LeaseLost: Somebody else has taken the run.
        """
        run, checkpoint = str(config["configurable"]["thread_id"]), str(config["configurable"].get("checkpoint_id", ""))
        noted = [task for task in tasks if task in self._notes and task not in self._written]
        if not noted and self._token is not None:
            require_lease(connection, run, self._token)
        placed, waited = [], []
        for task in noted:
            placed.append((task, self._write_visit(connection, run, checkpoint, self._notes[task])))
            self._written.add(task)
            if waiting := self._waiting.get(task):
                waiting = waiting.to_lists(reached) if reached else waiting
                waited += [waiting] if waiting.writes else []
        return placed, waited

    def _write_visit(self, connection: sqlite3.Connection, run: str, checkpoint: str, note: _Note) -> int:
        """Write a visit; its effect is closed and its events leave in the same transaction."""
        place = self._places.get(run)
        if place is None:  # this process is the run's only runner, so it counts on by itself
            place = count_visits(connection, run)
        if connection.execute(*insert_visit(run, place, checkpoint, note.visit, self._token)).rowcount != 1:
            raise lease_lost(connection, run)
        if note.visit.effect:
            connection.execute(CLOSE, (place, run, note.visit.effect))
        if note.events:
            keep_sent(connection, run, place, note.events)
        if note.taken:
            take_come(connection, run, place, note.taken)
        self._places[run] = place + 1
        return place

    def kept(self, placed: Sequence[tuple[str, int]]) -> None:
        """Say that visits are on disk, at these places."""
        for task, place in placed:
            note = self._notes.pop(task)
            self._waiting.pop(task, None)
            self._written.discard(task)
            note.kept(place)
            if note.events:
                self._database.ring()

    def undone(self) -> None:
        """Count anew: what was written is not on disk."""
        self._places.clear()
        self._written.clear()
