"""Read: a graph of LangGraph, compiled or not, becomes a reading. Nothing of it is called."""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from types import FunctionType
from typing import Any, TypeAlias

from langgraph.channels import LastValue
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import is_typeddict

from loopwright.graphs.stategraph.reading import END, START, Choice, Join, Option, Reading, ReadNode, Writes
from loopwright.sources.langgraph.code import Answer, Code, Ways
from loopwright.sources.langgraph.hints import Returns, returns_of, writes_of
from loopwright.sources.langgraph.moves import Moves, adds, moved
from loopwright.sources.langgraph.source import added_at, function_of, is_own, own_nodes, source_of

_DEEPEST = 2

_Limits: TypeAlias = tuple[list[frozenset[str]], frozenset[str]]
"""The keys of each comparison that may be that of a counter, and those that are asked whether they hold anything."""

_NO_LIMITS: _Limits = ([], frozenset())

_STEP_MANAGERS = {"IsLastStepManager", "RemainingStepsManager"}
"""What in a state tells a node how many steps are left."""


def is_graph(value: object) -> bool:
    """Whether something is a graph that can be read."""
    return isinstance(value, StateGraph | CompiledStateGraph)


def read_graph(graph: Any, name: str = "", file: str = "", line: int = 0) -> Reading:
    """Read a graph and the graphs inside it.

    Args:
        graph: A `StateGraph`, or what its `compile` gives.
        name: What it is called where it has no name of its own.
        file: The file in which it is made, for the lines of nodes that have no function there.
        line: The line of that file at which it stands.

    Example:
        >>> from langgraph.graph import MessagesState
        >>> graph = StateGraph(MessagesState).add_node("hello", lambda state: {}).add_edge(START, "hello")
        >>> reading = read_graph(graph, "greeting")
        >>> reading.names, reading.targets(START)
        (('hello',), ('hello',))
    """
    compiled = graph if isinstance(graph, CompiledStateGraph) else None
    builder: Any = compiled.builder if compiled else graph
    return _Reader(builder, compiled, file, line).read(name)


class _Reader:
    def __init__(self, builder: Any, compiled: Any, file: str, line: int) -> None:
        self.builder, self.compiled, self.file, self.line = builder, compiled, file, line
        self.known = {*builder.nodes, END}
        self.order = {name: place for place, name in enumerate([START, *builder.nodes, END])}
        self.added = added_at(file) if file else {}

    def read(self, name: str) -> Reading:
        builder = self.builder
        own = self.compiled.get_name() if self.compiled else ""
        called = own if own and own != "LangGraph" else name or "graph"
        nodes = {START: self._linked(ReadNode(START))}
        for key, spec in builder.nodes.items():
            nodes[key] = self._linked(self._node(key, spec))
        channels = {key: channel for key, channel in builder.channels.items() if key != "__root__"}
        unreduced = frozenset(key for key, channel in channels.items() if type(channel) is LastValue)
        waiting = sorted(builder.waiting_edges, key=lambda edge: ([self._place(name) for name in edge[0]], edge[1]))
        return Reading(
            called,
            nodes,
            tuple(Join(sources, target) for sources, target in waiting if target in builder.nodes),
            unreduced,
            unreduced - set(builder.schemas[builder.input_schema]),
            self._bound(),
            tuple(edge for edge in self._edges() if not self._joins_nodes(edge)),
            self.file,
            self.line,
        )

    @cached_property
    def _adding(self) -> frozenset[str]:
        """The keys whose channels add what is written to what was there; those that nothing is known of among them."""
        return frozenset(
            key
            for key, channel in self.builder.channels.items()
            if type(channel) is not LastValue and adds(getattr(channel, "operator", None))
        )

    def _place(self, name: str) -> tuple[int, str]:
        return self.order.get(name, len(self.order)), name

    def _edges(self) -> list[tuple[str, str]]:
        edges: Iterable[tuple[str, str]] = self.builder.edges
        return sorted(edges, key=lambda edge: (self._place(edge[0]), self._place(edge[1])))

    def _joins_nodes(self, edge: tuple[str, str]) -> bool:
        return edge[0] in self.order and edge[0] != END and edge[1] in self.known

    def _bound(self) -> str:
        limit = (self.compiled.config or {}).get("recursion_limit") if self.compiled else None
        managers = {getattr(manager, "__name__", "") for manager in self.builder.managed.values()}
        return f"recursion_limit {limit}" if limit else "remaining steps" if managers & _STEP_MANAGERS else ""

    def _linked(self, node: ReadNode) -> ReadNode:
        """The node with its edges and its routers."""
        routers = [self._router(name, branch) for name, branch in self.builder.branches.get(node.name, {}).items()]
        always = tuple(edge[1] for edge in self._edges_from.get(node.name, ()))
        return replace(
            node,
            always=always,
            choices=(*node.choices, *(choice for choice, _ in routers)),
            limits=(*node.limits, *(keys for _, (limits, _) in routers for keys in limits)),
            empties=node.empties.union(*(empties for _, (_, empties) in routers)),
        )

    @cached_property
    def _edges_from(self) -> Mapping[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for edge in self._edges():
            if self._joins_nodes(edge):
                found.setdefault(edge[0], []).append(edge)
        return found

    def _node(self, name: str, spec: Any) -> ReadNode:
        runnable = spec.runnable
        if isinstance(runnable, CompiledStateGraph):
            return self._subgraph(name, spec, runnable)
        function = _function_in(runnable)
        code = Code(source_of(function)) if function else None
        returns = returns_of(function) if function else Returns()
        choice = self._command(spec, code, returns)
        file, line = self._where(name, code)
        writes = self._writes(code, returns)
        limits, empties = _limits(code, 0 if choice else _DEEPEST) if code else _NO_LIMITS
        moves = self._moves(code, writes)
        return ReadNode(
            name,
            choices=(replace(choice, file=file, line=line),) if choice else (),
            writes=writes,
            reads=self._reads(spec, code),
            paced=self._interrupted(name) or (code is not None and code.waits()),
            limits=tuple(limits),
            empties=empties if choice else frozenset(),
            moves=moves.keys,
            follows=moves.follows,
            resets=moves.resets,
            deferred=spec.defer,
            on_failure=spec.error_handler_node or "",
            handler=spec.is_error_handler,
            file=file,
            line=line,
        )

    def _subgraph(self, name: str, spec: Any, graph: Any) -> ReadNode:
        body = read_graph(graph, name, self.file, self.added.get(name, self.line))
        outward = {key for key in graph.builder.schemas[graph.builder.output_schema] if key in self.builder.channels}
        declared = self._declared(spec, ())
        options = (*declared, Option((), sure=False)) if declared else ()
        leaves = any(
            option.label == _TO_PARENT for node in body.nodes.values() for c in node.choices for option in c.options
        )
        command = Choice("Command", options, open=leaves and not options, command=True)
        return ReadNode(
            name,
            choices=(command,) if options or leaves else (),
            writes=Writes(frozenset(), frozenset(outward), known=True),
            paced=self._interrupted(name),
            moves=frozenset(outward & (self._adding | _moved_inside(body, outward))),
            deferred=spec.defer,
            on_failure=spec.error_handler_node or "",
            kind="subgraph",
            body=body,
            file=self.file if name in self.added else "",
            line=self.added.get(name, 0),
        )

    def _where(self, name: str, code: Code | None) -> tuple[str, int]:
        """The function's own place where it is below the current folder; else where the node was added."""
        function = code.source.function.__name__ if code else ""
        line = self.added.get(name, self.added.get(function, 0))
        if code and code.source.line and is_own(code.source.file):
            return code.source.file, code.source.line
        return (self.file, line) if line else ("", 0)

    def _interrupted(self, name: str) -> bool:
        stops = (self.compiled.interrupt_before_nodes, self.compiled.interrupt_after_nodes) if self.compiled else ()
        return any(names == "*" or name in names for names in stops)

    def _writes(self, code: Code | None, returns: Returns) -> Writes:
        written = code.written() if code else None
        if written and (written.known or returns.shape in (None, self.builder.state_schema)):
            return Writes(written.sure, written.may, written.known)
        if returns.shape is not None and returns.shape is not self.builder.state_schema:
            return Writes(*writes_of(returns.shape), known=True)
        return Writes()

    def _moves(self, code: Code | None, writes: Writes) -> Moves:
        """What a node does to the keys that it writes; to those whose values cannot be seen, anything."""
        if code is None:
            return Moves(writes.may)
        found = moved(code, self._adding)
        seen = {key for values, _ in code.mappings() for key in values}
        return replace(found, keys=found.keys | (writes.may - seen))

    def _reads(self, spec: Any, code: Code | None) -> frozenset[str]:
        if code is None or not is_typeddict(spec.input_schema):
            return frozenset()
        return code.reads() & set(self.builder.channels)

    def _router(self, name: str, branch: Any) -> tuple[Choice, _Limits]:
        """A router, and what may stop a loop there."""
        function = _function_in(branch.path)
        code = Code(source_of(function)) if function else None
        ways = code.answers() if code else Ways()
        mapped = branch.ends is not None
        entries: dict[Any, str] = dict(branch.ends) if mapped else {name: name for name in self.known}
        options, lost = self._options(ways, entries)
        if code and lost and (code.hangs_on_closure or _is_wrapped(branch.path)):  # they may never come out of it
            ways, lost = replace(ways, open=True), []
        single = function is not None and returns_of(function).single
        covered = {target for option in options for target in option.targets}
        if mapped:
            sure = single and ways.open
            rest = [(key, target) for key, target in entries.items() if target in self.known and target not in covered]
            options += [Option((target,), str(key), sure, sent=ways.open and not single) for key, target in rest]
            lost += [str(target) for target in entries.values() if target not in self.known]
        file, line = (code.source.file, code.source.line) if code else ("", 0)
        choice = Choice(name, tuple(options), ways.open and not mapped, tuple(lost), mapped, file=file, line=line)
        return choice, _limits(code) if code else _NO_LIMITS

    def _options(self, ways: Ways, entries: Mapping[Any, str]) -> tuple[list[Option], list[str]]:
        """What answers lead to, and those that lead nowhere."""
        options: list[Option] = []
        lost: list[str] = []
        for answer in ways.answers:
            targets = [self._target(answer, value, entries) for value in answer.targets]
            lost += [str(value) for value, target in zip(answer.targets, targets, strict=True) if target is None]
            found = tuple(target for target in targets if target is not None)
            if found or not answer.targets:
                label = "send" if answer.sent else ", ".join(_word(value) for value in answer.targets)
                options.append(Option(found, label, many=answer.many, sent=answer.sent))
        return options, lost

    def _target(self, answer: Answer, value: Any, entries: Mapping[Any, str]) -> str | None:
        target = value if answer.sent else entries.get(value)
        return target if target in self.known else None

    def _command(self, spec: Any, code: Code | None, returns: Returns) -> Choice | None:
        """Where the commands of a node lead."""
        ways = code.gotos() if code else None
        options, lost = self._options(ways, {name: name for name in self.known}) if ways else ([], [])
        declared = self._declared(spec, returns.goto)
        covered = {target for option in options for target in option.targets}
        hidden = ways is not None and ways.open
        options += [replace(option, sent=hidden) for option in declared if not covered.issuperset(option.targets)]
        if code and code.leaves_to_parent():
            options.append(Option((END,), _TO_PARENT, sure=False))
        lost += [name for name in _names(spec.ends) if name not in self.known]
        unseen = ways.open if ways else returns.commands and not options
        if not options and not lost and not unseen:
            return None
        return Choice("Command", tuple(options), unseen and not declared, tuple(lost), command=True)

    def _declared(self, spec: Any, goto: Collection[str]) -> tuple[Option, ...]:
        """Where a node is declared to go: one of these, as far as is known."""
        labels = spec.ends if isinstance(spec.ends, dict) else {}
        names = dict.fromkeys([*_names(spec.ends), *goto])
        return tuple(Option((name,), str(labels.get(name) or ""), sure=False) for name in names if name in self.known)


_TO_PARENT = "to the graph around it"


def _names(ends: Any) -> Iterator[str]:
    yield from (ends or ())


def _word(value: Any) -> str:
    return "end" if value == END else str(value)


def _function_in(runnable: Any) -> Any:
    """The function that a runnable of LangGraph or LangChain runs, or None."""
    called = getattr(runnable, "func", None) or getattr(runnable, "afunc", None)
    return function_of(called) if called is not None else None


def _limits(code: Code, depth: int = 0) -> _Limits:
    """What may stop a loop where a function decides, it or the functions that it calls by their names."""
    limits, empties = [*code.limits()], code.empties()
    for call in own_nodes(code.source) if depth < _DEEPEST else ():
        match call:
            case ast.Call(ast.Name(name)) if isinstance(function := code.source.value(name), FunctionType):
                inner, more = _limits(Code(source_of(function_of(function) or function)), depth + 1)
                handed = code.handed(call)
                known = frozenset[str]().union(*handed) if all(handed) else frozenset[str]()
                limits += [keys | known for keys in inner]
                empties |= more
    return limits, empties


def _moved_inside(body: Reading, outward: Collection[str]) -> frozenset[str]:
    """The keys that the nodes of a subgraph may move, as far as the graph around it sees them."""
    nodes = [node for name, node in body.nodes.items() if name != START]
    if not all(node.writes.known for node in nodes):
        return frozenset(outward)
    return frozenset(key for node in nodes for key in [*node.moves, *(key for key, _ in node.follows)])


def _is_wrapped(runnable: Any) -> bool:
    """Whether a decorator stands around the function of a runnable, which may say something else."""
    called = getattr(runnable, "func", None) or getattr(runnable, "afunc", None)
    return hasattr(called, "__wrapped__")
