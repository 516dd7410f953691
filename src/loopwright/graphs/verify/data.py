"""Data: whatever is read has been written on every way before it.

Only channels that start empty are looked at. Sets of them are kept as bits of one number, so that a step over a whole
plan costs little; the ways that show a fault are searched only where there is one.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from loopwright.graphs.loops import forward_order
from loopwright.graphs.plan import Move, Plan
from loopwright.graphs.verify.findings import Finding, error, warning


def written_before_read(plan: Plan) -> Iterator[Finding]:
    """Channels that a node may read, or a run may return, before anything was written to them."""
    flow = _Flow.of(plan)
    if plan.start not in plan.nodes:
        return
    empty = flow.empty_at()
    readers: dict[str, list[str]] = {}
    for name, bits in empty.items():
        if name in plan.nodes:
            for channel in plan.nodes[name].contract.reads:
                if bits & flow.bit.get(channel, 0):
                    readers.setdefault(channel, []).append(name)
    for channel, names in readers.items():
        yield _unwritten(plan, channel, names, flow.way_without(channel, names))
    lacking = [name for name, end in plan.ends.items() if end.ok and empty.get(name, 0) & flow.bit.get(plan.result, 0)]
    if lacking:
        path = flow.way_without(plan.result, lacking)
        message = f"a run can come to the end {path[-1]!r} without its result {plan.result!r}"
        yield warning("no-result", message, "write it on every way there, or give it a default", path=path)


def unwritten_from(plan: Plan, node: str, there: Iterable[str]) -> dict[str, str]:
    """The channels that may be read before they are written on the ways from a node, each with a node that reads it.

    Args:
        plan: The plan.
        node: The node.
        there: The channels that hold something when it is come to.
    """
    flow = _Flow.of(replace(plan, start=node))
    held = set(there)
    empty = flow.empty_at(_bits(flow.bit, (name for name in flow.bit if name not in held)))
    found: dict[str, str] = {}
    for name, bits in empty.items():
        if name in plan.nodes:
            for channel in plan.nodes[name].contract.reads:
                if bits & flow.bit.get(channel, 0):
                    found.setdefault(channel, name)
    return found


def _unwritten(plan: Plan, channel: str, readers: list[str], path: list[str]) -> Finding:
    writers = [repr(name) for name, placed in plan.nodes.items() if channel in placed.contract.writes]
    if writers:
        hint = f"it is written by {', '.join(writers)}; write it before, give it a default, or make it an input"
    else:
        hint = "no node writes it; make it an input, or give it a default"
    message = f"{path[-1]!r} reads {channel!r} before anything is sure to be written to it"
    return error("read-before-write", message, hint, [path[-1], *(name for name in readers if name != path[-1])], path)


@dataclass(frozen=True)
class _Flow:
    """Which channels are empty where.

    Args:
        plan: The plan.
        bit: The bit of each channel that starts empty and can be looked at.
        moves: The moves that leave each node.
        writes: The bits of what each node is sure to write.
    """

    plan: Plan
    bit: Mapping[str, int]
    moves: Mapping[str, list[Move]]
    writes: Mapping[str, int]

    @classmethod
    def of(cls, plan: Plan) -> "_Flow":
        names = [channel.name for channel in plan.channels.values() if not channel.always_there]
        bit = {name: 1 << index for index, name in enumerate(names)}
        moves: dict[str, list[Move]] = {name: [] for name in plan.nodes}
        for move in plan.moves:
            if move.source in moves:
                moves[move.source].append(move)
        writes = {name: _bits(bit, placed.contract.sure_writes) for name, placed in plan.nodes.items()}
        return cls(plan, bit, moves, writes)

    @property
    def at_start(self) -> int:
        """What is empty when a run starts: all but the inputs."""
        return _bits(self.bit, (name for name in self.bit if not self.plan.channels[name].input))

    def after(self, move: Move, empty: int) -> int:
        """What is empty after a move."""
        failed = move.outcome in self.plan.nodes[move.source].contract.failures
        written = 0 if failed else self.writes[move.source]
        return empty & ~written | _bits(self.bit, move.way.resets)

    def empty_at(self, first: int | None = None) -> dict[str, int]:
        """What may be empty when a node or an end is come to, where this is when the start is."""
        order = forward_order(self.plan)
        steps = {name: [(move.way.target, move) for move in self.moves[name]] for name in order}
        found = {self.plan.start: self.at_start if first is None else first}
        changed = True
        while changed:
            changed = False
            for name in order:
                for target, move in steps[name]:
                    known = found.get(target, 0)
                    more = known | self.after(move, found.get(name, 0))
                    changed = changed or more != known
                    found[target] = more
        return found

    def way_without(self, channel: str, goals: Iterable[str]) -> list[str]:
        """A shortest way to one of some places on which a channel is empty at the end."""
        bit, wanted = self.bit[channel], set(goals)
        start = (self.plan.start, self.at_start & bit)
        came_from: dict[tuple[str, int], tuple[str, int] | None] = {start: None}
        waiting = deque([start])
        while waiting:
            here = name, empty = waiting.popleft()
            if empty and name in wanted:
                return _walked(came_from, here)
            for move in self.moves.get(name, []):
                there = (move.way.target, self.after(move, empty) & bit)
                if there not in came_from:
                    came_from[there] = here
                    waiting.append(there)
        return [next(iter(wanted))]


def _bits(bit: Mapping[str, int], names: Iterable[str]) -> int:
    bits = 0
    for name in names:
        bits |= bit.get(name, 0)
    return bits


def _walked(came_from: Mapping[tuple[str, int], tuple[str, int] | None], last: tuple[str, int]) -> list[str]:
    path = [last[0]]
    step = came_from[last]
    while step is not None:
        path.append(step[0])
        step = came_from[step]
    return path[::-1]
