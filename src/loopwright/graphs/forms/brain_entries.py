"""Brains as a graph file has them: the word of a technique as `type`, and the fields that are the same for all four."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from loopwright.documents.document import Path
from loopwright.errors import Fault, SourceError
from loopwright.graphs.brains import settings
from loopwright.graphs.brains.techniques import brain
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.node_entries import Name, Names, NodeEntry
from loopwright.graphs.forms.type_field import TypeField
from loopwright.graphs.plan import Fork
from loopwright.hints import did_you_mean
from loopwright.nodes.brains.options import Decide
from loopwright.nodes.places import place

Technique = Literal["zero_shot", "single_eval", "multi_eval", "tree_of_thought"]

_RENAMED = {"model": "model_name", "judge_model": "judge_model_name"}


class BrainFields(BaseModel):
    """The fields of a brain; those that its technique has no use for have no effect.

    Args:
        type: The technique: one answer; several and a choice; several, each rated; or steps, each rated.
        prompt: The question, a template; that of the role, or `<{task}>`, when left out.
        system: The system message, a template too.
        role: What it is for, which gives a prompt, sections and an output.
        sees: The channels that it is shown as sections; those of the role when left out.
        output: The type of the answer: a word as `list[str]`, a mapping of fields, or JSON Schema; a text if left out.
        n: The most options that are generated at once.
        threshold: The least rating that is enough.
        breadth: The most lines of thought that are kept at each step of a tree_of_thought.
        depth: The number of steps of a tree_of_thought, the answer included.
        options_prompt: How several answers are asked for, a template.
        choose_prompt: How one of them is chosen, a template.
        judge_prompt: How one of them is rated, a template.
        steps_prompt: How steps before the answer are asked for, a template.
        model: The name of the model that generates.
        judge_model: The name of the model that judges; the same when left out.
    """

    type: Technique
    prompt: str = ""
    system: str = ""
    role: Literal["navigation", "execution", "event_filler", "judge"] | None = None
    sees: Names | None = None
    output: TypeField | None = None
    n: int = Field(3, ge=1, strict=True)
    threshold: float | None = Field(None, ge=1, le=10, strict=True)
    breadth: int = Field(3, ge=1, strict=True)
    depth: int = Field(2, ge=1, le=settings.MOST_STEPS, strict=True)
    options_prompt: str = settings.OPTIONS_PROMPT
    choose_prompt: str = settings.CHOOSE_PROMPT
    judge_prompt: str = settings.JUDGE_PROMPT
    steps_prompt: str = settings.STEPS_PROMPT
    model: str = "default"
    judge_model: str = ""

    def made(self, name: str, **more: Any) -> PlanBuilder | list[Fault]:
        """The plan as a builder has it, or why there is none."""
        fields = BrainFields.model_fields.keys() - {"type"}
        given = {_RENAMED.get(key, key): getattr(self, key) for key in fields & self.model_fields_set}
        try:
            return brain(self.type, {**given, "role": self.role or "", "name": name, **more})
        except SourceError as error:
            return list(error.faults)

    def builder(self, name: str, **more: Any) -> PlanBuilder:
        """The plan as a builder has it.

        Raises:
            SourceError: There is none.
        """
        made = self.made(name, **more)
        if isinstance(made, list):
            raise SourceError(made)
        return made


class BodyBrainEntry(NodeEntry, BrainFields):
    """`type: zero_shot`, `single_eval`, `multi_eval` or `tree_of_thought` in a fork's body: a brain."""

    def body(self, name: str) -> PlanBuilder:
        """The brain's plan."""
        return self.builder(name)

    def places(self, name: str) -> dict[str, Path]:
        """All nodes of the brain stand at its own place."""
        found: dict[str, Path] = {}
        for placed in self.builder(name).build().nodes.values():
            found[placed.name] = ()
            if isinstance(placed.node, Fork):
                (branch,) = placed.node.branches.values()
                found |= {f"{place(placed.name, '')}/{inner}": () for inner in branch.plan.nodes}
        return found

    def faults(self) -> list[Fault]:
        """What is wrong across its fields."""
        made = self.made("brain")
        return made if isinstance(made, list) else []


class BrainEntry(BodyBrainEntry):
    """`type: zero_shot`, `single_eval`, `multi_eval` or `tree_of_thought`: a brain, with `done` and `none`.

    An edge for `none` may always be there; it must be where the brain can come to it.

    Args:
        inputs: The channel here for each of its inputs, where the names differ.
        writes: The channel here that its answer goes to.
    """

    inputs: dict[str, Name] = Field(default_factory=dict)
    writes: str = ""

    def place(self, builder: PlanBuilder, name: str) -> None:
        """Make it part of the builder's plan."""
        builder.node(self.body(name), name=name, inputs=self.inputs, writes=self.writes)

    def sketch(self, builder: PlanBuilder, name: str) -> None:
        """Add one node with its ports: an edge that says no outcome is that of `done`, for every technique."""
        builder.node(Decide(name, prompt=""))

    def places(self, name: str) -> dict[str, Path]:
        """The brain's nodes have the outer name and `/` before their own."""
        return {name: (), **{f"{name}/{inner}": path for inner, path in super().places(name).items()}}

    def faults(self) -> list[Fault]:
        """What is wrong across its fields, and inputs that it does not have."""
        made = self.made("brain")
        if isinstance(made, list):
            return made
        known = [channel.name for channel in made.build().inputs]
        return [
            Fault(f"the brain has no input {name!r}", ("inputs", name), did_you_mean(name, known))
            for name in self.inputs
            if name not in known
        ]
