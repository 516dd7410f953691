"""How the nodes of a plan lead on: from an outcome to the engine's command. Targets come from the plan alone."""

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END
from langgraph.types import Command, Overwrite

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

    def found(self, source: str, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """The state as a node finds it: where a thread has ended and is begun again, what it was given and no more."""
        if not self._is_begun_again(source, state):
            return state
        given = {END_KEY, *(channel.name for channel in self.plan.inputs)}
        return {name: value for name, value in state.items() if name in given}

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
        if self._is_begun_again(source, state):
            update = self._afresh(update)
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

    def _is_begun_again(self, source: str, state: Mapping[str, Any]) -> bool:
        """Whether a thread that has come to its end was given new inputs, by a program that runs the graph itself."""
        return source == self.plan.start and state.get(END_KEY) is not None

    def _afresh(self, update: Mapping[str, Any]) -> dict[str, Any]:
        """The first write of a thread that is begun again: nothing of what it was before is left."""
        fresh: dict[str, Any] = {END_KEY: None, **dict.fromkeys(self._count_keys.values(), 0)}
        inputs = {channel.name for channel in self.plan.inputs}
        for name, channel in self.plan.channels.items():
            if name not in inputs:
                write = engine_reset(channel)
                fresh[name] = None if write is MISSING else write
        for name, value in update.items():
            is_whole = name in inputs or not isinstance(fresh.get(name), Overwrite)
            fresh[name] = value if is_whole else Overwrite(list(value) if isinstance(value, tuple) else value)
        return fresh

    def _words(self, source: str, outcome: str, reason: str, step: Step) -> str:
        """Why the run came to its end: the bounds that were used up on the way, and what the node said."""
        most = {name: self.plan.bounds[name].at_most for name in step.reached}
        used_up = [
            f"bound {name!r} used up: led back to {self._heads[name]!r} {count} of {count} times"
            for name, count in most.items()
        ]
        said = f"{source} is done" if outcome == "done" else f"{source} answered {outcome!r}"
        return "; ".join([*used_up, *([reason] if reason else [])]) or said
