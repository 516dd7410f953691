"""The class that users hold."""

from typing import Any

import pytest

import loopwright as lw


def test_it_takes_the_fields_of_the_form_and_a_model() -> None:
    model = lw.ScriptedModel({"default": ["unused"]})
    agents: Any = {"ada": {"awake": False}}
    loop = lw.Society(agents, when_asleep="end", name="still", model=model, budget={"calls": 3})
    run = loop.start()
    assert (run.end, run.result, loop.plan.name) == (lw.End("all_asleep"), [], "still")


def test_what_is_wrong_is_told_at_once() -> None:
    with pytest.raises(lw.SourceError) as caught:
        lw.Society({"ada": {"gaols": ["talk"]}}, ticks=0)
    assert [fault.key for fault in caught.value.faults] == ["agents.ada.gaols", "ticks"]
