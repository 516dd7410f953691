"""Small plans, written as the lines of a graph's edges."""

from collections.abc import Callable
from typing import Any

import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.edge_text import parse_edge
from loopwright.graphs.plan import Plan
from loopwright.nodes.code import CodeNode, CodeRef
from loopwright.nodes.contract import Node

PlanOf = Callable[..., Plan]


def _plan_of(*lines: str, nodes: tuple[Node, ...] = (), **fields: Any) -> Plan:
    """A plan of edges as `b [no] -> a, at most 2, then fail late`; a node that is not given is an act of nothing."""
    edges = [parse_edge(line) for line in lines]
    outcomes: dict[str, list[str]] = {node.name: [] for node in nodes}
    for edge in edges:
        outcomes.setdefault(edge.source, []).append(edge.outcome or "done")
    given = {node.name: node for node in nodes}
    builder = PlanBuilder("small", **fields)
    for name, words in outcomes.items():
        builder.node(given.get(name) or CodeNode(name, code=CodeRef(name, "1"), outcomes=tuple(dict.fromkeys(words))))
    for edge in edges:
        then = edge.then.way if edge.then else None
        builder.edge(
            edge.source, edge.outcome or "done", edge.to.way, at_most=edge.at_most, bound=edge.bound, then=then
        )
    return builder.build()


@pytest.fixture(scope="session")
def plan_of() -> PlanOf:
    return _plan_of
