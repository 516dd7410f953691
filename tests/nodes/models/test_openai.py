"""The real client against real servers on loopback."""

import asyncio
import gc
import json
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from dataclasses import replace
from typing import Any

import pytest
from openai import OpenAI

from loopwright.errors import ModelError
from loopwright.nodes.contract import ToolCall, ToolSpec
from loopwright.nodes.models.client import connect
from loopwright.nodes.models.contract import ModelCall, ModelReply, StreamingModel
from loopwright.nodes.models.openai import Chat
from loopwright.nodes.models.reference import ModelRef
from loopwright.state.records import Usage
from loopwright.state.values import JsonSchema
from loopwright.testing.model_server import ModelServer, Trouble

ENDS = ("length", "content_filter")
VERDICT: JsonSchema = {
    "type": "object",
    "properties": {"outcome": {"type": "string", "enum": ["pass", "revise"]}},
    "required": ["outcome"],
    "additionalProperties": False,
}


def question(text: str = "hello there", schema: JsonSchema | None = None) -> ModelCall:
    return ModelCall("write", [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}], schema)


def model_at(server: ModelServer, **options: Any) -> StreamingModel:
    model = connect(ModelRef("test-model", base_url=server.base_url, **options))
    assert isinstance(model, StreamingModel)
    return model


def test_text_and_usage_come_back() -> None:
    with ModelServer(["Good morning to you."]) as server:
        reply = model_at(server).ask(question())
    assert reply == ModelReply("Good morning to you.", Usage(calls=1, tokens_in=4, tokens_out=4))


def test_the_request_on_the_wire() -> None:
    with ModelServer("ok") as server:
        model_at(server, temperature=0.7).ask(question())
    assert server.requests[0].body == {
        "model": "test-model",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hello there"}],
        "temperature": 0.7,
    }
    assert server.requests[0].headers["authorization"] == "Bearer key-of-the-test"


TOOL = ToolSpec("now", "The time.", {"type": "object", "properties": {"zone": {"type": "string"}}})
CALLED: list[Any] = [
    {"role": "user", "content": "Late?"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "name": "now", "args": {"zone": "UTC"}}]},
    {"role": "tool", "tool_call_id": "a", "content": "noon"},
]


def test_limits_of_a_call_go_over_the_wire() -> None:
    with ModelServer("Rot.") as server:
        model = connect(ModelRef("m", base_url=server.base_url, api_key_env="", max_tokens=7))
        model.ask(question())
        model.ask(replace(question(), max_tokens=5, timeout=9))
    assert [request.body.get("max_tokens") for request in server.requests] == [7, 5]
    assert server.requests[1].headers["x-stainless-read-timeout"] == "9"


@pytest.mark.parametrize(
    ("address", "name"), [(None, "max_completion_tokens"), ("http://127.0.0.1:1/v1", "max_tokens")]
)
def test_each_server_is_told_by_the_name_that_it_knows(
    address: str | None, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    chat = Chat(ModelRef("m", base_url=address), "key")
    body = chat._body(chat._request(replace(question(), max_tokens=5)))
    assert {key: value for key, value in body.items() if key.startswith("max_")} == {name: 5}


def test_calls_of_tools_go_over_the_wire_and_back() -> None:
    with ModelServer([(ToolCall("now", {"zone": "UTC"}, "a"), ToolCall("now", {}))]) as server:
        reply = model_at(server).ask(ModelCall("ask", CALLED, tools=[TOOL]))
    assert reply.tool_calls == (ToolCall("now", {"zone": "UTC"}, "a"), ToolCall("now", {}, "call-1-2"))
    assert reply.content == ""
    body = server.requests[0].body
    assert body["tools"] == [
        {
            "type": "function",
            "function": {"name": "now", "description": "The time.", "parameters": dict(TOOL.parameters)},
        }
    ]
    function = {"name": "now", "arguments": '{"zone": "UTC"}'}
    assert body["messages"] == [
        CALLED[0],
        {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function", "function": function}]},
        CALLED[2],
    ]


def test_arguments_that_are_no_json_come_back_as_they_are() -> None:
    with ModelServer([ToolCall("now", '{"zone": ', "a")]) as server:
        reply = asyncio.run(model_at(server).aask(ModelCall("ask", CALLED, VERDICT, [TOOL])))
    assert reply.tool_calls == (ToolCall("now", '{"zone": ', "a"),)
    assert set(server.requests[0].body) >= {"tools", "response_format"}


@pytest.mark.parametrize("schema", [None, VERDICT])
def test_the_body_is_the_one_that_the_client_sends_by_itself(schema: JsonSchema | None) -> None:
    call = question(schema=schema)
    with ModelServer('{"outcome": "pass"}') as server:
        model_at(server, temperature=0.5).ask(call)
        format_ = {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(VERDICT), "strict": True}}
        extras: Any = {"response_format": format_} if schema else {}
        messages: Any = [dict(message) for message in call.messages]
        with OpenAI(base_url=server.base_url, max_retries=0) as plain:
            plain.chat.completions.create(model="test-model", messages=messages, temperature=0.5, **extras)
    ours, theirs = server.requests
    assert ours.body == theirs.body


def test_a_structured_call_says_its_schema() -> None:
    with ModelServer([{"outcome": "pass"}]) as server:
        reply = model_at(server).ask(question(schema=VERDICT))
    assert reply.content == '{"outcome": "pass"}'
    assert server.requests[0].body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": VERDICT, "strict": True},
    }


def test_a_schema_of_no_object_is_sent_inside_one() -> None:
    with ModelServer([{"value": ["a", "b"]}]) as server:
        reply = model_at(server).ask(question(schema={"type": "array", "items": {"type": "string"}}))
    assert reply.content == ["a", "b"]


@pytest.mark.parametrize("schema", [None, VERDICT])
def test_an_answer_cut_at_the_token_limit_says_so(schema: JsonSchema | None) -> None:
    body = '{"choices": [{"message": {"role": "assistant", "content": "{\\"outc"}, "finish_reason": "length"}]}'
    with ModelServer(Trouble(body=body)) as server:
        reply = model_at(server).ask(question(schema=schema))
    assert reply == ModelReply('{"outc', Usage(calls=1), truncated=True)


def test_a_refusal_is_shown_as_the_answer() -> None:
    message = '{"role": "assistant", "content": null, "refusal": "I will not."}'
    with ModelServer(Trouble(body=f'{{"choices": [{{"message": {message}, "finish_reason": "stop"}}]}}')) as server:
        assert model_at(server).ask(question()).content == "I will not."


async def test_async_calls_have_the_same_answers_and_errors() -> None:
    with ModelServer(["hello", Trouble(429, retry_after="3"), Trouble(hang=True)]) as server:
        model = model_at(server)
        assert await model.aask(question()) == ModelReply("hello", Usage(1, 4, 1))
        with pytest.raises(ModelError) as limited:
            await model.aask(question())
        with pytest.raises(ModelError) as late:
            await model_at(server, timeout=0.1).aask(question())
    assert (limited.value.retryable, limited.value.retry_after) == (True, 3.0)
    assert str(late.value).endswith("did not answer within 0.1 seconds")


async def test_fifty_calls_at_once() -> None:
    def echo(body: dict[str, Any]) -> str:
        return str(body["messages"][-1]["content"])

    with ModelServer(echo) as server:
        model = model_at(server)
        replies = await asyncio.gather(*(model.aask(question(f"number {n}")) for n in range(50)))
    assert [reply.content for reply in replies] == [f"number {n}" for n in range(50)]
    assert len(server.requests) == 50


def test_one_model_in_several_threads() -> None:
    with ModelServer("ok") as server, ThreadPoolExecutor(8) as pool:
        model = model_at(server)
        replies = list(pool.map(lambda n: model.ask(question(str(n))).content, range(16)))
    assert replies == ["ok"] * 16
    assert len(server.requests) == 16


def test_one_event_loop_after_the_other() -> None:
    with ModelServer("ok") as server:
        model = model_at(server)
        contents = [asyncio.run(model.aask(question())).content for _ in range(3)]
        contents.append(model.ask(question()).content)
    assert contents == ["ok"] * 4


async def test_two_event_loops_at_once() -> None:
    with ModelServer("ok") as server:
        model = model_at(server)
        here = await model.aask(question())
        there = await asyncio.to_thread(lambda: asyncio.run(model.aask(question())))
        again = await model.aask(question())
    assert [here.content, there.content, again.content] == ["ok"] * 3


def test_a_model_does_not_hold_event_loops_that_are_over() -> None:
    async def ask() -> weakref.ref[asyncio.AbstractEventLoop]:
        await model.aask(question())
        return weakref.ref(asyncio.get_running_loop())

    with ModelServer("ok") as server:
        model = model_at(server)
        loop = asyncio.run(ask())
        gc.collect()
        assert loop() is None


async def test_a_call_can_be_cancelled() -> None:
    asked = threading.Event()

    def reply(body: dict[str, Any]) -> str | Trouble:
        if asked.is_set():
            return "ok"
        asked.set()
        return Trouble(hang=True)

    with ModelServer(reply) as server:
        model = model_at(server)
        call = asyncio.create_task(model.aask(question()))
        assert await asyncio.to_thread(asked.wait, 5)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await model.aask(question())).content == "ok"


def test_no_connection_stays_open_after_a_loop_or_a_model_has_gone() -> None:
    with ModelServer("ok") as server:
        model = model_at(server)
        asyncio.run(model.aask(question()))
        model.ask(question())
        del model
        gc.collect()  # an open connection would be a ResourceWarning here, and warnings are errors
    assert len(server.requests) == 2


def test_a_text_in_parts(parts_of: Any) -> None:
    with ModelServer("Good  morning to you.\n") as server:
        model = model_at(server, temperature=0.7)
        parts = parts_of(model, question())
        assert parts[-1] == model.ask(question()) == ModelReply("Good  morning to you.\n", Usage(1, 4, 4))
    assert [part for part in parts[:-1] if part] == ["Good", "  morning", " to", " you.", "\n"]
    streamed, plain = (request.body for request in server.requests)
    assert streamed == {**plain, "stream": True, "stream_options": {"include_usage": True}}


def chunk(finish: str | None = None, **delta: Any) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    about = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**about, 'choices': [choice]})}\n\n"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (chunk(content="Good"), r"test-model at http\S+/v1 broke off in the middle of its answer"),
        (chunk(content="Good") + "data: {nonsense\n\n", "something that is no chat completion: JSONDecodeError"),
        ('data: {"error": {"message": "overloaded"}}\n\n', "APIError: overloaded"),
        ("{}", "something that is no chat completion: its stream has no parts"),
        ("data: 3\n\n", "something that is no chat completion: a part of it is no object"),
    ],
)
def test_a_stream_that_is_no_whole_answer(parts_of: Any, body: str, words: str) -> None:
    with ModelServer(Trouble(body=body)) as server, pytest.raises(ModelError, match=words) as caught:
        parts_of(model_at(server), question())
    assert caught.value.retryable


def test_a_connection_that_breaks_off_in_a_stream(parts_of: Any) -> None:
    with (
        ModelServer(Trouble(text="Good morning to you.", cut=True)) as server,
        pytest.raises(ModelError, match=r"no connection to test-model at http\S+/v1: peer closed") as caught,
    ):
        parts_of(model_at(server), question())
    assert caught.value.retryable


def test_why_a_stream_ended(parts_of: Any) -> None:
    replies = [Trouble(body=chunk(content="Good") + chunk(reason) + "data: [DONE]\n\n") for reason in ENDS]
    with ModelServer(replies) as server:
        model = model_at(server)
        assert parts_of(model, question())[-1] == ModelReply("Good", Usage(calls=1), truncated=True)
        with pytest.raises(ModelError, match="content filter"):
            parts_of(model, question())


async def test_a_stream_can_be_left() -> None:
    with ModelServer("one two three") as server:
        model = model_at(server)
        async with aclosing(model.astream(question())) as parts:
            assert [await anext(parts) for _ in range(2)][1] == "one"
        with closing(model.stream(question())) as words:
            assert [next(words) for _ in range(2)][1] == "one"
        assert (await model.aask(question())).content == "one two three"
