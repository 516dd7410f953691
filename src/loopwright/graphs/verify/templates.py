"""Templates: their placeholders name what there is, and a name in braces alone is hardly meant as it is."""

from collections.abc import Iterable, Iterator, Mapping

from loopwright.graphs.plan import Branch, Plan, PlanNode
from loopwright.graphs.verify.findings import Finding, error, warning
from loopwright.hints import did_you_mean
from loopwright.nodes.contract import Node
from loopwright.nodes.places import place
from loopwright.nodes.prompts import in_braces, names_in_braces, placeholders


def unknown_placeholders(plan: Plan, placed: PlanNode, name: str) -> Iterator[Finding]:
    """The placeholders, of a node or in the bodies of a fork, that ask for a channel which is not there.

    Args:
        plan: The plan.
        placed: The node.
        name: The channel, as the node itself calls it.
    """
    fork = placed.node
    if isinstance(fork, Node):
        yield from _asking(placed.name, fork, name, "names no channel", did_you_mean(name, plan.channels))
        return
    words = "names neither the item nor a channel" if fork.as_ else "names no channel"
    item = (fork.as_,) if fork.as_ else ()
    hint = did_you_mean(name, {*item, *plan.channels}, rather=item)
    for key, branch in fork.branches.items():
        if name in asked_outside(branch):
            for at, node in _inside(placed.name, key, branch):
                yield from _asking(at, node, name, words, hint)


def asked_outside(branch: Branch) -> tuple[str, ...]:
    """What the texts of a body that is a single node ask for under the names outside; a plan declares its inputs."""
    names = [channel.name for channel in branch.plan.inputs if channel.name not in branch.inputs]
    return tuple(names) if len(branch.plan.nodes) == 1 else ()


def _asking(at: str, node: Node, name: str, words: str, hint: str) -> Iterator[Finding]:
    for field, text in _texts(node).items():
        if name in placeholders(text):
            message = f"the placeholder <{{{name}}}> of {at!r} {words}"
            yield error("unknown-placeholder", message, hint, (at,), about=("nodes", at, field))


def braces(plan: Plan) -> Iterator[Finding]:
    """Names of channels in braces alone, which stay in the prompt as they are.

    The inputs of a brain by itself are what its prompts name, so that there any name in braces is doubted.
    """
    inner = {name for placed in plan.nodes.values() for name in placed.channels}
    for name, placed in plan.nodes.items():
        fork = placed.node
        if isinstance(fork, Node):
            yield from _braces(plan, name, fork, {*plan.channels, *inner})
            continue
        for key, branch in fork.branches.items():
            for at, node in _inside(name, key, branch):
                yield from _braces(plan, at, node, {fork.as_, *plan.channels, *branch.plan.channels})


def _braces(plan: Plan, at: str, node: Node, channels: Iterable[str]) -> Iterator[Finding]:
    known = node.placeholder_names or channels
    for field, text in _texts(node).items():
        named = names_in_braces(text) if "" in plan.folds else ()
        for written, name in in_braces(text).items():
            if name in known or name in named:
                message = f"{written} in {at!r} is plain text and stands for nothing"
                hint = f"a placeholder is written <{{{name}}}>"
                yield warning("brace-placeholder", message, hint, (at,), about=("nodes", at, field))


def _inside(fork: str, key: str, branch: Branch) -> Iterator[tuple[str, Node]]:
    """The nodes of a body by their names outside."""
    for name, placed in branch.plan.nodes.items():
        if isinstance(placed.node, Node):
            yield f"{place(fork, key)}/{name}", placed.node


def _texts(node: Node) -> Mapping[str, str]:
    """The fields of a node that are texts, templates among them."""
    return {field: text for field, text in vars(node).items() if isinstance(text, str)}
