"""An agent as a file has it: who it is, what it can do, what wakes it. A loop of its own and a world have the same."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field, JsonValue

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.actions.chains import MapBrain
from loopwright.graphs.forms.action_entries import BrainField, brain_made, faults_of_actions, faults_of_brains
from loopwright.graphs.forms.action_map import Actions
from loopwright.graphs.forms.brain_entries import BodyBrainEntry
from loopwright.graphs.forms.node_entries import Name
from loopwright.graphs.forms.spec import under
from loopwright.graphs.thinking.settings import KNOWN, SPEAKER, ThinkSettings, unknown
from loopwright.hints import did_you_mean
from loopwright.nodes.actions.names import PLACEHOLDERS
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.thinking.fields import MEMORY, PERSONA, PLAN, RECENT, RULES, SIMILAR, SURROUNDINGS, FollowUp

_NAVIGATION = BodyBrainEntry(type="single_eval")
_SPEAKER = BodyBrainEntry(type="zero_shot", role="event_filler")

_WORDS: Mapping[str, str] = {
    "role": "You are <{id}>, <{role}>.",
    "background": "Your background: <{background}>",
    "personality": "Your personality: <{personality}>",
    "communication_style": "How you speak: <{communication_style}>",
    "topic_of_conversation": "What is talked about: <{topic_of_conversation}>",
}
"""How each field of a persona is told in the system message, where it is given."""


class AgentFields(BaseModel):
    """An agent.

    Args:
        role: Who it is, as in `the host of a podcast`.
        background: What it has done and knows.
        personality: What it is like.
        communication_style: How it speaks.
        topic_of_conversation: What is talked about.
        goals: What it is after.
        constraints: What it must keep to. An action that would break one of them is not taken.
        evaluation_principles: By what its options are compared.
        brains: The brains of its actions by name; as of `kind: action_map`.
        actions: Its action-brain map, as of `kind: action_map`.
        navigation: The brain that decides what to do: the fields of one. Three options and a choice when left out.
        follow_up: `edges`: what has to follow is done without a decision; `ask`: it is decided, and nothing else is on
            offer but to wait and to speak with the person.
        retries: How often an attempt that came to nothing is followed by another one, before the agent sleeps.
        wakes_on: The types of event that wake it, each with what properties of it must be; `{}` for any.
        heeds: The types of event that it hears whomever they are for.
    """

    role: str = ""
    background: str = ""
    personality: str = ""
    communication_style: str = ""
    topic_of_conversation: str = ""
    goals: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    evaluation_principles: tuple[str, ...] = ()
    brains: dict[Name, BrainField] = Field(default_factory=dict)
    actions: Actions
    navigation: BodyBrainEntry = _NAVIGATION
    follow_up: FollowUp = "edges"
    retries: int = Field(3, ge=0, strict=True)
    wakes_on: dict[Name, dict[Name, JsonValue]] = Field(default_factory=dict)
    heeds: tuple[Name, ...] = ()

    @property
    def told(self) -> dict[str, Any]:
        """The fields that say something of the agent, those that are empty left out."""
        found = {name: getattr(self, name) for name in (*PERSONA, *RULES)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items() if value}

    def agent_faults(self, *, surroundings: bool) -> list[Fault]:
        """What is wrong with the agent, with paths from here.

        Args:
            surroundings: Whether a world tells it what is around it.
        """

        def made(entry: Any, name: str) -> MapBrain:
            return self._brain(entry, name, surroundings)

        found = [*faults_of_brains(self.brains, made), *faults_of_actions(self.actions, self.brains)]
        found += under(("navigation",), self.navigation.faults())
        if self.navigation.role not in (None, "navigation"):
            hint = "leave its role out"
            found.append(Fault("the brain that decides is of the role navigation", ("navigation", "role"), hint))
        return found or [*self._unknown(surroundings)]

    def settings(self, name: str, models: Mapping[str, ModelRef], *, surroundings: bool) -> ThinkSettings:
        """What plans are made of. It is only asked for when there are no faults.

        Args:
            name: The plan's name.
            models: Model references by name.
            surroundings: Whether a world tells it what is around it.
        """
        brains = {**self.brains, SPEAKER: self.brains.get(SPEAKER, _SPEAKER)}
        return ThinkSettings(
            name,
            {key: entry.made for key, entry in self.actions.items()},
            {key: self._brain(entry, key, surroundings) for key, entry in brains.items()},
            self._navigation(surroundings),
            follow_up=self.follow_up,
            retries=self.retries,
            models=models,
        )

    @property
    def _recalled(self) -> tuple[str, ...]:
        """What its prompts may show of its memory."""
        return (MEMORY,)

    def _sections(self, surroundings: bool) -> tuple[str, ...]:
        """What its brains are shown, where they do not say it: what there is of it."""
        around = SURROUNDINGS if surroundings else ()
        return (*(name for name in RULES if name in self.told), PLAN, *self._recalled, *around)

    @property
    def _persona(self) -> str:
        """The system message of brains that have none."""
        first = [] if self.role else ["You are <{id}>."]
        return "\n".join([*first, *(words for name, words in _WORDS.items() if name in self.told)])

    def _brain(self, entry: Any, name: str, surroundings: bool) -> MapBrain:
        sections = tuple(each for each in self._sections(surroundings) if each != "evaluation_principles")
        return brain_made(entry, name, sections, system=self._persona)

    def _navigation(self, surroundings: bool) -> MapBrain:
        sections = self._sections(surroundings)
        return brain_made(
            self.navigation,
            "navigate",
            (*sections, "actions"),
            ("last_failure",),
            system=self._persona,
            role="navigation",
        )

    def _unknown(self, surroundings: bool) -> Iterator[Fault]:
        """Placeholders and sections that no agent has."""
        there = {*self.told, "id", *self._recalled, PLAN, *(SURROUNDINGS if surroundings else ())}
        known = [name for name in KNOWN if name in there]
        places: dict[Path, MapBrain] = {
            ("brains", name): self._brain(entry, name, surroundings) for name, entry in self.brains.items()
        }
        places["navigation",] = self._navigation(surroundings)
        for path, brain in places.items():
            for name in unknown(brain, [*known, "actions"] if path == ("navigation",) else known):
                yield Fault(f"the brain asks for {name!r}, which the agent has not", path, _hint(name, known))


def _hint(name: str, known: Sequence[str]) -> str:
    """What to do about a name that the agent has not."""
    if name in (MEMORY, RECENT, SIMILAR):
        shown = [each for each in (MEMORY, RECENT, SIMILAR) if each in known]
        return f"what it shows of its memory is {' and '.join(shown)}"
    return f"say its {name}, or leave it out" if name in KNOWN else did_you_mean(name, [*known, *PLACEHOLDERS])
