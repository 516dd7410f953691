"""Forks: their bodies are as they must be, get what they take, and are plans to be checked themselves."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from loopwright.graphs.plan import Bound, Branch, Fork, Plan, Way
from loopwright.graphs.verify.findings import Finding, error, warning
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
            yield warning("uncertain-calls", message, "give it an at_most=", (name,))
        for key, branch in fork.branches.items():
            yield from _inputs(name, fork, key, branch)


def _inputs(name: str, fork: Fork, key: str, branch: Branch) -> Iterator[Finding]:
    inputs = [channel.name for channel in branch.plan.inputs]
    given = [("inputs=", own) for own in branch.inputs]
    if fork.kind == "each":
        given.append(("as_=", fork.as_))
    for word, own in given:
        if own not in inputs:
            message = f"{place(name, key)!r} is given {own!r} by {word}, which is no input of it"
            yield error("unknown-input", message, did_you_mean(own, inputs), (name,))


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
