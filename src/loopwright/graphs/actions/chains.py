"""The chain of an action: its command, brain after brain, and the event that the last output becomes.

    begin -> brain -> ... -> brain -> send

It ends `sent`, or `nothing` where a brain has no answer or the last one is no event; then `last_failure` says why.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from loopwright.graphs.builder import Body, PlanBuilder, one_node_plan
from loopwright.graphs.plan import End, Fork, Plan
from loopwright.nodes.actions.begin import Begin
from loopwright.nodes.actions.names import (
    ACTION,
    AIM,
    COMMAND,
    COMMAND_TYPE,
    COMMANDS,
    DEFAULT,
    EVENTS,
    OUTPUTS,
    PENDING,
    PLACEHOLDERS,
)
from loopwright.nodes.actions.note import Note
from loopwright.nodes.actions.send import Nothing, SendEvent
from loopwright.nodes.brains.roles import LAST_FAILURE
from loopwright.nodes.code import FunctionNode
from loopwright.nodes.contract import Node
from loopwright.state.channels import Channel
from loopwright.state.schema import TEXT, as_list
from loopwright.state.values import Json

SENT, NOTHING = End("sent"), End("nothing", ok=False)
"""The ends of a chain: the event was made, or the action came to nothing."""

BEGIN, SEND, NO_ANSWER, UNREAD = "begin", "send", "no answer", "unread"
RESERVED = (BEGIN, SEND, NO_ANSWER, UNREAD)
"""Names that no brain of a chain can have: those of its other nodes."""


@dataclass(frozen=True)
class MapBrain:
    """A brain as chains have it.

    Args:
        plan: Its plan. An end that is a success is an answer, which is the plan's result; any other is none.
        code: Its live code.
        once: Whether it writes its result once, and so may put it among the outputs itself.
    """

    plan: Plan
    code: Mapping[str, Any] = field(default_factory=dict)
    once: bool = False

    @property
    def taken(self) -> tuple[str, ...]:
        """The names of all that it takes."""
        return tuple(channel.name for channel in self.plan.inputs)

    @property
    def inputs(self) -> tuple[Channel, ...]:
        """What it takes from outside its map."""
        return tuple(channel for channel in self.plan.inputs if channel.name not in PLACEHOLDERS)

    @property
    def ends(self) -> tuple[End, ...]:
        """The ends that it can come to."""
        targets = {move.way.target for move in self.plan.possible.moves}
        return tuple(end for end in self.plan.ends.values() if end.name in targets)


def map_brain(body: Body, once: bool = False) -> MapBrain:
    """A brain that was given as a node, a plan, or a loop.

    Raises:
        ValueError: It has no result that could be an output, or no end with one.

    Example:
        >>> from loopwright.nodes.functions import node
        >>> shout = node(name="shout", reads=["aim"])(lambda aim: aim.upper())
        >>> map_brain(shout).plan.result
        'shout'
    """
    code: Mapping[str, Any] = {} if isinstance(body, Node | Plan) else body.code
    if isinstance(body, FunctionNode):
        code = {body.declared.code.name: body.function}
        body = body.declared
        if not body.writes:
            body = replace(body, writes=(body.name,))
    if isinstance(body, Node):
        plan, once = one_node_plan(body), len(body.contract.outcomes) == 1
    elif isinstance(body, Plan):
        plan = body
    else:
        plan = body.build() if isinstance(body, PlanBuilder) else body.plan
    if not plan.result or plan.channels[plan.result].input:
        raise ValueError("it has no result of its own, so there is nothing that the next brain could be shown")
    brain = MapBrain(plan, code, once)
    if not any(end.ok for end in brain.ends):
        raise ValueError("it comes to no end that is a success, so there is never an answer")
    return brain


@dataclass(frozen=True)
class Chain:
    """What a chain is made of.

    Args:
        action: The action; "" for whichever the channel `action` has.
        brains: The brains by name, in their order; a name may stand twice.
        command: What is known of its command: `args` and `description`.
        next_actions: What has to follow it.
        sender: Who sends its events, a template.
        envelope: The type under which all events leave; that of each when left out.
        sends: Whether events leave the run.
        offered: Whether a channel `commands` has what is on offer.
    """

    action: str
    brains: Sequence[tuple[str, MapBrain]]
    command: Mapping[str, Json] = field(default_factory=dict)
    next_actions: Sequence[str] = ()
    sender: str = ""
    envelope: str = ""
    sends: bool = True
    offered: bool = False

    @property
    def steps(self) -> dict[str, MapBrain]:
        """The brains by the names of their nodes: a brain that stands twice has a number the second time."""
        found: dict[str, MapBrain] = {}
        for name, brain in self.brains:
            number = 2
            step = name
            while step in found:
                step, number = f"{name} {number}", number + 1
            found[step] = brain
        return found

    def builder(self, taken: Sequence[Channel]) -> PlanBuilder:
        """The plan of the chain, as a builder has it.

        Args:
            taken: The channels around it that its brains name, beside those of an action.
        """
        fold = ", ".join(self.steps)
        plan = PlanBuilder(self.action or DEFAULT, self._channels(taken), fold=fold)
        shows = tuple(_told(step) for step in self._asking)
        plan.node(Begin(BEGIN, action=self.action, command=self.command, offered=self.offered, shows=shows))
        ways, dead_ends = [(BEGIN, "done")], list[tuple[str, str]]()
        for step, brain in self.steps.items():
            _lead(plan, ways, step)
            ways = self._add(plan, step, brain)
            dead_ends += [(step, end.name) for end in brain.ends if not end.ok]
        _lead(plan, ways, SEND)
        next_actions = tuple(self.next_actions)
        plan.node(
            SendEvent(SEND, sender=self.sender, next_actions=next_actions, envelope=self.envelope, sends=self.sends)
        )
        plan.edge(SEND, "sent", SENT).edge(SEND, "invalid", NOTHING)
        if dead_ends:
            told = tuple(_told(step) if step in self._asking else "" for step in self.steps)
            plan.node(Nothing(NO_ANSWER, brains=tuple(self.steps), told=told)).edge(NO_ANSWER, "nothing", NOTHING)
            _lead(plan, dead_ends, NO_ANSWER)
        unread = [(step, "unreadable") for step, brain in self.steps.items() if can_be_unreadable(brain.plan)]
        if unread:
            plan.node(Nothing(UNREAD, brains=tuple(self.steps))).edge(UNREAD, "nothing", NOTHING)
            _lead(plan, unread, UNREAD)
        return plan

    @property
    def _asking(self) -> list[str]:
        """The brains that are shown why the last attempt came to nothing."""
        return [step for step, brain in self.steps.items() if LAST_FAILURE in brain.taken]

    def _channels(self, taken: Sequence[Channel]) -> list[Channel]:
        own = [
            Channel(AIM, TEXT, input=True),
            Channel(LAST_FAILURE, TEXT, input=True, default=""),
            Channel(EVENTS, {"type": "array"}, reduce="append", input=True),
            Channel(PENDING, as_list(TEXT), input=True, default=[]),
            *([] if self.action else [Channel(ACTION, TEXT, input=True)]),
            *([Channel(COMMANDS, {"type": "object"}, input=True, default={})] if self.offered else []),
            Channel(COMMAND, COMMAND_TYPE),
            Channel(OUTPUTS, {"type": "array"}, reduce="append"),
            *(Channel(_told(step), TEXT) for step in self._asking),
            *(Channel(_result(step)) for step, brain in self.steps.items() if not brain.once),
        ]
        known = {channel.name for channel in own}
        return [*own, *(channel for channel in taken if channel.name not in known)]

    def _add(self, plan: PlanBuilder, step: str, brain: MapBrain) -> list[tuple[str, str]]:
        """Add a brain; the ways on from its answer."""
        inputs = {LAST_FAILURE: _told(step)} if step in self._asking else {}
        answers = [(step, end.name) for end in brain.ends if end.ok]
        plan.node(brain, name=step, inputs=inputs, writes=OUTPUTS if brain.once else _result(step))
        if brain.once:
            return answers
        note = f"note {step}"
        plan.node(Note(note, of=_result(step)))
        _lead(plan, answers, note)
        return [(note, "done")]


def can_be_unreadable(plan: Plan) -> bool:
    """Whether an answer that cannot be read leads out of a plan: it has a node without an edge of its own for it.

    Example:
        >>> from loopwright.nodes.think import Think
        >>> can_be_unreadable(one_node_plan(Think("write", prompt="Write.")))
        True
    """
    return any(
        can_be_unreadable(branch.plan)
        for placed in plan.nodes.values()
        if isinstance(placed.node, Fork)
        for branch in placed.node.branches.values()
    ) or any(
        "unreadable" in placed.contract.failures and (name, "unreadable") not in plan.routes
        for name, placed in plan.nodes.items()
    )


def _told(step: str) -> str:
    """The channel in which a brain is told, and tells, why there is no answer."""
    return f"{LAST_FAILURE} of {step}"


def _result(step: str) -> str:
    """The channel that takes the result of a brain that may write it more than once."""
    return f"result of {step}"


def _lead(plan: PlanBuilder, ways: Sequence[tuple[str, str]], target: str) -> None:
    for source, outcome in ways:
        plan.edge(source, outcome, target)
