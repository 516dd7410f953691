"""References become clients: keys, proxies, and nothing before it is needed."""

import asyncio
import base64
import http.client
import subprocess
import sys
import textwrap
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest

from loopwright.errors import FormRefused, ModelError
from loopwright.nodes.models.client import _Chats, connect, missing_keys
from loopwright.nodes.models.contract import Model, ModelCall
from loopwright.nodes.models.reference import ModelRef
from loopwright.testing.model_server import ModelServer


def question() -> ModelCall:
    return ModelCall("write", [{"role": "user", "content": "hello there"}])


def model_at(server: ModelServer, **options: Any) -> Model:
    return connect(ModelRef("test-model", base_url=server.base_url, **options))


def test_a_client_is_a_model() -> None:
    model = connect(ModelRef("gpt-4o-mini", retries=7))
    assert isinstance(model, Model)
    assert (model.label, model.retries) == ("gpt-4o-mini", 7)


def test_a_client_says_how_often_it_is_asked_again() -> None:
    client: Any = connect(ModelRef("gpt-4o-mini", repairs=2))
    assert client.repairs == 2


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


def test_a_key_from_a_file_is_sent_without_its_line_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "  key-of-a-file\r\n")
    with ModelServer("ok") as server:
        assert model_at(server).ask(question()).content == "ok"
    assert server.requests[0].headers["authorization"] == "Bearer key-of-a-file"


@pytest.mark.parametrize("key", ["secret\nsecret", "secret\x7f.", "secret\tsecret", "ключ-secret", "secret\u2019"])
def test_a_key_that_cannot_be_one_is_refused_without_being_shown(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM_KEY", key)
    with ModelServer("ok") as server, pytest.raises(ModelError) as caught:
        model_at(server, api_key_env="TEAM_KEY").ask(question())
    assert str(caught.value) == (
        "test-model cannot be asked: the key in the environment variable TEAM_KEY holds line ends, control characters "
        "or letters beyond ASCII, which no key has; set it again"
    )
    assert not caught.value.retryable
    assert server.requests == []


def test_missing_keys_are_all_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMPTY_HERE", " \r\n")
    refs = [ModelRef("a"), ModelRef("b", api_key_env="B_KEY"), ModelRef("c", api_key_env="EMPTY_HERE")]
    assert missing_keys([*refs, ModelRef("d", api_key_env="B_KEY"), ModelRef("e", api_key_env="")]) == [
        "B_KEY",
        "EMPTY_HERE",
    ]


class _Forwarder(BaseHTTPRequestHandler):
    """A forward proxy: it is asked for whole addresses, and passes them on."""

    seen: list[str] = []
    users: list[str | None] = []

    def do_POST(self) -> None:
        self.seen.append(self.path)
        self.users.append(self.headers["Proxy-Authorization"])
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
    _Forwarder.seen, _Forwarder.users = [], []
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


def test_a_proxy_of_the_environment_may_have_a_user_and_a_password(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy.replace("http://", "http://me:secret@"))
    with ModelServer("ok") as server:
        model = model_at(server)
        assert model.ask(question()).content == "ok"
        assert asyncio.run(model.aask(question())).content == "ok"
    assert _Forwarder.users == [f"Basic {base64.b64encode(b'me:secret').decode()}"] * 2


def test_no_client_is_imported_before_the_first_question() -> None:
    script = (
        "import sys; from loopwright.nodes.models.client import connect; "
        "from loopwright.nodes.models.reference import ModelRef; connect(ModelRef('m')); "
        "print([name for name in sys.modules if name.startswith(('langchain', 'openai'))])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@contextmanager
def connections_of(reply: str, **options: Any) -> Iterator[tuple[ModelServer, set[Any]]]:
    """A server, and the connections by which it was asked."""
    asked: set[Any] = set()

    def answer(_: object) -> str:
        asked.update(server._server._open)
        return reply

    with ModelServer(answer, **options) as server:
        yield server, asked


def test_equal_references_share_their_connections_and_what_was_found_out() -> None:
    with connections_of("3", takes="text") as (server, asked):
        schema = {"type": "integer"}
        for _ in range(3):
            with suppress(FormRefused):
                model_at(server).ask(replace(question(), schema=schema))
        assert [model_at(server).ask(replace(question(), schema=schema)).content for _ in range(3)] == ["3"] * 3
    refused = [request for request in server.requests if request.body.keys() & {"response_format", "tools"}]
    assert (len(asked), len(refused), len(server.requests)) == (1, 2, 6)


def test_another_reference_another_key_and_another_environment_share_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with connections_of("ok") as (server, asked):
        model_at(server).ask(question())
        model_at(server, retries=1).ask(question())
        monkeypatch.setenv("OPENAI_API_KEY", "another-key")
        model_at(server).ask(question())
        monkeypatch.setenv("OPENAI_PROJECT_ID", "bridges")
        model_at(server).ask(question())
        assert len(asked) == 4
    assert [request.headers.get("openai-project") for request in server.requests] == [None, None, None, "bridges"]
    assert server.requests[2].headers["authorization"] == "Bearer another-key"


def test_a_server_that_has_gone_is_forgotten() -> None:
    ref = ModelRef("test-model", base_url="http://127.0.0.1:9/v1")
    other = ModelRef("test-model", base_url="http://127.0.0.1:10/v1")
    chats = _Chats()
    before, kept = chats.of(ref, "key"), chats.of(other, "key")
    chats.forget("http://127.0.0.1:9/v1")
    assert chats.of(ref, "key") is not before
    assert chats.of(other, "key") is kept


def test_only_so_many_chats_are_kept_and_those_that_are_used_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loopwright.nodes.models.client._MOST", 2)
    chats = _Chats()
    first, second, third = (ModelRef(name) for name in ("a", "b", "c"))
    kept, gone = chats.of(first, ""), weakref.ref(chats.of(second, ""))
    assert chats.of(first, "") is kept
    chats.of(third, "")
    assert chats.of(first, "") is kept
    assert gone() is None


def run_script(script: str, server: ModelServer) -> str:
    """What a process of its own prints that asks the server as `model`; each warning and error of it is there, too."""
    head = f"""
        import asyncio, os
        from loopwright.nodes.models.client import connect
        from loopwright.nodes.models.contract import ModelCall
        from loopwright.nodes.models.reference import ModelRef
        model = connect(ModelRef("test-model", base_url={server.base_url!r}, api_key_env=""))
        call = ModelCall("write", [{{"role": "user", "content": "hello there"}}])
    """
    words = [sys.executable, "-W", "error", "-c", textwrap.dedent(head) + textwrap.dedent(script)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout


def test_a_process_that_was_forked_has_connections_of_its_own() -> None:
    script = """
        def ask():
            print(model.ask(call).content, asyncio.run(model.aask(call)).content, flush=True)

        ask()
        if child := os.fork():
            assert os.waitpid(child, 0)[1] == 0
        ask()
    """
    with connections_of("ok") as (server, asked):
        assert run_script(script, server) == "ok ok\n" * 3
    assert len(asked) == 5  # two processes, and each event loop


def test_a_process_ends_without_a_connection_that_was_left_open() -> None:
    script = """
        for _ in range(2):
            model.ask(call)
            asyncio.run(model.aask(call))
        print("done")
    """
    with ModelServer("ok") as server:
        assert run_script(script, server) == "done\n"
