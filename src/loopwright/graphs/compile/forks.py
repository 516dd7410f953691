"""Forks on the engine: a node that sends one task for each branch, the bodies, and a join.

Every branch is one engine task, however many visits its body makes: a body of one visit is made in the task itself, a
longer one is a graph of its own inside it. So all branches end in one superstep, and the join fires once.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph._internal._runnable import RunnableCallable
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Send

from loopwright.errors import ContractError
from loopwright.graphs.certificate.certify import Certificate, certificate_of
from loopwright.graphs.compile.channels import engine_write
from loopwright.graphs.compile.context import Context
from loopwright.graphs.compile.names import AT, END_KEY, body_name, engine_name, join_name, results_key
from loopwright.graphs.compile.visits import Leaving, Station
from loopwright.graphs.plan import Branch, Fork, Plan, PlanNode
from loopwright.nodes.events import VisitEnded
from loopwright.nodes.places import place
from loopwright.state.records import Visit
from loopwright.state.schema import check_for

Graph = CompiledStateGraph[Any, Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """What one branch is sent: its place among the branches, the body's name, its label and its inputs."""

    index: int
    branch: str
    label: str
    inputs: dict[str, Any]

    def to_data(self) -> dict[str, Any]:
        """As the engine stores it."""
        return {"index": self.index, "branch": self.branch, "label": self.label, "inputs": self.inputs}


class Forking:
    """A fork in its place, with its bodies compiled.

    Args:
        leaving: How the nodes of the plan around it lead on.
        placed: The fork in its place.
        code: The plan's live code.
        compile_body: Makes the engine's graph of a body's plan.
    """

    def __init__(
        self, leaving: Leaving, placed: PlanNode, code: Mapping[str, Any], compile_body: Callable[[Plan], Graph]
    ) -> None:
        assert isinstance(placed.node, Fork)
        self.leaving, self.placed, self.fork = leaving, placed, placed.node
        plan = leaving.plan
        self.name = engine_name(plan, placed.name)
        self.results = results_key(placed.name)
        self.collect = plan.channels[self._outer(self.fork.collect)]
        self.check = check_for(self.collect.write_schema)
        plans = {name: branch.plan for name, branch in self.fork.branches.items()}
        self.stations = {
            name: station for name, body in plans.items() if (station := only_station(body, code, leaving.default))
        }
        longer = {name: body for name, body in plans.items() if name not in self.stations}
        self.bodies = {name: compile_body(body) for name, body in longer.items()}
        self.limits = {name: engine_limit(certificate_of(body)) for name, body in longer.items()}

    def add_to(self, graph: StateGraph[Any, Any, Any, Any], destinations: dict[str, str]) -> None:
        """Add the three engine nodes."""
        body, join = body_name(self.name), join_name(self.name)
        graph.add_node(
            self.name,
            RunnableCallable(self._send, name=self.name, trace=False),
            destinations={body: "each" if self.fork.kind == "each" else "all", join: "none"},
        )
        graph.add_node(body, RunnableCallable(self._body, self._abody, name=body, trace=False))
        graph.add_edge(body, join)
        graph.add_node(join, RunnableCallable(self._join, name=join, trace=False), destinations=destinations)

    def _outer(self, name: str) -> str:
        return self.placed.channels.get(name, name)

    def _send(self, state: dict[str, Any], config: RunnableConfig) -> Command[str]:
        label = config["configurable"].get(AT, "") + self.placed.name
        tasks = [Send(body_name(self.name), task.to_data()) for task in self._tasks(state, label)]
        return Command(goto=tasks or join_name(self.name))

    def _tasks(self, state: Mapping[str, Any], label: str) -> list[Task]:
        fork = self.fork
        if fork.kind == "parallel":
            return [
                Task(index, name, f"{place(label, name)}/", self._inputs(branch, state))
                for index, (name, branch) in enumerate(fork.branches.items())
            ]
        items = self._read(state, self._outer(fork.over))
        if fork.at_most is not None and len(items) > fork.at_most:
            raise ContractError(f"fork {label!r}: {len(items)} items came, and at most {fork.at_most} were declared")
        (name, branch), *_ = fork.branches.items()
        shared = self._inputs(branch, state)
        return [
            Task(index, name, f"{place(label, index)}/", {**shared, fork.as_: item}) for index, item in enumerate(items)
        ]

    def _inputs(self, branch: Branch, state: Mapping[str, Any]) -> dict[str, Any]:
        """What a body takes from the plan around it."""
        taken = {}
        for channel in branch.plan.inputs:
            outer = self._outer(branch.inputs.get(channel.name, channel.name))
            if channel.name != self.fork.as_:
                taken[channel.name] = self._read(state, outer)
        return taken

    def _read(self, state: Mapping[str, Any], name: str) -> Any:
        return state.get(name, self.leaving.plan.channels[name].first_value)

    def _body(self, task: dict[str, Any], config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:
        station, inner = self.stations.get(task["branch"]), self._config(task, config)
        if station is not None:
            final = station.run(task["inputs"], inner, runtime).update
        else:
            final = self.bodies[task["branch"]].invoke(task["inputs"], inner, context=self.leaving.context(runtime))
        return self._result(task, final)

    async def _abody(self, task: dict[str, Any], config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:
        station, inner = self.stations.get(task["branch"]), self._config(task, config)
        if station is not None:
            final = (await station.arun(task["inputs"], inner, runtime)).update
        else:
            final = await self.bodies[task["branch"]].ainvoke(
                task["inputs"], inner, context=self.leaving.context(runtime)
            )
        return self._result(task, final)

    def _config(self, task: Mapping[str, Any], config: RunnableConfig) -> RunnableConfig:
        if task["branch"] in self.stations:
            return {**config, "configurable": {**config["configurable"], AT: task["label"]}}
        return {"configurable": {AT: task["label"]}, "recursion_limit": self.limits[task["branch"]]}

    def _result(self, task: Mapping[str, Any], final: Any) -> dict[str, Any]:
        plan = self.fork.branches[task["branch"]].plan
        end = final[END_KEY]["end"]
        value = final.get(plan.result) if plan.result else end
        return {self.results: [[task["index"], task["branch"], value, plan.ends[end].ok]]}

    def _join(self, state: dict[str, Any], config: RunnableConfig, runtime: Runtime[Context]) -> Command[str]:
        context = self.leaving.context(runtime)
        results = sorted(state.get(self.results, []))
        values: Any = [value for _, _, value, _ in results]
        if self.fork.kind == "parallel":
            values = {branch: value for _, branch, value, _ in results}
        label = config["configurable"].get(AT, "") + self.placed.name
        try:
            self.check(values)
        except ValueError as error:
            raise ContractError(
                f"fork {label!r}: what it collected in {self.collect.name!r} does not fit: {error}"
            ) from error
        outcome = "done" if all(ok for _, _, _, ok in results) else "failed"
        reason = (
            "" if outcome == "done" else f"{sum(not ok for _, _, _, ok in results)} of {len(results)} branches failed"
        )
        update = {self.collect.name: engine_write(self.collect, values)}
        target, command = self.leaving.command(self.placed.name, outcome, reason, update, state, context)
        visit = Visit(-1, label, self.fork.kind, outcome, target, reason, values, started=time.time())
        task = config["configurable"]["__pregel_task_id"]
        if context.note is not None:
            context.note(task, config["configurable"]["checkpoint_ns"], visit)
        if context.listening:
            runtime.stream_writer(VisitEnded(visit, task))
        return command


def only_station(plan: Plan, code: Mapping[str, Any], default: Context) -> Station | None:
    """The one node of a body that is left for an end after every visit, ready to be visited; None for longer bodies."""
    placed = next(iter(plan.nodes.values()))
    ends = all(move.way.target in plan.ends for move in plan.moves)
    if len(plan.nodes) > 1 or not ends or isinstance(placed.node, Fork):
        return None
    return Station(Leaving(plan, default), placed, placed.node.bound(code))


def engine_limit(certificate: Certificate) -> int:
    """The engine's limit on supersteps: the second fence, one step behind the counters of the plan."""
    steps = certificate.steps if certificate.steps is not None else certificate.per_reply_steps
    return steps + 1
