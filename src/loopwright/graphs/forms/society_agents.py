"""The agents of a society as a file has them: what they all have in common, and what each has of its own."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pydantic import ConfigDict, Field, StrictBool

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.forms.action_entries import ActionField
from loopwright.graphs.forms.agent_entries import AgentFields
from loopwright.graphs.forms.brain_entries import BodyBrainEntry
from loopwright.graphs.forms.descriptions import describe
from loopwright.graphs.forms.node_entries import Name
from loopwright.graphs.thinking.settings import SPEAKER
from loopwright.hints import did_you_mean
from loopwright.nodes.actions.names import DEFAULT
from loopwright.nodes.prompts import named_in
from loopwright.nodes.thinking.fields import ME, PERSONA, RULES
from loopwright.state.values import Json, JsonObject

UNSAID = {"role": "one of the agents"}
"""What is said of an agent in the place of a field that only others of its kind have."""

FILLER = "event_filler"
"""The brain of agents that are given no map: it fills the arguments of whatever was decided."""


class SocietyAgent(AgentFields):
    """An agent of a society.

    Args:
        name: What it is called; its id when left out.
        description: What others see of it.
        location: The place where it is when the world begins; the first one when left out.
        actions: Its action-brain map; when left out, one brain fills the arguments of whatever was decided.
        model: The name of the model that its brains ask where they do not say so themselves.
        awake: Whether it is awake when the world begins.
        remembers: How many of the last events its prompts show.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra=describe,
        arbitrary_types_allowed=True,
        revalidate_instances="never",
    )

    name: str = ""
    description: str = ""
    location: str = ""
    actions: dict[Name, ActionField] = Field(default_factory=dict)
    model: str = ""
    awake: StrictBool = True
    remembers: int = Field(10, ge=1, strict=True)

    def upon(self, base: "SocietyAgent") -> "SocietyAgent":
        """The agent with what all have in common: lists and texts about it follow upon those of all, as in GenWorlds.

        Args:
            base: What all have in common.
        """
        update: dict[str, Any] = {name: getattr(base, name) for name in base.model_fields_set}
        for name in self.model_fields_set:
            own, common = getattr(self, name), getattr(base, name)
            if name in RULES:
                own = (*common, *own)
            elif name in PERSONA:
                own = "\n".join(part for part in (common, own) if part)
            elif isinstance(own, Mapping):
                own = {**common, **own}
            update[name] = own
        return self.model_copy(update=update)._complete()

    def _complete(self) -> "SocietyAgent":
        """The agent with a map and brains, where it says none, each asking the agent's own model."""
        update: dict[str, Any] = {}
        brains = dict(self.brains)
        if not self.actions:
            brains.setdefault(FILLER, BodyBrainEntry(type="zero_shot", role="event_filler"))
            update["actions"] = SocietyAgent.model_validate({"actions": {DEFAULT: [FILLER]}}).actions
        if self.model:
            brains.setdefault(SPEAKER, BodyBrainEntry(type="zero_shot", role="event_filler"))
            update["navigation"] = self._asking(self.navigation)
        update["brains"] = {name: self._asking(brain) for name, brain in brains.items()}
        return self.model_copy(update=update)

    def _asking(self, brain: Any) -> Any:
        """A brain that asks the agent's model, where it names none."""
        if not self.model or not isinstance(brain, BodyBrainEntry) or "model" in brain.model_fields_set:
            return brain
        return brain.model_copy(update={"model": self.model})

    def same_kind(self, other: "SocietyAgent") -> bool:
        """Whether two agents are made of the same brains, so that one plan does for the turns of both.

        Args:
            other: The other one.
        """
        made = ("actions", "brains", "navigation", "follow_up", "retries")
        return all(getattr(self, name) == getattr(other, name) for name in made)

    def saying(self, names: Collection[str]) -> "SocietyAgent":
        """The agent with something to be said of each of these fields.

        Args:
            names: Fields that are said of an agent of its kind.
        """
        update = {name: UNSAID.get(name, "not said") for name in names if name in PERSONA and name not in self.told}
        rules = {name: ("none",) for name in names if name in RULES and name not in self.told}
        return self.model_copy(update={**update, **rules})

    def data(self, kind: str) -> JsonObject:
        """The agent as the setting has it.

        Args:
            kind: Its kind.
        """
        fields: dict[str, Json] = dict(self.told)
        return {
            "name": self.name,
            "description": self.description or self.role,
            "fields": fields,
            "kind": kind,
            "wakes_on": {name: dict(parts) for name, parts in self.wakes_on.items()},
            "heeds": list(self.heeds),
            "retries": self.retries,
            "remembers": self.remembers,
        }


def kinds_of(agents: Mapping[str, SocietyAgent]) -> dict[str, str]:
    """The kind of each agent: the id of the first that is made as it is."""
    found: dict[str, str] = {}
    for id, agent in agents.items():
        found[id] = next((kind for kind in dict.fromkeys(found.values()) if agent.same_kind(agents[kind])), id)
    return found


def told_alike(agents: Mapping[str, SocietyAgent], kinds: Mapping[str, str]) -> dict[str, SocietyAgent]:
    """The agents, where what is said of one agent of a kind is said of all of them: they have one prompt.

    Args:
        agents: The agents.
        kinds: The kind of each.
    """
    names: dict[str, dict[str, None]] = {}
    for id, agent in agents.items():
        names.setdefault(kinds[id], {}).update(dict.fromkeys(agent.told))
    return {id: agent.saying(names[kinds[id]]) for id, agent in agents.items()}


def faults_of_agents(
    given: Mapping[str, SocietyAgent], made: Mapping[str, SocietyAgent], models: Mapping[str, Any]
) -> Iterator[Fault]:
    """What is wrong with the agents, each fault once and where it was written.

    Args:
        given: The agents as they were given.
        made: The same with what all have in common.
        models: The models by name.
    """
    told: set[tuple[str, Path]] = set()
    for id, agent in made.items():
        found = [*agent.agent_faults(surroundings=True), *_faults_of_wakes(agent)]
        if agent.model and agent.model not in {*models, "default"}:
            hint = did_you_mean(agent.model, {*models, "default"})
            found.append(Fault(f"there is no model {agent.model!r}", ("model",), hint))
        for fault in found:
            path = (*whose(given[id], id, fault.path), *fault.path)
            if (fault.message, path) not in told:
                told.add((fault.message, path))
                yield Fault(fault.message, path, fault.hint)


def whose(given: SocietyAgent, id: str, place: Path) -> Path:
    """Where a field of an agent was written: at the agent, or at what all have in common.

    Args:
        given: The agent as it was given.
        id: Its id.
        place: The field, with what is inside it.
    """
    name = str(place[0]) if place else ""
    if name not in given.model_fields_set:
        return ("base_agent",) if name in SocietyAgent.model_fields else ("agents", id)
    value = getattr(given, name)
    if isinstance(value, Mapping) and len(place) > 1 and place[1] not in value:
        return ("base_agent",)
    return "agents", id


def _faults_of_wakes(agent: SocietyAgent) -> Iterator[Fault]:
    for event, wanted in agent.wakes_on.items():
        for name, value in wanted.items():
            for placeholder in named_in(value):
                if placeholder != ME:
                    hint = "the one placeholder here is <{id}>, the agent's own id"
                    yield Fault(f"there is no <{{{placeholder}}}> here", ("wakes_on", event, name), hint)
