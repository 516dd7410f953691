"""Models that record, and assertions on paths."""

import asyncio
from typing import Any

import pytest

from loopwright.errors import ModelError
from loopwright.loop.role_cycle import RoleCycle
from loopwright.nodes.contract import ToolCall
from loopwright.nodes.models.contract import Model, ModelCall, ModelReply
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.testing.scripts import RecordingModel, assert_path, path_of

SCRIPT = {"solver": ["S0", "S1"], "boss": ["B0", "Fluggaenkoechiebolsen"]}
LOOP = RoleCycle(task="T", roles={"solver": {}, "boss": {}})
WRITE = ModelCall("write", [{"role": "user", "content": "Write."}])


@pytest.mark.parametrize("answers", [{"write": ["A"]}, ScriptedModel({"write": ["A"]}), lambda call: "A"], ids=type)
def test_it_answers_and_keeps_the_call(answers: Any) -> None:
    for awaited in (False, True):
        model = RecordingModel(answers if not isinstance(answers, ScriptedModel) else ScriptedModel({"write": ["A"]}))
        reply = asyncio.run(model.aask(WRITE)) if awaited else model.ask(WRITE)
        assert (reply.content, reply.usage.calls) == ("A", 1)
        assert (model.calls, model.asked) == ([WRITE], ["write"])
        assert (model.prompts("write"), model.prompts("other")) == ([[{"role": "user", "content": "Write."}]], [])


def test_it_is_a_model_and_keeps_calls_that_fail() -> None:
    model = RecordingModel({"write": [{"error": "down"}]}, label="mine")
    assert isinstance(model, Model)
    assert (model.label, model.retries) == ("mine", 3)
    with pytest.raises(ModelError, match="down"):
        model.ask(WRITE)
    assert model.asked == ["write"]


def test_paths() -> None:
    run = LOOP.start(model=RecordingModel(SCRIPT))
    taken = ["solver done -> boss", "boss continue -> solver", "solver done -> boss", "boss stop -> stopped"]
    assert path_of(run) == taken
    assert_path(run, taken)
    assert_path(run, ["solver done", "boss continue -> solver", "solver done", "boss stop"])


@pytest.mark.parametrize(
    ("expected", "lines"),
    [
        (["solver done"], ["  solver done", "+ boss continue", "+ solver done", "+ boss stop"]),
        (
            ["solver done", "boss stop -> stopped", "solver done", "boss stop"],
            ["  solver done", "- boss stop -> stopped", "+ boss continue -> solver", "  solver done", "  boss stop"],
        ),
    ],
)
def test_another_path(expected: list[str], lines: list[str]) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_path(LOOP.start(model=RecordingModel(SCRIPT)), expected)
    assert str(caught.value).splitlines() == ["the run took another path (- expected, + taken):", *lines]


def test_a_function_may_answer_with_a_whole_reply() -> None:
    reply = ModelReply("", tool_calls=(ToolCall("now"),))
    assert RecordingModel(lambda call: reply).ask(ModelCall("ask", [])) is reply


@pytest.mark.parametrize("model", [{"write": ["A b"]}, lambda call: "A b"], ids=["in words", "whole"])
def test_streams_are_kept_and_answered_as_the_model_behind_can(model: Any) -> None:
    recording = RecordingModel(model)
    here = list(recording.stream(ModelCall("write", [])))

    async def gather() -> list[str | ModelReply]:
        return [part async for part in RecordingModel(model).astream(ModelCall("write", []))]

    assert here == asyncio.run(gather())
    assert here == [*(["A", " b"] if isinstance(model, dict) else []), ModelReply("A b")]
    assert recording.asked == ["write"]
