"""What a visit says: in parts where somebody listens, whole where a model cannot, and never the parts of data."""

from typing import Any

import pytest

from loopwright.nodes.contract import AskModel, Audience
from loopwright.nodes.driver.speech import Speech
from loopwright.nodes.driver.steps import CallModel, HearModel, Tell
from loopwright.nodes.events import Event, TextSaid, TextWithdrawn
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.scripted import ScriptedModel

TEXT = AskModel([], audience="user")
DATA = AskModel([], {"type": "object"}, audience="user", says="message")
USER: tuple[Audience, ...] = ("user",)
SCRIPT = ScriptedModel({"default": ["a b"]})


class Mute:
    """A model that cannot say its text in parts."""

    label, retries = "mute", 0

    def ask(self, call: ModelCall) -> ModelReply:
        return ModelReply("a b")

    async def aask(self, call: ModelCall) -> ModelReply:
        return self.ask(call)


def step_of(speech: Speech, ask: AskModel, model: Any = SCRIPT) -> CallModel | HearModel:
    return speech.step(ask, model, ModelCall("write", ask.messages, ask.schema))


def speaking(*parts: str) -> Speech:
    """One that has said these parts."""
    speech = Speech("write", "t", USER)
    step = step_of(speech, TEXT)
    assert isinstance(step, HearModel)
    assert [step.say(part) for part in parts] == [TextSaid("write", "t", part, "user") for part in parts]
    return speech


def told(tells: Any) -> list[Event]:
    return [tell.event for tell in tells if isinstance(tell, Tell)]


@pytest.mark.parametrize(
    ("heard", "ask", "model", "kind"),
    [
        (("user",), TEXT, SCRIPT, HearModel),
        (("user", "debug"), AskModel([]), SCRIPT, HearModel),
        ((), TEXT, SCRIPT, CallModel),
        (("user",), AskModel([]), SCRIPT, CallModel),
        (("user",), DATA, SCRIPT, CallModel),
        (("user",), TEXT, Mute(), CallModel),
    ],
)
def test_a_model_is_asked_for_parts_where_somebody_listens(
    heard: tuple[Audience, ...], ask: AskModel, model: Any, kind: type
) -> None:
    assert type(step_of(Speech("write", "t", heard), ask, model)) is kind


def test_a_text_that_was_said_in_parts_is_complete() -> None:
    assert told(speaking("a ", "b").complete(TEXT, "a b")) == []


def test_a_text_that_came_whole_is_said_whole() -> None:
    assert told(speaking().complete(TEXT, "a b")) == [TextSaid("write", "t", "a b", "user")]


def test_what_was_said_and_is_not_the_answer_is_withdrawn() -> None:
    assert told(speaking("a ", "c").complete(TEXT, "a b")) == [
        TextWithdrawn("write", "t", "user"),
        TextSaid("write", "t", "a b", "user"),
    ]


@pytest.mark.parametrize(
    ("ask", "value", "said"),
    [
        (DATA, {"message": "Go on.", "stop": False}, ["Go on."]),
        (DATA, {"stop": False}, []),
        (DATA, {"message": {"outcome": "pass"}}, []),
        (DATA, ["message"], []),
        (AskModel([], {"type": "object"}, audience="user"), {"": "x", "message": "y"}, []),
    ],
)
def test_of_data_only_the_text_for_people_is_said(ask: AskModel, value: Any, said: list[str]) -> None:
    events = told(Speech("write", "t", USER).complete(ask, value))
    assert [event.text for event in events if isinstance(event, TextSaid)] == said


def test_nothing_is_said_to_nobody() -> None:
    assert told(Speech("write", "t", USER).complete(AskModel([]), "a b")) == []
    assert told(Speech("write", "t", ()).complete(TEXT, "a b")) == []


def test_only_what_was_said_is_withdrawn_and_only_once() -> None:
    speech = speaking("a ")
    assert told(speech.withdraw()) == [TextWithdrawn("write", "t", "user")]
    assert told(speech.withdraw()) == []
    assert told(speaking().withdraw()) == []
