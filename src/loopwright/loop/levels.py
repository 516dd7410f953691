"""A channel of levels as users call it."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from typing_extensions import TypedDict, Unpack

from loopwright.graphs.run.models import Given
from loopwright.loop.loop import Loop
from loopwright.nodes.budget import Budget
from loopwright.nodes.history import Window
from loopwright.nodes.models.reference import ModelRef
from loopwright.sources.specs import spec_from_data


class LevelsFields(TypedDict, total=False):
    """What `Levels` takes beside the agent and the model; the fields of `LevelsSpec`, with the same defaults."""

    name: str
    agent_type: str
    icon_path: str
    purpose_of_agent: str
    introduction_of_agent: str
    ensonet_criteria: str
    definition_of_level: Mapping[str, Mapping[str, Any]]
    prompts: Mapping[str, str]
    mode: Literal["copilot", "solo"]
    max_turns: int
    history: Window | Mapping[str, Any]
    network: bool
    models: Mapping[str, ModelRef | Mapping[str, Any]]
    agent_model: str
    judge_model: str
    summary_model: str
    budget: Budget | Mapping[str, float]


class Levels(Loop[dict[str, dict[str, str | Sequence[str]]]]):
    """A channel in which an agent and a person climb from level to level. Its result are the key outputs by level.

    The idea, and the fields of an agent's definition, are EnsoNet's.

    Args:
        agent: The agent's name.
        model: Answers for every name that the agent asks for.
        fields: The fields of the form, as in a file of `kind: levels`; `purpose_of_agent` and `definition_of_level`
            have to be given.

    Raises:
        SourceError: A field is not known or does not fit; all faults at once.

    Example:
        >>> level = {"criteria": "a topic that the person likes", "key_output": {"topic": ""}}
        >>> loop = Levels("Muse", purpose_of_agent="You find topics.", definition_of_level={"level_1": level})
        >>> print(loop.certificate)
        worst case per reply: 3 model calls, 5 visits
    """

    def __init__(self, agent: str, *, model: Given | None = None, **fields: Unpack[LevelsFields]) -> None:
        spec = spec_from_data({"agent": agent, **fields}, "levels")
        super().__init__(spec.plan(), model=model, budget=spec.budget, inputs=spec.runs())
