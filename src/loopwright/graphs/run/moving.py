"""Leading a run on to a changed plan: where it stands is read, found in the other plan, tried, and written at once."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointTuple
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from loopwright.errors import RunBusy, RunError, StoreError
from loopwright.graphs.compile.context import Context
from loopwright.graphs.compile.names import END_KEY, body_name, count_key, engine_name, join_name
from loopwright.graphs.migrate.classify import Moved, Position, Verdict, asks_alike, classify
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import Fork, Plan
from loopwright.graphs.run.moments import locate
from loopwright.graphs.run.past import values_at
from loopwright.graphs.run.scripts import moved
from loopwright.graphs.run.session import Machine
from loopwright.nodes.code import CodeNode
from loopwright.state.records import Question
from loopwright.state.store.answers import ask_anew
from loopwright.state.store.archive import Archive
from loopwright.state.store.effect_ledger import effects_of
from loopwright.state.store.effects import rename_effects
from loopwright.state.store.events import keep_waits
from loopwright.state.store.extensions import rename_extensions
from loopwright.state.store.migrations import change_plan
from loopwright.state.store.runs import RunRow
from loopwright.state.store.saver import Saver
from loopwright.state.store.steps import INTERRUPT, SENT
from loopwright.state.store.store import Store

NEXT, INPUT = "branch:to:", "__start__"
"""The engine's channels: that which has a node run next, and that of the inputs, until they are taken."""


@dataclass(frozen=True, slots=True)
class _Tried:
    """What came of the new position on a copy: the checkpoint, what is pending there, and the question."""

    checkpoint: Checkpoint
    metadata: Any
    writes: tuple[tuple[str, str, Any], ...]
    question: Question | None


class Mover:
    """Leads runs of a store on to a plan.

    Args:
        plan: The plan that they are to go on with.
        machine: The plan on the engine.
        store: Where they are.
    """

    def __init__(self, plan: Plan, machine: Machine, store: Store) -> None:
        self._plan, self._machine, self._store = plan, machine, store
        self._saver, self._copy = Archive(store.database), Store("memory:")

    def check(self, run: str, declared: Migration) -> Verdict:
        """What the plan means for a run; nothing is changed.

        Raises:
            StoreError: It cannot be read, or would not stand where it should.
        """
        latest = self._saver.get_tuple(_config(run))
        _, found = self._found(self._store.registry.get(run), latest, declared)
        if found.verdict.goes_on and latest is not None and found.stands_alone:
            self._tried(run, latest, found.position)
        return found.verdict

    def move(self, run: str, declared: Migration) -> Verdict:
        """The same, and where the run can go on it has this plan from here on: all of it is written, or nothing.

        Raises:
            RunBusy: The run is being run.
            StoreError: It cannot be read, or would not stand where it should.
        """
        with self._saver.resting(run) as latest:
            self._store.database.require_file()
            row = self._store.registry.get(run)
            if row.status == "running":
                raise RunBusy(f"run {run} is being run by {row.holder}; its plan can be changed when it rests")
            before, found = self._found(row, latest, declared)
            if found.verdict.goes_on and found.verdict.kind != "same":
                self._write(row, latest, before, found, declared)
        return found.verdict

    def _found(self, row: RunRow, latest: CheckpointTuple | None, declared: Migration) -> tuple[Plan, Moved]:
        before = Plan.from_data(self._store.registry.plan(row.id))
        if before.fingerprint == self._plan.fingerprint:
            return before, Moved(Position(), Verdict("same"))
        found = classify(before, self._plan, self._position(row, latest, before), declared)
        if lost := tuple(self._lost_effects(row.id, declared)):
            found = replace(found, verdict=replace(found.verdict, kind="breaking", broken=lost))
        return before, found

    def _lost_effects(self, run: str, declared: Migration) -> Iterator[str]:
        """The effects that are under way at what would be no effect any more, and so be called without the ledger."""
        for effect in effects_of(self._store.database, run):
            name = declared.node(effect.node)
            if effect.is_open and not _is_effect(self._plan, name):
                yield f"the effect {effect.key} of {effect.node!r} is under way, and {name!r} is none now"

    def _position(self, row: RunRow, latest: CheckpointTuple | None, plan: Plan) -> Position:
        more = tuple(dict.fromkeys(each.bound for each in self._store.registry.extensions(row.id)))
        if latest is None or INPUT in latest.checkpoint["channel_values"]:
            return Position(state=row.inputs, more=more, begun=False)
        values = dict(latest.checkpoint["channel_values"])
        pending = [(name, value) for _, name, value in latest.pending_writes or ()]
        reached = {name.removeprefix(NEXT) for name, _ in pending if name.startswith(NEXT)}
        own = {count_key(bound) for bound in plan.bounds} | {END_KEY}
        values |= {name: value for name, value in pending if name in own}
        state = values_at(self._saver, plan, latest, pending=True)
        counts = {bound: int(values.get(count_key(bound), 0)) for bound in plan.bounds}
        if values.get(END_KEY):
            return Position(state=state, counts=counts, more=more, end=values[END_KEY]["end"])
        places = {engine_name(name): name for name in plan.nodes}
        joins = {place: name for name, place in _forks(plan, join_name)}
        sent = [*values.get(SENT, ()), *(value for name, value in pending if name == SENT)]
        if sent:
            bodies = {place: name for name, place in _forks(plan, body_name)}
            return Position(bodies[sent[0].node], state, counts, row.questions, more, inside=True)
        here = reached or {name.removeprefix(NEXT) for name in values if name.startswith(NEXT)}
        (place,) = here if len(here) == 1 else ("",)
        if place in joins:
            return Position(joins[place], state, counts, more=more, inside=True)
        if place not in places:
            raise StoreError(f"store {self._store.url}: it cannot be told where run {row.id} stands")
        stops = {stop.id for name, value in pending if name == INTERRUPT for stop in value}
        asked = tuple(each for each in row.questions if each.id in stops and not reached)
        answered = bool(asked) and row.status == "interrupted" and self._has_answer(row.id, asked[0].id)
        return Position(places[place], state, counts, asked, more, answered=answered)

    def _has_answer(self, run: str, question: str) -> bool:
        return any(each.question.id == question for each in self._store.registry.answers(run, question))

    def _write(
        self, row: RunRow, latest: CheckpointTuple | None, before: Plan, found: Moved, declared: Migration
    ) -> None:
        at, registry = found.position, self._store.registry
        changes: dict[str, Any] = {
            "name": self._plan.name,
            "plan": self._plan.to_data(),
            "fingerprint": self._plan.fingerprint,
            "models": moved(before, row.models, registry.visits(row.id), declared.node),
        }
        place, anew, asked = "", None, list(row.questions)
        if not at.begun:
            self._saver.delete_thread(row.id)
            changes["inputs"] = at.state
        elif latest is not None and found.stands_alone:
            tried = self._tried(row.id, latest, at)
            self._keep(latest, tried)
            place, anew = tried.checkpoint["id"], tried.question and _known_by(tried.question, row, at)
            asked = [anew if anew and each.id == at.questions[0].id else each for each in row.questions]
            changes["questions"] = [asdict(each) for each in asked]
            changes["at"] = [declared.node(name) for name in row.at]
        names = {bound: declared.bound(bound) for bound in before.bounds}
        with self._saver.cursor() as cursor:
            connection = cursor.connection
            rename_extensions(connection, row.id, names)
            rename_effects(connection, row.id, declared.node)
            if anew is not None:
                ask_anew(connection, row.id, at.questions[0].id, anew)
                keep_waits(connection, row.id, asked)
            change_plan(connection, row.id, registry.count_visits(row.id), place, changes)

    def _tried(self, run: str, latest: CheckpointTuple, at: Position) -> _Tried:
        """The new position, tried on a copy: the engine must come to the node, and ask there what is open.

        A node that waits asks nobody but whoever answers, so having it ask again costs nothing.
        """
        checkpoint = self._checkpoint(latest, at)
        metadata: Any = {"source": "update", "step": int(latest.metadata.get("step", 0)), "parents": {}}
        saver = Saver(self._copy.database)
        saver.put(_config(run), checkpoint, metadata, {})
        graph, config = self._machine.graph(saver), self._machine.config(run)
        expected = () if at.end else (engine_name(at.node),)
        if graph.get_state(config).next != expected:
            raise StoreError(f"store {self._store.url}: run {run} would not stand at {at.node!r}; it is left as it is")
        writes: tuple[tuple[str, str, Any], ...] = ()
        question = None
        if at.questions:
            graph.invoke(None, config, context=Context(note=saver.steps.note), durability="sync")
            found = saver.get_tuple(_config(run))
            writes = tuple(found.pending_writes or ()) if found else ()
            stops = [stop for _, name, stops in writes if name == INTERRUPT for stop in stops]
            if len(stops) != 1 or "question" not in stops[0].value:
                raise StoreError(f"store {self._store.url}: run {run} would not ask again; it is left as it is")
            question = Question(stops[0].id, **stops[0].value["question"])
        saver.delete_thread(run)
        return _Tried(checkpoint, metadata, writes, question)

    def _checkpoint(self, latest: CheckpointTuple, at: Position) -> Checkpoint:
        """A checkpoint at which a node of this plan is next, with whole copies of the lists."""
        old, channels = latest.checkpoint, self._plan.channels
        values: dict[str, Any] = {
            name: _DeltaSnapshot(value) if channels[name].grows else value for name, value in at.state.items()
        }
        values |= {count_key(bound): count for bound, count in at.counts.items()}
        if at.end:
            pending = [value for _, name, value in latest.pending_writes or () if name == END_KEY]
            values[END_KEY] = {**(pending or [old["channel_values"].get(END_KEY)])[-1], "end": at.end}
        else:
            values[NEXT + engine_name(at.node)] = None
        version = self._saver.get_next_version(max(map(str, old["channel_versions"].values()), default=None), None)
        return {
            **old,
            "id": str(uuid6(clock_seq=int(latest.metadata.get("step", 0)))),
            "channel_values": values,
            "channel_versions": dict.fromkeys(values, version),
            "versions_seen": {},
            "updated_channels": [name for name in values if name.startswith(NEXT)],
        }

    def _keep(self, latest: CheckpointTuple, tried: _Tried) -> None:
        kept = self._saver.put(latest.config, tried.checkpoint, tried.metadata, {})
        for task, name, value in tried.writes:
            self._saver.put_writes(kept, [(name, value)], task)


def _is_effect(plan: Plan, name: str) -> bool:
    """Whether a plan has an effect at a place."""
    try:
        node = locate(plan, name).node.node
    except RunError:
        return False
    return isinstance(node, CodeNode) and node.effect is not None


def _known_by(question: Question, row: RunRow, at: Position) -> Question:
    """A question that is asked again; one that asks the same is known by its former ids, too."""
    (before,) = (each for each in row.questions if each.id == at.questions[0].id)
    if not asks_alike(question, before):
        return question
    return replace(question, formerly=(*before.formerly, before.id), due=before.due)


def _forks(plan: Plan, of: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """The forks, each with an engine's name that is made of its own."""
    return ((name, of(engine_name(name))) for name, placed in plan.nodes.items() if isinstance(placed.node, Fork))


def _config(run: str) -> RunnableConfig:
    return {"configurable": {"thread_id": run, "checkpoint_ns": ""}}
