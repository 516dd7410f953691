"""The plan of a society. One tick is one superstep of turns, side by side, of all agents that are awake.

    wake -> tick -> turns -> listen -> settle -> tick
            tick -> asleep -> hear -> wake, or asleep again

`wake` is passed once for each time that somebody is woken from outside; the ticks between two of them are counted by
themselves. While all sleep, the run waits, on disk.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End
from loopwright.graphs.thinking.settings import ThinkSettings
from loopwright.graphs.thinking.turn import turn
from loopwright.nodes.code import CodeNode, CodeRef, FunctionNode
from loopwright.nodes.contract import Answer, Node
from loopwright.nodes.enter import Enter
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.thinking.end_turn import TURN
from loopwright.nodes.thinking.fields import ME
from loopwright.nodes.thinking.perceive import ENVELOPE, EVENT, HEARD
from loopwright.nodes.wait import Wait
from loopwright.nodes.world.kinds import WhichKind
from loopwright.nodes.world.minds import EMPTY, channel_of
from loopwright.nodes.world.rules import Functions
from loopwright.nodes.world.ticks import (
    AWAKE,
    COME,
    HAPPENED,
    NOW,
    SETTING,
    TURNS,
    HearOutside,
    Listen,
    Settle,
    Tick,
    heard,
    settled,
)
from loopwright.state.channels import Channel
from loopwright.state.values import Json, JsonObject

OVER, ASLEEP_END, MAX_TICKS = End("over"), End("all_asleep"), End("max_ticks", ok=False)
"""The ends: all have left; all sleep, and nobody is waited for; the ticks are used up."""

ASLEEP, TURN_OF = "asleep", "turn"
"""The wait while all sleep, and the body of the turns."""


@dataclass(frozen=True)
class SocietySettings:
    """What a society is made of.

    Args:
        name: The plan's name.
        setting: What never changes of the world, as `nodes.world.entities.World` reads it.
        now: What is so when it begins.
        kinds: What agents are made of, by the kind that the setting has for each.
        asleep: The agents that sleep when it begins.
        ticks: How many ticks there may be between two words from outside.
        when_asleep: What happens when all sleep: the run waits for a word from outside, or ends.
        functions: Functions of one's own, by the names that the setting has for them.
        version: The version of those functions.
        models: Model references by name.
    """

    name: str
    setting: JsonObject
    now: JsonObject
    kinds: Mapping[str, ThinkSettings]
    asleep: Sequence[str] = ()
    ticks: int = 20
    when_asleep: Literal["wait", "end"] = "wait"
    functions: Functions = field(default_factory=dict)
    version: str = ""
    models: Mapping[str, ModelRef] = field(default_factory=dict)

    @property
    def agents(self) -> tuple[str, ...]:
        """The ids of the agents, in their fixed order."""
        agents: Any = self.setting["agents"]
        return tuple(agents)

    def builder(self) -> PlanBuilder:
        """The plan, as a builder has it."""
        plan = PlanBuilder(self.name, self._channels, result=HAPPENED, models=self.models)
        plan.node(Enter("wake")).node(Tick("tick", agents=self.agents)).edge("wake", "done", "tick")
        plan.each("turns", over=AWAKE, as_="agent", do=self._turn, collect=TURNS, at_most=len(self.agents), named_by=ME)
        plan.node(self._node(Settle("settle", agents=self.agents)))
        plan.edge("tick", "awake", "turns").edge("turns", "done", "listen").edge("tick", "over", OVER)
        plan.node(Listen("listen")).edge("listen", "done", "settle")
        plan.edge("settle", "done", "tick", at_most=self.ticks - 1, bound="ticks", then=MAX_TICKS)
        if self.when_asleep == "end":
            return plan.edge("tick", "asleep", ASLEEP_END)
        waiting = f"all sleep in {self.setting.get('name') or self.name}"
        plan.node(Wait(ASLEEP, event=ENVELOPE, reply=EVENT, text=waiting, writes=HEARD))
        plan.node(self._node(HearOutside("hear", agents=self.agents)))
        plan.edge("tick", "asleep", ASLEEP).edge(ASLEEP, "done", "hear")
        return plan.edge("hear", "awake", "wake").edge("hear", "asleep", ASLEEP)

    @property
    def _channels(self) -> list[Channel]:
        minds = (
            Channel(channel_of(me), {"type": "object"}, default={**EMPTY, "asleep": me in self.asleep})
            for me in self.agents
        )
        return [
            Channel(SETTING, {"type": "object"}, default=self.setting),
            Channel(NOW, {"type": "object"}, default=self.now),
            *minds,
            Channel(AWAKE, {"type": "array"}, default=[]),
            Channel(TURNS, {"type": "array"}, default=[]),
            Channel(COME, {"type": "array"}, default=[]),
            Channel(HEARD, EVENT),
            Channel(HAPPENED, {"type": "array"}, reduce="extend"),
        ]

    @property
    def _turn(self) -> PlanBuilder:
        """The body of the turns: that of the one kind that there is, or of all kinds side by side."""
        if len(self.kinds) == 1:
            (settings,) = self.kinds.values()
            return turn(settings)
        plan = PlanBuilder(
            TURN_OF, [Channel("agent", {"type": "object"}, input=True), Channel("turn", TURN)], result="turn"
        )
        plan.node(WhichKind("kind", kinds=tuple(self.kinds)))
        for kind, settings in self.kinds.items():
            plan.node(turn(settings), name=f"{TURN_OF} of {kind}", inputs={"agent": "agent"}, writes="turn")
            plan.edge("kind", kind, f"{TURN_OF} of {kind}").edge(f"{TURN_OF} of {kind}", "done", End("done"))
        return plan

    def _node(self, node: Settle | HearOutside) -> Node:
        """A node that settles; where the world has functions of one's own, as a function that calls them."""
        if not self.functions:
            return node
        agents, functions = self.agents, self.functions
        decide = settled if isinstance(node, Settle) else heard

        def settle_with(**view: Json) -> Answer:
            return decide(view, agents, functions)

        contract = node.contract
        declared = CodeNode(
            node.name,
            code=CodeRef(f"{node.name} in {self.name}", self.version),
            reads=contract.reads,
            writes=contract.writes,
            outcomes=contract.outcomes,
            may_write=contract.may_write,
        )
        return FunctionNode(declared, settle_with)
