"""One node of a plan as the engine's callable: a visit from the state to the command that leads on."""

import time
from collections.abc import Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph._internal._runnable import RunnableCallable
from langgraph.graph import END
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from loopwright.graphs.compile.channels import engine_reset, engine_write
from loopwright.graphs.compile.context import Context
from loopwright.graphs.compile.names import AT, END_KEY, count_key, engine_name
from loopwright.graphs.plan import Plan, PlanNode
from loopwright.graphs.transitions import Transitions
from loopwright.nodes.contract import AskOutside, Node
from loopwright.nodes.driver.perform import aperform, perform
from loopwright.nodes.driver.steps import Job, Result
from loopwright.nodes.driver.visit import visit
from loopwright.nodes.events import Event, VisitEnded, VisitStarted
from loopwright.state.channels import MISSING
from loopwright.state.records import Visit
from loopwright.state.schema import check_for
from loopwright.state.values import Json


class Leaving:
    """How the nodes of one plan lead on: from an outcome to the engine's command.

    Args:
        plan: The plan.
        default: What visits work with where the engine is run by somebody else, without a context of ours.
    """

    def __init__(self, plan: Plan, default: Context) -> None:
        self.plan, self.default = plan, default
        self._transitions = Transitions(plan)
        self._engine_names = {name: engine_name(plan, name) for name in plan.nodes}
        self._count_keys = {bound: count_key(bound) for bound in plan.bounds}

    def context(self, runtime: Runtime[Context]) -> Context:
        """The run's own things; a graph around ours may have a context of another kind."""
        return runtime.context if isinstance(runtime.context, Context) else self.default

    def command(
        self, source: str, outcome: str, reason: str, update: dict[str, Any], state: Mapping[str, Any], context: Context
    ) -> tuple[str, Command[str]]:
        """The plan's target, and the engine's command with all that the step writes."""
        step = self._transitions.plain.get((source, outcome))
        if step is None:
            counts = {bound: state.get(key, 0) for bound, key in self._count_keys.items()}
            step = self._transitions.take(source, outcome, counts, context.more)
        for bound, count in step.counts.items():
            update[self._count_keys[bound]] = count
        for name in step.resets:
            write = engine_reset(self.plan.channels[name])
            if write is not MISSING:
                update[name] = write
        if step.target in self.plan.ends:
            words = reason or f"{source} answered {outcome!r}"
            if step.reached:
                words = "; ".join((*(self._used_up(bound, context) for bound in step.reached), *filter(None, [reason])))
            update[END_KEY] = {"end": step.target, "reason": words}
            return step.target, Command(update=update, goto=END)
        return step.target, Command(update=update, goto=self._engine_names[step.target])

    def _used_up(self, name: str, context: Context) -> str:
        bound = self.plan.bounds[name]
        return f"bound {name!r} used up: at most {bound.at_most + context.more.get(name, 0)} times"


class Station:
    """A placed node, ready to be visited.

    Args:
        leaving: How the plan's nodes lead on.
        placed: The node in its place.
        node: The node, bound to its code.
    """

    def __init__(self, leaving: Leaving, placed: PlanNode, node: Node) -> None:
        plan = leaving.plan
        outer = placed.channels
        contract = node.contract
        self.leaving, self.placed, self.node = leaving, placed, node
        self.reads = [(name, outer.get(name, name)) for name in contract.reads]
        self.channels = {name: plan.channels[outer.get(name, name)] for name in contract.writes}
        self.checks = {name: check_for(channel.write_schema) for name, channel in self.channels.items()}
        self.first = {name: plan.channels[place].first_value for name, place in self.reads}
        self.handled = frozenset(name for name in contract.failures if (placed.name, name) in plan.routes)

    def run(self, state: Mapping[str, Any], config: RunnableConfig, runtime: Runtime[Context]) -> Command[str]:
        """One visit with blocking calls."""
        trip = Trip(self, state, config, runtime)
        return trip.lead_on(perform(visit(trip.job), trip))

    async def arun(self, state: Mapping[str, Any], config: RunnableConfig, runtime: Runtime[Context]) -> Command[str]:
        """One visit with awaited calls."""
        trip = Trip(self, state, config, runtime)
        return trip.lead_on(await aperform(visit(trip.job), trip))

    def callable(self) -> RunnableCallable:
        """The engine's node. It is not traced: what there is to see of a visit is in its events."""
        return RunnableCallable(self.run, self.arun, name=self.placed.name, trace=False)


class Trip:
    """One visit under way; the driver's hands."""

    def __init__(
        self, station: Station, state: Mapping[str, Any], config: RunnableConfig, runtime: Runtime[Context]
    ) -> None:
        configurable = config["configurable"]
        self.station, self.state = station, state
        self.context = station.leaving.context(runtime)
        self._writer, self._namespace = runtime.stream_writer, configurable.get("checkpoint_ns", "")
        first, get = station.first, state.get
        self.job = Job(
            station.node,
            {name: get(place, first[name]) for name, place in station.reads},
            station.checks,
            self.context.models,
            configurable["__pregel_task_id"],
            configurable.get(AT, "") + station.placed.name,
            station.handled,
        )
        self._started, self._clock = time.time(), time.perf_counter()
        if self.context.listening:
            asked = [self.context.models[name].label for name in station.node.models if name in self.context.models]
            kind = station.node.contract.kind
            self.tell(VisitStarted(self.job.label, kind, self.job.task, asked[0] if asked else ""))

    def outside(self, ask: AskOutside) -> Json:
        """Wait for the answer; one that does not fit is asked for again (a net: `resume` checks before)."""
        check = check_for(ask.reply)
        question: dict[str, Any] = {
            "node": self.job.label,
            "text": ask.text,
            "reply": dict(ask.reply),
            "source": ask.source,
            "default": ask.default,
            "shorthand": dict(ask.shorthand),
        }
        while True:
            answer: Json = interrupt({"question": question})
            try:
                check(answer)
            except ValueError as error:
                question = {**question, "text": f"{ask.text}\n({error})"}
            else:
                return answer

    def suspend(self, reason: str) -> None:
        """Stop here; siblings finish, what is done is kept, and going on asks again."""
        interrupt({"suspended": self.job.label, "reason": reason})

    def tell(self, event: Event) -> None:
        """Pass an event on, if anybody listens."""
        if self.context.listening:
            self._writer(event)

    def record(self, result: Result, target: str) -> None:
        """Keep what the visit came to, with its writes."""
        if self.context.note is None and not self.context.listening:
            return
        answer = result.answer
        done = Visit(
            index=-1,
            node=self.job.label,
            kind=self.station.node.contract.kind,
            outcome=answer.outcome,
            target=target,
            reason=answer.reason,
            reply=result.reply,
            model=result.model,
            usage=result.usage,
            started=self._started,
            seconds=time.perf_counter() - self._clock,
            note=result.note,
        )
        if self.context.note is not None:
            self.context.note(self.job.task, self._namespace, done)
        self.tell(VisitEnded(done, self.job.task))

    def lead_on(self, result: Result) -> Command[str]:
        """The engine's command: what is written, and where the plan leads."""
        station, answer = self.station, result.answer
        outer = station.placed.channels
        update = {
            outer.get(name, name): engine_write(station.channels[name], value) for name, value in answer.update.items()
        }
        target, command = station.leaving.command(
            station.placed.name, answer.outcome, answer.reason, update, self.state, self.context
        )
        self.record(result, target)
        return command
