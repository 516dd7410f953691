"""The past of a run: its state at any visit, read without its code, and the checkpoint that a fork of it begins at."""

from collections.abc import Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointTuple
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.graph import StateGraph
from langgraph.pregel._checkpoint import channels_from_checkpoint

from loopwright.errors import RunBusy, RunError
from loopwright.graphs.compile.channels import engine_schema
from loopwright.graphs.compile.forks import is_one_visit
from loopwright.graphs.plan import Fork, Plan
from loopwright.graphs.run.moments import Located, Moment, joined, locate
from loopwright.graphs.run.scripts import rewound
from loopwright.state.records import Visit
from loopwright.state.schema import check_for
from loopwright.state.store.archive import Archive
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject

SENT = "__pregel_tasks"
"""The engine's channel of what was sent to a fork's branches."""


class Past:
    """What was, in a run.

    Args:
        plan: The run's plan.
        store: Where the run is.
        run: The run's id.
    """

    def __init__(self, plan: Plan, store: Store, run: str) -> None:
        self.plan, self._store, self._run = plan, store, run
        self._saver = Archive(store.database)

    def state(self) -> JsonObject:
        """The plan's channels as they are now; those that hold nothing are left out."""
        latest = self._saver.get_tuple(self._config())
        return _values(self._saver, self.plan, latest, pending=True) if latest else {}

    def before(self, visit: Visit) -> JsonObject:
        """The state that a visit started from; in a fork's body the body's own.

        Raises:
            RunError: It is not kept any more.
        """
        if past := self._of_origin(visit.index):
            return past.before(visit)
        located = locate(self.plan, visit.node)
        found = self._checkpoint(visit)
        if not located.around or not is_one_visit(located.plan):
            return _values(self._saver, located.plan, found)
        return self._inputs(located, found)

    def after(self, visit: Visit) -> JsonObject:
        """The state that a visit led to.

        Raises:
            RunError: It is not kept any more.
        """
        if past := self._of_origin(visit.index):
            return past.after(visit)
        located = locate(self.plan, visit.node)
        if located.around and is_one_visit(located.plan):
            moment, channels = Moment(visit, self), located.plan.channels
            before = moment.before
            return {
                **before,
                **{name: joined(channels[name], before.get(name), value) for name, value in moment.written.items()},
            }
        found = self._checkpoint(visit)
        following = self._saver.following(found.config)
        return _values(self._saver, located.plan, following or found, pending=following is None)

    def fork(self, at: int, changes: Mapping[str, Any]) -> RunRow:
        """Enter a new run that stands before a visit of this one.

        Args:
            at: The visit's index.
            changes: New values of channels.

        Raises:
            RunError: No run can stand there, or a change does not fit; nothing was done.
        """
        registry = self._store.registry
        row, plan = registry.get(self._run), registry.plan(self._run)
        self._require_fitting(changes)
        standing = self._standing(at)
        checkpoint = self._changed(standing, changes)
        step = int(standing.metadata.get("step", 0))

        def keep(run: str) -> None:
            config: RunnableConfig = {"configurable": {"thread_id": run, "checkpoint_ns": ""}}
            self._saver.put(config, checkpoint, {"source": "fork", "step": step, "parents": {}}, {})

        later = registry.visits(self._run, at)
        return registry.fork(row, at, rewound(row.models, later, at), plan, keep)

    def prune(self) -> int:
        """Drop the states that the run has left behind; how many.

        Raises:
            RunBusy: It is being run.
        """
        with self._saver.pruning(self._run) as latest:
            row = self._store.registry.get(self._run)
            if row.status == "running":
                raise RunBusy(f"run {self._run} is being run by {row.holder}; it can be pruned when it rests")
            if latest is None:
                return 0
            checkpoint = self._changed(latest, {})
            checkpoint["id"] = latest.checkpoint["id"]
            return self._saver.keep_only(latest, checkpoint, bodies=row.status == "interrupted")

    def _config(self, namespace: str = "") -> RunnableConfig:
        return {"configurable": {"thread_id": self._run, "checkpoint_ns": namespace}}

    def _of_origin(self, index: int) -> "Past | None":
        """The past of the run that this one was forked from, where a visit is of that."""
        row = self._store.registry.get(self._run)
        if index >= row.forked_at or not row.forked_from:
            return None
        return Past(self.plan, self._store, row.forked_from)

    def _checkpoint(self, visit: Visit) -> CheckpointTuple:
        found = self._saver.find(self._run, visit.checkpoint)
        if found is None:
            raise self._pruned(visit.index)
        return found

    def _pruned(self, index: int) -> RunError:
        return RunError(f"run {self._run}: the state at visit {index} is not kept any more; the run was pruned")

    def _inputs(self, located: Located, found: CheckpointTuple) -> JsonObject:
        """What a body of one visit was sent: it has no checkpoints of its own."""
        placed, key, around = located.around[-1]
        fork, state = placed.node, _values(self._saver, around, found)
        assert isinstance(fork, Fork)
        branch = fork.branches.get(key) or fork.branches[""]
        inputs: dict[str, Any] = {}
        for channel in branch.plan.inputs:
            if fork.kind == "each" and channel.name == fork.as_:
                items: Any = state[placed.channels.get(fork.over, fork.over)]
                inputs[channel.name] = items[int(key)]
                continue
            name = branch.inputs.get(channel.name, channel.name)
            outer = placed.channels.get(name, name)
            inputs[channel.name] = state.get(outer, around.channels[outer].first_value)
        return inputs

    def _require_fitting(self, changes: Mapping[str, Any]) -> None:
        faults, channels = [], self.plan.channels
        for name, value in changes.items():
            if name not in channels:
                faults.append(f"there is no channel {name!r}; there are: {', '.join(channels) or 'none'}")
                continue
            try:
                check_for(channels[name].type)(value)
                if channels[name].grows and not isinstance(value, list):
                    raise ValueError("it is a list")
            except ValueError as error:
                faults.append(f"{name!r} does not fit: {error}")
        if faults:
            raise RunError(f"run {self._run} cannot be forked so: {'; '.join(faults)}")

    def _standing(self, at: int) -> CheckpointTuple:
        """The checkpoint before a visit; where that is a fork's first one, before the fork."""
        registry = self._store.registry
        count = registry.count_visits(self._run)
        row = registry.get(self._run)
        last = count - 1 if row.status in ("finished", "running") else count
        if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= count:
            raise RunError(f"run {self._run} cannot be forked at {at!r}; it has {count} visits: give 0 to {last}")
        if at > last:
            raise RunError(f"run {self._run} is {row.status} after its {count} visits; it can be forked at 0 to {last}")
        if past := self._of_origin(at):
            return past._standing(at)
        visits = registry.visits(self._run)
        self._require_outside(visits, at)
        if at == 0 or (row.forked_from and at == row.forked_at):
            found = self._saver.first(self._config(), begun=not row.forked_from)
        elif at == count and self._saver.find(self._run, visits[at - 1].checkpoint) is None:
            found = self._alone(at)
        elif at < count and self._is_plain(visits, at):
            found = self._checkpoint(visits[at])
        else:
            found = self._saver.following(self._checkpoint(visits[at - 1]).config)
        if found is None and at == count:
            raise RunError(
                f"run {self._run} stopped in the middle of visit {at - 1}; resume it, or fork it at {at - 1}"
            )
        if found is None:
            raise self._pruned(at)
        return found

    def _alone(self, at: int) -> CheckpointTuple | None:
        """The one checkpoint that a pruned run has, unless its branches have been sent out already."""
        latest = self._saver.get_tuple(self._config())
        if latest is not None and latest.checkpoint["channel_values"].get(SENT):
            raise self._pruned(at)
        return latest

    def _is_plain(self, visits: tuple[Visit, ...], at: int) -> bool:
        """Whether a run can stand right before a visit: before a fork's branches it stands before they are sent out.

        A visit that joins branches is plain, unless there were none.
        """
        placed = self.plan.nodes.get(visits[at].node)
        if placed is None or not isinstance(placed.node, Fork):
            return placed is not None
        return within_fork(self.plan, visits[at - 1]) == placed.name

    def _require_outside(self, visits: tuple[Visit, ...], at: int) -> None:
        """Refuse a place between the visits of a fork's branches: they are made side by side."""
        fork = within_fork(self.plan, visits[at - 1]) if at else ""
        joined_here = at < len(visits) and visits[at].node == fork
        if not fork or joined_here:
            return
        first = at - 1
        while first and within_fork(self.plan, visits[first - 1]) == fork:
            first -= 1
        join = next((visit.index for visit in visits[at:] if visit.node == fork), None)
        later = f", or {join}, before its branches are joined" if join is not None else ""
        raise RunError(
            f"run {self._run} cannot be forked at {at}, between the branches of {fork!r}, which run side by side; give"
            f" {first}, before all of them{later}"
        )

    def _changed(self, standing: CheckpointTuple, changes: Mapping[str, Any]) -> Checkpoint:
        """A checkpoint of its own for a new run: lists are in it as whole copies."""
        old = standing.checkpoint
        values, versions = dict(old["channel_values"]), dict(old["channel_versions"])
        state = {**_values(self._saver, self.plan, standing), **changes}
        for name, channel in self.plan.channels.items():
            if name in state and (name in versions or name in changes):
                values[name] = _DeltaSnapshot(state[name]) if channel.grows else state[name]
                versions.setdefault(name, max(versions.values()))
        step = int(standing.metadata.get("step", 0))
        return {**old, "id": str(uuid6(clock_seq=step)), "channel_values": values, "channel_versions": versions}


def within_fork(plan: Plan, visit: Visit) -> str:
    """The outermost fork that a visit was made in; "" for none."""
    around = locate(plan, visit.node).around
    return around[0][0].name if around else ""


def _values(saver: Archive, plan: Plan, found: CheckpointTuple, *, pending: bool = False) -> JsonObject:
    """A plan's channels at a checkpoint; those that hold nothing are left out.

    Args:
        saver: Reads what was written to lists.
        plan: The plan.
        found: The checkpoint.
        pending: Whether what was written since is told too.
    """
    specs = StateGraph(engine_schema(plan)).channels
    own = {name: specs[name] for name in plan.channels}
    channels, _ = channels_from_checkpoint(own, found.checkpoint, saver=saver, config=found.config)
    if pending:
        for _, name, value in found.pending_writes or ():
            if name in channels:
                channels[name].update([value])
    return {name: channel.get() for name, channel in channels.items() if channel.is_available()}
