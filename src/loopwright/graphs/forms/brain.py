"""The form `brain`: one question, thought through by one of four techniques."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from loopwright.documents.document import Path
from loopwright.errors import Fault, SourceError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.brain_entries import BrainFields
from loopwright.graphs.forms.node_entries import Name
from loopwright.graphs.forms.spec import Spec
from loopwright.graphs.plan import Plan
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.places import last

_TEMPLATES = {
    "generate": "options_prompt",
    "choose": "choose_prompt",
    "judge": "judge_prompt",
    "expand": "steps_prompt",
}
"""The field for what a node asks beside the prompt."""


class BrainSpec(Spec, BrainFields):
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

    def faults(self) -> list[Fault]:
        """What is wrong across the fields."""
        return self._made if isinstance(self._made, list) else []

    def plan(self) -> Plan:
        """The technique's plan."""
        return self._builder.build()

    def code(self) -> Mapping[str, Any]:
        """None: a brain calls no functions."""
        return self._builder.code

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

    @property
    def _builder(self) -> PlanBuilder:
        if isinstance(self._made, list):
            raise SourceError(self._made)
        return self._made

    @cached_property
    def _made(self) -> PlanBuilder | list[Fault]:
        return self.made(self.name, models=self.models)
