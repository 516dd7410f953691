"""Nodes as a graph file has them: the fields of a node under its name, told apart by `type`."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StrictFloat

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.builder import HasPlan, PlanBuilder
from loopwright.graphs.forms.descriptions import describe
from loopwright.graphs.forms.type_field import TypeField
from loopwright.nodes.contract import Audience, Node
from loopwright.nodes.emit import Emit
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait

Name = Annotated[str, Field(min_length=1)]
Names = Name | tuple[Name, ...]


class Entry(BaseModel):
    """One node of a file. Its name is its key there."""

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=describe)

    @abstractmethod
    def place(self, builder: PlanBuilder, name: str) -> None:
        """Add the node to a builder."""

    def sketch(self, builder: PlanBuilder, name: str) -> None:
        """Add the node in one piece, for the names around it; what is inside it is checked by itself."""
        self.place(builder, name)

    def places(self, name: str) -> dict[str, Path]:
        """Where each node that it becomes stands, by the node's name, with paths from here."""
        return {name: ()}

    def faults(self) -> list[Fault]:
        """What is wrong inside it, with paths from here."""
        return []


class NodeEntry(Entry):
    """A node that can stand anywhere, in a fork's body too."""

    @abstractmethod
    def body(self, name: str) -> Node | HasPlan | PlanBuilder:
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

    def faults(self) -> list[Fault]:
        """The rules of the node that it breaks."""
        return list(self.body("").faults())


class PromptedEntry(PlainEntry):
    """What the nodes that ask a model have in common."""

    prompt: str
    system: str = ""
    model: str = "default"
    writes: Names = ()


class ThinkEntry(PromptedEntry):
    """`type: think`: ask a model and write down what it says; fields as of `Think`.

    Args:
        output: The type of the answer: a word as `list[str]`, a mapping of fields, or JSON Schema; a text if left out.
    """

    makes = Think

    type: Literal["think"]
    output: TypeField | None = None
    audience: Audience = "debug"


class JudgeEntry(PromptedEntry):
    """`type: judge`: ask a model for one of some outcomes, or for a score; fields as of `Judge`."""

    makes = Judge

    type: Literal["judge"]
    outcomes: tuple[Name, ...] = ()
    score: tuple[StrictFloat, StrictFloat] | None = None


class HumanEntry(PlainEntry):
    """`type: human`: ask a person, who answers with one of some actions; fields as of `Human`."""

    makes = Human

    type: Literal["human"]
    text: str
    outcomes: Annotated[tuple[Name, ...], Field(min_length=1)] = ("done",)
    writes: Names = ()
    default: str = ""
    on_text: str = ""


class WaitEntry(PlainEntry):
    """`type: wait`: wait for a value from outside; fields as of `Wait`.

    Args:
        reply: The type of the value: a word as `int`, a mapping of fields, or JSON Schema; anything if left out.
    """

    makes = Wait

    type: Literal["wait"]
    text: str = ""
    reply: TypeField = Field(default_factory=dict)
    source: Literal["person", "event", "timer"] = "event"
    writes: Names = ()
    event: str = ""
    where: dict[Name, JsonValue] = Field(default_factory=dict)
    after: StrictFloat | None = None
    until: str = ""


class EmitEntry(PlainEntry):
    """`type: emit`: send an event to the runs that wait for it; fields as of `Emit`."""

    makes = Emit

    type: Literal["emit"]
    event: Name
    payload: JsonValue = Field(default_factory=dict)
    to: str = ""
