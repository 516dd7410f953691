"""The form `think_loop`: an agent that acts, sleeps until something happens, and acts again.

It is the think loop of GenWorlds' agents (2023), with its waits on disk instead of pauses.
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.action_map import place_in_map
from loopwright.graphs.forms.agent_entries import AgentFields
from loopwright.graphs.forms.node_entries import Name
from loopwright.graphs.forms.spec import BuiltSpec
from loopwright.graphs.thinking.settings import ACT, NAVIGATE
from loopwright.graphs.thinking.think_loop import LoopSettings
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.thinking.fields import RECENT, SIMILAR


class MemoryEntry(BaseModel):
    """What the prompts of an agent show of what it remembers.

    Args:
        n: How many of the last events.
        m: How many of the 200 before them: those that are most like its plan, or its goals while it has no plan.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    n: int = Field(10, ge=1, strict=True)
    m: int = Field(0, ge=0, strict=True)


class ThinkLoopSpec(BuiltSpec, AgentFields):
    """An agent that lives by itself: it decides what to do, does it, remembers it, and sleeps until something happens.

    Args:
        name: The plan's name, and the agent's id where `id` says no other.
        id: The agent's id: what its events say in `sender_id`, and what others name as their target.
        remembers: How many of the last events its prompts show.
        memory: Which events its prompts show, in the place of `remembers`.
        acts: How many acts it may make between two sleeps.
        models: Model references by name.

    Example:
        >>> spec = ThinkLoopSpec(name="ada", actions={"wave": ["fill"]},
        ...     brains={"fill": {"type": "zero_shot", "role": "event_filler"}})
        >>> [edge.outcome for edge in spec.plan().edges if edge.source == "decided"]
        ['act', 'wait', 'exit']
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    kind: Literal["think_loop"] = "think_loop"
    id: str = ""
    remembers: int = Field(10, ge=1, strict=True)
    memory: MemoryEntry | None = None
    acts: int = Field(10, ge=1, strict=True)
    models: Mapping[Name, ModelRef] = Field(default_factory=dict)

    def make(self) -> PlanBuilder | list[Fault]:
        """The plan with its code, or why there is none."""
        faults = self.agent_faults(surroundings=False)
        if self.memory and "remembers" in self.model_fields_set:
            faults.append(Fault("memory and remembers both say what is shown", ("remembers",), "say it as memory.n"))
        if faults:
            return faults
        name = self.name or self.kind
        return LoopSettings(
            self.settings(name, self.models, surroundings=False),
            me=self.id or name,
            fields=self.told,
            wakes_on=self.wakes_on,
            heeds=self.heeds,
            n=self._memory.n,
            m=self._memory.m,
            acts=self.acts,
        ).builder()

    @property
    def _memory(self) -> MemoryEntry:
        return self.memory or MemoryEntry(n=self.remembers)

    @property
    def _recalled(self) -> tuple[str, ...]:
        """What its prompts may show of its memory."""
        return (RECENT, SIMILAR) if self._memory.m else super()._recalled

    def path_of(self, place: Path) -> Path:
        """The field that a part of the agent comes from."""
        match place:
            case ("bounds", "acts" | "attempts" as bound):
                return ("acts",) if bound == "acts" else ("retries",)
            case (what, str(name), *field) if name.startswith(f"{ACT}/"):
                return place_in_map(self.actions, (what, name.removeprefix(f"{ACT}/"), *field))
            case ("nodes", str(name), *field) if name.startswith(NAVIGATE):
                return ("navigation", *field)
            case ("nodes", "perceive", *_):
                return ("wakes_on",)
        return ()
