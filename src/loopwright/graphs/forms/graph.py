"""The form `graph`: nodes and edges written by hand."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.channel_entries import GraphChannel
from loopwright.graphs.forms.edge_entries import EdgeEntry, GraphEdge
from loopwright.graphs.forms.nested_entries import GraphNode
from loopwright.graphs.forms.node_entries import Name, PlainEntry
from loopwright.graphs.forms.spec import Spec, under
from loopwright.graphs.plan import Plan, own_bound
from loopwright.graphs.verify.check import NAMES, verify
from loopwright.nodes.code import CodeNode, CodeRef
from loopwright.nodes.models.reference import ModelRef


class GraphSpec(Spec):
    """Nodes and edges written by hand. The prompts' placeholders are the channels.

    Args:
        name: The plan's name.
        channels: The channels by name: a type each, or a mapping of `type`, `input`, `reduce`, `default`.
        nodes: The nodes by name, told apart by `type`: think, judge, human, wait, emit, act, route, each, parallel,
            plan, and the brains zero_shot, single_eval, multi_eval, tree_of_thought.
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
    channels: dict[Name, GraphChannel] = Field(default_factory=dict)
    nodes: dict[Name, GraphNode] = Field(min_length=1)
    edges: list[GraphEdge] = Field(default_factory=list)
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
        return self._whole.build()

    def code(self) -> Mapping[str, Any]:
        """The functions that the nodes call, those of nested plans included."""
        return self._whole.code

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
    def _whole(self) -> PlanBuilder:
        """All nodes and edges."""
        builder = self._builder()
        for name, entry in self.nodes.items():
            entry.place(builder, name)
        for edge in self.edges:
            self._join(builder, edge)
        return builder

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
