"""The certificate: the worst case of a plan, as numbers and in words."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from html import escape
from math import inf

from loopwright.graphs.certificate.measures import Visits, Weighted, whole
from loopwright.graphs.certificate.regions import Walks
from loopwright.graphs.certificate.replies import per_reply
from loopwright.graphs.plan import Fork, Plan
from loopwright.graphs.verify.check import verify
from loopwright.nodes.contract import Node
from loopwright.nodes.places import place
from loopwright.state.values import JsonObject

FORK_STEPS = 3
"""The engine's steps for one visit of a fork: out, the bodies, and back."""


@dataclass(frozen=True, slots=True)
class Worst:
    """The worst case of one node by itself.

    Args:
        visits: How often it is visited at most, or None where that is not bounded.
        calls: The model calls that these visits complete at most.
    """

    visits: int | None
    calls: int | None


@dataclass(frozen=True, slots=True)
class Certificate:
    """How much a run of a plan can take at most. Retries, repairs and what a resume repeats are apart and not counted.

    Args:
        visits: Visits of nodes, those in bodies and one for each fork included. None where they are not bounded: by the
            waits that pace a loop, or by a fork that takes any number of items.
        calls: Completed model calls, those in bodies included. None where they are not bounded, as for the visits.
        steps: Steps of the engine: one for each visit, three for a fork.
        per_reply_visits: Visits from the start or from a reply on, to the next wait or the end. An upper bound, as are
            the next two; without waits, those of the whole run.
        per_reply_calls: Completed model calls in the same stretch.
        per_reply_steps: Steps of the engine in the same stretch, the waits at both ends counted: the limit for one go.
        exact: Whether a run can take as much as `visits`, `calls`, `steps` and `per_node` say; else they are upper
            bounds.
        per_node: The worst case of each node by itself, those in bodies included (`rate/rater`).
        rounds: How many rounds each loop can take for one entry, by its head; loops that waits pace are left out.
        bounds: The bounds that count, with their `at_most`.
    """

    visits: int | None
    calls: int | None
    steps: int | None
    per_reply_visits: int | None
    per_reply_calls: int | None
    per_reply_steps: int
    exact: bool = True
    per_node: Mapping[str, Worst] = field(default_factory=dict)
    rounds: Mapping[str, int] = field(default_factory=dict)
    bounds: Mapping[str, int] = field(default_factory=dict)

    @property
    def paced(self) -> bool:
        """Whether the run as a whole is bounded only by those who answer its waits."""
        return self.steps is None

    @property
    def limit(self) -> int:
        """The engine's limit on its steps in one go: the second fence, one step behind the counts of the plan."""
        return 1 + (self.per_reply_steps if self.steps is None else self.steps)

    def to_data(self) -> JsonObject:
        """The certificate as JSON."""
        return asdict(self)

    def __str__(self) -> str:
        case = "worst case" if self.exact else "worst case (an upper bound)"
        if self.paced:
            counts = [_count(self.per_reply_calls, "model call"), _count(self.per_reply_visits, "visit")]
            return f"{case} per reply: {', '.join([*self._rounds(), *counts])}"
        return f"{case}: {', '.join([*self._rounds(), _count(self.calls, 'model call'), _count(self.visits, 'visit')])}"

    def _rounds(self) -> Iterator[str]:
        if len(self.rounds) == 1:
            yield from (_times(rounds, "round") for rounds in self.rounds.values())
        elif len(self.rounds) < 4:
            yield from (f"{_times(rounds, 'round')} of {head!r}" for head, rounds in self.rounds.items())
        else:
            yield f"{len(self.rounds)} loops"

    def _repr_html_(self) -> str:
        """The words and the table of nodes for notebooks."""
        cell = '<td style="text-align: right">'
        rows = "".join(
            f'<tr><td style="text-align: left">{escape(name)}</td>'
            f"{cell}{_number(worst.visits)}</td>{cell}{_number(worst.calls)}</td></tr>"
            for name, worst in self.per_node.items()
        )
        head = '<tr><th style="text-align: left">node</th><th>visits</th><th>model calls</th></tr>'
        return f"<p>{escape(str(self))}</p><table>{head}{rows}</table>"


def certify(plan: Plan) -> Certificate:
    """The worst case of a plan.

    Raises:
        PlanError: The plan has findings that are errors.

    Example:
        >>> from loopwright.graphs.builder import PlanBuilder
        >>> from loopwright.graphs.plan import End
        >>> from loopwright.nodes.think import Judge, Think
        >>> builder = PlanBuilder("essay").node(Think("write", prompt="Write.")).edge("write", "done", "review")
        >>> _ = builder.node(Judge("review", prompt="Good?", outcomes=["pass", "revise"]))
        >>> _ = builder.edge("review", "pass", End("finished"))
        >>> _ = builder.edge("review", "revise", "write", at_most=3, bound="rounds", then=End("max_rounds", ok=False))
        >>> print(certify(builder.build()))
        worst case: 4 rounds, 8 model calls, 8 visits
    """
    verify(plan).raise_for_errors()
    return certificate_of(plan)


def certificate_of(plan: Plan) -> Certificate:
    """The worst case of a plan that is known to have no findings that are errors."""
    plan = plan.possible
    inside = {
        name: {key: certificate_of(branch.plan) for key, branch in placed.node.branches.items()}
        for name, placed in plan.nodes.items()
        if isinstance(placed.node, Fork)
    }
    visits = {name: _visits_of(plan, name, inside) for name in plan.nodes}
    calls = {name: _calls_of(plan, name, inside) for name in plan.nodes}
    steps = {name: FORK_STEPS if name in inside else 1 for name in plan.nodes}
    walks = Walks(plan)
    worst = [_worst(walks, weights) for weights in (visits, calls, steps)]
    per_node = _per_node(plan, walks, calls, inside)
    bounded = {head: loop for head, loop in walks.loops.items() if all(move.way.bound for move in loop.backs)}
    at_most = {name: plan.bounds[name].at_most for loop in walks.loops.values() for name in loop.bounds}
    reply = _per_reply(plan, worst, steps, inside)
    return Certificate(
        visits=_bounded(worst[0]),
        calls=_bounded(worst[1]),
        steps=_bounded(worst[2]),
        per_reply_visits=_bounded(reply[0]),
        per_reply_calls=_bounded(reply[1]),
        per_reply_steps=int(reply[2]),
        exact=walks.exact and all(body.exact for bodies in inside.values() for body in bodies.values()),
        per_node=per_node,
        rounds={head: 1 + sum(at_most[name] for name in loop.bounds) for head, loop in bounded.items()},
        bounds=at_most,
    )


Bodies = Mapping[str, Mapping[str, Certificate]]


def _visits_of(plan: Plan, name: str, inside: Bodies, *, reply: bool = False) -> float:
    """A visit and those in its bodies, or as many of them as come between two replies."""
    counts = (body.per_reply_visits if reply else body.visits for body in inside.get(name, {}).values())
    return 1 + _in_bodies(plan.nodes[name].node, counts)


def _calls_of(plan: Plan, name: str, inside: Bodies, *, reply: bool = False) -> float:
    """The model calls of one visit, or of as much of it as comes between two replies."""
    node = plan.nodes[name].node
    if not isinstance(node, Fork):
        return node.calls
    return _in_bodies(node, (body.per_reply_calls if reply else body.calls for body in inside[name].values()))


def _in_bodies(node: Node | Fork, counts: Iterable[int | None]) -> float:
    """What all branches of a fork take together, by what each of its bodies takes."""
    return sum(_product(_items(node), _value(count)) for count in counts) if isinstance(node, Fork) else 0


def _items(fork: Fork) -> float:
    """How many items a body is run for."""
    return 1 if fork.kind == "parallel" else _value(fork.at_most)


def _worst(walks: Walks, weights: Mapping[str, float]) -> float:
    return max(whole(walks, Weighted(weights), frozenset()).values(), default=inf)


def _per_node(plan: Plan, walks: Walks, calls: Mapping[str, float], inside: Bodies) -> dict[str, Worst]:
    found: dict[str, Worst] = {}
    for name, placed in plan.nodes.items():
        visits = max(whole(walks, Visits(walks, name), frozenset()).values(), default=inf)
        found[name] = Worst(_bounded(visits), _bounded(_product(visits, calls[name])))
        if isinstance(placed.node, Fork):
            times = _product(visits, _items(placed.node))
            for key, body in inside[name].items():
                for inner, worst in body.per_node.items():
                    both = (_bounded(_product(times, _value(count))) for count in (worst.visits, worst.calls))
                    found[f"{place(name, key)}/{inner}"] = Worst(*both)
    return found


def _per_reply(plan: Plan, total: list[float], steps: Mapping[str, float], inside: Bodies) -> list[float]:
    """Visits, calls and steps between two replies: never more than those of the whole run."""
    waits = [name for name, placed in plan.nodes.items() if placed.contract.kind == "wait"]
    visits = {name: _visits_of(plan, name, inside, reply=True) for name in plan.nodes}
    calls = {name: _calls_of(plan, name, inside, reply=True) for name in plan.nodes}
    if not waits:
        walks = Walks(plan)
        return [_worst(walks, visits), _worst(walks, calls), total[2]]
    walks = Walks(plan, waits)
    found = []
    for weights, last in ((visits, 0), (calls, 0), (steps, 1)):
        stopped, ended = per_reply(walks, weights)
        found.append(max(stopped + last, ended))
    return [min(several) for several in zip(found, total, strict=True)]


def _product(times: float, value: float) -> float:
    """A product in which nothing stays nothing, however often."""
    return times * value if times and value else 0


def _value(count: int | None) -> float:
    return inf if count is None else count


def _bounded(value: float) -> int | None:
    return None if value == inf else int(value)


def _number(count: int | None) -> str:
    return "not bounded" if count is None else str(count)


def _times(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _count(count: int | None, noun: str) -> str:
    return f"any number of {noun}s" if count is None else _times(count, noun)
