"""The role cycle as users call it."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from typing_extensions import TypedDict, Unpack

from loopwright.graphs.forms.role_cycle import RoleSettings
from loopwright.graphs.run.models import Given
from loopwright.loop.loop import Loop
from loopwright.nodes.budget import Budget
from loopwright.nodes.history import Window
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.role import Rounds, Stop
from loopwright.sources.specs import spec_from_data


class RoleCycleFields(TypedDict, total=False):
    """What `RoleCycle` takes beside the model; the fields of `RoleCycleSpec`, with the same defaults."""

    name: str
    task: str
    tasks: Sequence[str]
    rounds: Rounds | Mapping[str, int]
    stop: Stop | Mapping[str, str]
    review: Literal["never", "each_round", "after_stop"]
    labels: bool
    history: Window | Mapping[str, int]
    models: Mapping[str, ModelRef | Mapping[str, Any]]
    roles: Mapping[str, RoleSettings | Mapping[str, Any]]
    order: Sequence[str]
    answer: str
    budget: Budget | Mapping[str, float]


class RoleCycle(Loop[str]):
    """Roles that speak in turn, round after round, until one of them says stop. Its result is the last answer.

    Args:
        model: Answers for every name that the roles ask for.
        fields: The fields of the form, as in a file of `kind: role_cycle`: `name`, `task` or `tasks`, `rounds`, `stop`,
            `review`, `labels`, `history`, `models`, `roles`, `order`, `answer`, `budget`. None of them has to be given.

    Raises:
        SourceError: A field is not known or does not fit; all faults at once.

    Example:
        >>> loop = RoleCycle(task="Name three risks of a wooden bridge.", rounds=Rounds(min=1, max=4), review="never")
        >>> print(loop.certificate)
        worst case: 4 rounds, 16 model calls, 16 visits
    """

    def __init__(self, *, model: Given | None = None, **fields: Unpack[RoleCycleFields]) -> None:
        spec = spec_from_data(dict(fields), "role_cycle")
        super().__init__(spec.plan(), model=model, budget=spec.budget, inputs=spec.runs())
