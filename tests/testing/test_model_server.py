"""The model server, asked with the standard library's client."""

import http.client
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from loopwright.nodes.contract import ToolCall
from loopwright.testing.model_server import ModelServer, Recorded, Trouble


def connection(server: ModelServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(server.base_url.removeprefix("http://").removesuffix("/v1"), timeout=5)


def post(
    server: ModelServer, body: dict[str, Any], path: str = "/v1/chat/completions"
) -> tuple[int, dict[str, str], str]:
    client = connection(server)
    try:
        client.request("POST", path, json.dumps(body), {"X-Test": "yes"})
        answer = client.getresponse()
        return answer.status, dict(answer.headers), answer.read().decode()
    finally:
        client.close()


def asking(*words: str, **more: Any) -> dict[str, Any]:
    return {"model": "any", "messages": [{"role": "user", "content": word} for word in words], **more}


def content(body: str) -> str:
    return str(json.loads(body)["choices"][0]["message"]["content"])


def test_a_whole_completion() -> None:
    with ModelServer(["three words here"]) as server:
        status, headers, body = post(server, asking("one two", "three"))
    assert (status, headers["Content-Type"]) == (200, "application/json")
    assert json.loads(body) == {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "any",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "three words here"}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6},
    }


def test_what_arrived_is_recorded() -> None:
    with ModelServer("ok") as server:
        post(server, asking("hello"))
    [request] = server.requests
    assert isinstance(request, Recorded)
    assert (request.path, request.body) == ("/v1/chat/completions", asking("hello"))
    assert request.headers["x-test"] == "yes"


def test_mappings_are_json_content() -> None:
    with ModelServer([{"outcome": "pass", "reason": "größer"}]) as server:
        _, _, body = post(server, asking("?"))
    assert content(body) == '{"outcome": "pass", "reason": "größer"}'


@pytest.mark.parametrize("replies", [ToolCall("now", {"zone": "UTC"}), [(ToolCall("now", {"zone": "UTC"}),)]])
def test_calls_of_tools_are_calls(replies: Any) -> None:
    with ModelServer(replies) as server:
        _, _, body = post(server, asking("?"))
    (choice,) = json.loads(body)["choices"]
    function = {"name": "now", "arguments": '{"zone": "UTC"}'}
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["tool_calls"] == [{"id": "call-1-1", "type": "function", "function": function}]


def test_replies_come_in_order_and_end_with_words() -> None:
    with ModelServer(["a", "b"]) as server:
        answers = [post(server, asking("?")) for _ in range(3)]
    assert [content(body) for _, _, body in answers[:2]] == ["a", "b"]
    assert answers[2][0] == 400
    assert json.loads(answers[2][2])["error"]["message"] == "this server has 2 replies, and this is request 3"


FORMAT = {"response_format": {"type": "json_schema"}}
TOOLS = {"tools": [{"type": "function", "function": {"name": "answer"}}]}


@pytest.mark.parametrize(
    ("takes", "refused"),
    [("all", ()), ("json_schema", (TOOLS,)), ("tools", (FORMAT,)), ("text", (FORMAT, TOOLS))],
)
def test_a_server_refuses_what_it_does_not_know_and_keeps_its_replies(takes: Any, refused: Any) -> None:
    words = {id(FORMAT): "This response_format type is unavailable now", id(TOOLS): "any does not support tools"}
    with ModelServer(["first"], takes=takes) as server:
        for more in refused:
            status, _, body = post(server, asking("?", **more))
            assert (status, json.loads(body)["error"]["message"]) == (400, words[id(more)])
        taken: dict[str, Any] = {} if len(refused) == 2 else TOOLS if FORMAT in refused else FORMAT
        assert content(post(server, asking("?", **taken))[2]) == "first"
        assert post(server, asking("?"))[0] == 400
    assert len(server.requests) == len(refused) + 2


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "answer"}}])
@pytest.mark.parametrize("reply", [{"score": 8}, '{"score": 8}'])
def test_a_tool_that_is_forced_is_called(choice: Any, reply: Any) -> None:
    with ModelServer([reply]) as server:
        _, _, body = post(server, asking("?", **TOOLS, tool_choice=choice))
    (call,) = json.loads(body)["choices"][0]["message"]["tool_calls"]
    assert call["function"] == {"name": "answer", "arguments": '{"score": 8}'}


def test_a_function_sees_the_body() -> None:
    with ModelServer(lambda body: f"{body['model']} it is") as server:
        _, _, body = post(server, asking("?"))
    assert content(body) == "any it is"


def test_troubles_with_a_status() -> None:
    with ModelServer([Trouble(429, retry_after="2"), Trouble(200, body="{not json")]) as server:
        status, headers, body = post(server, asking("?"))
        assert (status, headers["Retry-After"]) == (429, "2")
        assert json.loads(body)["error"]["code"] == "429"
        assert post(server, asking("?"))[2] == "{not json"


def test_a_body_that_is_cut() -> None:
    with (
        ModelServer(Trouble(body="0123456789", cut=True)) as server,
        pytest.raises(http.client.IncompleteRead) as caught,
    ):
        post(server, asking("?"))
    assert caught.value.partial == b"01234"


def data_of(body: str) -> list[Any]:
    """What the events of a stream say; the last mark is left out."""
    *lines, last = [line.removeprefix("data: ") for line in body.split("\n\n") if line]
    assert last == "[DONE]"
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("usage", [True, False])
def test_a_stream_of_words(usage: bool) -> None:
    with ModelServer(["three  words here\n"]) as server:
        options = {"stream_options": {"include_usage": True}} if usage else {}
        status, headers, body = post(server, asking("one two", stream=True, **options))
    assert (status, headers["Content-Type"]) == (200, "text/event-stream")
    first, *parts = data_of(body)
    choice = {"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}
    about = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "any"}
    assert first == {**about, "choices": [choice]}
    if usage:
        counted = {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5}
        assert parts.pop() == {**about, "choices": [], "usage": counted}
    assert parts.pop()["choices"] == [{"index": 0, "delta": {}, "finish_reason": "stop"}]
    assert [part["choices"][0]["delta"]["content"] for part in parts] == ["three", "  words", " here", "\n"]


def test_a_stream_that_is_cut() -> None:
    with (
        ModelServer(Trouble(text="three words here", cut=True)) as server,
        pytest.raises(http.client.IncompleteRead) as caught,
    ):
        post(server, asking("?", stream=True))
    said = [json.loads(line.removeprefix(b"data: ")) for line in caught.value.partial.split(b"\n\n") if line]
    assert [part["choices"][0]["delta"]["content"] for part in said] == ["", "three", " words"]


def test_a_completion_that_is_cut() -> None:
    with ModelServer(Trouble(text="three words here", cut=True)) as server, pytest.raises(http.client.IncompleteRead):
        post(server, asking("?"))


def test_troubles_of_a_stream() -> None:
    with ModelServer([Trouble(503), Trouble(body="data: nonsense\n\n")]) as server:
        assert post(server, asking("?", stream=True))[0] == 503
        assert post(server, asking("?", stream=True))[2] == "data: nonsense\n\n"


def test_a_hanging_reply_holds_up_neither_others_nor_the_end() -> None:
    asked = threading.Event()

    def reply(body: dict[str, Any]) -> str | Trouble:
        if body["model"] == "slow":
            asked.set()
            return Trouble(hang=True)
        return "ok"

    with ThreadPoolExecutor(1) as pool:
        with ModelServer(reply) as server:
            waiting = pool.submit(post, server, {"model": "slow"})
            assert asked.wait(5)
            assert content(post(server, asking("?"))[2]) == "ok"
            assert not waiting.done()
        with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
            waiting.result(timeout=5)


def test_a_connection_is_kept_for_the_next_request() -> None:
    with ModelServer("ok") as server:
        client = connection(server)
        for _ in range(2):
            client.request("POST", "/v1/chat/completions", json.dumps(asking("?")))
            local = client.sock.getsockname() if client.sock else None
            assert content(client.getresponse().read().decode()) == "ok"
            assert client.sock is not None
            assert client.sock.getsockname() == local
        client.close()
    assert len(server.requests) == 2


def test_it_closes_while_a_client_keeps_its_connection() -> None:
    with ModelServer("ok") as server:
        client = connection(server)
        client.request("POST", "/v1/chat/completions", json.dumps(asking("?")))
        client.getresponse().read()
        port = client.port
    client.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)
    assert [thread.name for thread in threading.enumerate() if thread.name == "model-server"] == []


def test_counts_are_exact_under_load() -> None:
    with ModelServer([str(number) for number in range(60)]) as server, ThreadPoolExecutor(12) as pool:
        bodies = pool.map(lambda number: post(server, asking(str(number)))[2], range(60))
        contents = [content(body) for body in bodies]
    assert sorted(contents, key=int) == [str(number) for number in range(60)]
    assert len(server.requests) == 60


def test_other_paths_are_refused_in_words() -> None:
    with ModelServer("ok") as server:
        wrong = post(server, asking("?"), path="/v1/completions")
    assert wrong[0] == 404
    assert json.loads(wrong[2])["error"]["message"] == "there is no /v1/completions; there is /v1/chat/completions"
    assert server.requests == []


@pytest.mark.parametrize(
    "sent", [b"POST /v1/chat", b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 99\r\n\r\n{"]
)
def test_a_client_that_dies_within_its_request_makes_no_noise(sent: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer("ok") as server:
        with socket.create_connection(("127.0.0.1", connection(server).port)) as client:
            client.sendall(sent)
        assert content(post(server, asking("?"))[2]) == "ok"
    assert len(server.requests) == 1
    assert capsys.readouterr() == ("", "")


def test_a_server_comes_back_at_its_port() -> None:
    with ModelServer("one") as first:
        port = int(first.base_url.split(":")[2].removesuffix("/v1"))
    with ModelServer("two", port=port) as second:
        assert second.base_url == first.base_url
        assert content(post(second, asking("?"))[2]) == "two"
        with pytest.raises(OSError, match="in use"), ModelServer("three", port=port):
            pass


@pytest.mark.parametrize("sent", [b"{not json", b"[1]", b"\xff"])
def test_a_body_that_is_no_json_object_is_refused_in_words(sent: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer("ok") as server:
        client = connection(server)
        client.request("POST", "/v1/chat/completions", sent)
        answer = client.getresponse()
        assert (answer.status, json.load(answer)["error"]["message"]) == (400, "the body is no JSON object")
        client.close()
    assert server.requests == []
    assert capsys.readouterr() == ("", "")
