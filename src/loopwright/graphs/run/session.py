"""One session of a run: from where it is to where it next comes to rest. This is the part that needs the engine."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphRecursionError
from langgraph.types import Command, StateSnapshot
from loopwright.graphs.certificate.certify import certify

from loopwright.errors import ContractError, NotWaiting
from loopwright.graphs.compile.context import Context
from loopwright.graphs.compile.forks import engine_limit
from loopwright.graphs.compile.graph import compile_plan
from loopwright.graphs.compile.names import END_KEY
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.models import AnyModel, connected
from loopwright.nodes.events import Event, RunEnded, RunStarted, RunSuspended, RunWaiting, VisitEnded
from loopwright.state.records import Question
from loopwright.state.store.registry import Stop
from loopwright.state.store.saver import Saver
from loopwright.state.store.store import Store
from loopwright.state.values import Json, JsonObject

STOPPING = (ContractError, GraphRecursionError)
"""What ends a session as a suspension: faults of the plan's own code, and the engine's limit, the second fence."""


class Session:
    """A run that this process holds.

    Args:
        store: Where the run is.
        run: Its id.
        plan: Its plan.
        code: The plan's live code.
        models: Its models by name.
        inputs: What it is started with, for a run of which nothing is on disk yet.
        listening: Whether events are made.
    """

    def __init__(
        self,
        store: Store,
        run: str,
        plan: Plan,
        code: Mapping[str, Any],
        models: Mapping[str, AnyModel],
        inputs: JsonObject,
        *,
        listening: bool,
    ) -> None:
        self._store, self._run, self._plan, self._inputs = store, run, plan, inputs
        visits = store.registry.visits(run)
        self._next_index = len(visits)
        saver = Saver(store.database)
        self._graph = compile_plan(plan, code, saver)
        self._config: RunnableConfig = {
            "configurable": {"thread_id": run},
            "recursion_limit": engine_limit(certify(plan)),
        }
        by_node = Counter(visit.node for visit in visits if visit.model)
        self._context = Context(connected(models, by_node), note=saver.note, listening=listening)
        self._streaming: dict[str, Any] = {"context": self._context, "durability": "sync", **_mode(listening)}

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
        """The event in a part of the engine's stream, if anybody listens; visits get their place in the run."""
        if not self._context.listening:
            return
        _, event = part
        if isinstance(event, VisitEnded):
            index, self._next_index = self._next_index, self._next_index + 1
            event = VisitEnded(replace(event.visit, index=index), event.task)
        yield event

    def _conclude(self, failure: str) -> Event:
        """Write down how the run rests, and tell it."""
        snapshot = self._snapshot()
        payloads = [(asked.id, asked.value) for asked in snapshot.interrupts if isinstance(asked.value, Mapping)]
        questions = tuple(Question(id, **value["question"]) for id, value in payloads if "question" in value)
        suspended = [(value["suspended"], value["reason"]) for _, value in payloads if "suspended" in value]
        reasons = "; ".join(f"{node}: {reason}" for node, reason in suspended)
        registry = self._store.registry
        end = snapshot.values.get(END_KEY)
        if end is not None and not failure:
            ok = self._plan.ends[end["end"]].ok
            registry.rest(self._run, Stop("finished", end["end"], ok, end["reason"], self._result(snapshot.values)))
            return RunEnded(self._run, end["end"], ok, end["reason"])
        if questions and not failure:
            registry.rest(self._run, Stop("waiting", reason=reasons, questions=questions))
            return RunWaiting(self._run, questions)
        reason = "; ".join(filter(None, [failure, reasons])) or "the engine stopped without an end"
        registry.rest(self._run, Stop("suspended", reason=reason))
        return RunSuspended(self._run, suspended[0][0] if suspended else "", reason)

    def _result(self, values: Mapping[str, Any]) -> Json:
        if self._plan.result:
            return values.get(self._plan.result)  # type: ignore[no-any-return]
        return {
            name: values[name] for name, channel in self._plan.channels.items() if name in values and not channel.input
        }


def _mode(listening: bool) -> dict[str, Any]:
    """How the engine streams. Events come while a node is at work only from another thread, which costs 0.2 ms a visit:
    where nobody listens, the engine is asked for next to nothing and runs a lone node in this thread."""
    if listening:
        return {"stream_mode": "custom", "subgraphs": True}
    return {"stream_mode": "updates", "output_keys": [END_KEY]}


def compiled(plan: Plan, code: Mapping[str, Any], checkpointer: Any, models: Mapping[str, AnyModel]) -> Any:
    """The engine's graph of a plan with its models, for programs that run it themselves."""
    return compile_plan(plan, code, checkpointer, Context(connected(models, {})))
