"""The form `think_loop`: where a part of its plan stands in the document, and what is refused."""

from typing import Any

import pytest

from loopwright.errors import SourceError
from loopwright.graphs.forms.think_loop import ThinkLoopSpec
from loopwright.graphs.verify.check import verify
from loopwright.sources.specs import spec_from_data

FILL: Any = {"type": "zero_shot", "role": "event_filler"}
GIVEN: Any = {
    "brains": {"fill": FILL},
    "actions": {"speak": {"brains": ["fill"], "next_actions": ["give"]}, "give": ["fill"]},
}


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (("nodes", "act/speak/fill/decide", "prompt"), ("brains", "fill", "prompt")),
        (("edges", "act/then give/send", "sent"), ("actions", "give", "next_actions")),
        (("nodes", "navigate/generate", "model"), ("navigation", "model")),
        (("nodes", "perceive"), ("wakes_on",)),
        (("bounds", "acts"), ("acts",)),
        (("bounds", "attempts"), ("retries",)),
        (("bounds", "act/then give again"), ("retries",)),
        (("nodes", "wake"), ()),
    ],
)
def test_where_a_part_of_the_plan_stands(place: Any, path: Any) -> None:
    assert ThinkLoopSpec.model_validate(GIVEN).path_of(place) == path


def test_it_is_called_by_its_name_unless_it_has_an_id() -> None:
    named = spec_from_data({**GIVEN, "name": "ada"}, "think_loop").plan()
    assert (named.name, named.channels["id"].default) == ("ada", "ada")
    assert spec_from_data({**GIVEN, "name": "a", "id": "ada"}, "think_loop").plan().channels["id"].default == "ada"


@pytest.mark.parametrize("key", ["acts", "remembers"])
@pytest.mark.parametrize("value", [0, 1.5, "3", True])
def test_counts_are_numbers_from_1_on(key: str, value: Any) -> None:
    with pytest.raises(SourceError, match=f"{key}: "):
        spec_from_data({**GIVEN, key: value}, "think_loop")


def test_filters_name_only_what_the_agent_has() -> None:
    spec = spec_from_data({**GIVEN, "wakes_on": {"gives": {"to": "<{idd}>"}}}, "think_loop")
    (finding,) = verify(spec.plan())
    assert (finding.code, spec.path_of(finding.place)) == ("unknown-channel", ("wakes_on",))
