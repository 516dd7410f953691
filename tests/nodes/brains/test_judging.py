"""The nodes that judge options."""

from typing import Any

import pytest

from loopwright.nodes.brains.judging import Choose, Rate
from loopwright.state.schema import check_for

VIEW: Any = {"options": ["a", {"b": 1}, "c"]}


@pytest.mark.parametrize(("choice", "answer"), [(1, "a"), (2, {"b": 1}), (3, "c")])
def test_a_choice_is_a_number_and_what_is_taken_is_the_option(choice: int, answer: Any) -> None:
    node = Choose("choose", prompt="?", asks="<{n}>:\n<{options}>", writes="answer", tells=True)
    ask: Any = node.ask(VIEW)
    assert ask.messages[-1]["content"] == '?\n\n3:\n1. a\n2. {"b": 1}\n3. c'
    check_for(ask.schema)({"choice": choice})
    found = node.answer(VIEW, {"choice": choice})
    assert found.update == {"answer": answer, "chosen": choice - 1, "last_failure": ""}


@pytest.mark.parametrize("choice", [0, 4, 1.5, "a", None, True])
def test_a_number_that_names_no_option_does_not_fit(choice: Any) -> None:
    ask: Any = Choose("choose", prompt="?").ask(VIEW)
    with pytest.raises(ValueError, match=r"^at choice: "):
        check_for(ask.schema)({"choice": choice})


def test_a_rating_with_and_without_a_reason() -> None:
    node = Rate("judge", prompt="?")
    assert node.answer({}, {"rating": 7.0}).reason == "rated 7"
    assert node.answer({}, {"rating": 7.5, "reason": "good"}).update == {"rating": {"rating": 7.5, "reason": "good"}}


@pytest.mark.parametrize(
    ("line", "option", "text"),
    [
        ("", ["a", "b"], "- a\n- b"),
        ("part", ["a", "b"], "The first steps, before there is an answer:\n1. a\n2. b"),
        ("whole", ["a", "b"], "b\n\nThe steps to it:\n1. a"),
        ("whole", ["b"], "b"),
    ],
)
def test_how_an_option_is_shown(line: Any, option: Any, text: str) -> None:
    ask: Any = Rate("judge", prompt="", asks="<{prompt}><{option}>", line=line).ask({"option": option})
    assert ask.messages[-1]["content"] == text
