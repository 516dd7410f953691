"""Inputs: they fit, or all that is wrong with them is told at once."""

from typing import Any

import pytest

from loopwright.errors import RunError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.inputs import fitting_inputs, fitting_runs
from loopwright.state.channels import Channel

ESSAY = PlanBuilder(
    "essay",
    [
        Channel("topic", str, input=True),
        Channel("words", int, input=True, default=100),
        Channel("notes", list[str], reduce="append", input=True),
        Channel("draft", str),
    ],
).build()


@pytest.mark.parametrize(
    "inputs",
    [{"topic": "bridges"}, {"topic": "", "words": 0}, {"topic": "bridges", "notes": ["short", "plain"]}],
)
def test_inputs_that_fit_are_taken_as_they_are(inputs: dict[str, Any]) -> None:
    taken = fitting_inputs(ESSAY, inputs)
    assert taken == inputs
    assert taken is not inputs


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, "input 'topic' is missing."),
        ({"topic": 3}, "input 'topic' does not fit: 3 is not of type \"string\"."),
        ({"topic": None}, "input 'topic' does not fit: null is not of type \"string\"."),
        ({"topic": "a", "draft": "b"}, "there is no input 'draft'."),
        ({"topic": "a", "notes": "b"}, 'input \'notes\' does not fit: "b" is not of type "array".'),
        (
            {"words": "many", "tpic": "a", "x": 1},
            "there is no input 'tpic'; there is no input 'x'; input 'topic' is missing; "
            'input \'words\' does not fit: "many" is not of type "integer".',
        ),
    ],
)
def test_all_that_is_wrong_is_told(inputs: dict[str, Any], words: str) -> None:
    with pytest.raises(RunError) as caught:
        fitting_inputs(ESSAY, inputs)
    assert str(caught.value) == f"{words} The inputs of 'essay' are: topic, words, notes"


def test_a_plan_that_takes_nothing() -> None:
    empty: Plan = PlanBuilder("bell").build()
    assert fitting_inputs(empty, {}) == {}
    with pytest.raises(RunError, match=r"there is no input 'a'\. The inputs of 'bell' are: none"):
        fitting_inputs(empty, {"a": 1})


@pytest.mark.parametrize("inputs", ["x", 5, ["topic"]])
def test_inputs_are_a_mapping(inputs: Any) -> None:
    with pytest.raises(RunError) as caught:
        fitting_inputs(ESSAY, inputs)
    assert str(caught.value) == f"inputs are a mapping, from the names of channels to their values; {inputs!r} is none"


def test_what_is_not_given_is_as_the_loop_has_it() -> None:
    assert fitting_inputs(ESSAY, {"words": 5}, {"topic": "bridges", "words": 7}) == {"topic": "bridges", "words": 5}
    assert fitting_inputs(ESSAY, None, {"topic": "bridges"}) == {"topic": "bridges"}


def test_inputs_of_several_runs() -> None:
    own: Any = {"topic": "bridges", "words": 7}
    assert fitting_runs(ESSAY, None, (own, own)) == [own, own]
    assert fitting_runs(ESSAY, iter([{"topic": "ropes"}, {"words": 9}]), (own,)) == [
        {"topic": "ropes", "words": 7},
        {"topic": "bridges", "words": 9},
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"a": "x"}, "the inputs of several runs are a list with a mapping for each run; {'a': 'x'} is none"),
        ("ab", "the inputs of several runs are a list with a mapping for each run; 'ab' is none"),
        (3, "the inputs of several runs are a list with a mapping for each run; 3 is none"),
        ([], "there is nothing to run: the list of inputs is empty"),
    ],
)
def test_what_are_no_inputs_of_several_runs(given: Any, message: str) -> None:
    with pytest.raises(RunError) as caught:
        fitting_runs(ESSAY, given, ({},))
    assert str(caught.value) == message


def test_the_faults_of_all_runs_are_told_at_once() -> None:
    with pytest.raises(RunError) as caught:
        fitting_runs(ESSAY, [{"topic": 1}, {"topic": "x"}, {}, "y"], ({}, {}))
    told = [line.partition(".")[0] for line in str(caught.value).splitlines()]
    assert told == [
        "run 1: input 'topic' does not fit: 1 is not of type \"string\"",
        "run 3: input 'topic' is missing",
        "run 4: inputs are a mapping, from the names of channels to their values; 'y' is none",
    ]
