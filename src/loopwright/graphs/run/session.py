"""One session of a run: from where it is to where it next comes to rest. This is the part that needs the engine."""

import asyncio
import copy
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphRecursionError
from langgraph.types import Command, StateSnapshot

from loopwright.errors import ContractError, NotWaiting
from loopwright.graphs.certificate.certify import certify
from loopwright.graphs.compile.context import Context
from loopwright.graphs.compile.forks import engine_limit
from loopwright.graphs.compile.graph import Graph, compile_plan
from loopwright.graphs.compile.names import END_KEY
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.models import AnyModel, connected, with_losses
from loopwright.nodes.events import Event, RunEnded, RunStarted, RunSuspended, RunWaiting, VisitEnded
from loopwright.state.records import Question
from loopwright.state.store.registry import Rest
from loopwright.state.store.saver import Saver
from loopwright.state.store.store import Store
from loopwright.state.values import Json, JsonObject

STOPPING = (ContractError, GraphRecursionError)
"""What ends a session as a suspension: faults of the plan's own code, and the engine's limit, the second fence."""

MOST_AT_ONCE = 256
"""Branches of a fork at work at the same time. Left alone, the engine has a handful of threads."""


class Machine:
    """A plan on the engine: its graph and its limits, made once for all runs.

    Args:
        plan: The plan.
        code: The plan's live code.
    """

    def __init__(self, plan: Plan, code: Mapping[str, Any]) -> None:
        self.plan = plan
        self._graph = compile_plan(plan, code)
        self.limits: RunnableConfig = {
            "recursion_limit": engine_limit(certify(plan)),
            "max_concurrency": MOST_AT_ONCE,
        }

    def graph(self, saver: Saver) -> Graph:
        """The graph with a saver of its own; all else is shared, and only read."""
        graph = copy.copy(self._graph)
        graph.checkpointer = saver
        return graph


class Session:
    """A run that this process holds.

    Args:
        store: Where the run is.
        run: Its id.
        machine: Its plan on the engine.
        models: Its models by name.
        listening: Whether events are made.
    """

    def __init__(
        self, store: Store, run: str, machine: Machine, models: Mapping[str, AnyModel], *, listening: bool
    ) -> None:
        plan = machine.plan
        self._store, self._run, self._plan, self._models = store, run, plan, models
        row, visits = store.registry.get(run), store.registry.visits(run)
        self._inputs = row.inputs
        self._next_index = len(visits)
        saver = Saver(store.database)
        self._graph = machine.graph(saver)
        self._config: RunnableConfig = {"configurable": {"thread_id": run}, **machine.limits}
        self._context = Context(connected(models, visits, row.models), note=saver.note, listening=listening)
        self._streaming: dict[str, Any] = {
            "context": self._context,
            "durability": "sync",
            "stream_mode": ["custom", "values"] if listening else "values",
            "subgraphs": listening,
            "output_keys": [END_KEY, *([plan.result] if plan.result else [])],
        }
        self._last: Mapping[str, Any] = {}

    def state(self) -> JsonObject:
        """The plan's channels as they are now; those that hold nothing are left out."""
        values = self._snapshot().values
        return {name: values[name] for name in self._plan.channels if name in values}

    def advance(self, question: str = "", answer: Json = None) -> Iterator[Event]:
        """Go on until the run rests, with blocking calls.

        Args:
            question: The id of the question that is answered, or "".
            answer: The answer, which fits the question.
        """
        failure = ""
        try:
            command = self._command(question, answer)
            yield self._started(command)
            try:
                for part in self._graph.stream(command, self._config, **self._streaming):
                    yield from self._told(part)
            except STOPPING as error:
                failure = str(error)
            last = self._conclude(failure)
        except BaseException:
            self._store.registry.interrupt(self._run)
            raise
        yield last

    async def aadvance(self, question: str = "", answer: Json = None) -> AsyncIterator[Event]:
        """Go on until the run rests, with awaited calls; arguments as of `advance`."""
        failure = ""
        try:
            command = await asyncio.to_thread(self._command, question, answer)
            yield self._started(command)
            try:
                async for part in self._graph.astream(command, self._config, **self._streaming):
                    for event in self._told(part):
                        yield event
            except STOPPING as error:
                failure = str(error)
            last = await asyncio.to_thread(self._conclude, failure)
        except BaseException:
            self._store.registry.interrupt(self._run)
            raise
        yield last

    def _snapshot(self) -> StateSnapshot:
        return self._graph.get_state(self._config)

    def _command(self, question: str, answer: Json) -> Any:
        """What the engine is given: the inputs, an answer, or None to go on."""
        if question:
            if question not in (asked.id for asked in self._snapshot().interrupts):
                raise NotWaiting(
                    f"run {self._run}: the question {question} was answered before the run was interrupted"
                )
            return Command(resume={question: answer})
        begun = self._graph.checkpointer.get_tuple(self._config)  # type: ignore[union-attr]
        return None if begun else self._first_input()

    def _first_input(self) -> JsonObject:
        defaults = {channel.name: channel.default for channel in self._plan.inputs if channel.name not in self._inputs}
        return {**defaults, **self._inputs}

    def _started(self, command: Any) -> RunStarted:
        return RunStarted(self._run, resumed=command is None or isinstance(command, Command))

    def _told(self, part: Any) -> Iterator[Event]:
        """The event in a part of the engine's stream, where there is one; visits get their place in the run.

        Events come while a node is at work, and so from another thread, which costs 0.2 ms a visit: where nobody
        listens, the engine runs a lone node in this thread and tells the values only.
        """
        namespace, mode, told = part if self._context.listening else ((), "values", part)
        if mode == "values":
            self._last = told if not namespace else self._last
            return
        if isinstance(told, VisitEnded):
            index, self._next_index = self._next_index, self._next_index + 1
            told = VisitEnded(replace(told.visit, index=index), told.task)
        yield told

    def _conclude(self, failure: str) -> Event:
        """Write down how the run rests, and tell it."""
        end = self._last.get(END_KEY)
        if end is not None and not failure:
            return self._ended(end)
        snapshot = self._snapshot()
        if END_KEY in snapshot.values and not failure:  # killed between the end and the registry
            return self._ended(snapshot.values[END_KEY])
        payloads = [(asked.id, asked.value) for asked in snapshot.interrupts if isinstance(asked.value, Mapping)]
        questions = tuple(Question(id, **value["question"]) for id, value in payloads if "question" in value)
        suspended = [(value["suspended"], value["reason"]) for _, value in payloads if "suspended" in value]
        reasons = "; ".join(f"{node}: {reason}" for node, reason in suspended)
        if questions and not failure:
            self._store.registry.rest(self._run, Rest("waiting", reason=reasons, questions=questions))
            return RunWaiting(self._run, questions)
        reason = "; ".join(filter(None, [failure, reasons])) or "the engine stopped without an end"
        lost = with_losses(self._models, self._store.registry.visits(self._run))
        self._store.registry.rest(self._run, Rest("suspended", reason=reason), models=lost)
        return RunSuspended(self._run, suspended[0][0] if suspended else "", reason)

    def _ended(self, end: Mapping[str, str]) -> Event:
        """Write down the end and the result."""
        name, reason = end["end"], end["reason"]
        ok = self._plan.ends[name].ok
        self._store.registry.rest(self._run, Rest("finished", name, ok, reason, self._result()))
        return RunEnded(self._run, name, ok, reason)

    def _result(self) -> Json:
        if self._plan.result:
            values = self._last if END_KEY in self._last else self._snapshot().values
            return values.get(self._plan.result)
        inputs = {channel.name for channel in self._plan.inputs}
        return {name: value for name, value in self.state().items() if name not in inputs}


def compiled(plan: Plan, code: Mapping[str, Any], checkpointer: Any, models: Mapping[str, AnyModel]) -> Any:
    """The engine's graph of a plan with its models, for programs that run it themselves."""
    return compile_plan(plan, code, checkpointer, Context(connected(models)))
