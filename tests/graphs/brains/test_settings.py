"""What a brain is made of: what is left out, and all that may be wrong, at once."""

from typing import Any

import pytest

from loopwright.errors import Fault
from loopwright.graphs.brains.settings import FIELDS, PLACEHOLDERS, RESERVED, BrainSettings
from loopwright.nodes.brains.roles import ROLES
from loopwright.nodes.prompts import placeholders
from loopwright.state.schema import TEXT


def test_what_is_left_out() -> None:
    made = BrainSettings()
    assert (made.question, made.sections, made.answer_schema, made.inputs) == ("<{task}>", (), TEXT, ("task",))
    assert not made.faults()


@pytest.mark.parametrize("role", [name for name in ROLES if name])
def test_a_role_gives_prompt_sections_and_output(role: str) -> None:
    made = BrainSettings(role=role)
    assert (made.question, made.sections) == (ROLES[role].prompt, ROLES[role].sees)
    assert made.answers == ROLES[role].output
    assert not made.faults()
    own = BrainSettings(role=role, prompt="<{x}>?", sees="memory")
    assert (own.question, own.sections) == ("<{x}>?", ("memory",))


def test_what_a_role_needs_is_an_input_even_where_it_is_not_seen() -> None:
    assert BrainSettings(role="navigation", prompt="?", sees=[]).inputs == ("actions",)
    assert BrainSettings(role="event_filler", prompt="?", sees=["plan"]).inputs == ("plan", "command")


def test_the_last_failure_is_an_input_that_may_be_left_out() -> None:
    (channel, _) = BrainSettings(prompt="?", sees=["last_failure"]).channels
    assert (channel.name, channel.input, channel.default) == ("last_failure", True, "")
    assert BrainSettings(prompt="<{last_failure}>").tells
    assert not BrainSettings().tells


def test_the_templates_show_what_they_can() -> None:
    made = BrainSettings()
    for key, own in PLACEHOLDERS.items():
        assert {*placeholders(getattr(made, key))} <= own.keys()
        assert own.keys() <= RESERVED
    assert {*PLACEHOLDERS} <= {*FIELDS}


@pytest.mark.parametrize(
    ("fields", "faults"),
    [
        (
            {"n": 0, "depth": -1, "threshold": 11},
            [
                Fault("0 is less than 1", ("n",)),
                Fault("-1 is less than 1", ("depth",)),
                Fault("11 is no rating, which is from 1 to 10", ("threshold",)),
            ],
        ),
        (
            {"prompt": 3, "n": True, "threshold": "7", "sees": [1], "models": [], "role": "boss", "output": object()},
            [
                Fault("3 is not a text", ("prompt",)),
                Fault("True is not a whole number", ("n",)),
                Fault("'7' is not a number", ("threshold",), "give one from 1 to 10, or leave it out"),
                Fault("[1] is not a list of names", ("sees",)),
                Fault("[] is not a mapping from names to model references", ("models",)),
                Fault(
                    "there is no role 'boss'",
                    ("role",),
                    "there are: event_filler, execution, judge, navigation",
                ),
            ],
        ),
        ({"depth": 10**9}, [Fault("1000000000 is more than 1,000 steps", ("depth",))]),
        (
            {"prompt": "<{options}>", "system": "<{n}>", "sees": ["steps"]},
            [
                Fault("<{options}> is what the brain itself fills in", ("prompt",), "give the input another name"),
                Fault("<{n}> is what the brain itself fills in", ("system",), "give the input another name"),
                Fault("'steps' is what the brain itself fills in", ("sees",), "give the input another name"),
            ],
        ),
        (
            {"judge_prompt": "Rate <{optin}>", "choose_prompt": "<{options}> for <{task}>"},
            [
                Fault(
                    "the placeholder <{optin}> names neither an input of the brain nor what it fills in",
                    ("judge_prompt",),
                    "did you mean 'option'? there are: option, prompt, task",
                ),
                Fault("it does not show <{option}>", ("judge_prompt",), "put <{option}> where it is to stand"),
            ],
        ),
        (
            {"role": "navigation", "output": str},
            [
                Fault(
                    "the answers of a brain of the role navigation are of the form that it is checked by",
                    ("output",),
                    "leave it out",
                )
            ],
        ),
    ],
)
def test_all_faults_at_once(fields: Any, faults: list[Fault]) -> None:
    found = BrainSettings(**fields).faults()
    assert [fault for fault in found if fault.path != ("output",) or fault in faults] == faults
