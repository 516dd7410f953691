"""The real client against real servers on loopback."""

import asyncio
import errno
import gc
import http.client
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest
from langchain_openai import ChatOpenAI

from loopwright.errors import ModelError
from loopwright.nodes.models.client import connect, missing_keys
from loopwright.nodes.models.contract import Model, ModelCall, ModelReply
from loopwright.nodes.models.reference import ModelRef
from loopwright.state.records import Usage
from loopwright.state.values import JsonSchema
from loopwright.testing.model_server import ModelServer, Replies, Trouble

VERDICT: JsonSchema = {
    "type": "object",
    "properties": {"outcome": {"type": "string", "enum": ["pass", "revise"]}},
    "required": ["outcome"],
    "additionalProperties": False,
}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.lower(), raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-test")


def question(text: str = "hello there", schema: JsonSchema | None = None) -> ModelCall:
    return ModelCall("write", [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}], schema)


def model_at(server: ModelServer, **options: Any) -> Model:
    return connect(ModelRef("test-model", base_url=server.base_url, **options))


def error_of(replies: Replies, **options: Any) -> tuple[ModelError, str]:
    with ModelServer(replies) as server, pytest.raises(ModelError) as caught:
        model_at(server, **options).ask(question())
    return caught.value, server.base_url


def test_a_client_is_a_model() -> None:
    model = connect(ModelRef("gpt-4o-mini", retries=7))
    assert isinstance(model, Model)
    assert (model.label, model.retries) == ("gpt-4o-mini", 7)


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
        "stream": False,
    }
    assert server.requests[0].headers["authorization"] == "Bearer key-of-the-test"


@pytest.mark.parametrize("schema", [None, VERDICT])
def test_the_body_is_the_one_that_langchain_sends_by_itself(schema: JsonSchema | None) -> None:
    call = question(schema=schema)
    format_ = {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(VERDICT), "strict": True}}
    with ModelServer('{"outcome": "pass"}') as server:
        model_at(server, temperature=0.5).ask(call)
        plain = ChatOpenAI(
            model="test-model", base_url=server.base_url, temperature=0.5, api_key="key-of-the-test", max_retries=0
        )
        extras: dict[str, Any] = {"response_format": format_} if schema else {}
        plain.invoke([dict(message) for message in call.messages], **extras)
        plain.root_client.close()
    ours, theirs = server.requests
    # LangChain leaves `stream: false` out of structured calls only; it means the same.
    assert {**theirs.body, "stream": False} == ours.body


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


def test_a_stopped_answer_is_no_answer() -> None:
    message = '{"role": "assistant", "content": "half of"}'
    body = f'{{"choices": [{{"message": {message}, "finish_reason": "content_filter"}}]}}'
    error, url = error_of(Trouble(body=body))
    assert str(error) == f"test-model at {url} stopped its answer by the provider's content filter"
    assert not error.retryable


@pytest.mark.parametrize(
    ("status", "retryable"),
    [
        (400, False),
        (401, False),
        (403, False),
        (404, False),
        (408, True),
        (409, True),
        (422, False),
        (429, True),
        (500, True),
        (503, True),
    ],
)
def test_statuses(status: int, retryable: bool) -> None:
    error, url = error_of(Trouble(status, body='{"error": {"message": "no luck"}}'))
    assert str(error) == f"test-model at {url} answered with status {status}: no luck"
    assert (error.retryable, error.retry_after) == (retryable, None)


def test_a_status_without_words() -> None:
    error, url = error_of(Trouble(502, body="<html>"))
    assert str(error) == f"test-model at {url} answered with status 502: Bad Gateway"


def test_a_rate_limit_says_how_long_to_wait() -> None:
    error, _ = error_of(Trouble(429, retry_after="7"))
    assert (error.retryable, error.retry_after) == (True, 7.0)


def test_a_date_to_wait_for_that_has_passed() -> None:
    error, _ = error_of(Trouble(429, retry_after="Thu, 01 Jan 2015 00:00:00 GMT"))
    assert error.retry_after == 0.0


def test_a_used_up_quota_does_not_pass() -> None:
    error, _ = error_of(Trouble(429, body='{"error": {"message": "pay first", "code": "insufficient_quota"}}'))
    assert not error.retryable


def test_a_server_that_hangs() -> None:
    error, url = error_of(Trouble(hang=True), timeout=0.1)
    assert str(error) == f"test-model at {url} did not answer within 0.1 seconds"
    assert error.retryable


def test_a_connection_that_is_cut() -> None:
    error, url = error_of(Trouble(body='{"choices": []}', cut=True))
    assert str(error).startswith(f"no connection to test-model at {url}: ")
    assert error.retryable


def test_nobody_listens() -> None:
    with ModelServer("ok") as server:
        url = server.base_url
    with pytest.raises(ModelError) as caught:
        connect(ModelRef("test-model", base_url=url)).ask(question())
    assert str(caught.value) == f"no connection to test-model at {url}: [Errno {errno.ECONNREFUSED}] Connection refused"
    assert caught.value.retryable


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"choices": [', "JSONDecodeError"),
        ("", "JSONDecodeError"),
        ("{}", "TypeError"),
        ('{"choices": []}', "IndexError"),
        ("[]", "ValueError"),
    ],
)
def test_bodies_that_are_no_completion(body: str, kind: str) -> None:
    error, url = error_of(Trouble(body=body))
    assert str(error).startswith(f"test-model at {url} answered with something that is no chat completion: {kind}: ")
    assert error.retryable


def test_each_call_is_made_once_and_the_next_one_works() -> None:
    troubles = [Trouble(429), Trouble(500), Trouble(body="{}"), Trouble(body="{", cut=True)]
    with ModelServer([*troubles, "at last"]) as server:
        model = model_at(server)
        for _ in troubles:
            with pytest.raises(ModelError):
                model.ask(question())
        assert model.ask(question()).content == "at last"
    assert len(server.requests) == 5


async def test_async_calls_have_the_same_answers_and_errors() -> None:
    with ModelServer(["hello", Trouble(429, retry_after="3"), Trouble(hang=True)]) as server:
        model = model_at(server, timeout=0.1)
        assert await model.aask(question()) == ModelReply("hello", Usage(1, 4, 1))
        with pytest.raises(ModelError) as limited:
            await model.aask(question())
        with pytest.raises(ModelError) as late:
            await model.aask(question())
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


def test_several_models_on_several_ports() -> None:
    with ModelServer("from one") as one, ModelServer("from two") as two:
        assert model_at(one).ask(question()).content == "from one"
        assert model_at(two).ask(question()).content == "from two"
    assert (len(one.requests), len(two.requests)) == (1, 1)


def test_a_missing_key_is_said_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer("ok") as server, pytest.raises(ModelError) as caught:
        model_at(server, api_key_env="NOT_SET_HERE").ask(question())
    assert str(caught.value) == (
        "test-model needs a key, and the environment variable NOT_SET_HERE is not set; set it, or name another "
        "variable with api_key_env (api_key_env='' for a server that needs no key)"
    )
    assert not caught.value.retryable
    assert server.requests == []


def test_a_key_may_be_set_after_the_first_try(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer("ok") as server:
        model = model_at(server, api_key_env="SET_LATER")
        with pytest.raises(ModelError):
            model.ask(question())
        monkeypatch.setenv("SET_LATER", "late-key")
        assert model.ask(question()).content == "ok"
    assert server.requests[0].headers["authorization"] == "Bearer late-key"


def test_a_server_that_needs_no_key() -> None:
    with ModelServer("ok") as server:
        assert model_at(server, api_key_env="").ask(question()).content == "ok"
    assert server.requests[0].headers["authorization"] == "Bearer none"


def test_missing_keys_are_all_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMPTY_HERE", "")
    refs = [ModelRef("a"), ModelRef("b", api_key_env="B_KEY"), ModelRef("c", api_key_env="EMPTY_HERE")]
    assert missing_keys([*refs, ModelRef("d", api_key_env="B_KEY"), ModelRef("e", api_key_env="")]) == [
        "B_KEY",
        "EMPTY_HERE",
    ]


class _Forwarder(BaseHTTPRequestHandler):
    """A forward proxy: it is asked for whole addresses, and passes them on."""

    seen: list[str] = []

    def do_POST(self) -> None:
        self.seen.append(self.path)
        target = urlsplit(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        onward = http.client.HTTPConnection(target.netloc)
        onward.request("POST", target.path, body, {"Content-Type": "application/json"})
        answer = onward.getresponse()
        data = answer.read()
        onward.close()
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None: ...


@pytest.fixture
def proxy() -> Iterator[str]:
    _Forwarder.seen = []
    with ThreadingHTTPServer(("127.0.0.1", 0), _Forwarder) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_calls_go_through_the_proxy(proxy: str) -> None:
    with ModelServer("ok") as server:
        model = model_at(server, proxy=proxy)
        assert model.ask(question()).content == "ok"
        assert asyncio.run(model.aask(question())).content == "ok"
    assert _Forwarder.seen == [f"{server.base_url}/chat/completions"] * 2
    assert len(server.requests) == 2


def test_a_proxy_that_is_not_there_is_named_without_its_password() -> None:
    with ModelServer("ok") as gone:
        port = urlsplit(gone.base_url).port
    with ModelServer("ok") as server, pytest.raises(ModelError) as caught:
        model_at(server, proxy=f"http://user:secret@127.0.0.1:{port}").ask(question())
    assert str(caught.value) == (
        f"no connection to test-model at {server.base_url} through the proxy http://127.0.0.1:{port}: "
        f"[Errno {errno.ECONNREFUSED}] Connection refused"
    )


def test_a_proxy_without_a_scheme_is_an_error_in_words() -> None:
    with pytest.raises(ModelError) as caught:
        connect(ModelRef("test-model", proxy="127.0.0.1:3128")).ask(question())
    assert str(caught.value).startswith("test-model cannot be asked through this proxy: ")
    assert not caught.value.retryable


def test_langchain_is_not_imported_before_the_first_question() -> None:
    script = (
        "import sys; from loopwright.nodes.models.client import connect; "
        "from loopwright.nodes.models.reference import ModelRef; connect(ModelRef('m')); "
        "print([name for name in sys.modules if name.startswith(('langchain_openai', 'openai'))])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
