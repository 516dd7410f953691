"""The form `levels`: a channel in which an agent and a person climb from level to level.

The idea is EnsoNet's. An agent introduces a level, the person answers, a judge says whether the level is achieved; then
comes the next level, and else a response that knows the reason.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import ConfigDict, Field, StrictBool, StrictInt

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.level_entries import Definition, LevelEntry, faults_of_definition
from loopwright.graphs.forms.level_prompts import INTRODUCTION, JUDGEMENT, RESPONSE, WORK
from loopwright.graphs.plan import End, Plan
from loopwright.hints import did_you_mean
from loopwright.nodes.history import Window
from loopwright.nodes.levels.broadcast import Broadcast
from loopwright.nodes.levels.judgement import ACHIEVED, NOT_YET, RESULT, Judgement
from loopwright.nodes.levels.remember import SUM_UP, Remember
from loopwright.nodes.levels.reply import Reply
from loopwright.nodes.levels.say import Say
from loopwright.nodes.levels.stage import EARLIER, PERSON, SAID, WORKER, Stage
from loopwright.nodes.levels.unread import Unread
from loopwright.nodes.models.reference import ModelRef
from loopwright.state.channels import Channel
from loopwright.state.schema import TEXT

COMPLETED, MAX_TURNS = End("completed"), End("max_turns", ok=False)
SOLO_TURNS = 8
_NODE = re.compile(r"level ([0-9]+)[/ ](\w+)", re.ASCII)
_PROMPTED = {"introduction": INTRODUCTION, "respond": RESPONSE, "judge": JUDGEMENT, "worker": WORK}


class LevelsSpec(Definition):
    """One channel of one agent, which climbs from level to level.

    Args:
        name: The plan's name; the agent's, when left out.
        agent: The agent's name.
        agent_type: `AgentX`, an agent that climbs its levels.
        icon_path: A picture, for those who show the agent.
        purpose_of_agent: What the agent is for, as its model is told.
        introduction_of_agent: How it introduces itself to a person.
        ensonet_criteria: When it offers its help, as a prompt that is given a summary of another agent.
        definition_of_level: The levels by their names, `level_1`, `level_2` and so on.
        prompts: What the model is told: `level_x_introduction`, `level_x_response`, `level_x_judgement` and, where it
            works alone, `level_x_work`. There is one of our own for each that is left out.
        mode: Who answers the agent: `copilot`, a person; or `solo`, a model that does the work.
        max_turns: The most turns at a level, each an answer and its judgement; without it a person may go on for ever,
            and a model has 8.
        history: How much of what was said is sent, and kept beside the visits. With `summary: true` a summary takes the
            place of what is left out.
        network: Whether the summary of each level that is achieved is broadcast to a network.
        models: Model references by name; `default` is the one that the run is given when it is not among them.
        agent_model: The name of the model that speaks for the agent, and works where nobody else does.
        judge_model: The name of the one that judges.
        summary_model: The name of the one that sums up.

    Example:
        >>> level = {"criteria": "a topic", "key_output": {"topic": ""}}
        >>> spec = LevelsSpec(agent="Muse", purpose_of_agent="You find topics.", definition_of_level={"level_1": level})
        >>> for edge in spec.plan().edges:
        ...     print(edge.source, edge.outcome, edge.way.target)
        level 1/introduction done level 1/person
        level 1/person said level 1/remember
        level 1/remember done level 1/judge
        level 1/judge not_yet level 1/respond
        level 1/judge unreadable level 1/unread
        level 1/unread done level 1/respond
        level 1/respond done level 1/person
        level 1/judge achieved completed
    """

    model_config = ConfigDict(revalidate_instances="always")

    kind: Literal["levels"] = "levels"
    agent: str
    mode: Literal["copilot", "solo"] = "copilot"
    max_turns: StrictInt | None = None
    history: Window = Field(default=Window(tokens=4000, summary=True))
    network: StrictBool = False
    models: Mapping[str, ModelRef] = {}
    agent_model: str = "default"
    judge_model: str = "default"
    summary_model: str = "default"

    def faults(self) -> list[Fault]:
        """All that is wrong across the fields."""
        return [*_faults_of_channel(self), *faults_of_definition(self)]

    def path_of(self, place: Path) -> Path:
        """The level of a node, or the prompt that it has."""
        match place:
            case ("nodes" | "edges" | "bounds", str(name), *field):
                found = _NODE.match(name)
                part = _PROMPTED.get(found[2], "") if found else ""
                if "prompt" in field and part in self.prompts:
                    return ("prompts", part)
                return ("definition_of_level", f"level_{found[1]}") if found else ()
        return ()

    def plan(self) -> Plan:
        """The ladder: for each level its introduction, the answers, the judgements and the responses."""
        builder = PlanBuilder(self.name or self.agent, self._channels(), result=RESULT, models=self.models)
        levels = self.levels
        for number, level in enumerate(levels, 1):
            self._level(builder, self._stage(number, level), last=number == len(levels))
        return builder.build()

    @property
    def turns(self) -> int | None:
        """The most turns at a level; None where a person may go on for ever."""
        return self.max_turns or (SOLO_TURNS if self.mode == "solo" else None)

    def _channels(self) -> list[Channel]:
        channels = [
            Channel("chat_summary", TEXT, input=True, default=""),
            Channel("transcript", dict(SAID), default=[]),
            Channel("earlier", dict(EARLIER), default={"text": "", "covers": 0}),
            Channel("key_outputs", {"type": "object"}, default={}),
            Channel(RESULT, {"type": "object"}),
            Channel("reason_of_failure", TEXT, default=""),
        ]
        if self.network:
            channels += [Channel(name, TEXT, input=True) for name in ("network", "channel")]
            channels += [Channel("origin", TEXT, input=True, default="")]
            channels += [Channel("hop", {"type": "integer"}, input=True, default=0)]
        return channels

    def _stage(self, number: int, level: LevelEntry) -> Stage:
        return Stage(
            self.agent,
            self.purpose_of_agent,
            number,
            level.criteria,
            level.types,
            self.history,
            introduction=self.introduction_of_agent,
            other=PERSON if self.mode == "copilot" else WORKER,
        )

    def _level(self, builder: PlanBuilder, stage: Stage, *, last: bool) -> None:
        """One level: its nodes and the edges between them, and on to the next one or to the end."""
        at = f"level {stage.number}"
        introduction, respond, judge = f"{at}/introduction", f"{at}/respond", f"{at}/judge"
        answers, unread = f"{at}/{stage.other}", f"{at}/unread"
        builder.node(Say(introduction, stage=stage, prompt=self.prompt(INTRODUCTION), model=self.agent_model))
        self._answers(builder, stage, answers, judge)
        builder.node(Judgement(judge, stage=stage, prompt=self.prompt(JUDGEMENT), model=self.judge_model))
        builder.node(Unread(unread))
        builder.node(Say(respond, stage=stage, prompt=self.prompt(RESPONSE), model=self.agent_model, part="response"))
        builder.edge(introduction, "done", answers)
        builder.edge(judge, NOT_YET, respond)
        builder.edge(judge, "unreadable", unread)
        builder.edge(unread, "done", respond)
        if self.turns is None:
            builder.edge(respond, "done", answers)
        else:
            builder.edge(respond, "done", answers, at_most=self.turns - 1, bound=f"{at} turns", then=MAX_TURNS)
        following = COMPLETED if last else f"level {stage.number + 1}/introduction"
        if self.network:
            broadcast = f"{at}/broadcast"
            builder.node(Broadcast(broadcast, stage=stage))
            builder.edge(judge, ACHIEVED, broadcast)
            builder.edge(broadcast, "done", following)
        else:
            builder.edge(judge, ACHIEVED, following)

    def _answers(self, builder: PlanBuilder, stage: Stage, answers: str, judge: str) -> None:
        """Who answers the agent, and what is remembered of it before it is judged."""
        if self.mode == "copilot":
            builder.node(Reply(answers, stage=stage))
        else:
            builder.node(Say(answers, stage=stage, prompt=self.prompt(WORK), model=self.agent_model, part="work"))
        said = "said" if self.mode == "copilot" else "done"
        if not self.history.summary:
            builder.edge(answers, said, judge)
            return
        remember = f"level {stage.number}/remember"
        builder.node(Remember(remember, stage=stage, prompt=SUM_UP, model=self.summary_model))
        builder.edge(answers, said, remember)
        builder.edge(remember, "done", judge)


def _faults_of_channel(spec: LevelsSpec) -> Iterator[Fault]:
    if not spec.agent.strip():
        yield Fault("the agent has no name", ("agent",))
    if spec.agent.strip() in (PERSON, WORKER):
        hint = "it is the name of who answers the agent"
        yield Fault(f"no agent can be named {spec.agent!r}", ("agent",), hint)
    if spec.max_turns is not None and spec.max_turns < 1:
        yield Fault(f"{spec.max_turns} is less than 1", ("max_turns",), "a level has at least one turn")
    models = {*spec.models, "default"}
    for field in ("agent_model", "judge_model", "summary_model"):
        model = getattr(spec, field)
        if model not in models:
            yield Fault(f"there is no model {model!r}", (field,), did_you_mean(model, models))
