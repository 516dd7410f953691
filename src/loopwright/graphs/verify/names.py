"""Names: everything that is named exists, is named once, and every outcome has exactly one edge."""

from collections import Counter
from collections.abc import Iterator, Mapping

from loopwright.graphs.plan import Edge, Fork, Plan
from loopwright.graphs.verify.findings import Finding, edge_words, error, warning
from loopwright.hints import did_you_mean
from loopwright.nodes.code import UNVERSIONED, CodeNode
from loopwright.nodes.wait import Human


def place_names(plan: Plan) -> Iterator[Finding]:
    """The start, and names that are empty or stand for a node and an end."""
    if not plan.nodes:
        yield error("empty-plan", f"the plan {plan.name!r} has no nodes", "add at least one node and an edge to an End")
    elif plan.start not in plan.nodes:
        yield error("unknown-start", f"the start {plan.start!r} is no node", did_you_mean(plan.start, plan.nodes))
    for name in plan.nodes:
        if name in plan.ends:
            yield error("name-of-two", f"{name!r} is a node and an end", "rename one of them", (name,))
    named: tuple[tuple[str, Mapping[str, object]], ...] = (
        ("a node", plan.nodes),
        ("an end", plan.ends),
        ("a channel", plan.channels),
        ("a bound", plan.bounds),
    )
    for what, names in named:
        if "" in names:
            yield error("empty-name", f"{what} of {plan.name!r} has an empty name", "give it a name")


def edges(plan: Plan) -> Iterator[Finding]:
    """Every edge starts at an outcome that is declared and leads to something that exists, and is the only one."""
    for edge in plan.edges:
        words = edge_words(edge.source, edge.outcome)
        yield from _source(plan, edge)
        yield from _way(plan, words, edge.way.target, edge.way.bound, edge.source)
    for bound in plan.bounds.values():
        yield from _way(plan, f"the bound {bound.name!r}, when it is used up,", bound.then.target, bound.then.bound)
    for (source, outcome), times in Counter((edge.source, edge.outcome) for edge in plan.edges).items():
        if times > 1:
            words = f"{edge_words(source, outcome)} has {times} edges"
            yield error("two-edges", words, "an outcome leads to one place; keep one of them", (source,))


def _source(plan: Plan, edge: Edge) -> Iterator[Finding]:
    words = edge_words(edge.source, edge.outcome)
    if edge.source not in plan.nodes:
        hint = did_you_mean(edge.source, plan.nodes)
        yield error("unknown-source", f"the edge {words} starts at {edge.source!r}, which is no node", hint)
        return
    contract = plan.nodes[edge.source].contract
    if edge.outcome not in (*contract.outcomes, *contract.failures):
        hint = did_you_mean(edge.outcome, (*contract.outcomes, *contract.failures))
        message = f"the edge {words} is for {edge.outcome!r}, which is no outcome of {edge.source!r}"
        yield error("unknown-outcome", message, hint, (edge.source,))


def _way(plan: Plan, words: str, target: str, bound: str, *nodes: str) -> Iterator[Finding]:
    if target not in plan.nodes and target not in plan.ends:
        hint = did_you_mean(target, [*plan.nodes, *plan.ends])
        yield error("unknown-target", f"{words} leads to {target!r}, which is neither a node nor an end", hint, nodes)
    if bound and bound not in plan.bounds:
        hint = did_you_mean(bound, plan.bounds)
        yield error("unknown-bound", f"{words} carries the bound {bound!r}, which does not exist", hint, nodes)


def outcomes(plan: Plan) -> Iterator[Finding]:
    """Every node has outcomes, each once, and every one of them has an edge."""
    for name, placed in plan.nodes.items():
        contract = placed.contract
        if not contract.outcomes:
            yield error("no-outcomes", f"{name!r} has no outcomes", "declare at least one", (name,))
        for outcome, times in Counter(contract.outcomes).items():
            if times > 1:
                message = f"{name!r} declares the outcome {outcome!r} {times} times"
                yield error("same-outcome", message, "declare it once", (name,))
            if (name, outcome) not in plan.routes:
                hint = f"add an edge from {name!r} for {outcome!r}"
                yield error("missing-edge", f"{edge_words(name, outcome)} leads nowhere", hint, (name,))


def references(plan: Plan) -> Iterator[Finding]:
    """Models that are asked exist, code has a version, and the actions that lines stand for are among the outcomes."""
    for name, placed in plan.nodes.items():
        node = placed.node
        if isinstance(node, Fork):
            continue
        for model in node.models:
            if model not in plan.models and model != "default":
                hint = did_you_mean(model, ["default", *plan.models])
                yield error("unknown-model", f"{name!r} asks the model {model!r}, which does not exist", hint, (name,))
        if isinstance(node, CodeNode) and node.code.version == UNVERSIONED:
            message = f"changes of the code {node.code.name!r} of {name!r} cannot be seen"
            yield warning("unversioned-code", message, "give it a version=, or a function that has source", (name,))
        if isinstance(node, Human):
            yield from _actions(name, node)


def _actions(name: str, node: Human) -> Iterator[Finding]:
    for field, action in (("default", node.default), ("on_text", node.on_text)):
        if action and action not in node.outcomes:
            hint = did_you_mean(action, node.outcomes)
            yield error(
                "unknown-action", f"{name!r} has {field}={action!r}, which is none of its outcomes", hint, (name,)
            )
