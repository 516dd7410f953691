"""How the nodes of a plan lead on: from an outcome to the engine's command. Targets come from the plan alone."""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END
from langgraph.types import Command

from loopwright.graphs.compile.channels import engine_reset
from loopwright.graphs.compile.names import END_KEY, count_key, engine_name
from loopwright.graphs.plan import Plan
from loopwright.graphs.transitions import Step, Transitions
from loopwright.state.channels import MISSING


class Exits:
    """The ways out of a plan's nodes.

    Args:
        plan: The plan.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._transitions = Transitions(plan)
        self._engine_names = {name: engine_name(name) for name in plan.nodes}
        self._count_keys = {bound: count_key(bound) for bound in plan.bounds}
        self._heads = {move.way.bound: move.way.target for move in plan.moves if move.way.bound}

    def leave(
        self, source: str, outcome: str, reason: str, update: dict[str, Any], state: Mapping[str, Any]
    ) -> tuple[str, Command[str]]:
        """The plan's target, and the engine's command with all that the step writes.

        Args:
            source: The node that answered.
            outcome: What it answered.
            reason: Why.
            update: What it writes; the counts, resets and the end of the step are added to it.
            state: The engine's state as the node found it.
        """
        keys = self._count_keys
        step = self._transitions.take(source, outcome, lambda bound: int(state.get(keys[bound], 0)))
        for bound, count in step.counts.items():
            update[keys[bound]] = count
        for name in step.resets:
            write = engine_reset(self.plan.channels[name])
            if write is not MISSING:
                update[name] = write
        if step.target not in self.plan.ends:
            return step.target, Command(update=update, goto=self._engine_names[step.target])
        update[END_KEY] = {"end": step.target, "reason": self._words(source, outcome, reason, step)}
        return step.target, Command(update=update, goto=END)

    def _words(self, source: str, outcome: str, reason: str, step: Step) -> str:
        """Why the run came to its end: the bounds that were used up on the way, and what the node said."""
        most = {name: self.plan.bounds[name].at_most for name in step.reached}
        used_up = [
            f"bound {name!r} used up: led back to {self._heads[name]!r} {count} of {count} times"
            for name, count in most.items()
        ]
        return "; ".join([*used_up, *([reason] if reason else [])]) or f"{source} answered {outcome!r}"
