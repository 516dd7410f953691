"""Whether a run goes on with a plan that has changed: by both plans, by where it stands and what it holds. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from loopwright.graphs.migrate.differences import differences
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import Fork, Plan, PlanNode
from loopwright.graphs.verify.data import unwritten_from
from loopwright.nodes.contract import AskOutside, Node
from loopwright.state.channels import Channel
from loopwright.state.records import Question
from loopwright.state.schema import check_for
from loopwright.state.takes import takes_all_of
from loopwright.state.values import Json, JsonObject

Kind = Literal["same", "safe", "needs migration", "breaking"]


@dataclass(frozen=True, slots=True)
class Position:
    """Where a run stands, and what it holds.

    Args:
        node: The node that is next: where it waits, is suspended, was interrupted; "" where it is not begun or ended.
        state: Its channels, those that hold something; of a run that is not begun its inputs.
        counts: How often each bound was spent.
        questions: What it has asked there, and was not answered.
        more: The bounds of which it was given more.
        inside: Whether the node is a fork whose branches are on their way.
        begun: Whether it has taken its inputs.
        end: The end that it has come to, though that is not written down yet.
        answered: Whether an answer is kept that it has not taken yet.
    """

    node: str = ""
    state: JsonObject = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()
    more: tuple[str, ...] = ()
    inside: bool = False
    begun: bool = True
    end: str = ""
    answered: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a changed plan means for a run.

    Args:
        kind: `same`: nothing differs. `safe`: it goes on with the plan of now. `needs migration`: it does with what is
            declared, and `missing` says what is not. `breaking`: it cannot, by `broken`.
        changes: What differs between the plans, part by part.
        moved: What becomes of the run by what is declared.
        missing: What would have to be declared.
        broken: Why it cannot go on.
    """

    kind: Kind
    changes: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()

    @property
    def goes_on(self) -> bool:
        """Whether the run can go on with the plan of now."""
        return not self.missing and not self.broken

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it cannot go on; else what becomes of it."""
        return (*self.broken, *self.missing) or self.moved


@dataclass(frozen=True, slots=True)
class Moved:
    """Where a run stands in the plan of now.

    Args:
        position: Its position there; `questions` as the plan of now asks them, with the ids of those that were asked.
        verdict: What the change means for it.
    """

    position: Position
    verdict: Verdict

    @property
    def stands_alone(self) -> bool:
        """Whether it stands at one place of the plan, and so can be placed in another one; else nothing is moved."""
        return self.verdict.kind != "same" and self.position.begun and not self.position.inside


def classify(before: Plan, now: Plan, at: Position, declared: Migration | None = None) -> Moved:
    """What a changed plan means for a run, and where the run stands in it.

    Args:
        before: The plan that the run has.
        now: The plan that it may go on with, without error findings.
        at: Where it stands.
        declared: What is called otherwise now, and what stands where nothing was.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.nodes.think import Think
        >>> was, now = (one_node_plan(Think("greet", prompt=text)) for text in ("Hello", "Hi"))
        >>> classify(was, now, Position("greet")).verdict.kind
        'safe'
        >>> classify(was, one_node_plan(Think("hail", prompt="Hi")), Position("greet")).verdict.missing
        ("it stands at node 'greet', which is gone: declare what it is called now (nodes: greet to hail?)",)
    """
    if before.fingerprint == now.fingerprint:
        return Moved(at, Verdict("same"))
    return _Classification(before, now, at, declared or Migration()).result()


class _Classification:
    def __init__(self, before: Plan, now: Plan, at: Position, declared: Migration) -> None:
        self._before, self._now, self._at, self._declared = before, now, at, declared
        self._moved: list[str] = []
        self._missing: list[str] = []
        self._broken: list[str] = []
        self._could: set[str] = set()

    def result(self) -> Moved:
        at, now = self._at, self._now
        node = now.start if not at.begun else self._node()
        end = self._end()
        state = self._state()
        counts = self._counts()
        more = tuple(filter(None, map(self._more, at.more)))
        questions: tuple[Question, ...] = at.questions
        if at.inside:
            self._require_untouched(node, state, counts)
        elif node in now.nodes and not end:
            self._require_written(node, state)
            questions = tuple(filter(None, (self._question(now.nodes[node], each, state) for each in at.questions)))
        kind: Kind = "breaking" if self._broken else "needs migration" if self._missing or self._moved else "safe"
        changes = differences(self._before, now, self._declared)
        verdict = Verdict(kind, changes, tuple(self._moved), tuple(self._missing), tuple(self._broken))
        return Moved(Position(node, state, counts, questions, more, at.inside, at.begun, end, at.answered), verdict)

    def _node(self) -> str:
        old = self._at.node
        new = self._declared.node(old)
        if not old or self._at.end:
            return old
        if new not in self._now.nodes:
            does = "waits" if self._at.questions else "stands"
            could = self._could_be(old)
            gone = f"it {does} at node {old!r}, which is gone"
            if could:
                hint = f"nodes: {old} to {' or '.join(could)}?"
                self._missing.append(f"{gone}: declare what it is called now ({hint})")
            else:
                self._broken.append(f"{gone}, and no node that is new could be it")
        elif new != old:
            self._moved.append(f"node {old!r} is {new!r} now")
        return new

    def _could_be(self, old: str) -> list[str]:
        """The new nodes that an old one could be: those that ask as it did."""
        kind = self._before.nodes[old].contract.kind
        taken = set(map(self._declared.node, self._before.nodes))
        return [name for name, new in self._now.nodes.items() if name not in taken and new.contract.kind == kind]

    def _end(self) -> str:
        old = self._at.end
        new = self._declared.end(old)
        if old and new not in self._now.ends:
            self._missing.append(f"it has come to the end {old!r}, which is gone: declare what it is called now (ends)")
        return new

    def _state(self) -> JsonObject:
        """The state in the channels of now."""
        state: dict[str, Json] = {}
        channels = self._now.channels
        for old, value in self._at.state.items():
            new = self._declared.channel(old)
            if new is None:
                self._moved.append(f"what channel {old!r} holds is dropped")
            elif new not in channels or (not self._at.begun and not channels[new].input):
                self._missing.append(f"{self._lost(old, value)}: declare what it is called now, or that it is dropped")
            elif new in state:
                self._missing.append(f"channel {new!r} would take what {old!r} held and what another one did")
            else:
                if new != old:
                    self._moved.append(f"channel {old!r} is {new!r} now")
                self._fit(channels[new], value, state)
        for name, value in self._declared.defaults.items():
            takes = self._at.begun or channels[name].input
            if name not in state and takes:
                self._moved.append(f"channel {name!r} holds its declared default")
                state[name] = value
        return state

    def _lost(self, old: str, value: Json) -> str:
        """What is said of a value that has no place; with the channels that are new and would take it."""
        known = set(map(self._declared.channel, self._before.channels))
        could = [name for name, new in self._now.channels.items() if name not in known and not _misfit(new, value)]
        self._could.update(could)
        hint = f" (channels: {old} to {' or '.join(could)}?)" if could else ""
        noun = "channel" if self._at.begun else "input"
        return f"it holds something in {noun} {old!r}, which is gone{hint}"

    def _fit(self, channel: Channel, value: Json, state: dict[str, Json]) -> None:
        fault = _misfit(channel, value)
        if not fault:
            state[channel.name] = value
        elif channel.name in self._declared.defaults:
            state[channel.name] = self._declared.defaults[channel.name]
            self._moved.append(f"what channel {channel.name!r} holds does not fit, and its declared default does")
        else:
            self._broken.append(
                f"what it holds in channel {channel.name!r} does not fit: {fault}; a declared default would replace it"
            )

    def _counts(self) -> dict[str, int]:
        """The counts in the bounds of now."""
        counts: dict[str, int] = {}
        for old, count in self._at.counts.items():
            new = self._declared.bound(old)
            if not count:
                continue
            if new is None:
                self._moved.append(f"what bound {old!r} has counted is dropped")
            elif new not in self._now.bounds:
                known = set(map(self._declared.bound, self._before.bounds))
                could = [name for name in self._now.bounds if name not in known]
                hint = f" (bounds: {old} to {' or '.join(could)}?)" if could else ""
                self._missing.append(
                    f"bound {old!r} has counted {count}, and is gone{hint}: declare what it is called now, or that it"
                    " is dropped"
                )
            elif old not in self._declared.bounds and self._head(old) != _head(self._now, new):
                self._missing.append(
                    f"bound {new!r} has counted {count} in the loop of {_head(self._before, old)!r}, and is that of"
                    f" {_head(self._now, new)!r} now: declare that it is the same (bounds: {old} to {new}), or dropped"
                )
            else:
                if new != old:
                    self._moved.append(f"bound {old!r} is {new!r} now")
                counts[new] = count
        return counts

    def _head(self, old: str) -> str:
        return self._declared.node(_head(self._before, old))

    def _more(self, old: str) -> str:
        new = self._declared.bound(old)
        if new is not None and new not in self._now.bounds:
            self._missing.append(f"it was given more of bound {old!r}, which is gone: declare what it is called now")
        return new or ""

    def _require_written(self, node: str, state: Mapping[str, Json]) -> None:
        """Say what is read further on, and is there by no way."""
        if not self._at.begun:
            lacking = (each.name for each in self._now.inputs if each.name not in state and not each.always_there)
            self._missing += (f"it has no input {name!r}: declare a default" for name in lacking)
            return
        for channel, reader in unwritten_from(self._now, node, [*state, *self._could]).items():
            self._missing.append(
                f"node {reader!r} may read channel {channel!r} before anything is written to it: declare a default"
            )

    def _question(self, placed: PlanNode, asked: Question, state: Mapping[str, Json]) -> Question | None:
        """The question as it is asked now; None, and the fault is said, where an answer to it would not be taken."""
        ask = _ask(self._now, placed, state) if not self._missing and not self._broken else asked
        if not isinstance(ask, AskOutside | Question):
            self._broken.append(f"node {placed.name!r} asks nobody outside any more, and a question of it is open")
            return None
        now = Question(asked.id, placed.name, ask.text, ask.reply, ask.source, ask.default, ask.shorthand)
        if now.source != asked.source:
            self._broken.append(f"node {placed.name!r} asks a {now.source} now, and its open question a {asked.source}")
        elif not takes_all_of(now.reply, asked.reply):
            self._broken.append(f"node {placed.name!r} no longer takes all answers that its open question does")
        elif not asks_alike(now, asked) and self._at.answered:
            self._broken.append(
                f"node {placed.name!r} asks in other words now, and an answer to its old ones is kept: resume the run"
                " with the plan that it was started with, to have it taken"
            )
        return now

    def _require_untouched(self, node: str, state: JsonObject, counts: Mapping[str, int]) -> None:
        """Refuse what would change a fork while its branches are on their way."""
        at = self._at
        own = f"it is in the middle of the fork {at.node!r}"
        wait = "let it go on with the plan that it was started with until they have joined"
        if node not in self._now.nodes:
            return
        same = node == at.node and _fork_parts(self._before, node) == _fork_parts(self._now, node)
        if not same:
            self._broken.append(f"{own}, which has changed, and its branches are on their way: {wait}")
        elif state != at.state or counts != {name: count for name, count in at.counts.items() if count}:
            self._broken.append(f"{own}, and what it holds cannot be moved while branches are on their way: {wait}")
        else:
            writes = set(self._now.nodes[node].contract.writes)
            for channel, reader in unwritten_from(self._now, node, [*state, *writes]).items():
                self._missing.append(f"node {reader!r} may read channel {channel!r} before anything is written to it")


def asks_alike(one: Question, other: Question) -> bool:
    """Whether two questions ask the same, so that an answer to one is an answer to the other."""
    same = ("text", "reply", "source", "default", "shorthand", "event", "where")
    return all(getattr(one, name) == getattr(other, name) for name in same)


def _ask(plan: Plan, placed: PlanNode, state: Mapping[str, Json]) -> Any:
    node = placed.node
    if not isinstance(node, Node) or node.contract.kind != "wait":
        return None
    outer = {name: placed.channels.get(name, name) for name in node.contract.reads}
    return node.ask({name: state.get(place, plan.channels[place].first_value) for name, place in outer.items()})


def _misfit(channel: Channel, value: Json) -> str:
    """Why a value does not fit a channel; "" where it does."""
    kinds: Mapping[str, Any] = {"append": list, "extend": list, "merge": Mapping, "add": int | float}
    if channel.reduce in kinds and (not isinstance(value, kinds[channel.reduce]) or isinstance(value, bool)):
        return f"it is written by {channel.reduce}, and {value!r} is nothing that could be so written"
    try:
        check_for(channel.type)(value)
    except ValueError as error:
        return str(error)
    return ""


def _head(plan: Plan, bound: str) -> str:
    """Where the ways lead that spend a bound."""
    return next((move.way.target for move in plan.moves if move.way.bound == bound), "")


def _fork_parts(plan: Plan, name: str) -> Any:
    """All that a fork is: its data, its place, and the channel that it fills."""
    placed = plan.nodes[name]
    data: Any = plan.to_data()["nodes"]
    outer = placed.channels.get(placed.node.collect, placed.node.collect) if isinstance(placed.node, Fork) else ""
    return data[name], plan.channels.get(outer)
