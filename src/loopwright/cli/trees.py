"""The tree of forks: which run was forked from which."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from loopwright.state.store.runs import RunRow


class Twig(NamedTuple):
    """A run in its place in the tree.

    Args:
        row: The run.
        deep: How many runs it comes from, one from the other.
    """

    row: RunRow
    deep: int

    @property
    def lead(self) -> str:
        """What stands before its id, so that it stands below the run that it was forked from."""
        return f"{'  ' * (self.deep - 1)}└ " if self.deep else ""


def trees_of(rows: Sequence[RunRow]) -> Iterator[list[Twig]]:
    """The trees, in the order of the runs at their roots; forks of a run in the order of where they were made.

    A run that was forked from one which is not here is a root.

    Args:
        rows: The runs.

    Example:
        >>> rows = [RunRow("b2", "bridge", "", forked_from="a1", forked_at=3), RunRow("a1", "bridge", "")]
        >>> [[twig.lead + twig.row.id for twig in tree] for tree in trees_of(rows)]
        [['a1', '└ b2']]
    """
    known = {row.id for row in rows}
    forks: dict[str, list[RunRow]] = {}
    for row in rows:
        forks.setdefault(row.forked_from if row.forked_from in known else "", []).append(row)
    for root in forks.get("", []):
        tree, open_ = [], [Twig(root, 0)]
        while open_:
            twig = open_.pop()
            tree.append(twig)
            below = sorted(forks.get(twig.row.id, []), key=lambda row: (row.forked_at, row.created), reverse=True)
            open_ += [Twig(row, twig.deep + 1) for row in below]
        yield tree


def nested(tree: Sequence[Twig], documents: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A tree as a document: that of its root, and in each its forks.

    Args:
        tree: The tree.
        documents: What is told of each run of it.

    Example:
        >>> rows = [RunRow("a1", "bridge", ""), RunRow("b2", "bridge", "", forked_from="a1")]
        >>> (tree,) = trees_of(rows)
        >>> nested(tree, [{"id": twig.row.id} for twig in tree])
        {'id': 'a1', 'forks': [{'id': 'b2', 'forks': []}]}
    """
    path: list[dict[str, Any]] = []
    for twig, document in zip(tree, documents, strict=True):
        here: dict[str, Any] = {**document, "forks": []}
        if twig.deep:
            path[twig.deep - 1]["forks"].append(here)
        path[twig.deep :] = [here]
    return path[0]
