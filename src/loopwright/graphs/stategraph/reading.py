"""The reading: what is known of a graph that was made with LangGraph. It is data, and nothing of the graph is called.

A step of LangGraph runs all nodes that are due at once. What each of them leads to is due in the next step: everything
that it always leads to, and for each of its choices one option. A join is due when all of its sources have run.

Example:
    >>> ask = Choice("route", (Option(("write",), "go on"), Option((END,), "stop")))
    >>> nodes = [ReadNode(START, ("ask",)), ReadNode("ask", choices=(ask,)), ReadNode("write", ("ask",))]
    >>> Reading("talk", {node.name: node for node in nodes}).targets("ask")
    ('write', '__end__')
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

START = "__start__"
"""Where a run begins, as LangGraph calls it."""

END = "__end__"
"""Where a run ends, as LangGraph calls it."""

MANY_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Option:
    """One way on that a choice has.

    Args:
        targets: The nodes, or END, that are due after it: all of them.
        label: The answer that chooses it.
        sure: Whether it is known that it can be chosen just so; else the choice may be another set of the same targets.
        many: Whether any number of tasks runs in each target, as by `Send`.
        sent: Whether a target may get an input of its own, as by `Send`, and not the state.
    """

    targets: tuple[str, ...]
    label: str = ""
    sure: bool = True
    many: bool = False
    sent: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """What decides where a node leads: a router, or the `Command` that the node returns.

    Args:
        name: The router's name, or "Command".
        options: What can be chosen, as far as it is known.
        open: Whether it may choose what cannot be seen.
        lost: Answers that stand in its code and lead to no node.
        mapped: Whether it has a path map, so that an answer without an entry raises and does not end the run.
        command: Whether it is a `Command`.
        file: The file that it stands in, or "".
        line: The line, or 0.
    """

    name: str
    options: tuple[Option, ...] = ()
    open: bool = False
    lost: tuple[str, ...] = ()
    mapped: bool = False
    command: bool = False
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Writes:
    """The keys of the state that a node writes.

    Args:
        sure: Those that it writes whenever it runs.
        may: Those that it may write, the sure ones among them.
        known: Whether there can be no others.
    """

    sure: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()
    known: bool = False


@dataclass(frozen=True, slots=True)
class ReadNode:
    """A node.

    Args:
        name: Its name; START is a node too.
        always: What is due after it, whatever it says.
        choices: What decides on more.
        writes: The keys that it writes.
        reads: The keys that it reads whenever it runs, as `state["key"]`.
        paced: Whether it waits for someone outside.
        limits: For each comparison of its code, or of its routers, that may be that of a counter with its limit: the
            keys that it looks at; none where they cannot be seen.
        empties: The keys that decide, by whether they hold anything, where it leads.
        moves: The keys that it may write with regard to what they were, as a counter or a list is written.
        follows: The keys that it may make of others, each with such another.
        resets: The keys that it sets to a constant whenever it runs.
        deferred: Whether it waits until nothing else is due.
        on_failure: The node that handles its failures, or "".
        handler: Whether it is such a node.
        kind: What it is, in a word.
        body: The graph that it runs, where it is a subgraph.
        file: The file that it stands in, or "".
        line: The line, or 0.
    """

    name: str
    always: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    writes: Writes = Writes()
    reads: frozenset[str] = frozenset()
    paced: bool = False
    limits: tuple[frozenset[str], ...] = ()
    empties: frozenset[str] = frozenset()
    moves: frozenset[str] = frozenset()
    follows: frozenset[tuple[str, str]] = frozenset()
    resets: frozenset[str] = frozenset()
    deferred: bool = False
    on_failure: str = ""
    handler: bool = False
    kind: str = "node"
    body: "Reading | None" = None
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Join:
    """An edge that waits for several nodes: `add_edge(["a", "b"], "c")`."""

    sources: tuple[str, ...]
    target: str


@dataclass(frozen=True)
class Reading:
    """A graph, as far as it can be read.

    Args:
        name: Its name.
        nodes: The nodes by name, START first.
        joins: The edges that wait for several nodes.
        unreduced: The keys of the state that take one write in a step.
        empty: The keys that hold nothing when a run starts.
        bounded: What bounds its steps, in a word, or "".
        faults: Edges, source and target, of which one is no node.
        file: The file that it was made in, or "".
        line: The line, or 0.
    """

    name: str
    nodes: Mapping[str, ReadNode]
    joins: tuple[Join, ...] = ()
    unreduced: frozenset[str] = frozenset()
    empty: frozenset[str] = frozenset()
    bounded: str = ""
    faults: tuple[tuple[str, str], ...] = ()
    file: str = ""
    line: int = 0

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the nodes, without START."""
        return tuple(name for name in self.nodes if name != START)

    @cached_property
    def joined(self) -> Mapping[str, tuple[Join, ...]]:
        """The joins by each of their sources."""
        found: dict[str, list[Join]] = {}
        for join in self.joins:
            for source in dict.fromkeys(join.sources):
                found.setdefault(source, []).append(join)
        return {source: tuple(joins) for source, joins in found.items()}

    def targets(self, name: str) -> tuple[str, ...]:
        """Everything that a node may lead to, each once: END and joins too."""
        node = self.nodes[name]
        found = [*node.always, *(join.target for join in self.joined.get(name, ()))]
        found += [target for choice in node.choices for option in choice.options for target in option.targets]
        return tuple(dict.fromkeys([*found, *filter(None, [node.on_failure])]))

    def is_open(self, name: str) -> bool:
        """Whether a node may lead where it cannot be seen."""
        return any(choice.open for choice in self.nodes[name].choices)

    def stops(self, name: str) -> bool:
        """Whether a run can end at a node without END: nothing need follow, or what follows is no node or not seen."""
        node = self.nodes[name]
        led = node.always or name in self.joined or any(all(o.targets for o in c.options) for c in node.choices)
        return not led or any(choice.open or choice.lost for choice in node.choices)

    @cached_property
    def graph(self) -> "nx.DiGraph[str]":
        """The nodes, END among them, with an edge wherever one may lead to another."""
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from((name, target) for name in self.nodes for target in self.targets(name))
        return graph

    def part(self, names: Collection[str]) -> "nx.DiGraph[str]":
        """Some of the nodes and the edges between them, in the graph's order, so that it is always the same."""
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(name for name in self.nodes if name in names)
        for name in list(graph):
            graph.add_edges_from((name, target) for target in self.graph.successors(name) if target in graph)
        return graph

    @cached_property
    def reached(self) -> frozenset[str]:
        """What can be come to from START, as far as it can be seen."""
        return frozenset(nx.descendants(self.graph, START)) | {START} if START in self.nodes else frozenset()

    @cached_property
    def ending(self) -> frozenset[str]:
        """The nodes from which a run can come to its end, or to someone outside who may leave it there.

        A handler ends it at the latest.
        """
        graph: nx.DiGraph[str] = nx.DiGraph(self.graph.edges)
        graph.add_node(END)
        stops = (name for name, node in self.nodes.items() if node.handler or node.paced or self.stops(name))
        graph.add_edges_from((name, END) for name in stops)
        return frozenset(nx.ancestors(graph, END))

    @cached_property
    def order(self) -> Mapping[str, int]:
        """The places of the nodes."""
        return {name: place for place, name in enumerate(self.nodes)}

    @cached_property
    def sequential(self) -> bool:
        """Whether there is nothing that could make two nodes run side by side."""

        def leads_on(targets: Collection[str]) -> int:
            return len({*targets} - {END})

        return not self.joins and all(
            bool(leads_on(node.always)) + len(node.choices) <= 1
            and leads_on(node.always) <= 1
            and all(leads_on(option.targets) <= 1 for choice in node.choices for option in choice.options)
            for node in self.nodes.values()
        )

    @cached_property
    def blind(self) -> tuple[str, ...]:
        """The nodes that can be come to and may lead where it cannot be seen."""
        return tuple(name for name in self.nodes if name in self.reached and self.is_open(name))

    def walk(self, prefix: str = "") -> Iterator[tuple[str, "Reading"]]:
        """This graph and the graphs inside it, each with what stands before the names of its nodes."""
        yield prefix, self
        for name, node in self.nodes.items():
            if node.body:
                yield from node.body.walk(f"{prefix}{name}/")

    def edge_count(self) -> int:
        """How many edges there are: one for each target of each option, source of each join, and way always taken."""
        count = sum(len(join.sources) for join in self.joins)
        for node in self.nodes.values():
            count += len(node.always) + bool(node.on_failure)
            for choice in node.choices:
                count += len(dict.fromkeys(target for option in choice.options for target in option.targets))
        return count


def shown(name: str) -> str:
    """A node's name as findings and pictures say it.

    Example:
        >>> shown(START), shown(END), shown("write")
        ('start', 'end', 'write')
    """
    return {START: "start", END: "end"}.get(name, name)


@dataclass(frozen=True, slots=True)
class Unseen:
    """What could not be read of a graph, and so is neither proved nor held against it.

    Args:
        ways: The nodes of which it is not known where they lead.
        writes: The nodes of which it is not known what they write.
    """

    ways: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()

    @classmethod
    def of(cls, reading: Reading) -> "Unseen":
        """What is not known of a graph and of the graphs inside it."""
        ways: list[str] = []
        writes: list[str] = []
        for prefix, part in reading.walk():
            ways += [prefix + shown(name) for name in part.nodes if part.is_open(name)]
            writes += [
                prefix + name for name in part.names if not (node := part.nodes[name]).writes.known and not node.body
            ]
        return cls(tuple(ways), tuple(writes))

    def __str__(self) -> str:
        parts = []
        if self.ways:
            parts.append(f"where {_listed(self.ways)} may lead")
        if self.writes:
            parts.append(f"all that {_listed(self.writes)} may write")
        return f"cannot be seen: {'; '.join(parts)}" if parts else ""


def _listed(names: tuple[str, ...]) -> str:
    more = len(names) - MANY_SHOWN
    return ", ".join(map(repr, names[:MANY_SHOWN])) + (f" and {more} more" if more > 0 else "")
