"""The form `action_map`: all faults at once, with their places, and where a finding stands in the document."""

from typing import Any

import pytest

from loopwright.errors import SourceError
from loopwright.graphs.forms.action_map import ActionMapSpec
from loopwright.graphs.verify.check import verify
from loopwright.sources.specs import spec_from_data

FILL: Any = {"type": "zero_shot", "role": "event_filler"}


def faults(data: Any) -> list[str]:
    with pytest.raises(SourceError) as caught:
        spec_from_data(data, "action_map")
    return [f"{fault.key}: {fault.message}" for fault in caught.value.faults]


def test_all_faults_are_told_at_once() -> None:
    data: Any = {
        "brains": {
            "fill": FILL,
            "send": FILL,
            "wild": {"type": "multi_eval", "threshold": 11.0},
            "shows": {"type": "zero_shot", "choose_prompt": "Choose."},
        },
        "actions": {
            "a": {"brains": ["fil"], "next_actions": ["b", "default"]},
            "c/d": ["fill"],
            "e": {"brains": ["fill"], "event": "str"},
            "f": [],
        },
        "retries": 1,
    }
    assert faults({**data, "brains": {**data["brains"], "wild": {"type": "multi_eval", "prompt": "<{options}>"}}}) == [
        "brains.send: no brain of a map can be named 'send'",
        "brains.wild.prompt: <{options}> is what the brain itself fills in",
        "brains.shows.choose_prompt: it does not show <{options}>",
        "actions.a.brains.0: there is no brain 'fil'",
        "actions.a.next_actions.0: there is no action 'b', and no default for it",
        "actions.a.next_actions.1: default is no action, but the entry for those that are not named",
        "actions.c/d: no action can be named 'c/d'",
        "actions.e.event: the arguments of an event are an object",
        "actions.f.brains: the action 'f' has no brains",
    ]


@pytest.mark.parametrize("given", [-1, 1.5, "3", True])
def test_retries_are_a_number_from_0_on(given: Any) -> None:
    assert faults({"brains": {"fill": FILL}, "actions": {"a": ["fill"]}, "retries": given})[0].startswith("retries: ")


def test_a_map_has_actions() -> None:
    assert faults({"brains": {}, "actions": {}})
    assert faults({"brains": {}})


def test_a_cycle_of_follow_ups_is_found_at_its_entry() -> None:
    for follow in ({"a": ["a"]}, {"a": ["b"], "b": ["a"]}):
        actions = {name: {"brains": ["fill"], "next_actions": after} for name, after in follow.items()}
        spec = spec_from_data({"brains": {"fill": FILL}, "actions": actions}, "action_map")
        (finding,) = verify(spec.plan())
        assert spec.path_of(finding.place) in [("actions", name, "next_actions") for name in follow]


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (("nodes", "speak/fill/decide", "prompt"), ("brains", "fill", "prompt")),
        (("nodes", "then give/fill 2/decide", "model"), ("brains", "fill", "model")),
        (("nodes", "default/fill2/decide", "model"), ("brains", "fill2", "model")),
        (("nodes", "then sing/fill2/decide"), ("brains", "fill2")),
        (("nodes", "speak/send"), ("actions", "speak")),
        (("edges", "then give/send", "sent", "done"), ("actions", "give", "next_actions")),
        (("bounds", "then give again"), ("retries",)),
        (("nodes", "choose"), ("actions",)),
        (("nodes", "else"), ()),
        (("channels", "aim"), ()),
    ],
)
def test_where_a_part_of_the_plan_stands(place: Any, path: Any) -> None:
    actions: Any = {"speak": {"brains": ["fill"], "next_actions": ["give"]}, "give": ["fill", "fill"]}
    actions |= {"hum": {"brains": ["fill"], "next_actions": ["sing"]}, "default": ["fill2"]}
    assert ActionMapSpec(brains={"fill": FILL, "fill2": FILL}, actions=actions).path_of(place) == path


def test_an_unknown_model_is_found_at_the_brain() -> None:
    brains = {"fill": {**FILL, "model": "strong"}}
    spec = spec_from_data({"brains": brains, "actions": {"a": ["fill"]}}, "action_map")
    (finding,) = verify(spec.plan())
    assert (finding.code, spec.path_of(finding.place)) == ("unknown-model", ("brains", "fill", "model"))
