"""The past of a run: its state at any visit, read without its code, and the checkpoint that a fork of it begins at."""

import re
from collections.abc import Mapping
from dataclasses import replace
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
from loopwright.graphs.run.standing import After, AtStart, Before, require_in_reach, standing_before
from loopwright.hints import did_you_mean
from loopwright.nodes.places import item_names
from loopwright.state.records import Suspension, Visit
from loopwright.state.schema import check_for
from loopwright.state.store.archive import Archive
from loopwright.state.store.migrations import Former, plan_before, read_migrations
from loopwright.state.store.runs import RunRow
from loopwright.state.store.steps import SENT, stops_of
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject


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
        self._formers: tuple[Former, ...] | None = None
        self._plans: dict[str, Plan] = {}

    def plan_at(self, index: int) -> Plan:
        """The plan that the run had when it made a visit, or has where it is to make it."""
        if self._formers is None:
            with self._store.database.reading() as connection:
                self._formers = read_migrations(connection, self._run)
        former = next((each for each in self._formers if each.visits > index), None)
        if former is None:
            return self.plan
        if former.fingerprint not in self._plans:
            with self._store.database.reading() as connection:
                data = plan_before(connection, self._run, index)
            self._plans[former.fingerprint] = Plan.from_data(data or {})
        return self._plans[former.fingerprint]

    def state(self) -> JsonObject:
        """The plan's channels as they are now; those that hold nothing are left out."""
        latest = self._saver.get_tuple(self._config())
        return values_at(self._saver, self.plan, latest, pending=True) if latest else {}

    def suspensions(self) -> tuple[Suspension, ...]:
        """What each node is suspended by, as its visit left it; branches in the order of their items."""
        latest = self._saver.get_tuple(self._config())
        stops = {stop.id: stop.value for stop in stops_of(latest) if "suspended" in stop.value}
        return tuple(
            Suspension(
                each["suspended"], each["reason"], each["model"], each.get("asked", ""), (*each.get("said", ()),)
            )
            for each in sorted(stops.values(), key=place_of)
        )

    def before(self, visit: Visit) -> JsonObject:
        """The state that a visit started from; in a fork's body the body's own.

        Raises:
            RunError: It is not kept any more.
        """
        located, found = self._kept(visit)
        if _is_alone(located):
            return self._inputs(located, found)
        return values_at(self._saver, located.plan, found)

    def after(self, visit: Visit) -> JsonObject:
        """The state that a visit led to.

        Raises:
            RunError: It is not kept any more.
        """
        located, found = self._kept(visit)
        if _is_alone(located):
            moment, channels = Moment(visit, self), located.plan.channels
            before = moment.before
            return {
                **before,
                **{name: joined(channels[name], before.get(name), value) for name, value in moment.written.items()},
            }
        following = self._saver.following(found.config)
        return values_at(self._saver, located.plan, following or found, pending=following is None)

    def fork(self, at: int, changes: Mapping[str, Any]) -> RunRow:
        """Enter a new run that stands before a visit of this one.

        Args:
            at: The visit's index.
            changes: New values of channels.

        Raises:
            RunError: No run can stand there, or a change does not fit; nothing was done.
        """
        registry = self._store.registry
        row, data = registry.get(self._run), registry.plan(self._run)
        require_in_reach(row, registry.count_visits(self._run), at)
        plan = self.plan_at(at)
        if plan is not self.plan:
            row, data = replace(row, name=plan.name, fingerprint=plan.fingerprint), plan.to_data()
        self._require_fitting(plan, changes)
        found = self._owner(at)._standing(at)
        checkpoint = self._changed(plan, found, changes)
        step = int(found.metadata.get("step", 0))

        def keep(run: str) -> None:
            config: RunnableConfig = {"configurable": {"thread_id": run, "checkpoint_ns": ""}}
            self._saver.put(config, checkpoint, {"source": "fork", "step": step, "parents": {}}, {})

        later = registry.visits(self._run, at)
        return registry.fork(row, at, rewound(row.models, later, at), data, keep)

    def prune(self) -> int:
        """Drop the states that the run has left behind; how many.

        Raises:
            RunBusy: It is being run.
        """
        with self._saver.resting(self._run) as latest:
            row = self._store.registry.get(self._run)
            if row.status == "running":
                raise RunBusy(f"run {self._run} is being run by {row.holder}; it can be pruned when it rests")
            if latest is None:
                return 0
            checkpoint = self._changed(self.plan, latest, {})
            checkpoint["id"] = latest.checkpoint["id"]
            return self._saver.keep_only(latest, checkpoint, bodies=row.status == "interrupted")

    def _config(self, namespace: str = "") -> RunnableConfig:
        return {"configurable": {"thread_id": self._run, "checkpoint_ns": namespace}}

    def _owner(self, index: int) -> "Past":
        """The past of the run that made a visit: this one, or one that it was forked from."""
        row = self._store.registry.get(self._run)
        if index >= row.forked_at or not row.forked_from:
            return self
        return Past(self.plan_at(index), self._store, row.forked_from)._owner(index)

    def _kept(self, visit: Visit) -> tuple[Located, CheckpointTuple]:
        """Where in the plan a visit was made, and the checkpoint that it started from."""
        return locate(self.plan_at(visit.index), visit.node), self._owner(visit.index)._checkpoint(visit)

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
        fork, state = placed.node, values_at(self._saver, around, found)
        assert isinstance(fork, Fork)
        branch = fork.branches.get(key) or fork.branches[""]
        inputs: dict[str, Any] = {}
        for channel in branch.plan.inputs:
            if fork.kind == "each" and channel.name == fork.as_:
                over = placed.channels.get(fork.over, fork.over)
                items: Any = state.get(over, around.channels[over].first_value)
                inputs[channel.name] = items[item_names(fork.named_by, items).index(key)]
                continue
            name = branch.inputs.get(channel.name, channel.name)
            outer = placed.channels.get(name, name)
            inputs[channel.name] = state.get(outer, around.channels[outer].first_value)
        return inputs

    def _require_fitting(self, plan: Plan, changes: Mapping[str, Any]) -> None:
        faults, channels = [], plan.channels
        for name, value in changes.items():
            if name not in channels:
                faults.append(f"there is no channel {name!r}; {did_you_mean(name, channels)}")
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
        """The checkpoint that a fork begins at, before a visit that this run made itself."""
        registry = self._store.registry
        row, visits = registry.get(self._run), registry.visits(self._run)
        self.plan_at(at)
        moved = [each.checkpoint for each in self._formers or () if each.visits == at and each.checkpoint]
        match standing_before(self.plan_at(at), row, visits, at):
            case AtStart() | After() if moved:
                found = self._saver.find(self._run, moved[-1])
            case AtStart(given_inputs):
                found = self._saver.first(self._config(), begun=given_inputs)
            case Before(visit):
                found = self._checkpoint(visit)
            case After(visit, is_last) if is_last and self._saver.find(self._run, visit.checkpoint) is None:
                found = self._only(at)
            case After(visit):
                found = self._saver.following(self._checkpoint(visit).config)
        if found is None and not visits:
            raise RunError(f"run {self._run} has made no visit yet; resume it, there is nothing to fork")
        if found is None and at == len(visits):
            raise RunError(
                f"run {self._run} stopped in the middle of visit {at - 1}; resume it, or fork it at {at - 1}"
            )
        if found is None:
            raise self._pruned(at)
        return found

    def _only(self, at: int) -> CheckpointTuple | None:
        """The one checkpoint that a pruned run has, unless its branches have been sent out already."""
        latest = self._saver.get_tuple(self._config())
        if latest is not None and latest.checkpoint["channel_values"].get(SENT):
            raise self._pruned(at)
        return latest

    def _changed(self, plan: Plan, found: CheckpointTuple, changes: Mapping[str, Any]) -> Checkpoint:
        """A checkpoint of its own for a new run: lists are in it as whole copies."""
        old = found.checkpoint
        values, versions = dict(old["channel_values"]), dict(old["channel_versions"])
        state = {**values_at(self._saver, plan, found), **changes}
        for name, channel in plan.channels.items():
            if name in state and (name in versions or name in changes):
                values[name] = _DeltaSnapshot(state[name]) if channel.grows else state[name]
                versions.setdefault(name, max(versions.values()))
        step = int(found.metadata.get("step", 0))
        return {**old, "id": str(uuid6(clock_seq=step)), "channel_values": values, "channel_versions": versions}


def place_of(payload: Mapping[str, Any]) -> list[str | int]:
    """What sorts the places where a run rests: branches in the order of their items, whichever stopped first."""
    node = payload["question"]["node"] if "question" in payload else payload["suspended"]
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", node)]


def _is_alone(located: Located) -> bool:
    """Whether a visit is all that a fork's body makes: then it has no checkpoint of its own, but that of the fork."""
    return bool(located.around) and is_one_visit(located.plan)


def values_at(saver: Archive, plan: Plan, found: CheckpointTuple, *, pending: bool = False) -> JsonObject:
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
