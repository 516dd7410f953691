"""Nodes as a graph file has them: the fields of a node under its name, told apart by `type`."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SerializeAsAny

from loopwright.errors import Fault
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.spec import FORMS, Refused, Spec
from loopwright.graphs.forms.type_field import TypeField
from loopwright.graphs.plan import Plan
from loopwright.nodes.contract import FAILURES, Node, names
from loopwright.nodes.prompts import did_you_mean
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait
from loopwright.state.values import Json

Name = Annotated[str, Field(min_length=1)]
Names = Name | tuple[Name, ...]

_CODE = ("act", "route", "code")


def under(path: tuple[str, ...], faults: Iterable[Fault]) -> list[Fault]:
    """The faults of a part of a document, with their paths in the whole of it."""
    return [replace(fault, path=(*path, *fault.path)) for fault in faults]


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


def _nested(value: object) -> object:
    """The spec of a plan that stands inside another file."""
    if isinstance(value, Spec):
        return value
    if not isinstance(value, Mapping):
        raise Refused("a nested plan is a mapping with a kind", f"kinds are: {', '.join(sorted(FORMS))}")
    if "kind" not in value:
        raise Refused("a nested plan needs its kind", f"kinds are: {', '.join(sorted(FORMS))}")
    kind = value["kind"]
    if not isinstance(kind, str) or kind not in FORMS:
        raise Refused(f"no kind of plan is called {kind!r}", did_you_mean(str(kind), FORMS))
    return FORMS[kind].model_validate(value)


NestedSpec = Annotated[SerializeAsAny[Spec], BeforeValidator(_nested, json_schema_input_type=dict[str, Json])]


class BodyPlanEntry(NodeEntry):
    """`type: plan` in a fork's body: a whole plan, with a `kind` of its own."""

    type: Literal["plan"]
    plan: NestedSpec

    def body(self, name: str) -> Plan:
        """The plan."""
        del name
        return self.plan.plan()

    def faults(self, models: Mapping[str, object]) -> list[Fault]:
        """The faults of the nested spec. It names its own models."""
        del models
        return under(("plan",), self.plan.faults())


class PlanEntry(BodyPlanEntry):
    """`type: plan`: a whole plan as a node; its ends are the outcomes.

    Args:
        plan: The plan, with a `kind` of its own.
        inputs: The channel here for each of its inputs, where the names differ.
        writes: The channel here that its result goes to.
    """

    inputs: dict[str, Name] = Field(default_factory=dict)
    writes: str = ""

    def place(self, builder: PlanBuilder, name: str) -> None:
        """Make it part of the builder's plan."""
        builder.node(self.plan.plan(), name=name, inputs=self.inputs, writes=self.writes)

    def outcomes_of(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of its ends; failures inside it may have an edge here."""
        del name
        return tuple(self.plan.plan().ends), FAILURES

    def faults(self, models: Mapping[str, object]) -> list[Fault]:
        """The faults of the nested spec, and inputs that it does not have."""
        found = super().faults(models)
        if found:
            return found
        known = [channel.name for channel in self.plan.plan().inputs]
        return [
            Fault(f"the plan has no input {name!r}", ("inputs", name), did_you_mean(name, known))
            for name in self.inputs
            if name not in known
        ]


BodyEntry = Annotated[
    ThinkEntry | JudgeEntry | HumanEntry | WaitEntry | BodyPlanEntry,
    Field(discriminator="type"),
]


def _not_code(value: object) -> object:
    """Refuse nodes that are Python code, in words of their own."""
    if isinstance(value, Mapping) and value.get("type") in _CODE:
        hint = "build the graph in Python, with PlanBuilder"
        raise Refused(f"a node of type {value['type']!r} is Python code, and a file holds none", hint)
    return value


Body = Annotated[BodyEntry, BeforeValidator(_not_code, json_schema_input_type=BodyEntry)]


class EachEntry(Entry):
    """`type: each`: one body for each item of a channel, side by side.

    Args:
        over: The channel with the items.
        as_: In the file `as`: the body's name for its item.
        do: The body: a node, or a plan.
        collect: The channel that takes the list of results.
        at_most: The most items that may come.
        inputs: The channel here for each of the body's inputs, where the names differ.
    """

    type: Literal["each"]
    over: Name
    as_: Name = Field(alias="as")
    do: Body
    collect: Name
    at_most: int | None = Field(None, ge=1)
    inputs: dict[str, Name] = Field(default_factory=dict)

    def place(self, builder: PlanBuilder, name: str) -> None:
        """Add the fork; a body that is a node has the fork's name."""
        builder.each(
            name,
            over=self.over,
            as_=self.as_,
            do=self.do.body(name),
            collect=self.collect,
            at_most=self.at_most,
            inputs=self.inputs,
        )

    def faults(self, models: Mapping[str, object]) -> list[Fault]:
        """The faults of the body."""
        return under(("do",), self.do.faults(models))


class ParallelEntry(Entry):
    """`type: parallel`: several named bodies, side by side.

    Args:
        bodies: Nodes or plans, by name.
        collect: The channel that takes the mapping of results; the fork's name when left out.
    """

    type: Literal["parallel"]
    bodies: Annotated[dict[Name, Body], Field(min_length=1)]
    collect: str = ""

    def place(self, builder: PlanBuilder, name: str) -> None:
        """Add the fork."""
        builder.parallel(name, {key: body.body(key) for key, body in self.bodies.items()}, collect=self.collect)

    def faults(self, models: Mapping[str, object]) -> list[Fault]:
        """The faults of the bodies."""
        return [fault for key, body in self.bodies.items() for fault in under(("bodies", key), body.faults(models))]


AnyEntry = Annotated[
    ThinkEntry | JudgeEntry | HumanEntry | WaitEntry | PlanEntry | EachEntry | ParallelEntry,
    Field(discriminator="type"),
]
GraphNode = Annotated[AnyEntry, BeforeValidator(_not_code, json_schema_input_type=AnyEntry)]
"""The annotation of one node of a graph file."""
