"""The brains as users call them."""

import dataclasses
from typing import Any

import pytest
from pydantic import BaseModel

import loopwright as lw
from loopwright.graphs.brains.settings import BrainSettings
from loopwright.loop.brains import BrainFields
from loopwright.testing import RecordingModel

BRAINS = (lw.ZeroShot, lw.SingleEval, lw.MultiEval, lw.TreeOfThought)


class Risk(BaseModel):
    """A part of an answer, so that its schema has definitions."""

    words: str


class Report(BaseModel):
    """An answer."""

    risks: list[Risk]


def test_they_take_all_settings() -> None:
    settings = {field.name for field in dataclasses.fields(BrainSettings)}
    assert BrainFields.__annotations__.keys() == settings - {"output", "_"}


@pytest.mark.parametrize("brain", BRAINS)
def test_the_result_is_of_the_type_that_was_asked_for(brain: Any) -> None:
    report = {"risks": [{"words": "rot"}]}

    def reply(call: Any) -> Any:
        asked = call.schema["properties"]
        if "options" in asked:
            steps = asked["options"]["items"] == {"type": "string"}
            return {"options": ["a step"] if steps else [report, {"risks": []}]}
        return {"choice": 1} if "choice" in asked else {"rating": 4} if "rating" in asked else report

    loop = brain(output=Report)
    assert not loop.check()
    run = loop.start({"task": "?"}, model=RecordingModel(reply))
    assert run.result == Report(risks=[Risk(words="rot")])


def test_a_mistake_is_told() -> None:
    with pytest.raises(lw.SourceError, match="n: 0 is less than 1"):
        lw.MultiEval(n=0)
    wrong: Any = {"treshold": 3}
    with pytest.raises(lw.SourceError, match="did you mean 'threshold'"):
        lw.MultiEval(**wrong)


def test_each_says_its_technique() -> None:
    assert [brain().plan.name for brain in BRAINS] == ["zero_shot", "single_eval", "multi_eval", "tree_of_thought"]


def test_one_model_generates_and_another_judges() -> None:
    loop = lw.MultiEval(n=2, model="small", judge_model=lw.ModelRef("strong"))
    assert loop.plan.models == {"default": lw.ModelRef("small"), "judge": lw.ModelRef("strong")}
    assert loop.plan.model_names == ("default", "judge")
    named = lw.SingleEval(model="small", model_name="writer", judge_model="strong")
    assert {*named.plan.models} == {"writer", "judge"}


def test_a_judge_beside_a_model_that_is_no_reference_is_told() -> None:
    with pytest.raises(lw.SourceError, match="model: beside judge_model this takes a name or a ModelRef"):
        lw.MultiEval(model=lw.ScriptedModel({"default": ["x"]}), judge_model="strong")
    with pytest.raises(lw.SourceError, match="judge_model_name: the judge is given and named"):
        lw.MultiEval(judge_model="strong", judge_model_name="other")
