"""Boxes: findings about the nodes of a brain, by the name that its author knows, and each once.

The prompt of a brain is in several of its nodes, so that what is wrong with it is found at each of them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby

from loopwright.graphs.folds import Fold, fold_around
from loopwright.graphs.plan import Fork, Plan
from loopwright.graphs.verify.findings import Finding
from loopwright.nodes.places import place

_QUOTED = re.compile(r"'([^']+)'")


def from_outside(plan: Plan, found: Iterable[Finding]) -> Iterator[Finding]:
    """The findings with the name of the box for each node that is in one; their places stay.

    Args:
        plan: The plan; what its forks hold is looked at too.
        found: What is wrong with it.
    """
    boxes = {name: box or plan.name for name, box in _boxes(plan, dict(plan.folds), "")}
    told: set[tuple[str, str]] = set()
    for finding in found:
        seen = _seen(finding, boxes) if boxes else finding
        if seen is finding:
            yield finding
        elif (seen.code, seen.message) not in told:
            told.add((seen.code, seen.message))
            yield seen


def _boxes(plan: Plan, folds: Mapping[str, Fold], prefix: str) -> Iterator[tuple[str, str]]:
    """The nodes that are in a fold, by their names outside, and that fold."""
    for name, placed in plan.nodes.items():
        box = fold_around(prefix + name, folds)
        if box is not None:
            yield prefix + name, box
        if isinstance(placed.node, Fork):
            for key, branch in placed.node.branches.items():
                inside = place(prefix + name, key)
                own = {f"{inside}/{fold}" if fold else inside: each for fold, each in branch.plan.folds.items()}
                yield from _boxes(branch.plan, {**own, **folds}, f"{inside}/")


def _seen(finding: Finding, boxes: Mapping[str, str]) -> Finding:
    """The finding from outside; itself, where it is about no node in a box."""

    def named(text: str) -> str:
        return _QUOTED.sub(lambda quoted: repr(boxes.get(quoted[1], quoted[1])), text)

    def outer(names: Iterable[str]) -> Iterable[str]:
        return (boxes.get(name, name) for name in names)

    message, hint = named(finding.message), named(finding.hint)
    nodes = tuple(dict.fromkeys(outer(finding.nodes)))
    path = tuple(name for name, _ in groupby(outer(finding.path)))
    if len(path) == 1 and len(finding.path) > 1 and finding.path[0] == finding.path[-1]:
        path *= 2  # the way from a box to itself
    if (message, hint, nodes, path) == (finding.message, finding.hint, finding.nodes, finding.path):
        return finding
    return replace(finding, message=message, hint=hint, nodes=nodes, path=path, about=finding.place)
