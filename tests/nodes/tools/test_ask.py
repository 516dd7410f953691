"""The nodes that ask a model which may call tools, or may no more."""

from typing import Any

import pytest

from loopwright.nodes.contract import AskModel, Node, ToolSpec, View
from loopwright.nodes.tools.ask import AskTools, Conclude

NODE = AskTools("ask", system="Be brief.", prompt="<{task}>", writes="answer", tools=[ToolSpec("now")], at_once=2)
CALL: Any = {"id": "a", "name": "now", "args": {"zone": "UTC"}}
HISTORY: list[Any] = [
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "a", "content": "noon"},
]
VIEW: View = {"task": "Is it late?", "history": HISTORY}


def asked(node: Any) -> AskModel:
    ask = node.ask(VIEW)
    assert isinstance(ask, AskModel)
    return ask


def test_the_history_follows_the_prompts() -> None:
    ask = asked(NODE)
    prompts = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Is it late?"}]
    assert ask.messages == [*prompts, *HISTORY]
    assert (ask.tools, ask.schema, ask.model) == ([ToolSpec("now")], None, "default")


def test_an_answer_is_written_and_kept_in_the_history() -> None:
    answer = NODE.answer(VIEW, {"answer": "No.", "calls": []})
    assert answer.outcome == "done"
    assert answer.update == {"answer": "No.", "history": [{"role": "assistant", "content": "No."}]}


def test_a_value_is_written_as_it_is_and_kept_as_text() -> None:
    answer = AskTools("ask", prompt="?", output=dict[str, int], writes="answer").answer(
        VIEW, {"answer": {"a": 1}, "calls": []}
    )
    assert answer.update == {"answer": {"a": 1}, "history": [{"role": "assistant", "content": '{"a": 1}'}]}


def ids(*given: str) -> list[Any]:
    answer = NODE.answer(VIEW, {"answer": "", "calls": [{"name": "now", "args": {}, "id": id_} for id_ in given]})
    wish: Any = answer.update["history"]
    return [call["id"] for call in wish[0]["tool_calls"]]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["x", "y"], ["x", "y"]),
        ([""], ["call_2"]),
        (["a", "a"], ["call_2", "call_3"]),
        (["call_2", ""], ["call_2", "call_3"]),
    ],
)
def test_every_call_has_an_id_of_its_own(given: list[str], kept: list[str]) -> None:
    assert ids(*given) == kept


def test_calls_beyond_those_that_are_made_are_answered_at_once() -> None:
    answer = NODE.answer(VIEW, {"answer": "I look.", "calls": [{"name": name, "args": {}} for name in "xyz"]})
    assert (answer.outcome, answer.reason) == ("call", "1 of 3 calls were not made")
    calls: Any = answer.update["calls"]
    assert [call["name"] for call in calls] == ["x", "y"]
    history: Any = answer.update["history"]
    assert history[0]["content"] == "I look."
    assert [call["name"] for call in history[0]["tool_calls"]] == ["x", "y", "z"]
    left_out = "Not called: at most 2 calls are made at once; call it again."
    assert history[1:] == [{"role": "tool", "tool_call_id": "call_4", "content": left_out}]


def test_what_cannot_be_kept_is_kept_as_words() -> None:
    calls: Any = [{"name": "n\ud800", "args": {"x": float("nan")}, "id": "b"}]
    answer = NODE.answer(VIEW, {"answer": "", "calls": calls})
    assert answer.update["calls"] == [{"id": "b", "name": "n\\ud800", "args": "{'x': nan}"}]


def test_a_tool_without_words_is_doubtful() -> None:
    (doubt,) = AskTools("ask", prompt="?", tools=[ToolSpec("now"), ToolSpec("then", "The time then.")]).doubts()
    assert str(doubt) == "tools: the model is not told what the tool 'now' does (give its function a docstring)"


def test_the_last_question_tells_what_was_called_and_offers_nothing() -> None:
    node = Conclude("conclude", prompt="<{task}>", writes="answer")
    ask = asked(node)
    assert ask.tools == ()
    assert [message["content"] for message in ask.messages] == [
        "Is it late?",
        'now({"zone": "UTC"}) gave:\nnoon\n\nNo more tools can be called. Answer now, with what is known.',
    ]
    answer = node.answer(VIEW, "No.")
    assert answer.update == {"answer": "No.", "history": [{"role": "assistant", "content": "No."}]}
    assert answer.reason == "the model had to answer without more calls of tools"


@pytest.mark.parametrize("node", [NODE, Conclude("conclude", prompt="<{task}>", output=int, writes="answer")])
def test_the_nodes_are_data(node: Node) -> None:
    assert Node.from_data(node.to_data()).to_data() == node.to_data()
    assert node.contract == Node.from_data(node.to_data()).contract
