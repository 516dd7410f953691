"""The form `brain`: one question, thought through by one of four techniques."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.brain_entries import BrainFields
from loopwright.graphs.forms.node_entries import Name
from loopwright.graphs.forms.spec import BuiltSpec
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.places import last

_TEMPLATES = {
    "generate": "options_prompt",
    "choose": "choose_prompt",
    "judge": "judge_prompt",
    "expand": "steps_prompt",
}
"""The field for what a node asks beside the prompt."""


class BrainSpec(BuiltSpec, BrainFields):
    """A brain by itself. The prompts' placeholders are its inputs; it ends `done`, or `none` where no answer will do.

    Args:
        name: The plan's name.
        models: Model references by name.

    Example:
        >>> spec = BrainSpec(type="multi_eval", prompt="A name for <{what}>", n=2)
        >>> [channel.name for channel in spec.plan().inputs], list(spec.plan().nodes)
        (['what'], ['generate', 'rate', 'pick'])
    """

    kind: Literal["brain"] = "brain"
    models: Mapping[Name, ModelRef] = Field(default_factory=dict)

    def make(self) -> PlanBuilder | list[Fault]:
        """The technique's plan as a builder has it, or why there is none."""
        return self.made(self.name, models=self.models)

    def path_of(self, place: Path) -> Path:
        """The field that a part of a node comes from."""
        match place:
            case ("nodes", str(name), "asks", *_):
                return (_TEMPLATES.get(last(name), "prompt"),)
            case ("nodes", str(name), "model", *_) if self.judge_model and last(name) in ("choose", "judge", "pick"):
                return ("judge_model",)
            case ("nodes", str(), ("prompt" | "system" | "model" | "output" | "sees") as field, *_):
                return (field,)
        return ()
