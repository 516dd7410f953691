"""One node of a plan as the engine's callable: a visit from the state to the command that leads on."""

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph._internal._runnable import RunnableCallable
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from loopwright.errors import WrongAnswer
from loopwright.graphs.compile.channels import engine_write
from loopwright.graphs.compile.context import Context, EngineTask
from loopwright.graphs.compile.exits import Exits
from loopwright.graphs.plan import PlanNode
from loopwright.nodes.contract import AskOutside, Node
from loopwright.nodes.driver.perform import aperform, perform
from loopwright.nodes.driver.steps import Job, Result, Suspend
from loopwright.nodes.driver.visit import visit
from loopwright.nodes.events import Event, VisitStarted
from loopwright.nodes.wait import answer_from_line
from loopwright.state.channels import Channel
from loopwright.state.records import Visit
from loopwright.state.schema import Check, check_for, is_json
from loopwright.state.values import Json


class EngineNode:
    """A plan's node in its place, ready to be visited by the engine.

    Args:
        exits: The ways out of the plan's nodes.
        placed: The node in its place.
        node: The node, bound to its code.
        default: What visits work with where the engine is run by somebody else, without a context of ours.
    """

    def __init__(self, exits: Exits, placed: PlanNode, node: Node, default: Context) -> None:
        channels, outer, contract = exits.plan.channels, placed.channels, node.contract
        self.exits, self.placed, self.node, self.default = exits, placed, node, default
        self.reads = [(name, outer.get(name, name)) for name in contract.reads]
        self.channels = {name: channels[outer.get(name, name)] for name in contract.writes}
        self.checks = {name: check_for(channel.write_schema) for name, channel in self.channels.items()}
        self.first = {name: channels[place].first_value for name, place in self.reads}
        self.sums = [(name, channel) for name, channel in self.channels.items() if channel.reduce == "add"]
        self.handled = frozenset(name for name in contract.failures if (placed.name, name) in exits.plan.routes)

    def run(self, state: Mapping[str, Any], config: RunnableConfig, runtime: Runtime[Context]) -> Command[str]:
        """One visit with blocking calls."""
        here = EngineVisit(self, state, config, runtime)
        return here.lead_on(perform(visit(here.job), here))

    async def arun(self, state: Mapping[str, Any], config: RunnableConfig, runtime: Runtime[Context]) -> Command[str]:
        """One visit with awaited calls."""
        here = EngineVisit(self, state, config, runtime)
        return here.lead_on(await aperform(visit(here.job), here))

    def callable(self) -> RunnableCallable:
        """The engine's node. It is not traced: what there is to see of a visit is in its events."""
        return RunnableCallable(self.run, self.arun, name=self.placed.name, trace=False)


class EngineVisit:
    """One visit under way: what the driver is given, and what it asks the engine for."""

    def __init__(
        self, node: EngineNode, state: Mapping[str, Any], config: RunnableConfig, runtime: Runtime[Context]
    ) -> None:
        self.node, self.state = node, node.exits.found(node.placed.name, state)
        self.task = EngineTask(config, runtime, node.default)
        first, get = node.first, self.state.get
        label = self.task.label + node.placed.name
        self.job = Job(
            node.node,
            {name: get(place, first[name]) for name, place in node.reads},
            {**node.checks, **self._sums()} if node.sums else node.checks,
            self.task.context.models,
            self.task.id,
            label,
            node.handled,
            self.task.context.heard,
            self.task.takes_again(label),
            self.task.context.terms,
            self.task.context.effects,
            self.task.context.come,
        )
        self._started, self._clock = time.time(), time.perf_counter()
        if self.task.context.listening:
            models = self.task.context.models
            asked = next((models[name].label for name in node.node.models if name in models), "")
            self.tell(VisitStarted(self.job.label, node.node.contract.kind, self.task.id, asked))

    def _sums(self) -> dict[str, Check]:
        """The checks of writes that are added to what is there: the sum must be a number that can be kept."""
        return {name: self._sum(channel) for name, channel in self.node.sums}

    def _sum(self, channel: Channel) -> Check:
        check, before = check_for(channel.write_schema), self.state.get(channel.name, 0)

        def check_sum(value: Json) -> None:
            check(value)
            if not is_json(before + value):
                raise ValueError(f"the sum of {before} and {value} is too large to be kept")

        return check_sum

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
        if ask.event:
            question |= {"event": ask.event, "where": dict(ask.where)}
        if ask.after is not None or ask.due is not None:
            question["due"] = self._started + (ask.after or 0.0) if ask.due is None else ask.due
        while True:
            answer: Json = interrupt({"question": question})
            try:
                if isinstance(answer, str) and ask.shorthand:  # a line, from a program that runs the graph itself
                    answer = answer_from_line(answer, ask.default, ask.shorthand)
                check(answer)
            except (ValueError, WrongAnswer) as error:
                question = {**question, "text": f"{ask.text}\n({error})"}
            else:
                return answer

    def suspend(self, stop: Suspend) -> None:
        """Stop here; siblings finish, what is done is kept, and going on asks again."""
        interrupt({"suspended": self.job.label, **asdict(stop)})

    def tell(self, event: Event) -> None:
        """Pass an event on, if anybody listens."""
        self.task.tell(event)

    def lead_on(self, result: Result) -> Command[str]:
        """The engine's command: what is written, and where the plan leads."""
        node, answer = self.node, result.answer
        outer, channels = node.placed.channels, node.channels
        update = {outer.get(name, name): engine_write(channels[name], value) for name, value in answer.update.items()}
        target, command = node.exits.leave(node.placed.name, answer.outcome, answer.reason, update, self.state)
        self.task.keep(
            Visit(
                index=-1,
                node=self.job.label,
                kind=node.node.contract.kind,
                outcome=answer.outcome,
                target=target,
                reason=answer.reason,
                reply=result.reply,
                model=result.model,
                usage=result.usage,
                started=self._started,
                seconds=time.perf_counter() - self._clock,
                note=result.note,
                raw=result.raw,
                effect=result.effect,
            ),
            answer.events,
            result.taken,
        )
        return command
