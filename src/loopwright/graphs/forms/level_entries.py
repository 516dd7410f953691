"""An agent's definition, as EnsoNet writes it: what it is for, its levels, its prompts."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from loopwright.errors import Fault
from loopwright.graphs.forms.descriptions import describe
from loopwright.graphs.forms.level_prompts import PROMPTS
from loopwright.graphs.forms.spec import Spec
from loopwright.hints import did_you_mean
from loopwright.nodes.levels.stage import PLACEHOLDERS, OutputType
from loopwright.nodes.prompts import placeholders

AGENT_X = "AgentX"

CRITERIA_PLACEHOLDERS = {
    "input_summary_txt": "the summary that was broadcast",
    "purpose_of_agent": "what the agent is for",
}
"""What the criteria by which an agent looks at a network's summaries may name."""

_LEVEL = re.compile(r"level_([1-9][0-9]*)", re.ASCII)


class LevelEntry(BaseModel):
    """One level.

    Args:
        criteria: What has to be found or decided at this level.
        key_output: The names of what comes of it; the value says the type, a list (`[]`) or a text (`""`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=describe)

    criteria: str
    key_output: Mapping[str, Any] = Field(json_schema_extra={"additionalProperties": {"type": ["array", "string"]}})

    @property
    def types(self) -> Mapping[str, OutputType]:
        """The type of each key output."""
        return {name: "list" if isinstance(value, list | tuple) else "text" for name, value in self.key_output.items()}


class Definition(Spec):
    """What defines an agent.

    Args:
        name: The plan's name.
        agent_type: `AgentX`, an agent that climbs its levels.
        icon_path: A picture, for those who show the agent.
        purpose_of_agent: What the agent is for, as its model is told.
        introduction_of_agent: How it introduces itself to a person.
        ensonet_criteria: When it offers its help, as a prompt that is given a summary of another agent.
        definition_of_level: The levels by their names, `level_1`, `level_2` and so on.
        prompts: What the model is told: `level_x_introduction`, `level_x_response`, `level_x_judgement` and, where it
            works alone, `level_x_work`. There is one of our own for each that is left out.
    """

    agent_type: str = AGENT_X
    icon_path: str = ""
    purpose_of_agent: str
    introduction_of_agent: str = ""
    ensonet_criteria: str = ""
    definition_of_level: Mapping[str, LevelEntry]
    prompts: Mapping[str, str] = {}

    @property
    def levels(self) -> list[LevelEntry]:
        """The levels in the order of their numbers: level_10 comes after level_9."""
        return [self.definition_of_level[name] for name in sorted(self.definition_of_level, key=_number)]

    def prompt(self, part: str) -> str:
        """The prompt of a part, its own or ours."""
        own = self.prompts.get(part, "")
        return own if own.strip() else PROMPTS[part]


def faults_of_definition(definition: Definition) -> Iterator[Fault]:
    """All that is wrong with a definition across its fields."""
    if definition.agent_type != AGENT_X:
        hint = f"write {AGENT_X}; agents of other types are written in Python"
        yield Fault(f"an agent of type {definition.agent_type!r} climbs no levels", ("agent_type",), hint)
    if not definition.purpose_of_agent.strip():
        yield Fault("the purpose is empty", ("purpose_of_agent",), "say what the agent is for")
    yield from _faults_of_numbers(definition.definition_of_level)
    for name, level in definition.definition_of_level.items():
        yield from _faults_of_level(name, level)
    for part, prompt in definition.prompts.items():
        if part not in PROMPTS:
            yield Fault(f"there is no prompt {part!r}", ("prompts", part), did_you_mean(part, PROMPTS))
        yield from _unknown(prompt, PLACEHOLDERS, ("prompts", part))
    yield from _unknown(definition.ensonet_criteria, CRITERIA_PLACEHOLDERS, ("ensonet_criteria",))


def _number(name: str) -> int:
    found = _LEVEL.fullmatch(name)
    return int(found[1]) if found else 0


def _faults_of_numbers(levels: Mapping[str, LevelEntry]) -> Iterator[Fault]:
    path = ("definition_of_level",)
    for name in levels:
        if not _number(name):
            yield Fault(f"{name!r} is no name of a level", (*path, name), "levels are level_1, level_2 and so on")
    numbers = sorted(number for number in map(_number, levels) if number)
    if numbers[:1] != [1]:
        yield Fault("there is no level_1", path, "a channel begins at level_1")
    for before, after in pairwise(numbers):
        if after != before + 1:
            hint = f"add level_{before + 1}, or number the levels without a gap"
            yield Fault(f"level_{before} is followed by level_{after}", (*path, f"level_{after}"), hint)


def _faults_of_level(name: str, level: LevelEntry) -> Iterator[Fault]:
    path = ("definition_of_level", name)
    if not level.criteria.strip():
        yield Fault("the criteria are empty", (*path, "criteria"), "say what the level wants")
    if not level.key_output:
        yield Fault("there are no key outputs", (*path, "key_output"), 'name one, as in {"final idea": ""}')
    for output, value in level.key_output.items():
        if not output.strip():
            yield Fault("a key output has no name", (*path, "key_output", output))
        if not isinstance(value, list | tuple | str):
            message = f"the key output {output!r} is neither a list nor a text"
            yield Fault(message, (*path, "key_output", output), 'write [] for a list, and "" for a text')


def _unknown(prompt: str, known: Mapping[str, str], path: tuple[str, ...]) -> Iterator[Fault]:
    for name in placeholders(prompt):
        if name not in known:
            yield Fault(f"there is no placeholder <{{{name}}}> here", path, did_you_mean(name, known))
