"""The engine's checkpoints in the store's file, and the record of a visit in the same transaction as its writes."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from loopwright.errors import StoreError
from loopwright.state.records import Outgoing, Visit
from loopwright.state.store.blobs import BLOBS, Blobs
from loopwright.state.store.database import Database, errors_of, store_error
from loopwright.state.store.effects import CLOSE
from loopwright.state.store.events import keep_sent
from loopwright.state.store.lease import lease_lost, require_lease
from loopwright.state.store.lists import read_lists
from loopwright.state.store.threaded import ThreadedSaver
from loopwright.state.store.together import Together
from loopwright.state.store.visits import count_visits, insert_visit

_PARTS = {"v", "id", "channel_values", "channel_versions", "versions_seen"}
"""What is in every checkpoint."""

_COPY = _DeltaSnapshot(None)

Kept = TypeVar("Kept")

LOOK_EVERY = 1.0
"""Seconds between two looks at the file while a run writes: a look costs as much as a tenth of a step."""

ALONE = "~__pregel_pull"
"""How the engine's path of a task begins that is the only one of its step: all but those of a fork's branches."""


SENT = "__pregel_tasks"
"""The engine's channel of what is sent to a fork's branches."""


class _Note(NamedTuple):
    """A visit that is not on disk yet."""

    namespace: str
    visit: Visit
    kept: Callable[[int], None]
    events: Sequence[Outgoing]


class _Writes(NamedTuple):
    """What `put_writes` was called with."""

    config: RunnableConfig
    writes: Sequence[tuple[str, Any]]
    task: str
    path: str

    def to_lists(self, checkpoint: Checkpoint) -> "_Writes":
        """Those to lists, which a checkpoint holds no values of but their copies."""
        values, versions = checkpoint["channel_values"], checkpoint["channel_versions"]
        lists = [
            (name, value)
            for name, value in self.writes
            if name in versions and isinstance(values.get(name, _COPY), _DeltaSnapshot)
        ]
        return self._replace(writes=lists)


class Saver(ThreadedSaver):
    """A saver for sync and async graphs.

    A step of one task is one transaction: its writes wait for the checkpoint that they lead to, which comes at once.
    In a step of several tasks each keeps its own writes when it has ended, since the others may take long; those that
    end together are kept together.

    It deserialises JSON values and the engine's own types, and nothing else: no pickle, no class that a row names.

    Args:
        database: The store's file.
        token: The token with which a runner holds the run; what it writes is kept only while it is the run's. None for
            who writes what is not a run's progress, as a fork's first checkpoint.
    """

    def __init__(self, database: Database, token: int | None = None) -> None:
        super().__init__(database.connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        self._database, self._url, self._token = database, database.url, token
        self.lock = database.lock  # type: ignore[assignment]
        self._notes: dict[str, _Note] = {}
        self._places: dict[str, int] = {}
        self._waiting: dict[str, _Writes] = {}
        self._blobs = Blobs(self.serde)
        self._depth = 0
        self._together: Together[_Writes] = Together(database.lock, self._put_together)

    def note(
        self,
        task: str,
        namespace: str,
        visit: Visit,
        kept: Callable[[int], None],
        events: Sequence[Outgoing] = (),
    ) -> None:
        """Take the record of a visit; it is kept with its writes or with the checkpoint that they led to.

        The engine hands these over side by side, and a kill may come between the two.

        Args:
            task: The id of the engine's task.
            namespace: The task's namespace: that of its graph, and after a bar its own part.
            visit: The visit.
            kept: Called with the visit's place in the run when it is on disk, on whichever thread wrote it.
            events: What it sends; it is in the inbox when the visit is on disk.
        """
        with self.lock:
            self._notes[task] = _Note(namespace.rpartition("|")[0], visit, kept, events)

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """A cursor; a transaction is kept whole or not at all, and one inside of another is part of it."""
        with self.lock:
            self._depth += 1
            try:
                if not self.is_setup:
                    self.setup()
                cursor = self.conn.cursor()
                yield cursor
                if transaction and self._depth == 1:
                    self.conn.commit()
                cursor.close()
            except BaseException as error:
                self.conn.rollback()
                self._blobs.forget()
                if isinstance(error, sqlite3.Error):
                    raise store_error(self._url, error) from error
                raise
            finally:
                self._depth -= 1

    def setup(self) -> None:
        """Make the tables, where they are not there."""
        if not self.is_setup:
            self.conn.execute(BLOBS)
        super().setup()

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint.

        Raises:
            StoreError: It is damaged, or was written by something else.
        """
        try:
            found = super().get_tuple(config)
            if found is not None and not found.checkpoint.keys() >= _PARTS:
                raise ValueError("its parts are not there")
            self._put_back(found)
        except StoreError:
            raise
        except Exception as error:
            run = config["configurable"]["thread_id"]
            raise StoreError(f"store {self._url}: a checkpoint of run {run} cannot be read: {error}") from error
        return found

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """List checkpoints, the newest first."""
        for found in super().list(config, filter=filter, before=before, limit=limit):
            self._put_back(found)
            yield found

    def delete_thread(self, thread_id: str) -> None:
        """Delete a run's checkpoints."""
        with self.cursor() as cursor:
            super().delete_thread(thread_id)
            cursor.execute("DELETE FROM blobs WHERE run = ?", (thread_id,))

    def get_next_version(self, current: str | None, channel: None) -> str:
        """The next version of a channel. A run has one runner, so it counts: the engine's own are six times as long."""
        del channel
        return f"{int(current or 0) + 1:08}"

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Read what was written to lists."""
        place = (str(config["configurable"]["thread_id"]), config["configurable"].get("checkpoint_ns", ""))
        if until := get_checkpoint_id(config):
            with self.cursor(transaction=False):
                found = read_lists(self.conn, self.serde, place, until, channels)
            if found is not None:
                return found
        return super().get_delta_channel_history(config=config, channels=channels)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep a task's writes, and its visit with them or neither."""
        if not self._are_put_off(given := _Writes(config, writes, task_id, task_path)):
            self._together.put(given)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep a task's writes, on a worker thread."""
        if not self._are_put_off(given := _Writes(config, writes, task_id, task_path)):
            await self._together.aput(given)

    def _are_put_off(self, given: _Writes) -> bool:
        """Whether writes are kept with the checkpoint that they lead to, which comes at once.

        What a fork sends stands in that checkpoint as it is, and is sent again where a kill comes between.
        """
        if not given.path.startswith(ALONE):
            return False
        if given.task in self._notes:
            self._waiting[given.task] = given
            return True
        return bool(given.writes) and all(channel == SENT for channel, _ in given.writes)

    def _put_together(self, given: Sequence[_Writes]) -> None:
        """Keep the writes of tasks, and their visits, in one transaction for all of one checkpoint."""
        of_checkpoints: dict[str, list[_Writes]] = {}
        for each in given:
            of_checkpoints.setdefault(each.config["configurable"].get("checkpoint_id", ""), []).append(each)
        for several in of_checkpoints.values():
            self._with_visits(several[0].config, [each.task for each in several], partial(self._put_each, several))

    def _put_each(self, given: Sequence[_Writes]) -> None:
        for each in given:
            super().put_writes(*each)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint, and with it the writes and visits that led to it if they are not kept yet."""
        with self.lock:
            self._database.require_file(not_before=LOOK_EVERY)
            here = config["configurable"].get("checkpoint_ns", "")
            tasks = [task for task, note in self._notes.items() if note.namespace == here]
            put, place = super().put, (str(config["configurable"]["thread_id"]), here)

            def write() -> RunnableConfig:
                with self.cursor():
                    kept = self._blobs.taken_out(self.conn, place, checkpoint)
                    return put(config, kept, metadata, new_versions)

            return self._with_visits(config, tasks, write, checkpoint)

    def release(self) -> None:
        """Keep what waits for a checkpoint that does not come, as where a run is stopped in the middle of a step."""
        with self.lock:
            self._together.keep_all()
            for task, writes in list(self._waiting.items()):
                self._with_visits(writes.config, [task], lambda: None)

    def _put_back(self, found: CheckpointTuple | None) -> None:
        if found is not None:
            place = found.config["configurable"]
            with self.lock:
                self._blobs.put_back(self.conn, (place["thread_id"], place["checkpoint_ns"]), found.checkpoint)

    def _with_visits(
        self,
        config: RunnableConfig,
        tasks: Sequence[str],
        write: Callable[[], Kept],
        reached: Checkpoint | None = None,
    ) -> Kept:
        """Write something, and keep these tasks' visits and the writes that wait in the same transaction.

        Of writes whose checkpoint comes with them, it has the values; only what was written to lists is not in it.
        """
        noted = {task: self._notes[task] for task in tasks if task in self._notes}
        configurable = config["configurable"]
        run, checkpoint = str(configurable["thread_id"]), str(configurable.get("checkpoint_id", ""))
        if not noted:
            with self.cursor():
                if self._token is not None:
                    require_lease(self.conn, run, self._token)
                return write()
        first = self._next_place(run)
        with self.cursor() as cursor:
            for place, (task, note) in enumerate(noted.items(), first):
                self._keep_visit(cursor, run, place, checkpoint, note)
                if waiting := self._waiting.get(task):
                    waiting = waiting.to_lists(reached) if reached else waiting
                    if waiting.writes:
                        super().put_writes(*waiting)
            written = write()
        self._places[run] = first + len(noted)
        for place, (task, note) in enumerate(noted.items(), first):
            del self._notes[task]
            self._waiting.pop(task, None)
            note.kept(place)
            if note.events:
                self._database.ring()
        return written

    def _keep_visit(self, cursor: sqlite3.Cursor, run: str, place: int, checkpoint: str, note: _Note) -> None:
        """Keep a visit; its effect is closed and its events leave in the same transaction."""
        if cursor.execute(*insert_visit(run, place, checkpoint, note.visit, self._token)).rowcount != 1:
            raise lease_lost(self.conn, run)
        if note.visit.effect:
            cursor.execute(CLOSE, (place, run, note.visit.effect))
        if note.events:
            keep_sent(self.conn, run, place, note.events)

    def _next_place(self, run: str) -> int:
        """The place of a run's next visit. This process is the run's only runner, so it counts on by itself."""
        if run not in self._places:
            with errors_of(self._url):
                self._places[run] = count_visits(self.conn, run)
        return self._places[run]
