"""Names: everything that is named exists, is named once, and every outcome has exactly one edge."""

from collections import Counter
from collections.abc import Iterator, Mapping

from loopwright.graphs.nesting import open_port
from loopwright.graphs.plan import Edge, Fork, Plan, Way
from loopwright.graphs.verify.findings import Finding, edge_words, error, warning
from loopwright.hints import did_you_mean
from loopwright.nodes.code import UNVERSIONED, CodeNode


def place_names(plan: Plan) -> Iterator[Finding]:
    """The start and the result, and names that are empty or stand for a node and an end."""
    if not plan.nodes:
        yield error("empty-plan", f"the plan {plan.name!r} has no nodes", "add at least one node and an edge to an End")
    elif plan.start not in plan.nodes:
        message, hint = f"the start {plan.start!r} is no node", did_you_mean(plan.start, plan.nodes)
        yield error("unknown-start", message, hint, about=("start",))
    if plan.result and plan.result not in plan.channels:
        message, hint = f"the result {plan.result!r} is no channel", did_you_mean(plan.result, plan.channels)
        yield error("unknown-channel", message, hint, about=("result",))
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
    """Every edge starts at an outcome that is declared and leads to something that exists."""
    for edge in plan.edges:
        yield from _source(plan, edge)
        about = ("edges", edge.source, edge.outcome, edge.way.target)
        yield from _way(plan, edge_words(edge.source, edge.outcome), edge.way, about, edge.source)
    for bound in plan.bounds.values():
        yield from _way(plan, f"the bound {bound.name!r}, when it is used up,", bound.then, ("bounds", bound.name))


def _source(plan: Plan, edge: Edge) -> Iterator[Finding]:
    words = edge_words(edge.source, edge.outcome)
    about = ("edges", edge.source, edge.outcome, edge.way.target)
    if edge.source not in plan.nodes:
        hint = did_you_mean(edge.source, plan.nodes)
        message = f"the edge {words} starts at no node"
        yield error("unknown-source", message, hint, about=about)
        return
    contract = plan.nodes[edge.source].contract
    if edge.outcome not in (*contract.outcomes, *contract.failures, *contract.never):
        hint = did_you_mean(edge.outcome, (*contract.outcomes, *contract.failures))
        message = f"{edge.source!r} has no outcome {edge.outcome!r}"
        yield error("unknown-outcome", message, hint, (edge.source,), about=about)


def _way(plan: Plan, words: str, way: Way, about: tuple[str, ...], *nodes: str) -> Iterator[Finding]:
    port = None if way.target in plan.ends else open_port(about[1], way.target)
    if port:
        inner, end = port
        hint = f"add an edge from {inner!r} for {end!r}"
        yield error("missing-edge", f"{edge_words(inner, end)} leads nowhere", hint, (inner,))
    elif way.target not in plan.nodes and way.target not in plan.ends:
        hint = did_you_mean(way.target, [*plan.nodes, *plan.ends])
        message = f"{words} leads to {way.target!r}, which is neither a node nor an end"
        yield error("unknown-target", message, hint, nodes, about=about)
    if way.bound and way.bound not in plan.bounds:
        hint = did_you_mean(way.bound, plan.bounds)
        message = f"{words} carries the bound {way.bound!r}, which does not exist"
        yield error("unknown-bound", message, hint, nodes, about=about)


def outcomes(plan: Plan) -> Iterator[Finding]:
    """Every outcome of every node has one edge."""
    for (source, outcome), times in Counter((edge.source, edge.outcome) for edge in plan.edges).items():
        if times > 1:
            words = f"{edge_words(source, outcome)} has {times} edges"
            hint = "an outcome leads to one place; keep one of them"
            yield error("two-edges", words, hint, (source,), about=("edges", source, outcome))
    for name, placed in plan.nodes.items():
        for outcome in dict.fromkeys(placed.contract.outcomes):
            if (name, outcome) not in plan.routes:
                hint = f"add an edge from {name!r} for {outcome!r}"
                yield error("missing-edge", f"{edge_words(name, outcome)} leads nowhere", hint, (name,))


def own_rules(plan: Plan) -> Iterator[Finding]:
    """Every node keeps the rules of its type, and is what was meant as far as it can tell."""
    for name, placed in plan.nodes.items():
        if isinstance(placed.node, Fork):
            continue
        for fault in placed.node.faults():
            about = ("nodes", name, *fault.path)
            yield error("bad-node", f"{name!r}: {fault.message}", fault.hint, (name,), about=about)
        for doubt in placed.node.doubts():
            about = ("nodes", name, *doubt.path)
            yield warning("doubtful-node", f"{name!r}: {doubt.message}", doubt.hint, (name,), about=about)


def references(plan: Plan) -> Iterator[Finding]:
    """Models that are asked exist, and code has a version."""
    for name, placed in plan.nodes.items():
        node = placed.node
        if isinstance(node, Fork):
            continue
        for model in node.models:
            if model not in plan.models and model != "default":
                hint = did_you_mean(model, ["default", *plan.models])
                message = f"{name!r} asks the model {model!r}, which does not exist"
                yield error("unknown-model", message, hint, (name,), about=("nodes", name, "model"))
        if isinstance(node, CodeNode) and node.code.version == UNVERSIONED:
            message = f"changes of the code {node.code.name!r} of {name!r} cannot be seen"
            yield warning("unversioned-code", message, "give it a version=, or a function that has source", (name,))
