"""Where an outcome leads at run time: the plan's ways, and the counts of its bounds. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from loopwright.graphs.loops import zeroed
from loopwright.graphs.plan import Plan, Way


@dataclass(frozen=True, slots=True)
class Step:
    """What an outcome comes to.

    Args:
        target: The node or end that is next.
        counts: New counts of bounds, by name.
        resets: Channels that are empty again.
        reached: The bounds that were found used up on the way.
    """

    target: str
    counts: Mapping[str, int] = field(default_factory=dict)
    resets: tuple[str, ...] = ()
    reached: tuple[str, ...] = ()


class Transitions:
    """The table of a plan's steps.

    Args:
        plan: A plan without error findings.

    Example:
        >>> from loopwright.graphs.builder import PlanBuilder
        >>> from loopwright.graphs.plan import End
        >>> from loopwright.nodes.think import Judge
        >>> builder = PlanBuilder("again").node(Judge("judge", prompt="Good?", outcomes=["yes", "no"]))
        >>> _ = builder.edge("judge", "yes", End("good"))
        >>> _ = builder.edge("judge", "no", "judge", at_most=1, bound="tries", then=End("bad", ok=False))
        >>> steps = Transitions(builder.build())
        >>> steps.take("judge", "no", {"tries": 0}.__getitem__)
        Step(target='judge', counts={'tries': 1}, resets=(), reached=())
        >>> steps.take("judge", "no", {"tries": 1}.__getitem__).target
        'bad'
    """

    def __init__(self, plan: Plan) -> None:
        self._bounds = plan.bounds
        self._ways = {key: edge.way for key, edge in plan.routes.items()}
        self._zeroed = zeroed(plan)
        # Most ways neither count nor reset anything: their steps are made once.
        self._plain = {
            key: Step(way.target)
            for key, way in self._ways.items()
            if not way.bound and not way.resets and not self._zeroed.get((key[0], way.target))
        }

    def take(self, source: str, outcome: str, count_of: Callable[[str], int]) -> Step:
        """The step for an outcome.

        Args:
            source: The node that answered.
            outcome: What it answered.
            count_of: How often a bound was spent in this entry of its loop.
        """
        plain = self._plain.get((source, outcome))
        if plain is not None:
            return plain
        way: Way = self._ways[source, outcome]
        spent: dict[str, int] = {}
        reached: list[str] = []
        while way.bound:
            bound, count = self._bounds[way.bound], count_of(way.bound)
            if count < bound.at_most:
                spent[bound.name] = count + 1
                break
            reached.append(bound.name)
            way = bound.then
        restarted = dict.fromkeys(self._zeroed.get((source, way.target), ()), 0)
        return Step(way.target, {**restarted, **spent}, way.resets, tuple(reached))
