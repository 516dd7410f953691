"""The nodes that make options."""

from typing import Any

import pytest

from loopwright.nodes.brains.options import Decide, Expand, Generate
from loopwright.nodes.brains.roles import ROLES
from loopwright.nodes.contract import Answer

NAVIGATION: Any = {"role": "navigation", "output": ROLES["navigation"].output, "tells": True, "writes": "answer"}


def choice(**change: Any) -> Any:
    return {"next_action": "wait", "is_action_valid": True, "violated_constraints": [], **change}


def test_an_answer_that_is_not_eligible_is_none_and_says_why() -> None:
    node = Decide("d", prompt="?", **NAVIGATION)
    view: Any = {"actions": ["wait"]}
    assert node.contract.outcomes == ("done", "none")
    assert node.answer(view, choice()).update == {"answer": choice(), "last_failure": ""}
    reason = "the answer is not eligible: is_action_valid is false"
    assert node.answer(view, choice(is_action_valid=False)) == Answer("none", {"last_failure": reason}, reason)


def test_a_plain_brain_is_never_none_and_may_have_an_edge_for_it() -> None:
    contract = Decide("d", prompt="?", writes="answer").contract
    assert (contract.outcomes, contract.never) == (("done",), ("none",))


@pytest.mark.parametrize("node", [Decide("d", prompt="?", **NAVIGATION), Generate("g", prompt="?", **NAVIGATION)])
def test_where_nothing_is_on_offer_nobody_is_asked(node: Any) -> None:
    view: Any = {"actions": []}
    assert node.ask(view) is None
    answer = node.answer(view, None)
    assert (answer.outcome, answer.reason) == ("none", "there is nothing on offer to choose from")
    assert answer.update["last_failure"] == answer.reason


def test_only_eligible_options_are_judged() -> None:
    node = Generate("g", prompt="?", judged=True, n=3, **NAVIGATION)
    wrong = choice(violated_constraints=["one speaks"])
    answer = node.answer({"actions": ["wait"]}, {"options": [wrong, choice(), wrong]})
    assert (answer.outcome, answer.update) == ("options", {"options": [choice()]})
    assert answer.reason == (
        '2 of 3 options are not eligible; the 1st option: violated_constraints is ["one speaks"]; '
        'the 3rd option: violated_constraints is ["one speaks"]'
    )
    none = node.answer({"actions": ["wait"]}, {"options": [wrong]})
    assert (none.outcome, none.update["options"]) == ("none", [])
    assert str(none.update["last_failure"]).startswith("1 of 1 options are not eligible; the 1st option")


@pytest.mark.parametrize(
    ("n", "judged", "role", "outcomes"),
    [
        (3, False, "", ("options", "done")),
        (3, True, "", ("options",)),
        (1, False, "", ("done",)),
        (1, True, "", ("options",)),
        (3, False, "navigation", ("options", "done", "none")),
        (1, True, "navigation", ("options", "none")),
    ],
)
def test_the_outcomes_of_generate(n: int, judged: bool, role: str, outcomes: tuple[str, ...]) -> None:
    node = Generate("g", prompt="?", n=n, judged=judged, role=role, output=ROLES[role].output, writes="answer")
    assert node.contract.outcomes == outcomes
    assert node.contract.never == (() if role else ("none",))


def test_a_list_of_options_has_at_least_one_and_at_most_n() -> None:
    ask: Any = Generate("g", prompt="?", asks="Give <{n}>.", n=4).ask({})
    assert ask.schema["properties"]["options"] == {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
        "maxItems": 4,
    }
    assert ask.messages[-1]["content"] == "?\n\nGive 4."


def test_steps_are_texts_and_the_last_one_is_the_answer() -> None:
    output: Any = {"type": "object", "properties": {"day": {"type": "string"}}}
    first = Expand("e", prompt="?", asks="<{step}> of <{depth}>: <{steps}>", n=2, step=1, depth=2, output=output)
    last = Expand("e", prompt="?", asks="<{step}> of <{depth}>: <{steps}>", n=2, step=2, depth=2, output=output)
    asks: list[Any] = [first.ask({"path": []}), last.ask({"path": ["Pack."]})]
    assert [ask.messages[-1]["content"] for ask in asks] == ["?\n\n1 of 2: none yet", "?\n\n2 of 2: 1. Pack."]
    assert [ask.schema["properties"]["options"]["items"] for ask in asks] == [{"type": "string"}, output]
    answer = last.answer({"path": ["Pack."]}, {"options": [{"day": "Monday"}]})
    assert answer.update == {"expansion": {"paths": [["Pack.", {"day": "Monday"}]], "left_out": ""}}


def test_steps_before_the_answer_keep_no_rules_and_the_answer_keeps_all() -> None:
    wrong = choice(is_action_valid=False)
    last = Expand("e", prompt="?", step=2, depth=2, **NAVIGATION)
    left_out = last.answer({"path": ["a"], "actions": ["wait"]}, {"options": [wrong, choice()]})
    expansion: Any = left_out.update["expansion"]
    assert expansion["paths"] == [["a", choice()]]
    assert left_out.reason.startswith("1 of 2 options are not eligible")
    empty = last.answer({"path": ["a"], "actions": []}, None)
    assert empty.update == {"expansion": {"paths": [], "left_out": "there is nothing on offer to choose from"}}


def test_an_event_filler_takes_no_sender_from_a_model() -> None:
    node = Decide("d", prompt="?", role="event_filler", output={"type": "object"}, writes="answer")
    said: Any = {"message": "hello", "sender_id": "someone", "event_type": "other"}
    assert node.answer({"command": {}}, said).update == {"answer": {"message": "hello"}}
