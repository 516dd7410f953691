"""Who speaks next."""

from typing import Any

import pytest

from loopwright.nodes.contract import AskModel
from loopwright.nodes.conversation.next_speaker import NextSpeaker
from loopwright.nodes.conversation.talk import Talk

TALK = Talk(agents=("ann", "bob", "cem"), most=9, opens="ann")
ALL = {"ann": ("bob", "cem"), "bob": ("ann", "cem"), "cem": ("ann", "bob")}


def view(*speakers: str, stops: bool = False) -> Any:
    return {"task": "hi", "transcript": [{"speaker": name, "text": name, "stops": stops} for name in speakers]}


@pytest.mark.parametrize(
    ("said", "next_"), [((), "bob"), (("bob",), "cem"), (("bob", "cem"), "ann"), (("cem", "bob"), "cem")]
)
def test_the_next_one_in_the_order(said: tuple[str, ...], next_: str) -> None:
    assert NextSpeaker("next", talk=TALK, follows=ALL).answer(view(*said), None).outcome == next_


def test_who_has_no_replies_left_is_passed_over() -> None:
    node = NextSpeaker("next", talk=TALK, follows=ALL, replies={"bob": 1, "cem": 1, "ann": 1})
    assert node.answer(view("bob"), None).outcome == "cem"
    nobody = node.answer(view("bob", "cem", "ann"), None)
    assert (nobody.outcome, nobody.reason) == ("nobody", "bob and cem replied as often as allowed")


def test_a_model_is_asked_only_where_there_is_a_choice() -> None:
    node = NextSpeaker("next", talk=TALK, follows={**ALL, "bob": ("cem",)}, model="boss", about={"cem": "cooks"})
    asked = node.ask(view())
    assert isinstance(asked, AskModel)
    schema: Any = asked.schema
    assert schema["properties"]["next"]["enum"] == ["bob", "cem"]
    assert asked.messages[0]["content"].endswith("You choose among: bob, cem.\n- cem: cooks")
    assert node.ask(view("bob")) is None
    assert (node.models, node.contract.kind) == (("boss",), "think")


def test_a_person_is_asked_where_somebody_has_ended_it() -> None:
    node = NextSpeaker("next", talk=TALK, follows=ALL, model="boss", asks="ask ann")
    assert node.ask(view("bob", stops=True)) is None
    assert node.answer(view("bob", stops=True), None).outcome == "ask ann"
    assert node.contract.outcomes == ("ann", "bob", "cem", "ask ann")


def test_who_can_never_be_next_is_no_outcome() -> None:
    node = NextSpeaker("next", talk=TALK, follows={"ann": ("bob",), "bob": ()})
    assert node.contract.outcomes == ("bob", "nobody")
