"""Plans made by hand, and the loops of them."""

from typing import Any

from loopwright.graphs import builder
from loopwright.graphs.run.models import Given
from loopwright.loop.loop import Loop
from loopwright.nodes.budget import Budget


class PlanBuilder(builder.PlanBuilder):
    """Makes a plan by hand, and the loop of it. The first node is the start unless `start` says otherwise.

    Nothing is judged here: what is missing or too much stays in the plan, and `check` tells all of it.

    Args:
        name: The plan's name.
        channels: A `State` class, a TypedDict, or `Channel` objects.
        start: The node that a run begins at.
        result: The channel whose last value is the run's result; left out, a mapping of all that was written.
        models: Model references by name.

    Example:
        >>> from loopwright.graphs.plan import End
        >>> from loopwright.nodes.think import Judge, Think
        >>> plan = PlanBuilder("essay").node(Think("write", prompt="Write.")).edge("write", "done", "review")
        >>> _ = plan.node(Judge("review", prompt="Good?", outcomes=["pass", "revise"]))
        >>> _ = plan.edge("review", "pass", End("finished"))
        >>> _ = plan.edge("review", "revise", "write", at_most=3, bound="rounds", then=End("max_rounds", ok=False))
        >>> print(plan.loop().certificate)
        worst case: 4 rounds, 8 model calls, 8 visits
    """

    def loop(self, *, model: Given | None = None, budget: Budget | None = None) -> Loop[Any]:
        """The loop of the plan as it is now: `Loop(builder.build(), code=builder.code)`.

        Args:
            model: The model that answers for every name that the plan asks for; may be given at `start` instead.
            budget: What a run may spend, where `start` does not say otherwise.
        """
        return Loop(self.build(), code=self.code, model=model, budget=budget)
