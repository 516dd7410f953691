"""The think loop as users call it."""

from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import TypedDict, Unpack

from loopwright.graphs.run.models import Given
from loopwright.loop.action_map import ActionBrainMap
from loopwright.loop.loop import Loop
from loopwright.nodes.budget import Budget
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.thinking.fields import FollowUp
from loopwright.sources.specs import spec_from_data


class ThinkLoopFields(TypedDict, total=False):
    """What `ThinkLoop` takes beside the map, its brains and the model; the fields of `ThinkLoopSpec`."""

    name: str
    id: str
    role: str
    background: str
    personality: str
    communication_style: str
    topic_of_conversation: str
    goals: Sequence[str]
    constraints: Sequence[str]
    evaluation_principles: Sequence[str]
    navigation: Mapping[str, Any]
    follow_up: FollowUp
    retries: int
    wakes_on: Mapping[str, Mapping[str, Any]]
    heeds: Sequence[str]
    remembers: int
    memory: Mapping[str, int]
    acts: int
    models: Mapping[str, ModelRef | Mapping[str, Any]]
    budget: Budget | Mapping[str, float]


class ThinkLoop(Loop[list[Any]]):
    """An agent that acts until it has nothing to do, sleeps on disk until something happens, and acts again.

    Its result is the list of the events that it remembers.

    Args:
        actions: The agent's action-brain map, as of `ActionMap`.
        brains: The brains by name, as of `ActionMap`.
        model: Answers for every name that the agent asks for.
        fields: Who it is: `name`, `id`, `role`, `background`, `personality`, `communication_style`,
            `topic_of_conversation`, `goals`, `constraints`, `evaluation_principles`; how it decides: `navigation`,
            `follow_up`, `retries` (3), `acts` (10) between two sleeps; what it hears: `wakes_on`, `heeds`, `memory` or
            `remembers` (10) events; `models`, references by name; `budget`, what a run may spend.

    Raises:
        SourceError: Something of it cannot be; all faults at once.

    Example:
        >>> fill = {"type": "zero_shot", "role": "event_filler"}
        >>> loop = ThinkLoop({"wave": ["fill"]}, brains={"fill": fill}, name="ada", goals=["be kind"])
        >>> print(loop.check())
        no findings
    """

    def __init__(
        self,
        actions: ActionBrainMap,
        *,
        brains: Mapping[str, Any],
        model: Given | None = None,
        **fields: Unpack[ThinkLoopFields],
    ) -> None:
        spec = spec_from_data({**fields, "actions": actions, "brains": brains}, "think_loop")
        super().__init__(spec.plan(), code=spec.code(), model=model, budget=spec.budget)
