"""A brain as a file by itself."""

from typing import Any

import pytest

from loopwright.errors import Fault, SourceError
from loopwright.graphs.brains.settings import TECHNIQUES
from loopwright.graphs.brains.techniques import brain
from loopwright.graphs.forms.brain import BrainSpec
from loopwright.graphs.plan import End
from loopwright.loop.load import loop_of
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.sources.specs import spec_from_data


def spec(**fields: Any) -> BrainSpec:
    return BrainSpec.model_validate(fields)


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_the_plan_is_that_of_python(technique: str) -> None:
    fields = {
        "name": "titles",
        "prompt": "A <{x}>",
        "n": 2,
        "threshold": 3,
        "sees": ["y"],
        "output": {"type": "string"},
    }
    made = spec(type=technique, model="small", judge_model="strong", **fields)
    given = {**fields, "model_name": "small", "judge_model_name": "strong"}
    assert made.plan() == brain(technique, given).build()
    assert (made.code(), made.faults()) == ({}, [])


def test_it_runs() -> None:
    model = ScriptedModel({"generate": [{"options": ["a", "b"]}], "judge": [{"rating": 5}], "repeat": "last"})
    run = loop_of(spec(type="multi_eval", prompt="?")).start(model=model)
    assert (run.end, run.result) == (End("done"), "a")


def test_all_faults_are_told_at_once() -> None:
    made = spec(type="multi_eval", prompt="<{n}>", judge_prompt="Rate it.")
    assert made.faults() == [
        Fault("<{n}> is what the brain itself fills in", ("prompt",), "give the input another name"),
        Fault("it does not show <{option}>", ("judge_prompt",), "put <{option}> where it is to stand"),
    ]
    with pytest.raises(SourceError, match="fills in"):
        made.plan()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("n", True),
        ("n", "7"),
        ("threshold", "7"),
        ("threshold", True),
        ("breadth", "2"),
        ("depth", True),
        ("depth", 1001),
    ],
)
def test_what_python_refuses_a_file_refuses(field: str, value: object) -> None:
    with pytest.raises(SourceError) as error:
        spec_from_data({"kind": "brain", "type": "tree_of_thought", field: value})
    assert [fault.path for fault in error.value.faults] == [(field,)]


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (("nodes", "generate", "prompt"), ("prompt",)),
        (("nodes", "generate", "asks"), ("options_prompt",)),
        (("nodes", "choose", "asks"), ("choose_prompt",)),
        (("nodes", "rate/judge", "asks"), ("judge_prompt",)),
        (("nodes", "expand 1/expand", "asks"), ("steps_prompt",)),
        (("nodes", "rate/judge", "model"), ("judge_model",)),
        (("nodes", "generate", "model"), ("model",)),
        (("channels", "task"), ()),
    ],
)
def test_the_places_of_findings(place: Any, path: Any) -> None:
    assert spec(type="multi_eval", judge_model="strong").path_of(place) == path


def test_a_model_that_is_not_there_is_found_at_its_field() -> None:
    loop = loop_of(spec(type="single_eval", judge_model="strong"))
    (found,) = loop.check()
    assert (found.code, found.place) == ("unknown-model", ("nodes", "choose", "model"))
