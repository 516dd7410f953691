"""The plan of an action-brain map: the chain of each action, and its follow-ups as edges.

A step that has to follow needs no decision: it is the edge from the step before it. It stands in the plan once for each
line of follow-ups in which it is the first (see `follow_ups`), so that every edge is one that a run can take.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loopwright.graphs.actions.chains import NOTHING, SENT, Chain, MapBrain
from loopwright.graphs.actions.follow_ups import Queue, armed, name_of, queues
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End
from loopwright.nodes.actions.choose import ChooseAction
from loopwright.nodes.actions.names import ACTION, AIM, COMMANDS, DEFAULT, EVENTS, PENDING
from loopwright.nodes.brains.roles import LAST_FAILURE
from loopwright.nodes.models.reference import ModelRef
from loopwright.state.channels import Channel
from loopwright.state.schema import TEXT, as_list
from loopwright.state.values import Json

DONE, FOLLOW_UP_FAILED = End("done"), End("follow_up_failed", ok=False)
"""The ends of a map beside `nothing`: all that had to follow was done, or it was tried so often that it is left."""

CHOOSE = "choose"


@dataclass(frozen=True)
class MapAction:
    """An action of a map.

    Args:
        brains: The names of its brains, in their order.
        next_actions: What has to follow it.
        command: What is known of its command: `args`, JSON Schema of an object, and `description`.
    """

    brains: Sequence[str]
    next_actions: Sequence[str] = ()
    command: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class MapSettings:
    """What the plan of a map is made of.

    Args:
        name: The plan's name.
        actions: The actions by name; `default` is for all others.
        brains: The brains by name.
        retries: How often a step that has to follow is tried again.
        sender: Who sends the events, a template.
        envelope: The type under which all events leave; that of each when left out.
        sends: Whether events leave the run.
        offered: Whether a channel `commands` has what is on offer.
        resumes: Whether it may be entered where something is pending.
        queued: Whether follow-ups are edges; else the first of the channel `pending` is what `action` says.
        models: Model references by name.
    """

    name: str
    actions: Mapping[str, MapAction]
    brains: Mapping[str, MapBrain]
    retries: int = 3
    sender: str = ""
    envelope: str = ""
    sends: bool = True
    offered: bool = False
    resumes: bool = False
    queued: bool = True
    models: Mapping[str, ModelRef] = field(default_factory=dict)

    @property
    def following(self) -> dict[str, Sequence[str]]:
        """The follow-ups of each action."""
        return {name: action.next_actions for name, action in self.actions.items()}

    @property
    def queues(self) -> tuple[Queue, ...]:
        """The lines of follow-ups that stand in the plan as steps."""
        return queues(self.following) if self.queued else ()

    @property
    def taken(self) -> list[Channel]:
        """What the brains of its actions take from outside."""
        used = dict.fromkeys(name for action in self.actions.values() for name in action.brains)
        found: dict[str, Channel] = {}
        for name in used:
            for channel in self.brains[name].inputs:
                found.setdefault(channel.name, channel)
        return list(found.values())

    def builder(self) -> PlanBuilder:
        """The plan, as a builder has it."""
        own = self._channels
        known = {channel.name for channel in own}
        channels = [*own, *(channel for channel in self.taken if channel.name not in known)]
        plan = PlanBuilder(self.name, channels, result=EVENTS, models=self.models)
        entered = {name_of(queue): queue for queue in self.queues} if self.resumes else {}
        plan.node(ChooseAction(CHOOSE, actions=tuple(self.actions), queues=entered))
        for name in (*self.actions, *entered):
            plan.edge(CHOOSE, name, name)
        for name in self.actions:
            self._step(plan, name, name, ())
            plan.edge(name, NOTHING.name, NOTHING)
        for queue in self.queues:
            name = name_of(queue)
            self._step(plan, name, queue[0], queue[1:])
            plan.edge(name, NOTHING.name, name, at_most=self.retries, bound=f"{name} again", then=FOLLOW_UP_FAILED)
        return plan

    def _step(self, plan: PlanBuilder, name: str, action: str, tail: Queue) -> None:
        """Add the chain of an action in its place, and where it leads when it was done."""
        plan.node(self._chain(action), name=name)
        after = armed(action, tail, self.following) if self.queued else ()
        plan.edge(name, SENT.name, name_of(after) if after else DONE)

    def _chain(self, action: str) -> PlanBuilder:
        entry = self.actions.get(action) or self.actions[DEFAULT]
        chain = Chain(
            action="" if action == DEFAULT else action,
            brains=[(name, self.brains[name]) for name in entry.brains],
            command=entry.command if action in self.actions else {},
            next_actions=entry.next_actions,
            sender=self.sender,
            envelope=self.envelope,
            sends=self.sends,
            offered=self.offered,
        )
        return chain.builder(self.taken)

    @property
    def _channels(self) -> list[Channel]:
        known = [name for name in self.actions if name != DEFAULT]
        closed: Any = TEXT if DEFAULT in self.actions else {"type": "string", "enum": known}
        return [
            Channel(ACTION, closed, input=True),
            Channel(AIM, TEXT, input=True),
            Channel(LAST_FAILURE, TEXT, input=self.resumes or not self.queued, default=""),
            Channel(EVENTS, {"type": "array"}, reduce="append"),
            Channel(PENDING, as_list(TEXT), input=self.resumes or not self.queued, default=[]),
            *([Channel(COMMANDS, {"type": "object"}, input=True, default={})] if self.offered else []),
        ]
