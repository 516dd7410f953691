"""The engine's checkpoints in the store's file, and the record of a visit in the same transaction as its writes."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

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

from loopwright.errors import DamagedRun, StoreError
from loopwright.state.store.blobs import BLOBS, Blobs
from loopwright.state.store.database import Database, store_error
from loopwright.state.store.lists import read_lists
from loopwright.state.store.steps import Steps, Writes
from loopwright.state.store.threaded import ThreadedSaver

CHECKPOINTS = (
    "CREATE TABLE IF NOT EXISTS checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',"
    " checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,"
    " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)) WITHOUT ROWID"
)
"""The engine's table, with its rows in the index: they are small, and a step writes a page less."""

_PARTS = {"v", "id", "channel_values", "channel_versions", "versions_seen"}
"""What is in every checkpoint."""


@dataclass(eq=False, slots=True)
class _Change:
    """What the engine has kept, and in the same transaction the visits of the tasks that it comes of."""

    saver: "Saver"
    config: RunnableConfig
    tasks: Sequence[str]
    write_own: Callable[[], RunnableConfig | None]
    reached: Checkpoint | None = None
    placed: Sequence[tuple[str, int]] = ()
    result: RunnableConfig = field(default_factory=RunnableConfig)

    def write(self, connection: sqlite3.Connection) -> None:
        self.placed, waited = self.saver.steps.write(connection, self.config, self.tasks, self.reached)
        for each in waited:
            self.saver.put_waited(each)
        self.result = self.write_own() or self.config

    def kept(self) -> None:
        self.saver.steps.kept(self.placed)

    def undone(self) -> None:
        self.saver.forget()


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
        self._database, self._url = database, database.url
        self.lock = database.lock  # type: ignore[assignment]
        self.steps = Steps(database, token)
        self._blobs = Blobs(self.serde)
        self._begins = ""  # the run that was found to have no checkpoint yet

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """A cursor; a transaction is kept whole or not at all, and one inside of another is part of it."""
        with self.lock:
            outermost = transaction and not self.conn.in_transaction
            try:
                self.setup()
                cursor = self.conn.cursor()
                if outermost:
                    cursor.execute("BEGIN IMMEDIATE")
                yield cursor
                if outermost:
                    self.conn.commit()
                cursor.close()
            except BaseException as error:
                if outermost:
                    self.conn.rollback()
                    self.forget()
                if isinstance(error, sqlite3.Error):
                    raise store_error(self._url, error) from error
                raise

    def setup(self) -> None:
        """Make the tables, where they are not there; once for all savers of a store that is open."""
        if not self._database.has_checkpoints:
            self.conn.execute(BLOBS)
            self.conn.execute(CHECKPOINTS)
            super().setup()
            self._database.has_checkpoints = True

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint.

        Raises:
            DamagedRun: It is damaged, or was written by something else.
        """
        try:
            found = super().get_tuple(config)
            if found is not None and not (found.checkpoint.keys() >= _PARTS and isinstance(found.metadata, dict)):
                raise ValueError("its parts are not there")
            self._put_back(found)
        except (StoreError, OSError, MemoryError):
            raise
        except Exception as error:
            raise self._damaged(config, "a checkpoint", error) from error
        if found is None and not config["configurable"].get("checkpoint_ns") and not get_checkpoint_id(config):
            self._begins = str(config["configurable"]["thread_id"])
        return found

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint, on a worker thread; of a run that begins it is known that there is none."""
        if self._begins == config["configurable"]["thread_id"]:
            return None
        return await super().aget_tuple(config)

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
            try:
                with self.cursor(transaction=False):
                    found = read_lists(self.conn, self.serde, place, until, channels)
            except (StoreError, OSError, MemoryError):
                raise
            except Exception as error:
                raise self._damaged(config, "a list", error) from error
            if found is not None:
                return found
        return super().get_delta_channel_history(config=config, channels=channels)

    def _damaged(self, config: RunnableConfig, what: str, error: Exception) -> DamagedRun:
        run = config["configurable"]["thread_id"]
        return DamagedRun(f"store {self._url}: {what} of run {run} cannot be read: {error}")

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep a task's writes, and its visit with them or neither."""
        if change := self._writing(Writes(config, writes, task_id, task_path)):
            self._database.together.put(change)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep a task's writes, with what else comes to be kept meanwhile."""
        if change := self._writing(Writes(config, writes, task_id, task_path)):
            await self._database.together.aput(change)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint, and with it the writes and visits that led to it if they are not kept yet."""
        change = self._stepping(config, checkpoint, metadata, new_versions)
        self._database.together.put(change)
        return change.result

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint, with what else comes to be kept meanwhile."""
        change = self._stepping(config, checkpoint, metadata, new_versions)
        await self._database.together.aput(change)
        return change.result

    def _writing(self, given: Writes) -> _Change | None:
        if self.steps.are_put_off(given):
            return None
        return _Change(self, given.config, [given.task], partial(super().put_writes, *given))

    def _stepping(self, config: RunnableConfig, checkpoint: Checkpoint, *more: Any) -> _Change:
        self._begins = ""
        here = config["configurable"].get("checkpoint_ns", "")
        put, place = super().put, (str(config["configurable"]["thread_id"]), here)

        def write() -> RunnableConfig:
            return put(config, self._blobs.taken_out(self.conn, place, checkpoint), *more)

        return _Change(self, config, self.steps.of_graph(here), write, checkpoint)

    def put_waited(self, given: Writes) -> None:
        """Write what has waited for a checkpoint, in the transaction of that."""
        super().put_writes(*given)

    def release(self) -> None:
        """Keep what waits for a checkpoint that does not come, as where a run is stopped in the middle of a step."""
        together = self._database.together
        together.keep_all()
        for waiting in self.steps.left:
            together.put(_Change(self, waiting.config, [waiting.task], lambda: None))

    def forget(self) -> None:
        """Take nothing for kept any more that was written since the last commit."""
        self._blobs.forget()
        self.steps.undone()

    def _put_back(self, found: CheckpointTuple | None) -> None:
        if found is not None:
            place = found.config["configurable"]
            with self.lock:
                self._blobs.put_back(self.conn, (place["thread_id"], place["checkpoint_ns"]), found.checkpoint)
