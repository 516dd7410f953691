"""What may be wrong with the definition of an agent: all of it is told, each at its place."""

from typing import Any

from loopwright.graphs.forms.level_entries import Definition, faults_of_definition
from loopwright.graphs.forms.level_prompts import PROMPTS
from loopwright.nodes.levels.stage import PLACEHOLDERS
from loopwright.nodes.prompts import placeholders

LEVEL: dict[str, Any] = {"criteria": "a topic", "key_output": {"topic": ""}}


def definition(**fields: Any) -> Definition:
    return Definition.model_validate({"purpose_of_agent": "p", "definition_of_level": {"level_1": LEVEL}, **fields})


def faults(**fields: Any) -> list[tuple[str, str]]:
    return [(fault.key, fault.message) for fault in faults_of_definition(definition(**fields))]


def test_a_right_one_has_none() -> None:
    assert faults() == []


def test_no_level_1_and_a_gap() -> None:
    levels = {"level_2": LEVEL, "level_5": LEVEL, "level_01": LEVEL}
    assert faults(definition_of_level=levels) == [
        ("definition_of_level.level_01", "'level_01' is no name of a level"),
        ("definition_of_level", "there is no level_1"),
        ("definition_of_level.level_5", "level_2 is followed by level_5"),
    ]
    assert faults(definition_of_level={}) == [("definition_of_level", "there is no level_1")]


def test_key_outputs() -> None:
    level = {"criteria": " ", "key_output": {"a": 3, "b": None, "c": {}, "d": ["x"], "e": "y"}}
    assert faults(definition_of_level={"level_1": level}) == [
        ("definition_of_level.level_1.criteria", "the criteria are empty"),
        ("definition_of_level.level_1.key_output.a", "the key output 'a' is neither a list nor a text"),
        ("definition_of_level.level_1.key_output.b", "the key output 'b' is neither a list nor a text"),
        ("definition_of_level.level_1.key_output.c", "the key output 'c' is neither a list nor a text"),
    ]
    assert faults(definition_of_level={"level_1": {"criteria": "c", "key_output": {}}}) == [
        ("definition_of_level.level_1.key_output", "there are no key outputs")
    ]
    assert definition().levels[0].types == {"topic": "text"}


def test_prompts() -> None:
    prompts = {"level_x_judgment": "Well?", "level_x_response": "<{chat_sumary}>"}
    assert faults(prompts=prompts, ensonet_criteria="<{chat_summary}>") == [
        ("prompts.level_x_judgment", "there is no prompt 'level_x_judgment'"),
        ("prompts.level_x_response", "there is no placeholder <{chat_sumary}> here"),
        ("ensonet_criteria", "there is no placeholder <{chat_summary}> here"),
    ]


def test_a_missing_prompt_is_ours() -> None:
    made = definition(prompts={"level_x_response": "Reply.", "level_x_judgement": " "})
    assert made.prompt("level_x_response") == "Reply."
    assert made.prompt("level_x_judgement") == PROMPTS["level_x_judgement"]
    for prompt in PROMPTS.values():
        assert {*placeholders(prompt)} <= {*PLACEHOLDERS}
