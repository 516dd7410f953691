"""What can happen between two replies: from the start, or from any wait, to the next wait or the end."""

from collections.abc import Mapping

from loopwright.graphs.certificate.measures import Weighted, whole
from loopwright.graphs.certificate.regions import STOP, Goal, Reach, Walks
from loopwright.graphs.loops import Loop


def per_reply(walks: Walks, weights: Mapping[str, float]) -> tuple[float, float]:
    """The heaviest walk from the start or after a reply, to the next wait or the end; an upper bound.

    Args:
        walks: The walks, which stop at waits.
        weights: The weight of each node.

    Returns:
        The heaviest walk to a wait, which itself is not counted, and the heaviest walk to an end. The wait that a walk
        begins with is counted.
    """
    measure = Weighted({**weights, **dict.fromkeys(walks.stops, 0)})
    best: Reach = dict(whole(walks, measure, None))
    # From the inside out: what is left of a loop after a wait in it, then of the loop around it, up to the whole plan.
    waiting: dict[str, Reach] = {}
    for loop in (*walks.loops.values(), walks.root):
        arrived = waiting.pop(loop.head, {})
        for item in loop.items:
            if item in walks.stops and (item == loop.head or item not in walks.loops):
                for move in walks.moves[item]:
                    _most(arrived, (move.way.target, move.way.bound), weights[item])
        ended = _rest(walks, loop, measure, arrived)
        around = walks.around.get(loop.head, walks.root.head)
        outside = best if loop is walks.root else waiting.setdefault(around, {})
        for goal, value in ended.items():
            _most(best if goal == STOP else outside, goal, value)
    stop = best.pop(STOP, 0)
    return stop, max(best.values(), default=0)


def _rest(walks: Walks, loop: Loop, measure: Weighted, arrived: Reach) -> Reach:
    """Where walks that have arrived inside a loop leave it; those that come to its head may take all its rounds."""
    region = walks.region(loop, None)
    step = region.round(None)
    begun: dict[str, float] = {}
    ended: Reach = {}
    for goal, value in arrived.items():
        following = step.following(goal)
        if following is None:
            _most(ended, goal, value)
        else:
            begun[following] = max(value, begun.get(following, 0))
    for goal, value in measure.from_items(step, begun).items():
        _most(ended, goal, value)
    again = [value for goal, value in ended.items() if goal[0] == loop.head]
    left = {goal: value for goal, value in ended.items() if goal[0] != loop.head}
    if again:
        for goal, value in measure.of_region(region).items():
            _most(left, goal, max(again) + value)
    return left


def _most(reach: Reach, goal: Goal, value: float) -> None:
    reach[goal] = max(value, reach.get(goal, 0))
