"""Forks: their bodies are as they must be, get what they take, and are plans to be checked themselves."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from loopwright.graphs.plan import Bound, Branch, Fork, Plan, PlanNode, Way
from loopwright.graphs.verify.findings import Finding, error, warning
from loopwright.graphs.verify.templates import asked_outside
from loopwright.hints import did_you_mean
from loopwright.nodes.places import place


def forks(plan: Plan) -> Iterator[Finding]:
    """The bodies' number and inputs, and that the number of calls is certain."""
    for name, placed in plan.nodes.items():
        fork = placed.node
        if not isinstance(fork, Fork):
            continue
        if not fork.branches or (fork.kind == "each" and len(fork.branches) > 1):
            message = f"the fork {name!r} has {len(fork.branches)} bodies"
            hint = "`each` has exactly one body, `parallel` at least one"
            yield error("wrong-bodies", message, hint, (name,))
        if fork.kind == "each" and fork.at_most is None:
            message = f"{name!r} takes any number of items, so the number of calls is not certain"
            hint = "say the most items that may come, as in at_most: 5"
            yield warning("uncertain-calls", message, hint, (name,))
        for key, branch in fork.branches.items():
            yield from _inputs(name, key, branch)
            yield from _item(plan, placed, fork, branch)


def _inputs(name: str, key: str, branch: Branch) -> Iterator[Finding]:
    inputs = [channel.name for channel in branch.plan.inputs]
    for own in branch.inputs:
        if own not in inputs:
            message = f"{place(name, key)!r} is given {own!r} by its `inputs`, which is no input of it"
            yield error("unknown-input", message, did_you_mean(own, inputs), (name,))


def _item(plan: Plan, placed: PlanNode, fork: Fork, branch: Branch) -> Iterator[Finding]:
    """The body takes its item; a placeholder that names nothing may be meant for it, and is told by itself."""
    inputs = [channel.name for channel in branch.plan.inputs]
    mistaken = any(placed.channels.get(name, name) not in plan.channels for name in asked_outside(branch))
    if fork.kind == "each" and fork.as_ not in inputs and not mistaken:
        message = f"the body of {placed.name!r} does not read its item {fork.as_!r}"
        hint = f"name it in a text of the body, as <{{{fork.as_}}}>, or change `as`: {did_you_mean(fork.as_, inputs)}"
        yield error("unknown-input", message, hint, (placed.name,))


def bodies(plan: Plan) -> Iterator[Plan]:
    """The plans of the bodies, their nodes named from outside: `rate/rater`, `reviews[style]/writer`.

    The models of the plan around them are theirs too.
    """
    for name, placed in plan.nodes.items():
        if isinstance(placed.node, Fork):
            for key, branch in placed.node.branches.items():
                models = {**plan.models, **branch.plan.models}
                yield replace(_named(f"{place(name, key)}/", branch.plan), models=models)


def _named(prefix: str, plan: Plan) -> Plan:
    """The plan with something before the name of every node."""

    def outer(way: Way) -> Way:
        return way if way.target in plan.ends else replace(way, target=prefix + way.target)

    nodes = {prefix + name: replace(placed, name=prefix + name) for name, placed in plan.nodes.items()}
    edges = tuple(replace(edge, source=prefix + edge.source, way=outer(edge.way)) for edge in plan.edges)
    bounds: Mapping[str, Bound] = {name: replace(bound, then=outer(bound.then)) for name, bound in plan.bounds.items()}
    start = plan.start and prefix + plan.start
    return replace(plan, start=start, nodes=nodes, edges=edges, bounds=bounds)
