"""The loop of an agent that lives by itself: it acts until it has nothing to do, and then sleeps until something comes.

    wake -> turn -> hear -> look -> navigate -> decided -> act -> remember -> turn
    asleep -> perceive -> wake, or asleep again

While it sleeps the run waits, on disk. `wake` is passed once for each time that it wakes, `turn` once for each act, and
`look` once for each attempt: so the attempts of an act, and the acts between two sleeps, are counted by themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End
from loopwright.graphs.thinking.settings import ACT, EVENTS_OF_ACT, NAVIGATE, ThinkSettings, channels
from loopwright.nodes.actions.names import DEFAULT
from loopwright.nodes.enter import Enter
from loopwright.nodes.memory.recall import OLDER, Recall
from loopwright.nodes.thinking.fields import ME, MEMORY, RECENT, SIMILAR
from loopwright.nodes.thinking.look import Look
from loopwright.nodes.thinking.perceive import ENVELOPE, EVENT, HEARD, Hear, Perceive, Remember
from loopwright.nodes.wait import Wait
from loopwright.state.channels import Channel
from loopwright.state.schema import TEXT
from loopwright.state.values import Json

FINISHED = End("finished")
"""The end of an agent that leaves."""

ASLEEP = "asleep"


@dataclass(frozen=True)
class LoopSettings:
    """What the loop of an agent is made of.

    Args:
        agent: The agent.
        me: Its id, by which others know it.
        fields: What there is to know of it, by the channel.
        wakes_on: The types of event that wake it, with what their properties must be.
        heeds: The types of event that concern it, whomever they are for.
        n: How many of the last events its prompts show.
        m: How many of the older ones, which are like what it has in mind.
        acts: How many acts it may make between two sleeps.
    """

    agent: ThinkSettings
    me: str
    fields: Mapping[str, Json] = field(default_factory=dict)
    wakes_on: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    heeds: Sequence[str] = ()
    n: int = 10
    m: int = 0
    acts: int = 10

    def builder(self) -> PlanBuilder:
        """The plan, as a builder has it."""
        agent = self.agent
        plan = PlanBuilder(agent.name, [*self._channels, *channels()], result=MEMORY, models=agent.models)
        offers = {
            name: str(action.command.get("description", ""))
            for name, action in agent.actions.items()
            if name != DEFAULT
        }
        plan.node(Enter("wake")).node(Enter("turn")).node(Look("look", offers=offers, follow_up=agent.its_way))
        plan.node(Hear("hear", heeds=tuple(self.heeds), n=self._kept))
        plan.edge("wake", "done", "turn").edge("turn", "done", "hear")
        self._recall(plan)
        plan.edge("look", "navigate", NAVIGATE)
        agent.decide(plan)
        plan.edge("decided", "act", ACT).edge("decided", "wait", ASLEEP).edge("decided", "exit", FINISHED)
        self._act(plan)
        self._sleep(plan)
        return plan

    def _recall(self, plan: PlanBuilder) -> None:
        """Add what is recalled before each decision, where that is not all that is remembered."""
        if not self.m:
            plan.edge("hear", "done", "look")
            return
        plan.node(Recall("recall", n=self.n, m=self.m, goals="goals" if "goals" in self.fields else ""))
        plan.edge("hear", "done", "recall").edge("recall", "done", "look")

    @property
    def _kept(self) -> int:
        """How many events it remembers."""
        return self.n + OLDER if self.m else self.n

    def _act(self, plan: PlanBuilder) -> None:
        """Add what comes of a decision: an act, or another attempt."""
        agent = self.agent
        edges = agent.its_way == "edges"
        plan.node(agent.map(sends=True, queued=edges, envelope=ENVELOPE), name=ACT)
        plan.node(Remember("remember", of=EVENTS_OF_ACT, n=self._kept)).edge(ACT, "done", "remember")
        plan.edge("remember", "done", "turn", at_most=self.acts - 1, bound="acts", then=ASLEEP)
        if edges:
            plan.node(Remember("left", of=EVENTS_OF_ACT, n=self._kept)).edge("look", "follow", ACT)
            plan.edge(ACT, "follow_up_failed", "left").edge("left", "done", ASLEEP)
        for source, outcome in (("undecided", "done"), ("unread", "done"), (ACT, "nothing")):
            plan.edge(source, outcome, "look", at_most=agent.retries, bound="attempts", then=ASLEEP)

    def _sleep(self, plan: PlanBuilder) -> None:
        """Add the sleep, which the run waits out on disk, and what wakes it."""
        waiting = f"{self.me} is asleep until something happens"
        plan.node(Wait(ASLEEP, event=ENVELOPE, reply=EVENT, text=waiting, writes=HEARD))
        plan.node(Perceive("perceive", wakes_on=self.wakes_on, heeds=tuple(self.heeds), n=self._kept))
        plan.edge(ASLEEP, "done", "perceive").edge("perceive", "awake", "wake").edge("perceive", "asleep", ASLEEP)

    @property
    def _channels(self) -> list[Channel]:
        return [
            Channel(ME, TEXT, input=True, default=self.me),
            *(Channel(name, input=True, default=value) for name, value in self.fields.items()),
            Channel(MEMORY, {"type": "array"}, default=[]),
            *(Channel(name, {"type": "array"}, default=[]) for name in (RECENT, SIMILAR) if self.m),
            Channel(HEARD, EVENT),
        ]
