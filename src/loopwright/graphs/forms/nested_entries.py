"""Plans and forks as a graph file has them: nodes with nodes inside."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SerializeAsAny, ValidationInfo, WithJsonSchema

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.brain_entries import BodyBrainEntry, BrainEntry
from loopwright.graphs.forms.code_entries import ActEntry, RouteEntry
from loopwright.graphs.forms.node_entries import (
    EmitEntry,
    Entry,
    HumanEntry,
    JudgeEntry,
    Name,
    NodeEntry,
    ThinkEntry,
    WaitEntry,
)
from loopwright.graphs.forms.spec import FORMS, Refused, Spec, UnreadSpec, under
from loopwright.graphs.plan import Plan
from loopwright.hints import did_you_mean
from loopwright.nodes.code import CodeNode, CodeRef
from loopwright.nodes.contract import Contract
from loopwright.nodes.places import place
from loopwright.state.values import Json, JsonObject


def _nested(value: object, info: ValidationInfo) -> object:
    """The spec of a plan that stands inside another one, or in a file of its own."""
    if isinstance(value, Spec):
        return value
    if isinstance(value, str):
        if info.context is None:
            raise Refused("only a file names other files", "in Python, give a loop to a PlanBuilder: node(load(FILE))")
        return info.context.spec(value)
    if not isinstance(value, Mapping):
        hint = f"kinds are: {', '.join(sorted(FORMS))}"
        raise Refused("a nested plan is a mapping with a kind, or the name of a file", hint)
    if "kind" not in value:
        raise Refused("a nested plan needs its kind", f"kinds are: {', '.join(sorted(FORMS))}")
    kind = value["kind"]
    if not isinstance(kind, str) or kind not in FORMS:
        raise Refused(f"no kind of plan is called {kind!r}", did_you_mean(str(kind), FORMS))
    return FORMS[kind].model_validate(value, context=info.context)


@dataclass(frozen=True, slots=True)
class Whole:
    """A nested plan with its live code, as a builder takes it."""

    plan: Plan
    code: Mapping[str, Any]


ANY_SPEC: JsonObject = {"type": "object", "required": ["kind"]}
"""What the schema of a nested plan says; `sources.schema`, which knows all kinds, puts them in its place."""

_Nested = str | Annotated[dict[str, Json], WithJsonSchema(ANY_SPEC)]
NestedSpec = Annotated[SerializeAsAny[Spec], BeforeValidator(_nested, json_schema_input_type=_Nested)]


def _inside(prefix: str, path: Path, places: Mapping[str, Path]) -> dict[str, Path]:
    """The places of inner nodes as they are outside."""
    return {prefix + name: (*path, *inner) for name, inner in places.items()}


def nested_faults(spec: Spec) -> list[Fault]:
    """The faults of a spec in a field `plan`, which names its own models, and what it would have by itself."""
    if isinstance(spec, UnreadSpec):
        return under(("plan",), spec.faults())
    inputs = dict.fromkeys(name for run in spec.runs() for name in run)
    hint = "leave it out, and have a channel around the plan that fills it"
    own = [Fault(f"the nested plan is given its {name} from outside", ("plan",), hint) for name in inputs]
    if spec.budget:
        hint = "leave it out, and say at the top of the file that is run what all of it may spend"
        own.append(Fault("a nested plan has no budget of its own", ("plan", "budget"), hint))
    return [*under(("plan",), spec.faults()), *own]


class _Sketched(CodeNode):
    """What stands for a nested plan while edges are looked at: all failures may have one."""

    @property
    def contract(self) -> Contract:
        return replace(super().contract, kind="think")


class BodyPlanEntry(NodeEntry):
    """`type: plan` in a fork's body: a whole plan.

    Args:
        plan: The plan, with a `kind` of its own; or the name of a file that holds it, by its path from this one.
    """

    type: Literal["plan"]
    plan: NestedSpec

    def body(self, name: str) -> Whole:
        """The plan, with its code."""
        del name
        return Whole(self.plan.plan(), self.plan.code())

    def places(self, name: str) -> dict[str, Path]:
        """The places that the nested spec tells."""
        del name
        return {inner: ("plan", *self.plan.path_of(("nodes", inner))) for inner in self.plan.plan().nodes}

    def faults(self) -> list[Fault]:
        """The faults of the nested spec, which names its own models, and inputs that it would have by itself."""
        return nested_faults(self.plan)


class PlanEntry(BodyPlanEntry):
    """`type: plan`: a whole plan as a node; its ends are the outcomes.

    Args:
        plan: The plan, with a `kind` of its own; or the name of a file that holds it, by its path from this one.
        inputs: The channel here for each of its inputs, where the names differ.
        writes: The channel here that its result goes to.
    """

    inputs: dict[str, Name] = Field(default_factory=dict)
    writes: str = ""

    def place(self, builder: PlanBuilder, name: str) -> None:
        """Make it part of the builder's plan."""
        builder.node(self.body(name), name=name, inputs=self.inputs, writes=self.writes)

    def sketch(self, builder: PlanBuilder, name: str) -> None:
        """Add a node whose outcomes are the plan's ends; failures inside it may have an edge, as those of a think."""
        builder.node(_Sketched(name, code=CodeRef(name, "1"), outcomes=tuple(self.plan.plan().ends)))

    def places(self, name: str) -> dict[str, Path]:
        """The inner nodes have the outer name and `/` before their own."""
        return {name: (), **_inside(f"{name}/", (), super().places(name))}

    def faults(self) -> list[Fault]:
        """The faults of the nested spec, and inputs that it does not have."""
        found = super().faults()
        if found:
            return found
        plan = self.plan.plan()
        known = [channel.name for channel in plan.inputs]
        unknown = [
            Fault(f"the plan has no input {name!r}", ("inputs", name), did_you_mean(name, known))
            for name in self.inputs
            if name not in known
        ]
        return [*unknown, *self._faults_of_result(plan)]

    def _faults_of_result(self, plan: Plan) -> Iterator[Fault]:
        """A result that does not come to the channel in `writes`."""
        if self.writes and not plan.result:
            yield Fault("the plan names no result", ("writes",), "say result: there, or leave writes out here")
        elif self.writes and plan.channels[plan.result].input:
            outer = self.inputs.get(plan.result, plan.result)
            hint = "have the plan write its result to a channel that is no input, or leave writes out"
            message = f"the plan's result is its input {plan.result!r}, which is {outer!r} here"
            yield Fault(message, ("writes",), hint)


Body = Annotated[
    ThinkEntry
    | JudgeEntry
    | HumanEntry
    | WaitEntry
    | EmitEntry
    | ActEntry
    | RouteEntry
    | BodyPlanEntry
    | BodyBrainEntry,
    Field(discriminator="type"),
]


class EachEntry(Entry):
    """`type: each`: one body for each item of a channel, side by side.

    Args:
        over: The channel with the items.
        as_: In the file `as`: the body's name for its item.
        do: The body: a node, a brain, or a plan.
        collect: The channel that takes the list of results.
        at_most: The most items that may come.
        inputs: The channel here for each of the body's inputs, where the names differ.
        named_by: The key of items that are objects by whose value their branches are called, as in `turns[id=ada]`; by
            their index when left out.
    """

    type: Literal["each"]
    over: Name
    as_: Name = Field(alias="as")
    do: Body
    collect: Name
    at_most: int | None = Field(None, ge=0, strict=True)
    inputs: dict[str, Name] = Field(default_factory=dict)
    named_by: str = ""

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
            named_by=self.named_by,
        )

    def places(self, name: str) -> dict[str, Path]:
        """The fork, and the nodes of its body."""
        return {name: (), **_inside(f"{place(name, '')}/", ("do",), self.do.places(name))}

    def faults(self) -> list[Fault]:
        """The faults of the body."""
        return under(("do",), self.do.faults())


class ParallelEntry(Entry):
    """`type: parallel`: several named bodies, side by side.

    Args:
        bodies: Nodes or plans, by name.
        collect: The channel that takes the mapping of results; the fork's name when left out.
        inputs: By body, the channel here for each of its inputs, where the names differ.
    """

    type: Literal["parallel"]
    bodies: Annotated[dict[Name, Body], Field(min_length=1)]
    collect: str = ""
    inputs: dict[Name, dict[str, Name]] = Field(default_factory=dict)

    def place(self, builder: PlanBuilder, name: str) -> None:
        """Add the fork."""
        bodies = {key: body.body(key) for key, body in self.bodies.items()}
        builder.parallel(name, bodies, collect=self.collect, inputs=self.inputs)

    def places(self, name: str) -> dict[str, Path]:
        """The fork, and the nodes of its bodies."""
        found: dict[str, Path] = {name: ()}
        for key, body in self.bodies.items():
            found |= _inside(f"{place(name, key)}/", ("bodies", key), body.places(key))
        return found

    def faults(self) -> list[Fault]:
        """The faults of the bodies, and inputs of bodies that are not there."""
        unknown = [
            Fault(f"there is no body {key!r}", ("inputs", key), did_you_mean(key, self.bodies))
            for key in self.inputs
            if key not in self.bodies
        ]
        return [
            *(fault for key, body in self.bodies.items() for fault in under(("bodies", key), body.faults())),
            *unknown,
        ]


GraphNode = Annotated[
    ThinkEntry
    | JudgeEntry
    | BrainEntry
    | HumanEntry
    | WaitEntry
    | EmitEntry
    | ActEntry
    | RouteEntry
    | PlanEntry
    | EachEntry
    | ParallelEntry,
    Field(discriminator="type"),
]
"""The annotation of one node of a graph file."""
