"""Nodes as a graph file has them: the fields of a node under its name, told apart by `type`."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.errors import Fault
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.type_field import TypeField
from loopwright.graphs.plan import Plan
from loopwright.hints import did_you_mean
from loopwright.nodes.contract import FAILURES, Node, names
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait

Name = Annotated[str, Field(min_length=1)]
Names = Name | tuple[Name, ...]


def _twice(outcomes: tuple[str, ...]) -> list[Fault]:
    return [
        Fault(f"the outcome {outcome!r} stands twice", ("outcomes", index))
        for index, outcome in enumerate(outcomes)
        if outcome in outcomes[:index]
    ]


def _mistaken(outcomes: tuple[str, ...]) -> list[Fault]:
    return [
        Fault(f"{outcome!r} is what comes of a model that fails", ("outcomes", index), "give the verdict another name")
        for index, outcome in enumerate(outcomes)
        if outcome in FAILURES
    ]


class Entry(BaseModel):
    """One node of a file. Its name is its key there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @abstractmethod
    def place(self, builder: PlanBuilder, name: str) -> None:
        """Add the node to a builder."""

    def outcomes_of(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Its outcomes, and the failures that may have an edge too."""
        builder = PlanBuilder(name)
        self.place(builder, name)
        contract = builder.build().nodes[name].contract
        return contract.outcomes, contract.failures

    def faults(self, models: Mapping[str, object]) -> list[Fault]:
        """What is wrong across its fields, with paths from here; `models` are the model references that it may name."""
        del models
        return []


class NodeEntry(Entry):
    """A node that can stand anywhere, in a fork's body too."""

    @abstractmethod
    def body(self, name: str) -> Node | Plan:
        """The node itself, or the plan that stands for it."""

    def place(self, builder: PlanBuilder, name: str) -> None:
        """Add the node to a builder."""
        builder.node(self.body(name), name=name)


class PlainEntry(NodeEntry):
    """A node that is one dataclass, with the same fields; those that the file leaves out keep their defaults."""

    makes: ClassVar[Callable[..., Node]]

    def body(self, name: str) -> Node:
        """The node."""
        return self.makes(name, **self.model_dump(exclude={"type"}, exclude_unset=True))


class PromptedEntry(PlainEntry):
    """What the nodes that ask a model have in common."""

    prompt: str
    system: str = ""
    model: str = "default"
    writes: Names = ()

    def faults(self, models: Mapping[str, object]) -> list[Fault]:
        """A model that is not there."""
        known = {*models, "default"}
        if self.model in known:
            return []
        return [Fault(f"there is no model {self.model!r}", ("model",), did_you_mean(self.model, known))]


class ThinkEntry(PromptedEntry):
    """`type: think`: ask a model and write down what it says; fields as of `Think`."""

    makes = Think

    type: Literal["think"]
    output: TypeField | None = None

    def faults(self, models: Mapping[str, object]) -> list[Fault]:
        """Several channels, and an answer that has no keys."""
        found = super().faults(models)
        if len(names(self.writes)) > 1 and self.output is None:
            hint = "give output: a mapping with a type for each of them"
            found.append(Fault("an answer that is plain text cannot go to several channels", ("writes",), hint))
        return found


class JudgeEntry(PromptedEntry):
    """`type: judge`: ask a model for one of some outcomes, or for a score; fields as of `Judge`."""

    makes = Judge

    type: Literal["judge"]
    outcomes: tuple[Name, ...] = ()
    score: tuple[float, float] | None = None

    def faults(self, models: Mapping[str, object]) -> list[Fault]:
        """Neither outcomes nor a score, or both; a score without room."""
        found = super().faults(models)
        if self.score is None and not self.outcomes:
            found.append(
                Fault("a judge needs outcomes or a score", (), "as in outcomes: [pass, revise], or score: [1, 10]")
            )
        if self.score is not None and self.outcomes:
            found.append(
                Fault("a judge has outcomes or a score, not both", ("score",), "a score has one outcome, done")
            )
        if self.score is not None and self.score[0] >= self.score[1]:
            found.append(Fault("the lowest score is not less than the highest", ("score",), "as in score: [1, 10]"))
        return found + _twice(self.outcomes) + _mistaken(self.outcomes)


class HumanEntry(PlainEntry):
    """`type: human`: ask a person, who answers with one of some actions; fields as of `Human`."""

    makes = Human

    type: Literal["human"]
    text: str
    outcomes: Annotated[tuple[Name, ...], Field(min_length=1)] = ("done",)
    writes: Names = ()
    default: str = ""
    on_text: str = ""

    def faults(self, models: Mapping[str, object]) -> list[Fault]:
        """A default that is no action."""
        del models
        actions = (("default", self.default), ("on_text", self.on_text))
        return _twice(self.outcomes) + [
            Fault(f"there is no action {action!r}", (key,), did_you_mean(action, self.outcomes))
            for key, action in actions
            if action and action not in self.outcomes
        ]


class WaitEntry(PlainEntry):
    """`type: wait`: wait for a value from outside; fields as of `Wait`."""

    makes = Wait

    type: Literal["wait"]
    text: str
    reply: TypeField = Field(default_factory=dict)
    source: Literal["person", "event", "timer"] = "event"
    writes: Names = ()
