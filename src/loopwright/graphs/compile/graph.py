"""The door: a plan, and its live code, to a LangGraph graph."""

from collections.abc import Mapping
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph

from loopwright.graphs.compile.channels import engine_schema
from loopwright.graphs.compile.context import Context
from loopwright.graphs.compile.exits import Exits
from loopwright.graphs.compile.forks import EngineFork, Graph
from loopwright.graphs.compile.names import engine_name
from loopwright.graphs.compile.visits import EngineNode
from loopwright.graphs.plan import Fork, Plan, PlanNode


def compile_plan(
    plan: Plan,
    code: Mapping[str, Any],
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    default: Context | None = None,
) -> Graph:
    """The engine's graph of a plan.

    Args:
        plan: A plan without error findings.
        code: The plan's live code, by the names of its references.
        checkpointer: Where the engine keeps its checkpoints; None for a graph that keeps nothing, or for a body.
        default: What visits work with where the graph is run without a context of ours.

    Raises:
        ContractError: The plan needs code that is not there.
    """
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(engine_schema(plan), context_schema=Context)
    exits, default = Exits(plan), default or Context()
    for placed in plan.nodes.values():
        destinations = _destinations(plan, placed)
        if isinstance(placed.node, Fork):
            fork = EngineFork(exits, placed, code, lambda body: compile_plan(body, code, None, default), default)
            fork.add_to(graph, destinations)
        else:
            node = EngineNode(exits, placed, placed.node.bound(code), default)
            graph.add_node(engine_name(placed.name), node.callable(), destinations=destinations)
    graph.add_edge(START, engine_name(plan.start))
    return graph.compile(checkpointer=checkpointer, name=plan.name)


def _destinations(plan: Plan, placed: PlanNode) -> dict[str, str]:
    """The engine's targets of a node with the outcomes that lead there: for the engine's own drawing only."""
    labels: dict[str, list[str]] = {}
    for move in plan.moves:
        if move.source == placed.name:
            target = END if move.way.target in plan.ends else engine_name(move.way.target)
            labels.setdefault(target, []).append(move.outcome)
    return {target: ", ".join(dict.fromkeys(outcomes)) for target, outcomes in labels.items()}
