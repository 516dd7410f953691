"""What can be counted on a walk: weights of all nodes at once, or the visits of one node."""

from collections.abc import Mapping

from loopwright.graphs.certificate.regions import Goal, Reach, Region, Round, Walks


def whole(walks: Walks, measure: "Weighted | Visits", used: frozenset[str] | None) -> Reach:
    """The most that a whole run can collect, by its ends.

    Inner loops are measured before those around them, so that a deep nest needs no deep recursion.
    """
    for head in measure.heads or walks.loops:
        if head in walks.loops:
            measure.of_region(walks.region(walks.loops[head], used))
    return measure.of_region(walks.region(walks.root, used))


class Weighted:
    """Counts a weight for every visit of a node.

    Args:
        weights: The weight of each node, from 0 to infinity.
    """

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.heads: tuple[str, ...] = ()
        self._weights = weights
        self._known: dict[Region, Reach] = {}

    def of_region(self, region: Region) -> Reach:
        """The heaviest walks through a region, by where they leave it."""
        if region not in self._known:
            self._known[region] = region.totals(self)
        return self._known[region]

    def of_round(self, step: Round) -> Reach:
        """The heaviest rounds, by where they end."""
        return self.from_items(step, {next(iter(step.items)): 0})

    def from_items(self, step: Round, arrived: Mapping[str, float]) -> Reach:
        """The heaviest rests of rounds, by where they end.

        Args:
            step: The rounds.
            arrived: The items where they begin, and what was collected before.
        """
        best = dict(arrived)
        ended: Reach = {}
        for item, goals in step.items.items():
            if item not in best:
                continue
            more = self.of_region(step.inner[item]) if item in step.inner else dict.fromkeys(goals, self._weights[item])
            for goal, weight in more.items():
                value = best[item] + weight
                following = step.following(goal)
                if following is None:
                    ended[goal] = max(value, ended.get(goal, 0))
                else:
                    best[following] = max(value, best.get(following, 0))
        return ended


class Visits:
    """Counts the visits of one node.

    Args:
        walks: The walks.
        node: The node.

    Only the loops that the node is in are looked at.
    """

    def __init__(self, walks: Walks, node: str) -> None:
        self._known: dict[Region, Reach] = {}
        # For each region that the node is in, by its head: the item there that it is, or is inside of.
        self._item: dict[str, str] = {}
        item = node
        if node in walks.loops:
            self._item[node] = node
        while item in walks.around:
            self._item[walks.around[item]] = item
            item = walks.around[item]
        self._item[walks.root.head] = item
        self.heads = tuple(self._item)

    def of_region(self, region: Region) -> Reach:
        """The most visits on a walk through a region, by where it leaves."""
        if region not in self._known:
            self._known[region] = region.totals(self)
        return self._known[region]

    def of_round(self, step: Round) -> Reach:
        """The most visits in a round, by where it ends."""
        item, first = self._item[step.head], next(iter(step.items))
        ended: Reach = dict.fromkeys(step.behind[first], 0)
        if item not in step.arrived:
            return ended
        here: Mapping[Goal, float] = (
            self.of_region(step.inner[item]) if item in step.inner else dict.fromkeys(step.items[item], 1)
        )
        for goal, visits in here.items():
            following = step.following(goal)
            for end in [goal] if following is None else step.behind[following]:
                ended[end] = max(visits, ended.get(end, 0))
        return ended
