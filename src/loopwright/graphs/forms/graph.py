"""The form `graph`: nodes and edges written by hand."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from loopwright.errors import Fault
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.edge_text import EXAMPLE, Target, parse_edge, parse_target
from loopwright.graphs.forms.nested_entries import GraphNode
from loopwright.graphs.forms.node_entries import Name
from loopwright.graphs.forms.spec import Refused, Spec, under
from loopwright.graphs.forms.type_field import TypeField
from loopwright.graphs.plan import Plan, own_bound
from loopwright.hints import did_you_mean
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
    at_most: int | None = Field(None, ge=1)
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
            *_unknown("node", self.start, self.nodes, ("start",)),
            *_unknown("channel", self.result, self.channels, ("result",)),
            *_slashed("channels", self.channels),
            *_slashed("nodes", self.nodes),
            *(fault for name, found in self._inside.items() for fault in under(("nodes", name), found)),
            *(fault for index, edge in enumerate(self.edges) for fault in self._faults_of_edge(index, edge)),
            *self._faults_of_ends(),
            *self._faults_of_bounds(),
        ]

    def plan(self) -> Plan:
        """The nodes and edges as they are written."""
        channels = [entry.channel(name) for name, entry in self.channels.items()]
        builder = PlanBuilder(
            self.name or self.kind, channels, start=self.start, result=self.result, models=self.models
        )
        for name, entry in self.nodes.items():
            entry.place(builder, name)
        limits = dict(self._limits())
        for edge in self.edges:
            bound = self._bound(edge)
            at_most, then = limits.get(bound, (None, None))
            way = then.way if then else None
            builder.edge(edge.source, self._outcome(edge), edge.to.way, at_most=at_most, bound=bound, then=way)
        return builder.build()

    @cached_property
    def _inside(self) -> Mapping[str, list[Fault]]:
        """The faults inside each node."""
        return {name: entry.faults(self.models) for name, entry in self.nodes.items()}

    @cached_property
    def _outcomes(self) -> Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """The outcomes and the failures of each node that is sound in itself."""
        return {name: entry.outcomes_of(name) for name, entry in self.nodes.items() if not self._inside[name]}

    def _outcome(self, edge: EdgeEntry) -> str:
        return edge.outcome or next(iter(self._outcomes.get(edge.source, ((), ()))[0]), "")

    def _bound(self, edge: EdgeEntry) -> str:
        """The name of the bound that an edge carries, or ""."""
        return edge.bound or (own_bound(edge.source, self._outcome(edge)) if edge.at_most else "")

    def _limits(self) -> Iterator[tuple[str, tuple[int, Target]]]:
        """Every bound that an edge says the size of: its name, how many times, and where to go then."""
        for edge in self.edges:
            if edge.at_most is not None and edge.then is not None:
                yield self._bound(edge), (edge.at_most, edge.then)

    def _faults_of_edge(self, index: int, edge: EdgeEntry) -> Iterator[Fault]:
        path = ("edges", index)
        yield from _unknown("node", edge.source, self.nodes, path)
        for target in (edge.to, edge.then):
            if target is not None and target.ok is None:
                yield from _unknown(
                    "node", target.name, self.nodes, path, "an end is written `end NAME` or `fail NAME`; "
                )
            elif target is not None and target.name in self.nodes:
                yield Fault(f"{target.name!r} is a node, so no end can have this name", path)
        if edge.source not in self._outcomes:
            return
        own, failures = self._outcomes[edge.source]
        if not edge.outcome and len(own) > 1:
            hint = f"as in {edge.source} [{own[0]}] -> ...; there are: {', '.join(own)}"
            yield Fault(f"{edge.source!r} has several outcomes, and the edge must say which", path, hint)
        if edge.outcome and edge.outcome not in (*own, *failures):
            hint = did_you_mean(edge.outcome, (*own, *failures))
            yield Fault(f"{edge.source!r} has no outcome {edge.outcome!r}", path, hint)

    def _faults_of_ends(self) -> Iterator[Fault]:
        known: dict[str, bool] = {}
        for index, edge in enumerate(self.edges):
            for target in (edge.to, edge.then):
                if target is None or target.ok is None:
                    continue
                if known.setdefault(target.name, target.ok) != target.ok:
                    before, now = ("end", "fail") if known[target.name] else ("fail", "end")
                    hint = f"`{before} {target.name}` stands before; one name, one end"
                    yield Fault(f"`{now} {target.name}` makes another end of the same name", ("edges", index), hint)

    def _faults_of_bounds(self) -> Iterator[Fault]:
        known: dict[str, EdgeEntry] = {}
        bounds = {name for name, _ in self._limits()}
        for index, edge in enumerate(self.edges):
            name = self._bound(edge)
            if edge.at_most is None:
                yield from _unknown("bound", name, bounds, ("edges", index))
                continue
            first = known.setdefault(name, edge)
            if (first.at_most, first.then) != (edge.at_most, edge.then):
                hint = f"write `bound {name}` to share it, or give this one another name"
                message = f"the bound {name!r} stands before with another number or another `then`"
                yield Fault(message, ("edges", index), hint)


def _slashed(what: str, names: Iterable[str]) -> Iterator[Fault]:
    for name in names:
        if "/" in name:
            yield Fault("a name with / in it would be one inside a nested plan", (what, name), "take another sign")


def _unknown(
    what: str, name: str, known: Mapping[str, object] | set[str], path: tuple[str | int, ...], hint: str = ""
) -> Iterator[Fault]:
    if name and name not in known:
        yield Fault(f"there is no {what} {name!r}", path, hint + did_you_mean(name, known))
