"""Static agents process, and interactive ones talk."""

import asyncio
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda

import loopwright as lw
from loopwright.testing import RecordingModel


def loud(text: str) -> str:
    return text.upper()


async def aloud(text: str) -> str:
    return text.upper()


@pytest.mark.parametrize("do", [loud, RunnableLambda(loud).with_types(input_type=str)], ids=["function", "runnable"])
def test_an_agent_of_a_function_or_a_runnable(do: Any) -> None:
    agent = lw.StaticAgent("loud", do=do)
    assert agent.process("add") == "ADD"
    assert agent.certificate.calls == 0


def test_an_async_function() -> None:
    assert asyncio.run(lw.StaticAgent("loud", do=aloud).aprocess("add")) == "ADD"


def test_nothing_is_kept() -> None:
    answers = RecordingModel(lambda call: call.messages[-1]["content"])
    agent = lw.StaticAgent("echo", system="Say it.", model=answers)
    assert [agent.process(text) for text in ("a", "b")] == ["a", "b"]
    assert [len(prompt) for prompt in answers.prompts("echo")] == [2, 2]


def test_it_is_a_node_of_a_plan() -> None:
    plan = lw.PlanBuilder("two", [lw.Channel("question", str, input=True), lw.Channel("out", str)], result="out")
    plan.node(lw.StaticAgent("solver"), writes="out").edge("solver", "finished", lw.End("done"))
    assert plan.loop().start({"question": "q"}, model=lw.ScriptedModel({"solver/solver": ["4"]})).result == "4"


def test_a_model_that_fails_is_told() -> None:
    agent = lw.StaticAgent("solver", model=lw.ScriptedModel({"solver": [{"error": "down"}]}))
    with pytest.raises(lw.RunError, match="solver has not answered: solver: down"):
        agent.process("q")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"prompt": "<{nothing}>"}, lw.SourceError, "a prompt has no placeholder <{nothing}>"),
        ({"do": loud, "prompt": "x"}, TypeError, "the agent 'a' is a function, which has no prompt"),
        ({"do": lambda one, two: one}, lw.SourceError, "an agent takes one message, and this takes one, two"),
    ],
)
def test_what_is_no_agent(given: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words.replace("{", r"\{")):
        lw.StaticAgent("a", **given)


def test_two_talk_until_one_stops() -> None:
    ann, bob = lw.InteractiveAgent("ann"), lw.InteractiveAgent("bob", "Say <{stop_word}>.", max_replies=3)
    lines = {"ann": ["Well."], "bob": ["Yes?", "Bye.\nTERMINATE"]}
    for run in (
        ann.send("Hi.", bob, model=lw.ScriptedModel(lines)),
        bob.receive("Hi.", ann, model=lw.ScriptedModel(lines)),
    ):
        said: Any = run.state["transcript"]
        assert [each["text"] for each in said] == ["Yes?", "Well.", "Bye.\nTERMINATE"]
        assert (run.end, run.result) == (lw.End("stopped"), "Bye.")


def test_one_processes_by_itself() -> None:
    ann = lw.InteractiveAgent("ann", "You plan.")
    answers = RecordingModel(lw.ScriptedModel({"ann": ["Add."]}))
    assert ann.process("2 + 2?", model=answers) == "Add."
    assert [message["content"] for message in answers.prompts("ann")[0]] == ["You plan.", "2 + 2?"]


def test_what_is_left_out_is_not_said() -> None:
    assert lw.InteractiveAgent("ann").to_data() == {"name": "ann", "model": "default", "human": "never"}
