"""The form `graph`: nodes and edges written by hand."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from loopwright.errors import Fault
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.edge_text import EXAMPLE, Target, parse_edge, parse_target
from loopwright.graphs.forms.nested_entries import GraphNode
from loopwright.graphs.forms.node_entries import Name, PlainEntry
from loopwright.graphs.forms.spec import Path, Refused, Spec, under
from loopwright.graphs.forms.type_field import TypeField
from loopwright.graphs.plan import Plan, own_bound
from loopwright.graphs.verify.check import NAMES, verify
from loopwright.nodes.code import CodeNode, CodeRef
from loopwright.nodes.models.reference import ModelRef
from loopwright.state.channels import MISSING, Channel, Reducer
from loopwright.state.schema import check_for, word_of
from loopwright.state.values import Json


class ChannelEntry(BaseModel):
    """A channel; a type alone is short for `{type: ...}`. Its name is its key.

    Args:
        type: A short word, a mapping of fields, or JSON Schema.
        input: Whether `start` takes it.
        reduce: How a write changes it.
        default: Its value before the first write.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: TypeField = Field(default_factory=dict)
    input: bool = False
    reduce: Reducer = "replace"
    default: Json = None

    def channel(self, name: str) -> Channel:
        """The channel."""
        default = self.default if "default" in self.model_fields_set else MISSING
        return Channel(name, self.type, self.reduce, self.input, default)

    @model_validator(mode="after")
    def _begins_well(self) -> Self:
        channel = self.channel("")
        if channel.default is not MISSING and self.reduce != "replace":
            raise Refused(
                f"a channel with reduce: {self.reduce} has no default", f"it begins as {channel.first_value!r}"
            )
        if channel.first_value is not MISSING:
            try:
                check_for(self.type)(channel.first_value)
            except ValueError as error:
                word = word_of(self.type)
                raise Refused(f"it begins as {channel.first_value!r}, which does not fit its type {word}") from error
        return self


def _channel(value: object) -> object:
    if isinstance(value, ChannelEntry | Mapping):
        return value
    if isinstance(value, str):
        return {"type": value}
    raise Refused(
        "a channel is a type, or a mapping", "as in draft: str, or notes: {type: 'list[str]', reduce: append}"
    )


def _target(value: object) -> object:
    if isinstance(value, Target):
        return value
    if isinstance(value, str):
        return parse_target(value)
    raise Refused("a target is a text", "a node, `end NAME` or `fail NAME`")


TargetField = Annotated[Target, BeforeValidator(_target, json_schema_input_type=str)]


class EdgeEntry(BaseModel):
    """Where an outcome leads; in a file a line of text, or a mapping of these.

    Args:
        source: In the file `from`: the node that is left.
        outcome: In the file `on`: its outcome; may be left out where there is only one.
        to: A node, `end NAME` for a success, `fail NAME` for an end that is none.
        at_most: How often it may be taken in one entry of its loop.
        bound: The bound's name; an edge with this alone shares the count of another edge.
        then: Where to go when the bound is used up.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: Name = Field(alias="from")
    outcome: Name = Field("", alias="on")
    to: TargetField
    at_most: int | None = Field(None, ge=0)
    bound: Name = ""
    then: TargetField | None = None

    @model_validator(mode="after")
    def _bound_is_whole(self) -> Self:
        if self.at_most is not None and self.then is None:
            raise Refused("`at most` needs `then`: where to go when it is used up", f"as in: {EXAMPLE}")
        if self.at_most is None and self.then is not None:
            raise Refused("`then` needs `at most`: after how many times", f"as in: {EXAMPLE}")
        return self


def _edge(value: object) -> object:
    if isinstance(value, EdgeEntry | Mapping):
        return value
    if not isinstance(value, str):
        raise Refused("an edge is a text or a mapping", f"as in: {EXAMPLE}")
    parts = parse_edge(value)
    fields = {
        "on": parts.outcome,
        "at_most": parts.at_most,
        "bound": parts.bound,
        "then": parts.then,
    }
    return {
        "from": parts.source,
        "to": parts.to,
        **{key: part for key, part in fields.items() if part not in (None, "")},
    }


class GraphSpec(Spec):
    """Nodes and edges written by hand. The prompts' placeholders are the channels.

    Args:
        name: The plan's name.
        channels: The channels by name: a type each, or a mapping of `type`, `input`, `reduce`, `default`.
        nodes: The nodes by name, told apart by `type`: think, judge, human, wait, each, parallel, plan.
        edges: The edges: texts as `review [pass] -> end finished`, or mappings.
        start: The node that a run begins at; the first one when left out.
        result: The channel whose last value is the run's result.
        models: Model references by name.

    Example:
        >>> spec = GraphSpec.model_validate({
        ...     "channels": {"topic": {"type": "str", "input": True}, "draft": "str"},
        ...     "nodes": {"write": {"type": "think", "prompt": "Write about <{topic}>", "writes": "draft"}},
        ...     "edges": ["write -> end finished"],
        ... })
        >>> [(edge.source, edge.outcome, edge.way.target) for edge in spec.plan().edges]
        [('write', 'done', 'finished')]
    """

    kind: Literal["graph"] = "graph"
    channels: dict[
        Name, Annotated[ChannelEntry, BeforeValidator(_channel, json_schema_input_type=str | ChannelEntry)]
    ] = Field(default_factory=dict)
    nodes: dict[Name, GraphNode] = Field(min_length=1)
    edges: list[Annotated[EdgeEntry, BeforeValidator(_edge, json_schema_input_type=str | EdgeEntry)]] = Field(
        default_factory=list
    )
    start: str = ""
    result: str = ""
    models: dict[Name, ModelRef] = Field(default_factory=dict)

    def faults(self) -> list[Fault]:
        """What is wrong across the fields; whether the edges make a sound loop is for `check` to say."""
        return [
            *_slashed("channels", self.channels),
            *_slashed("nodes", self.nodes),
            *(fault for name, found in self._inside.items() for fault in under(("nodes", name), found)),
            *self._unsaid(),
            *self._misnamed(),
        ]

    def plan(self) -> Plan:
        """The nodes and edges as they are written."""
        builder = self._builder()
        for name, entry in self.nodes.items():
            entry.place(builder, name)
        for edge in self.edges:
            self._join(builder, edge)
        return builder.build()

    def path_of(self, place: Path) -> Path:
        """The key of a node, a channel or a field; an edge's place in the list."""
        match place:
            case ("nodes", str(name), *field):
                return (*self._places[name], *field) if name in self._places else ()
            case ("edges", str(source), *rest):
                known = (("edges", source, *rest[:length]) for length in (2, 1))
                return next((self._lines[key] for key in known if key in self._lines), self.path_of(("nodes", source)))
            case ("bounds", str(name)):
                return self._lines.get(place, self.path_of(("nodes", name.partition("/")[0])))
        return place

    @cached_property
    def _inside(self) -> Mapping[str, list[Fault]]:
        """The faults inside each node."""
        return {name: entry.faults() for name, entry in self.nodes.items()}

    @cached_property
    def _places(self) -> Mapping[str, Path]:
        """Where each node of the plan stands."""
        return {
            inner: ("nodes", name, *path)
            for name, entry in self.nodes.items()
            for inner, path in ({name: ()} if self._inside[name] else entry.places(name)).items()
        }

    @cached_property
    def _lines(self) -> Mapping[Path, Path]:
        """Where each edge stands, by its ends and by its outcome alone, and the edge that makes each bound."""
        found: dict[Path, Path] = {}
        for index, edge in enumerate(self.edges):
            key = ("edges", edge.source, self._outcome(edge))
            found.setdefault(key, ("edges", index))
            found.setdefault((*key, edge.to.name), ("edges", index))
            if edge.at_most is not None:
                found.setdefault(("bounds", edge.bound or own_bound(*key[1:])), ("edges", index))
        return found

    def _builder(self) -> PlanBuilder:
        channels = [entry.channel(name) for name, entry in self.channels.items()]
        return PlanBuilder(self.name or self.kind, channels, start=self.start, result=self.result, models=self.models)

    def _sketch(self) -> PlanBuilder:
        """The nodes alone, each in one piece; a fork or a plan with faults inside it is only a name."""
        builder = self._builder()
        for name, entry in self.nodes.items():
            if self._inside[name] and not isinstance(entry, PlainEntry):
                builder.node(CodeNode(name, code=CodeRef(name, "1")))
            else:
                entry.sketch(builder, name)
        return builder

    @cached_property
    def _outcomes(self) -> Mapping[str, tuple[str, ...]]:
        """The outcomes of each node."""
        return {name: placed.contract.outcomes for name, placed in self._sketch().build().nodes.items()}

    def _outcome(self, edge: EdgeEntry) -> str:
        return edge.outcome or next(iter(self._outcomes.get(edge.source, ())), "")

    def _join(self, builder: PlanBuilder, edge: EdgeEntry) -> None:
        """Add an edge to a builder."""
        then = edge.then.way if edge.then else None
        outcome = self._outcome(edge)
        builder.edge(edge.source, outcome, edge.to.way, at_most=edge.at_most, bound=edge.bound, then=then)

    def _unsaid(self) -> Iterator[Fault]:
        """Edges that do not say which of several outcomes they are for."""
        for index, edge in enumerate(self.edges):
            own = self._outcomes.get(edge.source, ())
            if not edge.outcome and len(own) > 1 and not self._inside[edge.source]:
                hint = f"as in {edge.source} [{own[0]}] -> ...; there are: {', '.join(own)}"
                yield Fault(
                    f"{edge.source!r} has several outcomes, and the edge must say which", ("edges", index), hint
                )

    def _misnamed(self) -> Iterator[Fault]:
        """What the builder refuses, and names that do not exist, as far as they do not come of other faults."""
        builder, refused = self._sketch(), False
        for index, edge in enumerate(self.edges):
            try:
                self._join(builder, edge)
            except ValueError as error:
                refused = True
                yield Fault(str(error), ("edges", index))
        for finding in verify(builder.build(), NAMES):
            unsure = finding.code == "unknown-outcome" and any(self._inside[name] for name in finding.nodes)
            if unsure or (refused and finding.code == "unknown-bound"):
                continue
            hint = f"an end is written `end NAME` or `fail NAME`; {finding.hint}"
            yield Fault(
                finding.message,
                self.path_of(finding.place),
                hint if finding.code == "unknown-target" else finding.hint,
            )


def _slashed(what: str, names: Iterable[str]) -> Iterator[Fault]:
    for name in names:
        if "/" in name:
            yield Fault("a name with / in it would be one inside a nested plan", (what, name), "take another sign")
