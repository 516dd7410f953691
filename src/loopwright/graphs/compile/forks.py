"""Forks on the engine: a node that sends one task for each branch, the bodies, and a join.

Every branch is one engine task, however many visits its body makes: a body of one visit is made in the task itself, a
longer one is a graph of its own inside it. So all branches end in one superstep, and the join fires once.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph._internal._runnable import RunnableCallable
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Send

from loopwright.errors import ContractError
from loopwright.graphs.certificate.certify import certificate_of
from loopwright.graphs.compile.channels import engine_write
from loopwright.graphs.compile.context import Context, EngineTask
from loopwright.graphs.compile.exits import Exits
from loopwright.graphs.compile.names import AT, END_KEY, body_name, engine_name, join_name, results_key
from loopwright.graphs.compile.visits import EngineNode
from loopwright.graphs.outcomes import outcome_of_ends
from loopwright.graphs.plan import Branch, Fork, Plan, PlanNode
from loopwright.nodes.contract import FAILURES
from loopwright.nodes.places import item_names, place
from loopwright.state.records import Visit
from loopwright.state.schema import check_for

Graph = CompiledStateGraph[Any, Any, Any, Any]


class Sent(TypedDict):
    """What one branch is sent: its place among the branches, the body's name, its label and its inputs."""

    index: int
    branch: str
    label: str
    inputs: dict[str, Any]


class Body(Protocol):
    """Makes all visits of a branch, and gives what the branch's state holds at its end."""

    def run(self, sent: Sent, config: RunnableConfig, runtime: Runtime[Context]) -> Any:
        """With blocking calls."""

    async def arun(self, sent: Sent, config: RunnableConfig, runtime: Runtime[Context]) -> Any:
        """With awaited calls."""


class OneVisit:
    """A body whose one node is left for an end after every visit: it is visited in the branch's own task."""

    def __init__(self, node: EngineNode) -> None:
        self._node = node

    def run(self, sent: Sent, config: RunnableConfig, runtime: Runtime[Context]) -> Any:
        """With blocking calls."""
        return self._node.run(sent["inputs"], _labelled(config, sent), runtime).update

    async def arun(self, sent: Sent, config: RunnableConfig, runtime: Runtime[Context]) -> Any:
        """With awaited calls."""
        return (await self._node.arun(sent["inputs"], _labelled(config, sent), runtime)).update


class OwnGraph:
    """A longer body: a graph of its own, with a limit of its own, inside the branch's task."""

    def __init__(self, plan: Plan, graph: Graph, default: Context) -> None:
        self._graph, self._limit, self._default = graph, certificate_of(plan).limit, default

    def run(self, sent: Sent, config: RunnableConfig, runtime: Runtime[Context]) -> Any:
        """With blocking calls."""
        context = EngineTask(config, runtime, self._default).context
        return self._graph.invoke(sent["inputs"], self._config(sent), context=context)

    async def arun(self, sent: Sent, config: RunnableConfig, runtime: Runtime[Context]) -> Any:
        """With awaited calls."""
        context = EngineTask(config, runtime, self._default).context
        return await self._graph.ainvoke(sent["inputs"], self._config(sent), context=context)

    def _config(self, sent: Sent) -> RunnableConfig:
        return {"configurable": {AT: sent["label"]}, "recursion_limit": self._limit}


class EngineFork:
    """A fork in its place, with its bodies compiled.

    Args:
        exits: The ways out of the nodes of the plan around it.
        placed: The fork in its place.
        code: The plan's live code.
        compile_body: Makes the engine's graph of a body's plan.
        default: What visits work with where the engine is run by somebody else.
    """

    def __init__(
        self,
        exits: Exits,
        placed: PlanNode,
        code: Mapping[str, Any],
        compile_body: Callable[[Plan], Graph],
        default: Context,
    ) -> None:
        assert isinstance(placed.node, Fork)
        self.exits, self.placed, self.fork, self.default = exits, placed, placed.node, default
        channels = exits.plan.channels
        self.name = engine_name(placed.name)
        self.results = results_key(placed.name)
        self.collect = channels[self._outer(self.fork.collect)]
        self.check = check_for(self.collect.write_schema)
        self.bodies = {
            name: _body_of(branch.plan, code, compile_body, default) for name, branch in self.fork.branches.items()
        }

    def add_to(self, graph: StateGraph[Any, Any, Any, Any], destinations: dict[str, str]) -> None:
        """Add the three engine nodes."""
        body, join = body_name(self.name), join_name(self.name)
        graph.add_node(
            self.name,
            RunnableCallable(self._send, name=self.name, trace=False),
            destinations={body: "each" if self.fork.kind == "each" else "all", join: "none"},
        )
        graph.add_node(body, RunnableCallable(self._run, self._arun, name=body, trace=False))
        graph.add_edge(body, join)
        graph.add_node(join, RunnableCallable(self._join, name=join, trace=False), destinations=destinations)

    def _outer(self, name: str) -> str:
        return self.placed.channels.get(name, name)

    def _send(self, state: dict[str, Any], config: RunnableConfig) -> Command[str]:
        label = config["configurable"].get(AT, "") + self.placed.name
        tasks = [Send(body_name(self.name), sent) for sent in self._branches(self.exits.found(self.name, state), label)]
        return Command(goto=tasks or join_name(self.name))

    def _branches(self, state: Mapping[str, Any], label: str) -> Iterator[Sent]:
        fork = self.fork
        if fork.kind == "parallel":
            for index, (name, branch) in enumerate(fork.branches.items()):
                yield Sent(index=index, branch=name, label=f"{place(label, name)}/", inputs=self._inputs(branch, state))
            return
        items = self._read(state, self._outer(fork.over))
        if fork.at_most is not None and len(items) > fork.at_most:
            raise ContractError(f"fork {label!r}: {len(items)} items came, and at most {fork.at_most} were declared")
        try:
            called = item_names(fork.named_by, items)
        except ValueError as error:
            raise ContractError(f"fork {label!r}: {error}") from error
        (name, branch), *_ = fork.branches.items()
        shared = self._inputs(branch, state)
        for index, item in enumerate(items):
            inputs = {**shared, fork.as_: item}
            yield Sent(index=index, branch=name, label=f"{place(label, called[index])}/", inputs=inputs)

    def _inputs(self, branch: Branch, state: Mapping[str, Any]) -> dict[str, Any]:
        """What a body takes from the plan around it."""
        return {
            channel.name: self._read(state, self._outer(branch.inputs.get(channel.name, channel.name)))
            for channel in branch.plan.inputs
            if channel.name != self.fork.as_
        }

    def _read(self, state: Mapping[str, Any], name: str) -> Any:
        return state.get(name, self.exits.plan.channels[name].first_value)

    def _run(self, sent: Sent, config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:
        return self._result(sent, self.bodies[sent["branch"]].run(sent, config, runtime))

    async def _arun(self, sent: Sent, config: RunnableConfig, runtime: Runtime[Context]) -> dict[str, Any]:
        return self._result(sent, await self.bodies[sent["branch"]].arun(sent, config, runtime))

    def _result(self, sent: Sent, final: Mapping[str, Any]) -> dict[str, Any]:
        plan = self.fork.branches[sent["branch"]].plan
        end = final[END_KEY]["end"]
        value = final.get(plan.result) if plan.result else end
        return {self.results: [[sent["index"], sent["branch"], value, "" if plan.ends[end].ok else end]]}

    def _join(self, state: dict[str, Any], config: RunnableConfig, runtime: Runtime[Context]) -> Command[str]:
        task = EngineTask(config, runtime, self.default)
        label = task.label + self.placed.name
        results = sorted(state.get(self.results, []))
        values: Any = [value for _, _, value, _ in results]
        if self.fork.kind == "parallel":
            values = {branch: value for _, branch, value, _ in results}
        ends = [end for *_, end in results]
        outcome, reason = outcome_of_ends(ends)
        update = {}
        try:
            self.check(values)
        except ValueError as error:
            if not set(ends).intersection(FAILURES):
                fault = f"fork {label!r}: what it collected in {self.collect.name!r} does not fit: {error}"
                raise ContractError(fault) from error
        else:
            update = {self.collect.name: engine_write(self.collect, values)}
        target, command = self.exits.leave(self.placed.name, outcome, reason, update, state)
        task.keep(Visit(-1, label, self.fork.kind, outcome, target, reason, values, started=time.time()))
        return command


def is_one_visit(plan: Plan) -> bool:
    """Whether a body's one node is left for an end after every visit: then it has no checkpoints of its own."""
    first, *others = plan.nodes.values()
    return not others and not isinstance(first.node, Fork) and all(move.way.target in plan.ends for move in plan.moves)


def _body_of(plan: Plan, code: Mapping[str, Any], compile_body: Callable[[Plan], Graph], default: Context) -> Body:
    first = plan.nodes[plan.start]
    if is_one_visit(plan) and not isinstance(first.node, Fork):
        return OneVisit(EngineNode(Exits(plan), first, first.node.bound(code), default))
    return OwnGraph(plan, compile_body(plan), default)


def _labelled(config: RunnableConfig, sent: Sent) -> RunnableConfig:
    return {**config, "configurable": {**config["configurable"], AT: sent["label"]}}
