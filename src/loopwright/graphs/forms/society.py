"""The form `society`: a world, and agents that live in it, in one run. One tick is one turn of all who are awake.

Worlds, objects, agents and the events by which they meet are those of GenWorlds (2023).
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from pydantic import ConfigDict, Field

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.node_entries import Name
from loopwright.graphs.forms.society_agents import SocietyAgent, faults_of_agents, kinds_of, told_alike
from loopwright.graphs.forms.spec import BuiltSpec
from loopwright.graphs.forms.world_entries import (
    ClassEntry,
    FunctionField,
    ObjectEntry,
    WorldEntry,
    WorldFunctions,
    classes_data,
    faults_of_rules,
    faults_of_world,
    objects_data,
)
from loopwright.graphs.society.society import SocietySettings
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.places import place
from loopwright.state.values import Json, JsonObject


class SocietySpec(BuiltSpec):
    """A world with objects, and agents that think side by side, act, hear what happens, and sleep until it is for them.

    Args:
        name: The plan's name.
        world: What the world is, and its places.
        classes: Classes of objects of your own, with their actions.
        objects: The objects by id.
        base_agent: What all agents have in common: an agent's lists and texts follow upon it, else its own count.
        agents: The agents by id. In this order the world settles what they try.
        rules: Functions of the world and an event that say why it cannot happen, or nothing.
        ticks: How many ticks there may be between two words from outside.
        hops: How many events may follow one from another before one wakes nobody.
        when_asleep: What happens when all sleep: `wait` for a word from outside, on disk, or `end`.
        models: Model references by name.

    Example:
        >>> spec = SocietySpec(agents={"ada": {"role": "host"}, "bob": {}}, objects={"mic": {"class": "Microphone"}})
        >>> [(edge.outcome, edge.way.target) for edge in spec.plan().edges if edge.source == "tick"]
        [('awake', 'turns'), ('over', 'over'), ('asleep', 'asleep')]
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    kind: Literal["society"] = "society"
    world: WorldEntry = WorldEntry()
    classes: dict[Name, ClassEntry] = Field(default_factory=dict)
    objects: dict[Name, ObjectEntry] = Field(default_factory=dict)
    base_agent: SocietyAgent = SocietyAgent()
    agents: dict[Name, SocietyAgent] = Field(min_length=1)
    rules: tuple[FunctionField, ...] = ()
    ticks: int = Field(20, ge=1, strict=True)
    hops: int = Field(32, ge=1, strict=True)
    when_asleep: Literal["wait", "end"] = "wait"
    models: Mapping[Name, ModelRef] = Field(default_factory=dict)

    def make(self) -> PlanBuilder | list[Fault]:
        """The plan with its code, or why there is none."""
        found = {id: agent.location for id, agent in self._agents.items()}
        faults = [
            *faults_of_world(self.world, self.classes, self.objects, found),
            *faults_of_rules(self.rules),
            *faults_of_agents(self.agents, self._agents, self.models),
        ]
        return faults or self._settings().builder()

    def path_of(self, place: Path) -> Path:
        """The field that a part of the society comes from."""
        match place:
            case ("bounds", "ticks"):
                return ("ticks",)
            case ("nodes", str(name), *_) if name.startswith(_TURNS):
                kind = name.removeprefix(_TURNS).removeprefix("turn of ").partition("/")[0]
                return ("agents", kind if kind in self.agents else next(iter(self.agents)))
        return ()

    @cached_property
    def _agents(self) -> Mapping[str, SocietyAgent]:
        """The agents with what they all have in common."""
        return {id: agent.upon(self.base_agent) for id, agent in self.agents.items()}

    def _settings(self) -> SocietySettings:
        name = self.name or self.kind
        functions = WorldFunctions(self.classes, self.rules)
        places, kinds = self.world.described, kinds_of(self._agents)
        first = next(iter(places), "")
        objects, lying = objects_data(self.objects, self.classes, first)
        alike = told_alike(self._agents, kinds)
        agents: dict[str, Json] = {id: agent.data(kinds[id]) for id, agent in alike.items()}
        there: dict[str, Json] = {id: {"location": agent.location or first} for id, agent in self._agents.items()}
        rules: list[Json] = list(functions.rules)
        setting: JsonObject = {
            "id": self.world.id,
            "name": self.world.name or name,
            "description": self.world.description,
            "places": dict(places),
            "classes": classes_data(self.classes, functions),
            "objects": objects,
            "agents": agents,
            "rules": rules,
            "hops": self.hops,
        }
        made = {
            kind: alike[kind].settings(f"turn of {kind}", self.models, surroundings=True)
            for kind in dict.fromkeys(kinds.values())
        }
        return SocietySettings(
            name,
            setting,
            {"tick": 0, "agents": there, "objects": lying},
            made,
            asleep=[id for id, agent in self._agents.items() if not agent.awake],
            ticks=self.ticks,
            when_asleep=self.when_asleep,
            functions=functions.by_name,
            version=functions.version,
            models=self.models,
        )


_TURNS = f"{place('turns', '')}/"
