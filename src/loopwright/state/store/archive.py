"""Looking back: the checkpoints that a run has left behind are found here, and dropped here."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointTuple

from loopwright.state.store.lists import COUNTERS
from loopwright.state.store.saver import Saver

_WHERE_RUN, _OLDEST = "thread_id = ?", "ORDER BY checkpoint_id LIMIT 1"


class Archive(Saver):
    """A saver whose older checkpoints can be asked for; arguments as of `Saver`."""

    def find(self, run: str, checkpoint: str) -> CheckpointTuple | None:
        """A checkpoint of a run, in whichever graph it is: the plan's, or that of a fork's body."""
        found = self._row(f"{_WHERE_RUN} AND checkpoint_ns = '' AND checkpoint_id = ?", run, checkpoint)
        found = found or self._row(f"{_WHERE_RUN} AND checkpoint_id = ?", run, checkpoint)
        return self.get_tuple(found) if found else None

    def following(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint after another one of the same graph."""
        at = config["configurable"]
        place = (at["thread_id"], at["checkpoint_ns"], at["checkpoint_id"])
        found = self._row(f"{_WHERE_RUN} AND checkpoint_ns = ? AND checkpoint_id > ? {_OLDEST}", *place)
        return self.get_tuple(found) if found else None

    def first(self, config: RunnableConfig, *, begun: bool) -> CheckpointTuple | None:
        """The first checkpoint of a graph; with `begun` the first after its inputs."""
        at = config["configurable"]
        found = self._row(f"{_WHERE_RUN} AND checkpoint_ns = ? {_OLDEST}", at["thread_id"], at["checkpoint_ns"])
        if found is None or not begun:
            return self.get_tuple(found) if found else None
        oldest = self.get_tuple(found)
        is_input = oldest is not None and oldest.metadata.get("source") == "input"
        return self.following(found) if is_input else None

    @contextmanager
    def resting(self, run: str) -> Iterator[CheckpointTuple | None]:
        """A transaction in which no other process begins to run a run; with the run's latest checkpoint.

        A runner that is believed gone loses its token, so that it writes nothing to what is left if it was not.
        """
        config: RunnableConfig = {"configurable": {"thread_id": run, "checkpoint_ns": ""}}
        with self.cursor() as cursor:
            cursor.execute("UPDATE runs SET token = token + 1 WHERE id = ? AND status = 'running'", (run,))
            yield self.get_tuple(config)

    def keep_only(self, latest: CheckpointTuple, alone: Checkpoint, *, bodies: bool) -> int:
        """Drop all checkpoints of a run but the latest, what was written before it, and values that only they name.

        Args:
            latest: The latest checkpoint.
            alone: The same with whole copies of its lists, so that it needs no other.
            bodies: Whether all that forks' bodies keep stays; else only that of branches which are not at their end.

        Returns:
            How many checkpoints were dropped.
        """
        place = latest.config["configurable"]
        run, here = place["thread_id"], place["checkpoint_id"]
        metadata: Any = {key: value for key, value in latest.metadata.items() if key != COUNTERS}
        open_tasks = {task for task, _, _ in latest.pending_writes or ()}
        with self.cursor() as cursor:
            found = cursor.execute(
                "SELECT DISTINCT checkpoint_ns FROM checkpoints WHERE thread_id = ?", (run,)
            ).fetchall()
            left = [name for (name,) in found if name and not bodies and not any(task in name for task in open_tasks)]
            dropped = 0
            for name in ("", *left):
                where, kept = (run, name), here if not name else ""
                for table in ("writes", "checkpoints"):
                    cursor.execute(
                        f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id <> ?",
                        (*where, kept),
                    )
                dropped += cursor.rowcount
                cursor.execute("DELETE FROM blobs WHERE run = ? AND namespace = ?", where)
            self._blobs.forget()
            self.put({"configurable": {"thread_id": run, "checkpoint_ns": ""}}, alone, metadata, {})
        return dropped

    def _row(self, where: str, *values: str) -> RunnableConfig | None:
        with self.cursor(transaction=False) as cursor:
            row = cursor.execute(
                f"SELECT checkpoint_ns, checkpoint_id FROM checkpoints WHERE {where}", values
            ).fetchone()
        if row is None:
            return None
        return {"configurable": {"thread_id": values[0], "checkpoint_ns": row[0], "checkpoint_id": row[1]}}
