"""The action-brain map as users call it."""

from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import TypedDict, Unpack

from loopwright.graphs.run.models import Given
from loopwright.loop.loop import Loop
from loopwright.nodes.budget import Budget
from loopwright.nodes.models.reference import ModelRef
from loopwright.sources.specs import spec_from_data

ActionBrainMap = Mapping[str, Mapping[str, Any] | Sequence[str]]
"""The dictionary of actions, in either of its two shapes: `brains` and `next_actions`, or the brains alone."""


class ActionMapFields(TypedDict, total=False):
    """What `ActionMap` takes beside the map, its brains and the model; the fields of `ActionMapSpec`."""

    name: str
    retries: int
    sender: str
    models: Mapping[str, ModelRef | Mapping[str, Any]]
    budget: Budget | Mapping[str, float]


class ActionMap(Loop[list[Any]]):
    """An action-brain map: it carries out one action by its brains, and all that has to follow.

    Its inputs are the `action`, the `aim` and what the brains name; its result is the list of the events that it made.

    Args:
        actions: The map: for each action its `brains` and `next_actions`, or a list of brains alone. `default` is for
            all that are not named. An action may say the arguments of its `event`, and a `description`.
        brains: The brains by name: the fields of one (`type: zero_shot` and so on), a function, a node, a plan, or a
            loop as `lw.SingleEval(...)`.
        model: Answers for every name that the brains ask for.
        fields: `name`; `retries` (3), how often an action that has to follow is tried again; `sender`, who sends the
            events, the name when left out; `models`, references by name; `budget`, what a run may spend.

    Raises:
        SourceError: Something of it cannot be; all faults at once.

    Example:
        >>> fill = {"type": "zero_shot", "role": "event_filler"}
        >>> loop = ActionMap({"speak": {"brains": ["fill"], "next_actions": ["give"]}, "give": ["fill"]},
        ...     brains={"fill": fill}, retries=0)
        >>> print(loop.certificate.calls)
        2
    """

    def __init__(
        self,
        actions: ActionBrainMap,
        *,
        brains: Mapping[str, Any],
        model: Given | None = None,
        **fields: Unpack[ActionMapFields],
    ) -> None:
        spec = spec_from_data({**fields, "actions": actions, "brains": brains}, "action_map")
        super().__init__(spec.plan(), code=spec.code(), model=model, budget=spec.budget)
