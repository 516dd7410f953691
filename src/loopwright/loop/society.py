"""The society as users call it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from typing_extensions import TypedDict, Unpack

from loopwright.graphs.run.models import Given
from loopwright.loop.loop import Loop
from loopwright.nodes.budget import Budget
from loopwright.nodes.models.reference import ModelRef
from loopwright.sources.specs import spec_from_data


class SocietyFields(TypedDict, total=False):
    """What `Society` takes beside the agents and the model; the fields of `SocietySpec`."""

    name: str
    world: Mapping[str, Any]
    classes: Mapping[str, Mapping[str, Any]]
    objects: Mapping[str, Mapping[str, Any]]
    base_agent: Mapping[str, Any]
    rules: Sequence[Callable[..., str | None]]
    ticks: int
    hops: int
    when_asleep: Literal["wait", "end"]
    models: Mapping[str, ModelRef | Mapping[str, Any]]
    budget: Budget | Mapping[str, float]


class Society(Loop[list[Any]]):
    """A world with objects, and agents that think side by side, act, hear what happens, and sleep until it is for them.

    Its result is the list of all that happened: events, with who sent them and at which tick, and refusals.

    Args:
        agents: The agents by id, each with the fields of `ThinkLoop`: `role`, `goals`, `actions`, `brains`, `wakes_on`
            and so on; and `location`, `awake`, `model`.
        model: Answers for every name that the agents ask for.
        fields: `world`: `name`, `description`, `places`; `objects` by id, each with its `class`, `held_by`, `location`;
            `classes` of objects with their `actions`; `rules`, functions of the world and an event that say why it
            cannot happen; `base_agent`, what all agents have in common; `ticks` (20) between two words from outside;
            `hops` (32), how many events may follow one from another; `when_asleep`, `wait` or `end`; `name`; `models`,
            references by name; `budget`, what a run may spend.

    Raises:
        SourceError: Something of it cannot be; all faults at once.

    Example:
        >>> loop = Society({"ada": {"role": "the host"}, "bob": {"role": "a guest"}},
        ...     objects={"mic": {"class": "Microphone", "held_by": "ada"}})
        >>> print(loop.check())
        no findings
    """

    def __init__(
        self,
        agents: Mapping[str, Mapping[str, Any]],
        *,
        model: Given | None = None,
        **fields: Unpack[SocietyFields],
    ) -> None:
        spec = spec_from_data({**fields, "agents": agents}, "society")
        super().__init__(spec.plan(), code=spec.code(), model=model, budget=spec.budget)
