"""The form `pipeline`: static agents and whole loops, each of which processes what came before."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.conversation import ConversationSpec
from loopwright.graphs.forms.descriptions import describe
from loopwright.graphs.forms.edge_entries import TargetField
from loopwright.graphs.forms.nested_entries import NestedSpec, nested_faults
from loopwright.graphs.forms.node_entries import Name
from loopwright.graphs.forms.spec import BuiltSpec, Refused, Spec, under
from loopwright.graphs.pipeline import Body, Kept, PipelineSettings, Step
from loopwright.nodes.contract import Audience
from loopwright.nodes.models.reference import ModelRef
from loopwright.state.values import JsonObject

_INTERACTIVE = ("human", "max_replies", "hears", "stop", "about")
_KINDS = ("agent", "judge", "conversation", "plan")


class StaticEntry(BaseModel):
    """An agent that processes a message, once.

    Args:
        name: Its name.
        prompt: What it is asked, a template. One that names neither what is carried nor the question is a system
            message, and what is carried is the question.
        system: The system message, a template too.
        model: The name of one of the models.
        audience: Whom its text is for: `user` or `debug`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=describe)

    name: Name
    prompt: str = ""
    system: str = ""
    model: str = "default"
    audience: Audience = "user"


class JudgeStepEntry(StaticEntry):
    """An agent that gives a verdict, which says where it goes on.

    Args:
        verdict: For each verdict where it leads: `next`, the name of a step, `end NAME` or `fail NAME`.
        at_most: How often each of them may lead back to a step.
    """

    verdict: dict[Name, TargetField] = Field(min_length=1)
    at_most: int = Field(3, ge=1, strict=True)


def _static(value: object) -> object:
    """Tell an agent of a conversation from one that only processes."""
    if isinstance(value, Mapping) and (kept := [name for name in _INTERACTIVE if name in value]):
        hint = "write conversation: {agents: [...]} in place of agent: a bounded conversation that gives its summary"
        raise Refused(f"{kept[0]} is for an agent that talks, and a step only processes", hint)
    return value


def _conversation(value: object) -> object:
    return {"kind": "conversation", **value} if isinstance(value, Mapping) and "kind" not in value else value


class StepEntry(BaseModel):
    """One step of a pipeline; it has one of `agent`, `judge`, `conversation` and `plan`.

    Args:
        agent: A static agent.
        judge: A static agent whose verdict says where it goes on.
        conversation: A conversation; its opening message is what is carried, its result the summary.
        plan: A whole loop, with a `kind`, or the name of a file; its one input is what is carried.
        name: The step's name; that of its agent, of its judge, of its loop, or `conversation`, when left out.
        carry: What it is handed: the `last` result, a `summary` of all by a model, `all` with the question, or a list
            of the names of steps, and `question`.
        needs: The steps that have to be over; the one above it when left out. Steps that need nothing of each other
            run side by side.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=describe)

    agent: Annotated[StaticEntry, BeforeValidator(_static)] | None = None
    judge: Annotated[JudgeStepEntry, BeforeValidator(_static)] | None = None
    conversation: Annotated[ConversationSpec, BeforeValidator(_conversation)] | None = None
    plan: NestedSpec | None = None
    name: str = ""
    carry: Kept | tuple[Name, ...] = "last"
    needs: tuple[Name, ...] | None = None

    @property
    def kinds(self) -> list[str]:
        """Which of the four it is."""
        return [kind for kind in _KINDS if getattr(self, kind) is not None]

    @property
    def spec(self) -> Spec | None:
        """The whole loop that it is, where it is one."""
        return self.conversation or self.plan

    @property
    def asked(self) -> StaticEntry | None:
        """The agent that it asks, where it asks one."""
        return self.judge or self.agent

    @property
    def called(self) -> str:
        """Its name."""
        if self.name or self.asked:
            return self.name or (self.asked.name if self.asked else "")
        return (self.spec.name if self.spec else "") or self.kinds[0]

    def faults(self) -> Iterator[Fault]:
        """What is wrong with it by itself."""
        if len(self.kinds) != 1:
            told = " and ".join(self.kinds) or "none of them"
            yield Fault(f"a step has one of {', '.join(_KINDS)}, and this one has {told}", ())
        elif self.conversation is not None:
            for fault in nested_faults(self.conversation):
                yield Fault(fault.message, ("conversation", *fault.path[1:]), fault.hint)
        elif self.plan is not None:
            yield from nested_faults(self.plan)

    def step(self) -> Step:
        """The step, as a pipeline is made of it."""
        shared: dict[str, Any] = {"carry": self.carry, "needs": self.needs}
        if self.spec is not None:
            return Step(self.called, body=Body(self.spec.plan(), self.spec.code()), **shared)
        agent = self.asked
        assert agent is not None
        if self.judge is not None:
            shared |= {"verdict": {name: way.way for name, way in self.judge.verdict.items()}}
            shared |= {"at_most": self.judge.at_most}
        fields = agent.model_dump(include={"prompt", "system", "model", "audience"})
        return Step(self.called, **fields, **shared)


class PipelineSpec(BuiltSpec):
    """Steps in a row, or by what they need.

    Args:
        name: The plan's name.
        question: What the pipeline is given; where it is left out, each run is given its own.
        steps: The steps, in their order.
        summary_model: The name of the model that sums up what is carried.
        models: Model references by name.

    Example:
        >>> spec = PipelineSpec(steps=[{"agent": {"name": "planner"}}, {"agent": {"name": "solver"}, "carry": "all"}])
        >>> [(edge.source, edge.outcome, edge.way.target) for edge in spec.plan().edges]
        [('planner', 'done', 'solver'), ('solver', 'done', 'finished')]
    """

    model_config = ConfigDict(revalidate_instances="always")

    kind: Literal["pipeline"] = "pipeline"
    question: str | None = None
    steps: tuple[StepEntry, ...] = Field(min_length=1)
    summary_model: str = "default"
    models: Mapping[str, ModelRef] = {}

    def make(self) -> PlanBuilder | list[Fault]:
        """The plan with its code, or why there is none."""
        found = [
            fault for index, step in enumerate(self.steps) for fault in under(("steps", index), list(step.faults()))
        ]
        if self.question is not None and not self.question.strip():
            found.append(Fault("the question is empty", ("question",), "leave it out where each run is given its own"))
        if found:
            return found
        name = self.name or self.kind
        steps = tuple(step.step() for step in self.steps)
        settings = PipelineSettings(name, steps, models=self.models, summary_model=self.summary_model)
        return settings.faults() or settings.builder()

    def runs(self) -> list[JsonObject]:
        """One run, with the question where there is one."""
        return [{} if self.question is None else {"question": self.question}]

    def path_of(self, place: Path) -> Path:
        """The step of a node."""
        match place:
            case ("nodes" | "edges", str(node), *field):
                for index, step in enumerate(self.steps):
                    name = step.called
                    if name in node.replace(" is handed", "").split("/"):
                        kept = field[:1] if field[:1] in (["prompt"], ["system"], ["model"]) else []
                        return ("steps", index, *((step.kinds[0], *kept) if step.kinds else ()))
        return ("steps",)
