"""The conversation as users call it."""

from typing import get_type_hints

import pytest

import loopwright as lw
from loopwright.graphs.forms.conversation import ConversationSpec
from loopwright.loop.conversation import ConversationFields


def test_it_takes_the_fields_of_the_form() -> None:
    assert {*get_type_hints(ConversationFields), "kind", "agents"} == set(ConversationSpec.model_fields)


def test_faults_are_told_at_once() -> None:
    with pytest.raises(lw.SourceError) as caught:
        lw.Conversation([{"name": "A", "model": "big"}], opens="B", max_messages=4)
    assert [fault.key for fault in caught.value.faults] == ["opens", "agents.0.model"]


def test_one_that_is_run() -> None:
    loop = lw.Conversation([{"name": "A"}, {"name": "B"}], task="hi", max_messages=3, stop=None)
    run = loop.start(model=lw.ScriptedModel({"A": ["a"], "B": ["b"]}))
    assert (run.result, run.end) == ("b", lw.End("max_messages"))
