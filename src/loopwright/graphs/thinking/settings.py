"""What an agent is made of: its map of actions, the brain that decides, and what its prompts may name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from loopwright.graphs.actions.action_map import MapAction, MapSettings
from loopwright.graphs.actions.chains import MapBrain
from loopwright.graphs.builder import PlanBuilder
from loopwright.nodes.actions.names import ACTION, AIM, DEFAULT, EVENTS, PENDING
from loopwright.nodes.brains.roles import LAST_FAILURE
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.thinking.decision import ReadDecision, Undecided
from loopwright.nodes.thinking.fields import (
    ACTIONS,
    DECISION,
    ME,
    MEMORY,
    PERSONA,
    PLAN,
    RECENT,
    RULES,
    SIMILAR,
    SPEAK,
    SPEAK_COMMAND,
    SURROUNDINGS,
    FollowUp,
)
from loopwright.nodes.thinking.look import TOLD
from loopwright.state.channels import Channel
from loopwright.state.schema import TEXT, as_list

NAVIGATE, ACT = "navigate", "act"
SPEAKER = "speak_with_user"
"""The brain that speaks with the person, where the map does not say who does."""

KNOWN = (ME, *PERSONA, *RULES, MEMORY, RECENT, SIMILAR, *SURROUNDINGS, PLAN, ACTIONS)
"""What the prompts of an agent may name, beside what every action has."""


@dataclass(frozen=True)
class ThinkSettings:
    """What an agent is made of.

    Args:
        name: The plan's name.
        actions: The actions of its map.
        brains: The brains of its map, and `speak_with_user`.
        navigation: The brain that decides.
        follow_up: Whether what has to follow is done without a decision, or asked for.
        retries: How often an attempt that came to nothing is followed by another.
        models: Model references by name.
    """

    name: str
    actions: Mapping[str, MapAction]
    brains: Mapping[str, MapBrain]
    navigation: MapBrain
    follow_up: FollowUp = "edges"
    retries: int = 3
    models: Mapping[str, ModelRef] = field(default_factory=dict)

    @property
    def with_own(self) -> dict[str, MapAction]:
        """Its actions, and that of speaking with the person."""
        own = {} if SPEAK in self.actions else {SPEAK: MapAction((SPEAKER,), (), SPEAK_COMMAND)}
        return {**self.actions, **own}

    @property
    def its_way(self) -> FollowUp:
        """How what has to follow is come to; where nothing ever has to, there is no edge for it."""
        return self.follow_up if any(action.next_actions for action in self.actions.values()) else "ask"

    def map(self, *, sends: bool, queued: bool, envelope: str = "") -> PlanBuilder:
        """The plan of its map, as a part of its own.

        Args:
            sends: Whether events leave the run, or a world settles them.
            queued: Whether follow-ups are edges of the map.
            envelope: The type under which its events leave.
        """
        return MapSettings(
            "act",
            self.with_own,
            self.brains,
            retries=self.retries,
            sender=f"<{{{ME}}}>",
            envelope=envelope,
            sends=sends,
            offered=not sends,
            resumes=queued,
            queued=queued,
        ).builder()

    def decide(self, plan: PlanBuilder) -> None:
        """Add the decision; a loop or a turn says where `decided`, `undecided` and `unread` lead.

        Args:
            plan: The plan.
        """
        told = LAST_FAILURE in self.navigation.taken
        plan.node(self.navigation, name=NAVIGATE, inputs={LAST_FAILURE: TOLD} if told else {}, writes=DECISION)
        plan.node(ReadDecision("decided")).node(Undecided("undecided", told=told))
        plan.node(Undecided("unread", unreadable=True))
        plan.edge(NAVIGATE, "done", "decided").edge(NAVIGATE, "none", "undecided")
        plan.edge(NAVIGATE, "unreadable", "unread")

    @property
    def only(self) -> tuple[str, ...]:
        """The actions that it can do; () for any that it is offered."""
        return () if DEFAULT in self.actions else tuple(self.actions)


def channels() -> list[Channel]:
    """The channels of a decision, and of what came of it."""
    return [
        Channel(PLAN, default=[]),
        Channel(PENDING, as_list(TEXT), default=[]),
        Channel(AIM, TEXT, default=""),
        Channel(ACTION, TEXT, default=""),
        Channel(LAST_FAILURE, TEXT, default=""),
        Channel(TOLD, TEXT, default=""),
        Channel(ACTIONS, {"type": "object"}, default={}),
        Channel(DECISION, {"type": "object"}),
    ]


def unknown(brain: MapBrain, known: Sequence[str] = KNOWN) -> list[str]:
    """What a brain names that no agent has."""
    return [channel.name for channel in brain.inputs if channel.name not in known]


EVENTS_OF_ACT = f"{ACT}/{EVENTS}"
"""The events of the last act, in an agent's loop."""
