"""One session of a run: from where it is to where it next comes to rest. This is the part that needs the engine."""

import asyncio
import copy
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.errors import GraphRecursionError
from langgraph.types import Command, Interrupt

from loopwright.errors import ContractError, DamagedRun, LeaseLost, RunError, StoreError
from loopwright.graphs.certificate.certify import Certificate
from loopwright.graphs.compile.channels import engine_input
from loopwright.graphs.compile.context import Context
from loopwright.graphs.compile.exits import Exits
from loopwright.graphs.compile.forks import Graph
from loopwright.graphs.compile.graph import compile_plan
from loopwright.graphs.compile.names import END_KEY, engine_name, join_name
from loopwright.graphs.plan import Fork, Plan
from loopwright.graphs.run.budgets import accounts_of, lacking, more_words, terms_for
from loopwright.graphs.run.models import AnyModel, connected
from loopwright.graphs.run.past import Past, place_of
from loopwright.graphs.run.scripts import go_on, marked
from loopwright.nodes.audience import Listener
from loopwright.nodes.code import CodeNode
from loopwright.nodes.events import Event, RunEnded, RunStarted, RunSuspended, RunWaiting
from loopwright.state.channels import MISSING
from loopwright.state.records import Question, Usage
from loopwright.state.store.effect_ledger import EffectLedger
from loopwright.state.store.runs import Rest, RunRow
from loopwright.state.store.saver import Saver
from loopwright.state.store.steps import INTERRUPT, stops_of
from loopwright.state.store.store import Store
from loopwright.state.values import Json, JsonObject

STOPPING = (ContractError, GraphRecursionError)
"""What ends a session as a suspension: faults of the plan's own code, and the engine's limit, the second fence."""

NAMED = 3
"""Nodes that are named which are suspended by the same reason."""

MOST_AT_ONCE = 256
"""Branches of a fork at work at the same time. Left alone, the engine has a handful of threads."""


class Machine:
    """A plan on the engine: its graph and its limits, made once for all runs.

    Args:
        plan: The plan.
        code: The plan's live code.
        certificate: Its worst case, which sets the engine's limit.
    """

    def __init__(self, plan: Plan, code: Mapping[str, Any], certificate: Certificate) -> None:
        self.plan, self._code = plan, code
        self._graph = compile_plan(plan, code)
        self._limits: RunnableConfig = {
            "recursion_limit": certificate.limit,
            "max_concurrency": MOST_AT_ONCE,
        }

    def graph(self, saver: Saver) -> Graph:
        """The graph with a saver of its own; all else is shared, and only read."""
        graph = copy.copy(self._graph)
        graph.checkpointer = saver
        return graph

    def config(self, run: str) -> RunnableConfig:
        """The engine's configuration for a run."""
        return {"configurable": {"thread_id": run}, **self._limits}

    def session(
        self,
        store: Store,
        row: RunRow,
        models: Mapping[str, AnyModel],
        listener: Listener | None,
    ) -> "Session":
        """A session of a run that this process holds."""
        return Session(self, store, row, models, listener)

    def embedded(self, checkpointer: Any, models: Mapping[str, AnyModel]) -> Graph:
        """The graph with its models, for programs that run it themselves."""
        if effects := _effects_of(self.plan):
            raise RunError(
                f"the plan {self.plan.name!r} has effects ({', '.join(effects)}), and a graph on its own has no ledger"
                " to keep them in: run it in a store, or leave effect out where a function may be called twice"
            )
        graph = compile_plan(self.plan, self._code, checkpointer, Context(connected(models), terms=terms_for(models)))
        return graph.with_config(self._limits)


class Session:
    """A run that this process holds, from where it is to where it next comes to rest.

    Args:
        machine: Its plan on the engine.
        store: Where the run is.
        row: The run as the registry had it when it was claimed.
        models: Its models by name.
        listener: Who is told what happens; where nobody is, no events are made.
    """

    def __init__(
        self,
        machine: Machine,
        store: Store,
        row: RunRow,
        models: Mapping[str, AnyModel],
        listener: Listener | None,
    ) -> None:
        self._machine, self._store, self._row, self._models = machine, store, row, models
        self._plan, self._run = machine.plan, row.id
        self._saver = Saver(store.database, row.token)
        self._graph, self._config = machine.graph(self._saver), machine.config(row.id)
        go_on(self._plan, models, row.models, lambda: store.registry.visits(row.id), row.id)
        listening, heard = listener is not None, listener.hears if listener else ()
        self._accounts = accounts_of(row, store.registry)
        self._context = Context(
            connected(models),
            note=self._saver.steps.note,
            listening=listening,
            heard=heard,
            terms=terms_for(models, self._accounts),
            again=set(row.at),
            effects=EffectLedger(store.database, row.id, row.token),
            come=partial(store.inbox.come, row.id),
        )
        self._streaming: dict[str, Any] = {
            "context": self._context,
            "durability": "sync",
            "stream_mode": ["custom", "values"] if listening else "values",
            "subgraphs": listening,
            "output_keys": [END_KEY, *([self._plan.result] if self._plan.result else [])],
        }
        self._last: Mapping[str, Any] = {}
        self._interrupts: tuple[Interrupt, ...] = ()
        self._due = {asked.id: asked.due for asked in row.questions if asked.due is not None}

    def advance(self) -> Iterator[Event]:
        """Go on until the run rests, with blocking calls."""
        failure = ""
        try:
            command = self._command()
            yield self._started(command)
            try:
                for part in self._graph.stream(command, self._config, **self._streaming):
                    try:
                        yield from self._told(part)
                    except GeneratorExit:  # else the engine waits until all that is being said was said to nobody
                        self._context.left.set()
                        raise
            except STOPPING as error:
                failure = str(error)
            last = self._conclude(failure)
        except BaseException as error:
            self._let_go(error)
            raise
        yield last

    async def aadvance(self) -> AsyncIterator[Event]:
        """Go on until the run rests, with awaited calls."""
        failure = ""
        try:
            command = await asyncio.to_thread(self._command)
            yield self._started(command)
            try:
                astream: Any = self._graph.astream(command, self._config, **self._streaming)
                async with aclosing(astream) as parts:
                    async for part in parts:
                        for event in self._told(part):
                            yield event
            except STOPPING as error:
                failure = str(error)
            last = await asyncio.to_thread(self._conclude, failure)
        except BaseException as error:
            self._let_go(error)
            raise
        yield last

    def _let_go(self, error: BaseException) -> None:
        """Leave the run in the middle of a step, with what is done of it; for good, where something is damaged."""
        with suppress(StoreError, LeaseLost):
            self._saver.release()
        if isinstance(error, DamagedRun):
            return self._store.registry.quarantine(self._run, str(error), token=self._row.token)
        return self._store.registry.interrupt(self._run, token=self._row.token)

    def _command(self) -> Any:
        """What the engine is given: the inputs, the answers that it has not taken yet, or None to go on."""
        latest = self._saver.get_tuple(self._config)
        if latest is None:
            row = self._row
            if row.status != "interrupted" or row.questions or self._store.registry.count_visits(self._run):
                raise self._missing("checkpoints")
            return self._first_input()
        self._require_whole(latest)
        for stop in stops_of(latest):  # a timer runs from when it was first asked for, however often it is asked again
            if (due := stop.value.get("question", {}).get("due")) is not None:
                self._due.setdefault(stop.id, due)
        if self._store.registry.extensions(self._run):
            self._reopen()
        answers = self._answers(latest)
        return Command(resume=answers) if answers else None

    def _reopen(self) -> None:
        """Lead a run on that came to an end by a bound of which it has more now: from the edge that it came by.

        Whether it would have come there is told by the plan as it is for the run now, and so nothing is done twice.
        """
        values = self._graph.get_state(self._config).values
        if not values.get(END_KEY):
            return
        last = self._store.registry.last_visit(self._run)
        assert last is not None
        exits = Exits(self._plan)
        target, command = exits.leave(last.node, last.outcome, last.reason, {}, values)
        if target not in self._plan.ends:
            source = engine_name(last.node)
            if isinstance(self._plan.nodes[last.node].node, Fork):
                source = join_name(source)
            update = {**(command.update or {}), END_KEY: None}
            self._graph.update_state(self._config, replace(command, update=update), as_node=source)

    def _answers(self, latest: CheckpointTuple) -> dict[str, Json]:
        """The answers that were given and not taken yet: that to a run which waited, and what a kill left over."""
        asked = {question.id for question in self._row.questions}
        if not asked:
            return {}
        kept = self._store.registry.answers(self._run)
        given = {each.question.id: each.answer for each in kept if each.question.id in asked}
        waiting = {stop.id for stop in stops_of(latest) if "question" in stop.value}
        if self._row.status == "waiting" and not given.keys() <= waiting:
            raise self._missing("writes")
        return {question: answer for question, answer in given.items() if question in waiting}

    def _require_whole(self, latest: CheckpointTuple) -> None:
        """Make sure that the engine finds in a checkpoint what it looks for without asking whether it is there."""
        if not isinstance(latest.metadata.get("step"), int):
            raise DamagedRun(f"store {self._store.url}: a checkpoint of run {self._run} cannot be read: it has no step")

    def _missing(self, what: str) -> StoreError:
        return StoreError(f"store {self._store.url}: the {what} of run {self._run} are missing, so it cannot go on")

    def _first_input(self) -> JsonObject:
        given = self._row.inputs
        values = {channel.name: given.get(channel.name, channel.default) for channel in self._plan.inputs}
        channels = self._plan.channels
        return {name: engine_input(channels[name], value) for name, value in values.items() if value is not MISSING}

    def _started(self, command: Any) -> RunStarted:
        return RunStarted(self._run, resumed=command is None or isinstance(command, Command))

    def _told(self, part: Any) -> Iterator[Event]:
        """The event in a part of the engine's stream, where there is one.

        Events come while a node is at work, and so from another thread, which costs 0.2 ms a visit: where nobody
        listens, the engine runs a lone node in this thread and tells the values only.
        """
        namespace, mode, told = part if self._context.listening else ((), "values", part)
        if mode == "values":
            if not namespace:
                self._last = told
                self._interrupts = (*self._interrupts, *told.get(INTERRUPT, ()))
            return
        yield told

    def _conclude(self, failure: str) -> Event:
        """Write down how the run rests, and tell it."""
        if self._last.get(END_KEY) and not failure:
            return self._ended(self._last)
        stops = {asked.id: asked.value for asked in self._interrupts}
        payloads = sorted(stops.items(), key=lambda stop: place_of(stop[1]))
        questions = tuple(self._question(id, value["question"]) for id, value in payloads if "question" in value)
        suspended = [value for _, value in payloads if "suspended" in value]
        if not payloads and not failure:  # it went on to nothing: killed between its end and the registry
            return self._ended(self._graph.get_state(self._config).values)
        short = lacking(self._accounts, (value["short"] for value in suspended))
        more = f"resume it with {more_words(short)}" if short else ""
        reason = "; ".join(filter(None, [failure, *_reasons(suspended), more]))
        nodes = [value["suspended"] for value in suspended]
        at = (*(question.node for question in questions), *nodes)
        spent = dict(self._row.spent)
        for value in suspended:
            again = Usage(**value["usage"]).to_repeat()
            spent[value["model"]] = spent.get(value["model"], Usage()) + again
        if questions and not failure:
            self._rest(Rest("waiting", reason=reason, questions=questions, at=at, short=short), spent)
            return RunWaiting(self._run, questions)
        self._rest(Rest("suspended", reason=reason, at=at, short=short), spent)
        return RunSuspended(self._run, next(iter(nodes), ""), reason)

    def _question(self, id: str, asked: Mapping[str, Any]) -> Question:
        return Question(id, **{**asked, "due": self._due.get(id, asked.get("due"))})

    def _rest(self, rest: Rest, spent: Mapping[str, Usage] | None = None) -> None:
        registry = self._store.registry
        models = marked(self._models, self._row.models, registry.count_visits(self._run))
        registry.rest(self._run, rest, models=models, spent=spent, token=self._row.token)

    def _ended(self, values: Mapping[str, Any]) -> Event:
        """Write down the end and the result."""
        if not values.get(END_KEY):
            raise DamagedRun(f"store {self._store.url}: run {self._run} has neither an end nor a way to go on")
        name, reason = values[END_KEY]["end"], values[END_KEY]["reason"]
        ok = self._plan.ends[name].ok
        result = values.get(self._plan.result) if self._plan.result else self._written()
        self._rest(Rest("finished", name, ok, reason, result))
        return RunEnded(self._run, name, ok, reason)

    def _written(self) -> JsonObject:
        """All that nodes wrote: the result of a plan that names none."""
        inputs = {channel.name for channel in self._plan.inputs}
        state = Past(self._plan, self._store, self._run).state()
        return {name: value for name, value in state.items() if name not in inputs}


def _effects_of(plan: Plan) -> list[str]:
    """The nodes that are effects, those of forks' bodies included."""
    nodes = ((name, placed.node) for each in plan.walk() for name, placed in each.nodes.items())
    return [name for name, node in nodes if isinstance(node, CodeNode) and node.effect]


def _reasons(suspended: Sequence[Mapping[str, Any]]) -> list[str]:
    """Why nodes are suspended; those with the same reason are told together."""
    nodes: dict[str, list[str]] = {}
    for value in suspended:
        nodes.setdefault(value["reason"], []).append(value["suspended"])
    return [
        f"{', '.join(places[:NAMED])}{f' and {len(places) - NAMED} more' if places[NAMED:] else ''}: {reason}"
        for reason, places in nodes.items()
    ]
