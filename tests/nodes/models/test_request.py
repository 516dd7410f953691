"""One call by each rung: its body, and what its answer says."""

from typing import Any

import pytest

from loopwright.nodes.contract import ToolCall, ToolSpec
from loopwright.nodes.models.completion import Completion
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.ladder import Rung
from loopwright.nodes.models.request import Request
from loopwright.nodes.models.response_format import forms_of
from loopwright.state.values import JsonSchema

CHAT: list[Any] = [{"role": "user", "content": "How good?"}]
SCORE: JsonSchema = {"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}
NUMBER: JsonSchema = {"type": "number"}


def by(rung: Rung | None, schema: JsonSchema | None = SCORE, tools: Any = ()) -> Request:
    return Request(ModelCall("rate", CHAT, schema, tools), rung)


def said(*arguments: Any, content: Any = "") -> Completion:
    return Completion(
        content, "stop", functions=tuple({"function": {"name": "answer", "arguments": a}} for a in arguments)
    )


def test_each_rung_has_its_body() -> None:
    forms = forms_of(SCORE)
    named = {"type": "function", "function": {"name": "answer"}}
    plain = {"model": "m", "messages": CHAT}
    assert by(None, None).body("m") == plain
    assert by("json_schema").body("m") == {**plain, "response_format": forms.response_format}
    assert by("tool_call").body("m") == {**plain, "tools": [forms.tool], "tool_choice": named}
    assert by("required_tool").body("m") == {**plain, "tools": [forms.tool], "tool_choice": "required"}
    (message,) = by("text").body("m")["messages"]
    assert message["content"] == f"How good?\n\nA{forms.words}"
    assert by("text").body("m").keys() == plain.keys()


def test_tools_of_the_node_are_offered_beside_the_schema() -> None:
    body = by("json_schema", tools=[ToolSpec("now", "The time.")]).body("m")
    assert [tool["function"]["name"] for tool in body["tools"]] == ["now"]
    assert "response_format" in body
    body = by("text", tools=[ToolSpec("now", "The time.")]).body("m")
    assert "response_format" not in body
    assert "When no tool is needed, answer with JSON" in body["messages"][-1]["content"]


def test_only_what_the_api_knows_of_a_message_is_sent() -> None:
    call = {"id": "a", "name": "now", "args": {"zone": "UTC"}}
    messages: Any = [
        {"role": "user", "content": "Late?", "name": "ann", "round": 3},
        {"role": "assistant", "content": "Let me see.", "tool_calls": [call, {**call, "args": "oops"}]},
        {"role": "tool", "tool_call_id": "a", "content": "noon"},
    ]
    sent = Request(ModelCall("ask", messages), None).body("m")["messages"]
    assert sent[0] == {"role": "user", "content": "Late?", "name": "ann"}
    assert sent[1]["content"] == "Let me see."
    assert [each["function"]["arguments"] for each in sent[1]["tool_calls"]] == ['{"zone": "UTC"}', "{}"]
    assert sent[2] == messages[2]


BY_TOOL: list[tuple[JsonSchema, Completion, Any]] = [
    (SCORE, said('{"score": 8}'), '{"score": 8}'),
    (SCORE, said({"score": 8}), {"score": 8}),
    (SCORE, said(""), ""),
    (SCORE, said(None), None),
    (SCORE, said('{"score": 8}', '{"score": 9}'), '{"score": 8}\n{"score": 9}'),
    (SCORE, said({"score": 8}, {"score": 9}), '{"score": 8}\n{"score": 9}'),
    (SCORE, said(content='{"score": 8}'), '{"score": 8}'),
    (SCORE, said(content='{"name": "now", "arguments": {"score": 8}}'), '{"name": "now", "arguments": {"score": 8}}'),
    (SCORE, said(content=None), None),
]


@pytest.mark.parametrize("rung", ["tool_call", "required_tool"])
@pytest.mark.parametrize(("schema", "completion", "content"), BY_TOOL)
def test_the_arguments_of_the_call_are_the_answer(
    rung: Rung, schema: JsonSchema, completion: Completion, content: Any
) -> None:
    assert by(rung, schema).read(completion) == ModelReply(content)


@pytest.mark.parametrize("rung", ["tool_call", "json_schema"])
def test_an_answer_that_was_wrapped_is_taken_out(rung: Rung) -> None:
    text = '{"value": 8}'
    completion = said(text) if rung == "tool_call" else Completion(text, "stop")
    assert by(rung, NUMBER).read(completion) == ModelReply(8)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "answer", "arguments": {"score": 8}}\n</tool_call>',
        '[TOOL_CALLS] [{"name": "answer", "arguments": {"score": 8}}]',
        '<|python_tag|>{"name": "answer", "parameters": {"score": 8}}',
    ],
)
def test_a_call_that_stands_in_the_text_is_one(text: str) -> None:
    reply = by("tool_call").read(Completion(text, "stop"))
    assert reply == ModelReply({"score": 8}, note="taken out of a call in the text", raw=text)


def test_two_calls_in_the_text_are_no_answer() -> None:
    text = '{"name": "answer", "arguments": {"score": 8}} {"name": "answer", "arguments": {"score": 9}}'
    assert by("tool_call").read(Completion(text, "stop")) == ModelReply(text)


def test_calls_of_the_nodes_own_tools_are_calls() -> None:
    functions = ({"id": "a", "function": {"name": "now", "arguments": "{}"}},)
    reply = by("json_schema", tools=[ToolSpec("now")]).read(Completion("", "tool_calls", functions=functions))
    assert reply == ModelReply("", tool_calls=(ToolCall("now", {}, "a"),))
    assert by("json_schema").read(Completion("x", "stop", functions=functions)) == ModelReply("x")
