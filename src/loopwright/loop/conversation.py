"""The conversation as users call it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from typing_extensions import TypedDict, Unpack

from loopwright.graphs.forms.code_entries import GivenCall
from loopwright.graphs.run.models import Given
from loopwright.loop.loop import Loop
from loopwright.nodes.budget import Budget
from loopwright.nodes.conversation.talk import Note, StopRule
from loopwright.nodes.history import Window
from loopwright.nodes.models.reference import ModelRef
from loopwright.sources.specs import spec_from_data


class ConversationFields(TypedDict, total=False):
    """What `Conversation` takes beside agents and model; the fields of `ConversationSpec`, with the same defaults."""

    name: str
    task: str
    opens: str
    max_messages: int
    stop: StopRule | Mapping[str, Any] | None
    speaker: Literal["round_robin", "chosen"] | Callable[..., str]
    transitions: Mapping[str, Sequence[str]]
    disallowed: Mapping[str, Sequence[str]]
    repeat: bool
    choose_prompt: str
    choose_model: str
    summary: Literal["last", "model"] | Callable[..., str]
    summary_prompt: str
    summary_model: str
    notes: Sequence[Note | Mapping[str, Any] | str]
    labels: bool
    history: Window | Mapping[str, int]
    models: Mapping[str, ModelRef | Mapping[str, Any]]
    budget: Budget | Mapping[str, float]


class Conversation(Loop[str]):
    """Agents that talk with each other until one of them stops it. Its result is the summary: the last message.

    The idea of agents that send and receive is AutoGen's; here it is always bounded, and says why it ended.

    Args:
        agents: The agents, in the order in which they speak; the fields of each as in a file of `kind: conversation`:
            `name`, `prompt`, `about`, `model`, `human`, `max_replies`, `hears`, `audience`, `history`.
        model: Answers for every name that the agents ask for.
        fields: The other fields of the form, none of which has to be given; `speaker` and `summary` may be functions of
            `task` and `transcript`.

    Raises:
        SourceError: A field is not known or does not fit; all faults at once.

    Example:
        >>> from loopwright.nodes.models.scripted import ScriptedModel
        >>> loop = Conversation([{"name": "ann"}, {"name": "bob"}], opens="ann", max_messages=4, stop=None)
        >>> print(loop.certificate)
        worst case: 3 rounds, 3 model calls, 6 visits
        >>> loop.start({"task": "Hi."}, model=ScriptedModel({"ann": ["Well."], "bob": ["Yes?", "Bye."]})).result
        'Bye.'
    """

    def __init__(
        self,
        agents: Sequence[Mapping[str, Any]],
        *,
        model: Given | None = None,
        **fields: Unpack[ConversationFields],
    ) -> None:
        given = {
            key: {"call": GivenCall(value, f"{key} of a conversation")} if callable(value) else value
            for key, value in fields.items()
        }
        spec = spec_from_data({"agents": [*agents], **given}, "conversation")
        super().__init__(spec.plan(), code=spec.code(), model=model, budget=spec.budget, inputs=spec.runs())
