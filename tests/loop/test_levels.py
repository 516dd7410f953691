"""The channel as users call it."""

from typing import get_type_hints

import pytest

import loopwright as lw
from loopwright.graphs.forms.levels import LevelsSpec
from loopwright.loop.levels import LevelsFields


def test_it_takes_the_fields_of_the_form() -> None:
    assert {*get_type_hints(LevelsFields), "kind", "agent"} == set(LevelsSpec.model_fields)


def test_faults_are_told_at_once() -> None:
    with pytest.raises(lw.SourceError) as caught:
        lw.Levels("person", purpose_of_agent="p", definition_of_level={}, max_turns=0)
    assert [fault.key for fault in caught.value.faults] == ["agent", "max_turns", "definition_of_level"]


def test_one_that_is_run() -> None:
    level = {"criteria": "a topic", "key_output": {"topic": ""}}
    loop = lw.Levels("Muse", purpose_of_agent="You find topics.", definition_of_level={"level_1": level}, mode="solo")
    verdict = {"achieved": True, "summary": "Birds.", "key_output": {"topic": "birds"}}
    script = {"level 1/introduction": ["Find one."], "level 1/worker": ["Birds."], "level 1/judge": [verdict]}
    run = loop.start(model=lw.ScriptedModel(script))
    assert (run.end, run.result) == (lw.End("completed"), {"level_1": {"topic": "birds"}})
