"""An agent of a conversation as a file has it."""

from collections.abc import Collection, Iterator

from pydantic import BaseModel, ConfigDict, Field

from loopwright.errors import Fault
from loopwright.graphs.forms.descriptions import describe
from loopwright.graphs.forms.nested_entries import NestedSpec, nested_faults
from loopwright.graphs.forms.node_entries import Name
from loopwright.graphs.plan import Plan
from loopwright.hints import did_you_mean
from loopwright.nodes.contract import Audience
from loopwright.nodes.conversation.person import HumanMode
from loopwright.nodes.conversation.speaker import PLACEHOLDERS
from loopwright.nodes.history import Window
from loopwright.nodes.prompts import placeholders
from loopwright.state.channels import MISSING


class AgentEntry(BaseModel):
    """One agent of a conversation.

    Args:
        name: Its name.
        prompt: What it is told first, as the system message; a template with the form's placeholders.
        about: What it is there for, for the model that chooses who speaks.
        model: The name of one of the models.
        human: When a person is asked to speak for it: `never`, `always`, `at_termination`, or `only`, where no model
            does.
        max_replies: The most replies that it gives; the opening message is none.
        hears: The agents whose messages it sees beside its own; all when left out.
        audience: Whom its texts are for: `user` or `debug`.
        history: How much of what it hears is sent; that of the form when left out.
        plan: A whole loop that speaks for it, instead of a model: its one input is what the agent hears, its result
            what it says.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=describe)

    name: Name
    prompt: str = ""
    about: str = ""
    model: str = "default"
    human: HumanMode = "never"
    max_replies: int | None = Field(None, ge=1, strict=True)
    hears: tuple[Name, ...] = ()
    audience: Audience = "user"
    history: Window | None = None
    plan: NestedSpec | None = None


def faults_of_agent(agent: AgentEntry, names: Collection[str], models: Collection[str]) -> Iterator[Fault]:
    """What is wrong with an agent among the others."""
    known = {*models, "default"}
    if agent.model not in known:
        yield Fault(f"there is no model {agent.model!r}", ("model",), did_you_mean(agent.model, known))
    for index, name in enumerate(agent.hears):
        if name not in names:
            yield Fault(f"there is no agent {name!r}", ("hears", index), did_you_mean(name, names))
    for placeholder in placeholders(agent.prompt):
        if placeholder not in PLACEHOLDERS:
            hint = did_you_mean(placeholder, PLACEHOLDERS)
            yield Fault(f"a prompt has no placeholder <{{{placeholder}}}>", ("prompt",), hint)
    if agent.history and agent.history.summary:
        yield Fault("the history of an agent has no summary", ("history", "summary"), "give last or tokens")
    if agent.plan is not None:
        yield from _faults_of_plan(agent)


def _faults_of_plan(agent: AgentEntry) -> Iterator[Fault]:
    assert agent.plan is not None
    for field in ("prompt", "model", "history", "audience"):
        if field in agent.model_fields_set:
            yield Fault(f"a whole loop speaks for this agent, and has no {field} here", (field,), "say it in the loop")
    if agent.human != "never":
        yield Fault("a person cannot speak for an agent that is a whole loop", ("human",), "let the loop ask a person")
    yield from (inner := nested_faults(agent.plan))
    if inner:
        return
    plan = agent.plan.plan()
    if len(needed := inputs_needed(plan)) != 1:
        named = f"{len(needed)}: {', '.join(needed)}" if needed else "none"
        hint = "an agent hears one text; let one channel be the input, and give others a default"
        yield Fault(f"the loop of an agent has one input without a default, and this one has {named}", ("plan",), hint)
    if not plan.result:
        yield Fault("the loop of an agent says its result, and this one names none", ("plan",), "say result: there")


def inputs_needed(plan: Plan) -> list[str]:
    """The inputs of a plan that have no default."""
    return [channel.name for channel in plan.inputs if channel.first_value is MISSING]
