"""Moments: each visit of a run with what it saw, what was asked and what it wrote.

Prompts are not stored, as they would make a run grow with its square: they are made again, by the node's pure `ask`,
from the state that the visit started from.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Protocol, overload

from loopwright.errors import RunError
from loopwright.graphs.plan import Fork, Plan, PlanNode
from loopwright.nodes.code import CodeNode
from loopwright.nodes.contract import Answer, AskModel, AskOutside, Node
from loopwright.nodes.places import within
from loopwright.state.channels import Channel
from loopwright.state.records import Visit
from loopwright.state.values import Json, JsonObject

PAGE = 100
"""Visits that are read at a time."""


@dataclass(frozen=True, slots=True)
class Located:
    """Where in a plan a visit was made.

    Args:
        plan: The plan that the node stands in: the run's, or that of a fork's body.
        node: The node in its place.
        around: The forks that it is inside of, from the outside, each with the branch's name and body.
    """

    plan: Plan
    node: PlanNode
    around: tuple[tuple[PlanNode, str, Plan], ...] = ()


def locate(plan: Plan, label: str) -> Located:
    """The place of a visit's label, as `rate[2]/rater`.

    Raises:
        RunError: The plan has no such place.
    """
    if label in plan.nodes:
        return Located(plan, plan.nodes[label])
    for name, placed in plan.nodes.items():
        found = within(label, name)
        if found and isinstance(placed.node, Fork):
            key, inner = found
            branches = placed.node.branches
            body = branches.get(key) or branches[""]
            deeper = locate(body.plan, inner)
            return Located(deeper.plan, deeper.node, ((placed, key, plan), *deeper.around))
    raise RunError(f"the plan {plan.name!r} has no node {label!r}")


class Reader(Protocol):
    """Reads a run's states; see `past.Past`."""

    def plan_at(self, index: int) -> Plan:
        """The plan that the run had when it made a visit."""

    def before(self, visit: Visit) -> JsonObject:
        """The state that a visit started from."""

    def after(self, visit: Visit) -> JsonObject:
        """The state that a visit led to."""


@dataclass(frozen=True)
class Moment:
    """One visit, and what there was before and after it; see `Run.history`. Each is read when it is asked for.

    Args:
        visit: The visit, as it is kept.
    """

    visit: Visit
    _past: Reader = field(repr=False, compare=False)

    @cached_property
    def before(self) -> JsonObject:
        """The state that the visit started from: in a fork's body the body's own.

        Raises:
            RunError: It is not kept any more, since the run was pruned.
        """
        return self._past.before(self.visit)

    @cached_property
    def after(self) -> JsonObject:
        """The state that it led to.

        Raises:
            RunError: It is not kept any more.
        """
        return self._past.after(self.visit)

    @property
    def asked(self) -> AskModel | AskOutside | None:
        """The question, made again; None where nobody was asked but code.

        Where an answer had to be repaired it is the first one that was asked.

        Raises:
            RunError: The state that it is made from is not kept any more.
        """
        node = self._located.node.node
        if not isinstance(node, Node) or isinstance(node, CodeNode):
            return None
        ask = node.ask(self._view)
        return ask if isinstance(ask, AskModel | AskOutside) else None

    @property
    def written(self) -> JsonObject:
        """What the node wrote, by channel: for a list that grows the items, for a number what was added.

        Raises:
            RunError: The states are not kept any more.
        """
        placed = self._located.node
        if isinstance(placed.node, Fork):
            return {placed.contract.writes[0]: self.visit.reply}
        if self.visit.outcome not in placed.node.contract.outcomes:  # a failure writes nothing
            return {}
        update = self._update(placed.node)
        return {placed.channels.get(name, name): value for name, value in update.items()}

    def to_data(self, *, full: bool = True) -> JsonObject:
        """The moment as JSON.

        Args:
            full: Whether the question and the states are told too, which may be long.
        """
        told: JsonObject = {**self.visit_data(), "written": self.written}
        if full:
            asked = self.asked
            told |= {"asked": asdict(asked) if asked else None, "before": self.before, "after": self.after}
        return told

    def visit_data(self) -> JsonObject:
        """The visit alone as JSON: that is there as long as the run is."""
        return asdict(self.visit)

    def _update(self, node: Node) -> Mapping[str, Json]:
        if not isinstance(node, CodeNode):
            answer: Answer = node.answer(self._view, self.visit.reply)
            return answer.update
        reply: Any = self.visit.reply
        if isinstance(reply, dict):
            return {**reply["update"]}
        before, after = self.before, self.after  # a route's function is not called again: what it wrote shows
        names = {name: self._located.node.channels.get(name, name) for name in node.contract.writes}
        return {
            name: added(self._located.plan.channels[outer], before.get(outer), after[outer])
            for name, outer in names.items()
            if outer in after and after[outer] != before.get(outer)
        }

    @property
    def _located(self) -> Located:
        return locate(self._past.plan_at(self.visit.index), self.visit.node)

    @property
    def _view(self) -> JsonObject:
        located = self._located
        state, channels = self.before, located.plan.channels
        outer = {name: located.node.channels.get(name, name) for name in located.node.node.contract.reads}
        return {name: state.get(place, channels[place].first_value) for name, place in outer.items()}


def added(channel: Channel, before: Any, after: Any) -> Any:
    """What was written, by what there was before and after."""
    if channel.grows:
        items = after[len(before or ()) :]
        return items[0] if channel.reduce == "append" and items else items
    if channel.reduce == "add":
        return after - (before or 0)
    if channel.reduce == "merge":
        return {key: value for key, value in after.items() if key not in (before or {}) or before[key] != value}
    return after


def joined(channel: Channel, before: Any, write: Any) -> Any:
    """A channel's value after a write.

    Example:
        >>> joined(Channel("notes", reduce="append"), ["a"], "b"), joined(Channel("sum", reduce="add"), None, 2)
        (['a', 'b'], 2)
    """
    if channel.grows:
        return [*(before or ()), *([write] if channel.reduce == "append" else write)]
    if channel.reduce == "add":
        return (before or 0) + write
    return {**(before or {}), **write} if channel.reduce == "merge" else write


class History(Sequence[Moment]):
    """The moments of a run, in the order in which its visits were completed. Visits are read as they are needed.

    Args:
        past: What reads states.
        count: Tells how many visits there are.
        visits: Reads so many visits from an index on.
    """

    def __init__(self, past: Reader, count: Callable[[], int], visits: Callable[[int, int], Sequence[Visit]]) -> None:
        self._past, self._count, self._visits = past, count, visits

    def __repr__(self) -> str:
        return f"History(moments={len(self)})"

    def __len__(self) -> int:
        return self._count()

    @overload
    def __getitem__(self, index: int) -> Moment: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Moment, ...]: ...

    def __getitem__(self, index: int | slice) -> Moment | tuple[Moment, ...]:
        if isinstance(index, slice):
            return tuple(self[place] for place in range(*index.indices(len(self))))
        place = index + len(self) if index < 0 else index
        found = self._visits(place, 1) if place >= 0 else ()
        if not found:
            raise IndexError(f"there is no visit {index}; there are {len(self)}, counted from 0")
        return Moment(found[0], self._past)

    def __iter__(self) -> Iterator[Moment]:
        place = 0
        while page := self._visits(place, PAGE):
            yield from (Moment(visit, self._past) for visit in page)
            place += len(page)
