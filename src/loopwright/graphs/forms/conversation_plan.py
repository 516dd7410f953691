"""The plan of a conversation: who speaks next stands in the middle, and each message leads back there.

So each message is one turn of one loop, whoever sends it, and one bound counts them all.
"""

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, TypeAlias

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.conversation_agents import AgentEntry, inputs_needed
from loopwright.graphs.forms.nested_entries import Whole
from loopwright.graphs.plan import End
from loopwright.nodes.code import CodeKind, CodeNode, FunctionNode, code_ref
from loopwright.nodes.contract import Node
from loopwright.nodes.conversation.next_speaker import NOBODY, NextSpeaker
from loopwright.nodes.conversation.person import AUTO, END, EXIT, PersonTurn
from loopwright.nodes.conversation.speaker import SAYS, STOPS, Speaker
from loopwright.nodes.conversation.sum_up import SumUp
from loopwright.nodes.conversation.talk import SAID, TALK_CHANNELS, Talk
from loopwright.nodes.conversation.whole import ANSWERED, HEARD, Hear, Utter
from loopwright.nodes.history import Window
from loopwright.nodes.models.reference import ModelRef
from loopwright.state.channels import Channel
from loopwright.state.schema import TEXT

NEXT, IN_TURN, ASKS, SUM_UPS = "next", "in_turn", "ask", "sum up"
MESSAGES = "messages"
"""The name of the bound: the messages after the opening one and the first."""

STOPPED, EXITED = End("stopped"), End("exited")
NO_SPEAKER = End("no_speaker")
MAX_MESSAGES = End("max_messages", ok=False)
MAX_REPLIES = End("max_replies", ok=False)

TAKEN = (NEXT, IN_TURN, *(end.name for end in (STOPPED, EXITED, NO_SPEAKER, MAX_MESSAGES, MAX_REPLIES)))
"""Names of nodes and ends, which no agent can have."""


Called: TypeAlias = tuple[str, Any]
"""A function, with the name that the plan has for it."""


@dataclass(frozen=True)
class Layout:
    """What the plan of a conversation is made of.

    Args:
        name: The plan's name.
        talk: The conversation.
        agents: Its agents.
        follows: For each agent, and for "" where the opening message is from outside, those who may speak after it.
        chooses: The name of the model that chooses; "" where the order does.
        choose_prompt: What it is told.
        sums_up: The name of the model that sums up; "" where the last message is the result.
        summary_prompt: What it is told.
        history: How much of what they hear is sent to agents that do not say so themselves.
        models: Model references by name.
        decides: The function that says who is next, instead of the order; None for none.
        sums: The function that sums up; None for none.
    """

    _: KW_ONLY
    name: str
    talk: Talk
    agents: tuple[AgentEntry, ...]
    follows: Mapping[str, tuple[str, ...]]
    chooses: str = ""
    choose_prompt: str = ""
    sums_up: str = ""
    summary_prompt: str = ""
    history: Window | None = None
    models: Mapping[str, ModelRef] | None = None
    decides: Called | None = None
    sums: Called | None = None

    @property
    def replies(self) -> dict[str, int]:
        """The most replies of agents that have such a limit."""
        return {agent.name: agent.max_replies for agent in self.agents if agent.max_replies is not None}

    @property
    def is_chosen(self) -> bool:
        """Whether a model ever has to choose."""
        return bool(self.chooses) and any(len(after) > 1 for after in self.follows.values())

    def order(self) -> list[str]:
        """Who speaks after the opening message where nobody stops, and nobody has to choose."""
        spoken: list[str] = []
        last, left = self.talk.opens, self.replies
        while len(spoken) < self.talk.most - 1:
            may = [name for name in self._after(last) if left.get(name, 1) > 0]
            if not may:
                break
            last = may[0]
            left[last] = left.get(last, self.talk.most) - 1
            spoken.append(last)
        return spoken

    def speakers(self) -> set[str]:
        """All to whom it can come: a model or a function may choose any that may follow."""
        if self.decides is None and not self.is_chosen:
            return set(self.order())
        reached: set[str] = set()
        edge = {self.talk.opens}
        for _ in range(self.talk.most - 1):
            edge = {name for last in edge for name in self.follows.get(last, ())}
            reached |= edge
        return reached

    def _after(self, last: str) -> Iterator[str]:
        names = self.talk.agents
        start = names.index(last) + 1 if last in names else 0
        may = self.follows.get(last, ())
        yield from (name for name in (*names[start:], *names[:start]) if name in may)


def conversation_plan(layout: Layout) -> PlanBuilder:
    """The plan, and its live code, as a builder has them.

    Args:
        layout: What it is made of; it has no faults.
    """
    return _Made(layout).whole()


class _Made:
    """A plan under way, with where its ends lead."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._talk, self._limit = _limited(layout)
        channels = [
            Channel("task", TEXT, input=True),
            Channel("transcript", {"type": "array", "items": dict(SAID)}, reduce="append"),
            Channel("summary", TEXT, default=""),
        ]
        if any(agent.plan for agent in layout.agents):
            channels += [Channel(HEARD, TEXT), Channel(ANSWERED, {})]
        models = layout.models or {}
        self._builder = PlanBuilder(layout.name, channels, result="summary", models=models)
        self._ends: dict[str, End] = {}

    def whole(self) -> PlanBuilder:
        """All nodes and edges."""
        layout = self._layout
        speakers = layout.speakers()
        agents = [agent for agent in layout.agents if agent.name in speakers]
        stopping = [agent for agent in agents if self._talk.may_stop(agent.name) and agent.human != "only"]
        asked = next((agent for agent in layout.agents if agent.human == "at_termination"), None)
        if asked is not None and not any(agent is not asked for agent in stopping):
            asked = None
        self._choice(agents, f"{ASKS} {asked.name}" if asked else "")
        for agent in agents:
            self._agent(agent)
        for agent in stopping:
            source = f"{agent.name} says" if agent.plan else agent.name
            if asked is None or agent is asked:
                self._builder.edge(source, STOPS, self._end(STOPPED))
            else:
                self._back(source, STOPS)
        if asked:
            self._person(asked)
        for name, end in self._ends.items():
            self._builder.node(self._sum_up(name)).edge(name, "done", end)
        return self._builder

    def _sum_up(self, name: str) -> Node | FunctionNode:
        layout = self._layout
        if layout.sums is not None:
            return _called(name, layout.sums, "act", ("done",), writes=("summary",))
        return SumUp(name, talk=self._talk, prompt=layout.summary_prompt, model=layout.sums_up)

    def _choice(self, agents: list[AgentEntry], asks: str) -> None:
        layout = self._layout
        names = [agent.name for agent in agents]
        if layout.decides is not None:
            self._builder.node(_called(NEXT, layout.decides, "route", (*names, NOBODY)))
            for outcome in (*names, NOBODY):
                self._builder.edge(NEXT, outcome, self._way(outcome, asks))
            return
        follows = {name: tuple(each for each in may if each in names) for name, may in layout.follows.items()}
        follows = {name: may for name, may in follows.items() if name in (*names, layout.talk.opens)}
        replies = {name: most for name, most in layout.replies.items() if name in names}
        node = NextSpeaker(NEXT, talk=self._talk, follows=follows, replies=replies, asks=asks)
        if layout.is_chosen:
            about = {agent.name: agent.about for agent in agents if agent.about}
            chosen = replace(node, model=layout.chooses, prompt=layout.choose_prompt, about=about)
            self._builder.node(chosen).edge(NEXT, "unreadable", IN_TURN).node(replace(node, name=IN_TURN))
        else:
            self._builder.node(node)
        for name in (NEXT, IN_TURN) if layout.is_chosen else (NEXT,):
            for outcome in node.contract.outcomes:
                self._builder.edge(name, outcome, self._way(outcome, asks))

    def _way(self, outcome: str, asks: str) -> str | End:
        """Where a choice leads: the node by which it comes to an agent, a person, or an end."""
        if outcome in (NOBODY, asks):
            return asks if outcome == asks else self._end(NO_SPEAKER)
        name = outcome
        agent = next(agent for agent in self._layout.agents if agent.name == name)
        if agent.plan:
            return f"{name} hears"
        return f"{ASKS} {name}" if agent.human in ("always", "only") else name

    def _agent(self, agent: AgentEntry) -> None:
        name = agent.name
        if agent.plan:
            inner = Whole(agent.plan.plan(), agent.plan.code())
            (heard,) = inputs_needed(inner.plan)
            self._builder.node(Hear(f"{name} hears", talk=self._talk, agent=name, hears=agent.hears))
            self._builder.edge(f"{name} hears", "done", name)
            self._builder.node(inner, name=name, inputs={heard: HEARD}, writes=ANSWERED)
            for end in inner.plan.ends:
                self._builder.edge(name, end, f"{name} says")
            self._builder.node(Utter(f"{name} says", talk=self._talk, agent=name))
            return self._back(f"{name} says")
        if agent.human in ("always", "only"):
            self._person(agent)
        if agent.human != "only":
            self._builder.node(self._speaker(agent))
            self._back(name)
        return None

    def _speaker(self, agent: AgentEntry) -> Speaker:
        return Speaker(
            agent.name,
            talk=self._talk,
            prompt=agent.prompt,
            model=agent.model,
            hears=agent.hears,
            audience=agent.audience,
            history=agent.history or self._layout.history,
        )

    def _person(self, agent: AgentEntry) -> None:
        """The person who may speak for an agent; a message of theirs counts as its message."""
        name = f"{ASKS} {agent.name}"
        node = PersonTurn(name, talk=self._talk, speaks_for=agent.name, mode=agent.human)
        self._builder.node(node)
        self._back(name)
        ends = {EXIT: EXITED, END: STOPPED}
        for outcome in node.contract.outcomes:
            if outcome != SAYS:
                self._builder.edge(name, outcome, agent.name if outcome == AUTO else self._end(ends[outcome]))

    def _back(self, source: str, outcome: str = SAYS) -> None:
        """After a message somebody else is next, as often as there are messages."""
        most = self._talk.most - 2
        if most < 1:
            self._builder.edge(source, outcome, self._end(self._limit))
        else:
            self._builder.edge(source, outcome, NEXT, bound=MESSAGES, at_most=most, then=self._end(self._limit))

    def _end(self, end: End) -> str | End:
        """An end; where a model sums up, the node that does it before that end."""
        if not self._layout.sums_up and self._layout.sums is None:
            return end
        name = f"{SUM_UPS} {end.name}"
        self._ends[name] = end
        return name


def _limited(layout: Layout) -> tuple[Talk, End]:
    """The conversation with its most messages, where the order alone says how many come, and the end that that is."""
    talk, meant = layout.talk, layout.talk.stop is None
    order = layout.order()
    if layout.decides is not None or layout.is_chosen or len(order) == talk.most - 1:
        return talk, replace(MAX_MESSAGES, ok=meant)
    last = order[-1] if order else talk.opens
    spent = [name for name in layout.follows.get(last, ()) if name in layout.replies]
    if not spent:
        return replace(talk, most=len(order) + 1, limit=f"nobody may speak after {last}"), NO_SPEAKER
    times = layout.replies[spent[0]]
    limit = f"{spent[0]} replied {times} of at most {times} time{'s' * (times > 1)}"
    return replace(talk, most=len(order) + 1, limit=limit), replace(MAX_REPLIES, ok=meant)


def _called(
    name: str, called: Called, kind: CodeKind, outcomes: tuple[str, ...], writes: tuple[str, ...] = ()
) -> FunctionNode:
    """A function of what was said, as a node."""
    place, function = called
    reads = TALK_CHANNELS
    declared = CodeNode(name, code=code_ref(function, place), kind=kind, reads=reads, writes=writes, outcomes=outcomes)
    return FunctionNode(declared, function)
