"""The builder: nodes and edges in any order, then one frozen plan.

`build` never judges: whatever is missing or too much stays in the plan, and `check` reports all of it at once. Only a
mistake that would lose something (a name given twice) raises where it is made.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self, TypeAlias, runtime_checkable

from loopwright.graphs.folds import Fold
from loopwright.graphs.nesting import Nested, inlined
from loopwright.graphs.plan import Bound, Branch, Edge, End, Fork, Plan, PlanNode, Way, own_bound
from loopwright.nodes.code import Function, FunctionNode
from loopwright.nodes.contract import Node, names
from loopwright.nodes.functions import Act
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.runnable import Runnable
from loopwright.state.channels import Channel, channels_of, types_of
from loopwright.state.rebuilt import RESULT_TYPE, rebuilder


@runtime_checkable
class HasPlan(Protocol):
    """Something that is a plan with its live code, as a Loop is."""

    @property
    def plan(self) -> Plan:
        """The plan."""

    @property
    def code(self) -> Mapping[str, Any]:
        """Its live code by name."""


Body: TypeAlias = "Node | Plan | PlanBuilder | HasPlan"


@dataclass
class PlanBuilder:
    """Makes a plan. The first node is the start unless `start` says otherwise.

    Args:
        name: The plan's name.
        channels: A State class, a TypedDict, or Channel objects.
        start: The node that a run begins at.
        result: The channel whose last value is the run's result.
        models: Model references by name.
        fold: What the plan is as a whole, in words: closed pictures then show it as one box; "" for none.

    Example:
        >>> from loopwright.nodes.think import Judge, Think
        >>> builder = PlanBuilder("essay", [Channel("topic", input=True), Channel("draft")], result="draft")
        >>> _ = builder.node(Think("write", prompt="Write about <{topic}>", writes="draft"))
        >>> _ = builder.node(Judge("review", prompt="Good? <{draft}>", outcomes=["pass", "revise"]))
        >>> _ = builder.edge("write", "done", "review").edge("review", "pass", End("finished"))
        >>> _ = builder.edge("review", "revise", "write", at_most=3, bound="rounds", then=End("max_rounds", ok=False))
        >>> plan = builder.build()
        >>> plan.start, [(edge.source, edge.outcome, edge.way.target) for edge in plan.edges]
        ('write', [('write', 'done', 'review'), ('review', 'pass', 'finished'), ('review', 'revise', 'write')])
    """

    name: str
    channels: type | Iterable[Channel] = ()
    start: str = ""
    result: str = ""
    models: Mapping[str, ModelRef] = field(default_factory=dict)
    fold: str = ""
    code: dict[str, Any] = field(default_factory=dict, init=False)
    _nodes: dict[str, PlanNode | Nested] = field(default_factory=dict, init=False)
    _edges: list[Edge] = field(default_factory=list, init=False)
    _bounds: dict[str, Bound] = field(default_factory=dict, init=False)
    _ends: dict[str, End] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._channels = {channel.name: channel for channel in channels_of(self.channels)}
        self._declare(types_of(self.channels).get(self.result))

    def node(
        self,
        node: "Body | Function | Runnable",
        *,
        name: str = "",
        inputs: Mapping[str, str] | None = None,
        writes: str = "",
    ) -> Self:
        """Add a node; a plan or a loop becomes part of this plan.

        Args:
            node: A node, a function made one by `@node`, a plan, or a loop; or a function or a runnable as it is, which
                then is an act with the one outcome `done`.
            name: Its name here; its own name when left out. A runnable and a lambda need one.
            inputs: For a plan, a function or a runnable: the channel here for each of its inputs, where the names
                differ.
            writes: The channel here that the result of any of these goes to.

        Raises:
            ValueError: This name is taken, or that of its code is, or there is no input of a name in `inputs`.
            TypeError: It is none of these, or a node that is given `inputs` or `writes`.
        """
        if not isinstance(node, Node | Plan | PlanBuilder | HasPlan):
            return self._act(node, name, inputs or {}, writes)
        if isinstance(node, Node) and (inputs or writes):
            raise TypeError(f"inputs= and writes= are for plans; node {node.name!r} reads and writes what it declares")
        if isinstance(node, FunctionNode):
            node = self._declared(node.named(name or node.name))
        if isinstance(node, Node):
            if getattr(node, "writes", ()) == (self.result,):
                self._declare(node.declared_type)
            placed = replace(node, name=name) if name and name != node.name else node  # type: ignore[type-var]
            return self._add(placed.name, PlanNode(placed.name, placed))
        plan = self._plan_of(node)
        _require_known(f"the plan {plan.name!r}", inputs or {}, [channel.name for channel in plan.inputs])
        return self._add(name or plan.name, Nested(name or plan.name, plan, dict(inputs or {}), writes))

    def edge(
        self,
        source: str,
        outcome: str,
        target: str | End,
        *,
        at_most: int | None = None,
        bound: str = "",
        then: str | End | None = None,
    ) -> Self:
        """Say where an outcome leads.

        Args:
            source: A node.
            outcome: One of its outcomes, or a failure: `unreadable` or `failed`.
            target: The next node's name, or an end.
            at_most: How often this edge may be taken in one entry of its loop.
            bound: The bound's name. Edges that name the same bound share its count, and one of them says `at_most` and
                `then`. `SOURCE OUTCOME` when left out.
            then: Where to go when the bound is used up.

        Raises:
            ValueError: `at_most` without `then`, or a bound that was made otherwise before.
        """
        if bound or at_most is not None:
            bound = bound or own_bound(source, outcome)
            if at_most is not None or then is not None:
                self._bound(bound, at_most, then)
        self._edges.append(Edge(source, outcome, Way(self._target(target), bound)))
        return self

    def each(
        self,
        name: str,
        *,
        over: str,
        as_: str,
        do: Body,
        collect: str,
        at_most: int | None = None,
        inputs: Mapping[str, str] | None = None,
        named_by: str = "",
    ) -> Self:
        """Add a fork that runs one body for each item of a channel; results come back in the items' order.

        Args:
            name: The fork's name.
            over: The channel with the items, a list.
            as_: The body's name for its item.
            do: The body: a node, a plan or a loop. It reads this plan's channels by name.
            collect: The channel that takes the list of results.
            at_most: The most items that may come; without it no number of calls can be certified.
            inputs: The channel here for each of the body's inputs, where the names differ.
            named_by: The key of items that are objects by whose value their branches are called; as of `Fork`.
        """
        branch = Branch(self._body(do), dict(inputs or {}))
        return self._add(name, PlanNode(name, Fork(name, "each", {"": branch}, collect, over, as_, at_most, named_by)))

    def parallel(
        self,
        name: str,
        bodies: Mapping[str, Body],
        *,
        collect: str = "",
        inputs: Mapping[str, Mapping[str, str]] | None = None,
    ) -> Self:
        """Add a fork that runs several bodies side by side; results come back by the bodies' names.

        Args:
            name: The fork's name.
            bodies: Nodes, plans or loops, by name. They read this plan's channels by name.
            collect: The channel that takes the mapping of results; the fork's name when left out.
            inputs: By body, the channel here for each of its inputs, where the names differ.
        """
        named = inputs or {}
        branches = {key: Branch(self._body(body), dict(named.get(key, {}))) for key, body in bodies.items()}
        return self._add(name, PlanNode(name, Fork(name, "parallel", branches, collect or name)))

    def build(self) -> Plan:
        """The frozen plan, with nested plans inlined: node names joined by `/`.

        Raises:
            ValueError: A name of a nested plan, with the nesting node's name and `/` before it, is taken.
        """
        start = self.start or next(iter(self._nodes), "")
        plan = Plan(
            name=self.name,
            start=start,
            nodes={},
            edges=tuple(self._edges),
            ends=dict(self._ends),
            channels=dict(self._channels),
            bounds=dict(self._bounds),
            models=dict(self.models),
            result=self.result,
            folds={"": Fold(self.fold, start)} if self.fold else {},
        )
        return inlined(plan, self._nodes)

    def _act(self, code: Function | Runnable, name: str, inputs: Mapping[str, str], writes: str) -> Self:
        """Add a function or a runnable as it is."""
        if isinstance(code, type) or not (callable(code) or isinstance(code, Runnable)):
            raise _no_body(code)
        name = name or getattr(code, "__name__", "")
        if not name or name == "<lambda>":
            raise TypeError(f"{code!r} needs a name here: give it with name=")
        made = Act(name, code, writes=writes)
        _require_known(name, inputs, made.contract.reads)
        return self._add(name, PlanNode(name, self._declared(made), dict(inputs)))

    def _add(self, name: str, placed: PlanNode | Nested) -> Self:
        if name in self._nodes:
            raise ValueError(f"{self.name!r} has a node {name!r} already; give this one another name=")
        self._nodes[name] = placed
        return self

    def _target(self, target: str | End) -> str:
        if isinstance(target, str):
            return target
        known = self._ends.setdefault(target.name, target)
        if known != target:
            before = "success" if known.ok else "failure"
            raise ValueError(f"the end {target.name!r} was a {before} before; one name, one end")
        return target.name

    def _bound(self, name: str, at_most: int | None, then: str | End | None) -> None:
        known = self._bounds.get(name)
        if known is None and (at_most is None or then is None):
            raise ValueError(
                f"the bound {name!r} needs at_most and then: how often, and where to go when it is used up"
            )
        target = known.then.target if known and then is None else self._target(then or "")
        made = Bound(name, known.at_most if known and at_most is None else at_most or 0, Way(target))
        if known is not None and known != made:
            before = f"the bound {name!r} was at most {known.at_most}, then {known.then.target!r} before"
            raise ValueError(f"{before}; name it alone to share it, or give this one another name")
        self._bounds[name] = made

    def _declare(self, type_: Any) -> None:
        """Keep the Python type of the result, where there is one to be rebuilt; the first one counts."""
        if rebuilder(type_):
            self.code.setdefault(RESULT_TYPE, type_)

    def _declared(self, node: FunctionNode) -> Node:
        self._add_code({node.declared.code.name: node.function})
        return node.declared

    def _add_code(self, code: Mapping[str, Any]) -> None:
        for name, function in code.items():
            if name == RESULT_TYPE:  # that of an inner plan; this one has a result of its own
                continue
            if self.code.setdefault(name, function) != function:
                raise ValueError(
                    f"{self.name!r} has other code named {name!r} already; give one of the two another name="
                )

    def _plan_of(self, body: "Plan | PlanBuilder | HasPlan") -> Plan:
        if isinstance(body, Plan):
            return body
        if isinstance(body, PlanBuilder):
            self._add_code(body.code)
            return body.build()
        if not isinstance(body, HasPlan):
            raise _no_body(body)
        self._add_code(body.code)
        return body.plan

    def _body(self, body: Body) -> Plan:
        if isinstance(body, FunctionNode):
            body = self._declared(body)
        return one_node_plan(body) if isinstance(body, Node) else self._plan_of(body)


def _no_body(given: object) -> TypeError:
    made = "@node makes a node of a function, lw.Act one of a runnable"
    return TypeError(f"{given!r} is neither a node, nor a plan, nor a loop; {made}")


def _require_known(what: str, inputs: Mapping[str, str], known: Collection[str]) -> None:
    if unknown := [name for name in sorted(inputs) if name not in known]:
        there = ", ".join(known) or "none"
        raise ValueError(f"{what} has no input {', '.join(map(repr, unknown))}; it has: {there}")


def one_node_plan(node: Node) -> Plan:
    """The plan of a single node: each outcome is an end, what it reads are inputs, its first write is the result.

    A node that writes nothing gets a channel of its own name for its value, unless it has several outcomes: then the
    name of the end is what is collected.
    """
    contract = node.contract
    if not contract.writes and len(contract.outcomes) == 1 and contract.kind == "think":
        node = replace(node, writes=node.name)  # type: ignore[type-var]
        contract = node.contract
    written = names(contract.writes)
    channels = [Channel(name, input=True) for name in contract.reads]
    types = {name: node.value_type if name == written[0] else {} for name in written}
    channels += [Channel(name, types[name]) for name in written if name not in contract.reads]
    builder = PlanBuilder(node.name, channels, result=written[0] if written else "").node(node)
    for outcome in contract.outcomes:
        builder.edge(node.name, outcome, End(outcome))
    return builder.build()
