"""References become clients: keys, proxies, and nothing before it is needed."""

import asyncio
import base64
import http.client
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest

from loopwright.errors import ModelError
from loopwright.nodes.models.client import connect, missing_keys
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
