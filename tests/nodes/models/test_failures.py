"""What goes wrong with real servers, and the words for it."""

import errno
import json
from typing import Any

import pytest

from loopwright.errors import ModelError
from loopwright.nodes.models.client import connect
from loopwright.nodes.models.contract import Model, ModelCall
from loopwright.nodes.models.failures import model_error
from loopwright.nodes.models.reference import ModelRef
from loopwright.testing.model_server import ModelServer, Replies, Trouble


def question() -> ModelCall:
    return ModelCall("write", [{"role": "user", "content": "hello there"}])


def model_at(server: ModelServer, **options: Any) -> Model:
    return connect(ModelRef("test-model", base_url=server.base_url, **options))


def error_of(replies: Replies, **options: Any) -> tuple[ModelError, str]:
    with ModelServer(replies) as server, pytest.raises(ModelError) as caught:
        model_at(server, **options).ask(question())
    return caught.value, server.base_url


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


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"error": "Invalid tool_choice type"}', "Invalid tool_choice type"),
        ('{"detail": "no such route"}', "no such route"),
        ('{"detail": [{"loc": ["body"], "msg": "Field required"}]}', "Bad Request"),
        ("no luck today", "no luck today"),
    ],
)
def test_servers_that_say_it_in_another_way(body: str, words: str) -> None:
    error, url = error_of(Trouble(400, body=body))
    assert str(error) == f"test-model at {url} answered with status 400: {words}"


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
    ("body", "words"),
    [
        ('{"choices": [', "JSONDecodeError: "),
        ("", "JSONDecodeError: "),
        ("{}", "it has no choices"),
        ('{"choices": []}', "it has no choices"),
        ('{"choices": null, "error": {"message": "overloaded", "code": 502}}', "it has no choices: overloaded"),
        ("[]", "it is no object"),
        ('{"choices": [1]}', "its choice is no object"),
        ('{"choices": [{"text": "legacy"}]}', "its choice has no message"),
    ],
)
def test_bodies_that_are_no_completion(body: str, words: str) -> None:
    error, url = error_of(Trouble(body=body))
    assert str(error).startswith(f"test-model at {url} answered with something that is no chat completion: {words}")
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


def test_a_stopped_answer_is_no_answer() -> None:
    message = '{"role": "assistant", "content": "half of"}'
    body = f'{{"choices": [{{"message": {message}, "finish_reason": "content_filter"}}]}}'
    error, url = error_of(Trouble(body=body))
    assert str(error) == f"test-model at {url} stopped its answer by the provider's content filter"
    assert not error.retryable


def test_a_proxy_that_is_not_there_is_named() -> None:
    with ModelServer("ok") as gone:
        proxy = gone.base_url.removesuffix("v1")
    with ModelServer("ok") as server, pytest.raises(ModelError) as caught:
        model_at(server, proxy=proxy).ask(question())
    assert str(caught.value) == (
        f"no connection to test-model at {server.base_url} through the proxy {proxy.removesuffix('/')}: "
        f"[Errno {errno.ECONNREFUSED}] Connection refused"
    )


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("HTTP_PROXY", "nonsense://me:secret@h", "Unknown scheme for proxy URL URL('nonsense://h')"),
        ("OPENAI_BASE_URL", "http://me:secret@h:port/v1", "Invalid port: 'port'"),
    ],
)
def test_an_environment_that_no_client_can_be_made_of(
    variable: str, value: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ModelError) as caught:
        connect(ModelRef("test-model")).ask(question())
    assert str(caught.value) == f"test-model cannot be asked: {words}"
    assert not caught.value.retryable
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("No such key: key-of-the-test.", "answered with status 401: No such key: ***."),
        ("See http://me:secret@h/v1?key=abc&n=1", "answered with status 401: See http://h/v1?key=***&n=1"),
        ("x" * 1000, f"answered with status 401: {'x' * 1000}"[:500]),
    ],
)
def test_a_body_that_quotes_the_key(body: str, words: str) -> None:
    error, url = error_of(Trouble(401, body=json.dumps({"error": {"message": body}})))
    assert str(error)[: len(f"test-model at {url} {words}")] == f"test-model at {url} {words}"
    assert len(str(error)) <= 604
    assert error.__cause__ is None


def test_a_long_body_is_cut_after_the_key_is_out_of_it() -> None:
    error, url = error_of(Trouble(401, body=json.dumps({"error": {"message": "key-of-the-test" * 400}})))
    told = f"test-model at {url} answered with status 401: {'***' * 400}"
    assert str(error) == f"{told[:600]} ..."


def test_a_body_that_is_no_completion_and_quotes_the_key() -> None:
    error, _ = error_of(Trouble(body=json.dumps("key-of-the-test")))
    assert "key-of-the-test" not in str(error)


def test_a_header_that_cannot_be_sent_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "a\nb")
    error, url = error_of("ok")
    assert str(error) == f"no connection to test-model at {url}: Illegal header value b'a\\nb'"
    assert not error.retryable
    monkeypatch.setenv("OPENAI_ORG_ID", "größer")
    error, url = error_of("ok")
    assert str(error).startswith(f"test-model at {url} cannot be asked: 'ascii' codec can't encode characters")
    assert not error.retryable


def test_an_exception_of_any_kind_becomes_words() -> None:
    error = model_error(KeyError("choices"), ModelRef("m"), "http://user:secret@host:8080/v1/", "")
    assert type(error) is ModelError
    assert (
        str(error) == "m at http://host:8080/v1 answered with something that is no chat completion: KeyError: 'choices'"
    )
    assert (error.retryable, error.retry_after) == (True, None)
