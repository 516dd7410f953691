"""What went wrong with a call: every exception of the OpenAI client becomes one `ModelError`, in words."""

import time
from http import HTTPStatus

import openai

from loopwright.errors import ModelError
from loopwright.nodes.models.completion import NoCompletion
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.retrying import may_pass, seconds_to_wait
from loopwright.nodes.models.secrecy import showable, words_of

_NEVER_SENT = ("LocalProtocolError", "UnsupportedProtocol")
"""What the HTTP client raises when a request cannot be sent at all: a header or an address that it refuses."""


def model_error(error: Exception, ref: ModelRef, address: str, key: str) -> ModelError:
    """The error to raise instead: it says the model, the address and what happened, and nothing secret.

    Args:
        error: What the client raised: an error of its own for a status or a connection, and a `ValueError` for a body
            that is no chat completion.
        ref: The model that was asked.
        address: Where it was asked.
        key: The key that was sent; its text never stands in the error.
    """
    told = _told(error, ref, f"{ref.model} at {address.rstrip('/')}")
    return ModelError(showable(str(told), key), retryable=told.retryable, retry_after=told.retry_after)


def setup_error(error: Exception, ref: ModelRef, key: str) -> ModelError:
    """The error to raise where no client could be made, because of the environment for instance; nothing secret."""
    return ModelError(showable(f"{ref.model} cannot be asked: {words_of(error)}", key))


def _told(error: Exception, ref: ModelRef, who: str) -> ModelError:
    """The error as the client and the server tell it, secrets and all."""
    if isinstance(error, openai.APIStatusError):
        status, words = error.status_code, _words(error)
        passing = may_pass(status) and error.code != "insufficient_quota"
        return ModelError(
            f"{who} answered with status {status}: {words}", retryable=passing, retry_after=_retry_after(error)
        )
    if isinstance(error, openai.APITimeoutError):
        return ModelError(f"{who} did not answer within {ref.timeout:g} seconds", retryable=True)
    if isinstance(error, openai.APIConnectionError):
        way = f" through the proxy {ref.proxy.rstrip('/')}" if ref.proxy else ""
        cause = _cause(error)
        passing = type(cause).__name__ not in _NEVER_SENT
        return ModelError(f"no connection to {who}{way}: {cause}", retryable=passing)
    if isinstance(error, openai.ContentFilterFinishReasonError):
        return ModelError(f"{who} stopped its answer by the provider's content filter")
    if isinstance(error, UnicodeEncodeError):
        return ModelError(f"{who} cannot be asked: {error}")
    said = str(error) if isinstance(error, NoCompletion) else f"{type(error).__name__}: {words_of(error)}"
    return ModelError(f"{who} answered with something that is no chat completion: {said}", retryable=True)


def _retry_after(error: openai.APIStatusError) -> float | None:
    header = error.response.headers.get("retry-after")
    return None if header is None else seconds_to_wait(header, time.time())


def _cause(error: BaseException) -> BaseException:
    """What the network said; the client's own errors say only that there was one."""
    while isinstance(error, openai.APIError) and error.__cause__ is not None:
        error = error.__cause__
    return error


def _words(error: openai.APIStatusError) -> str:
    """What the server said; some have a text alone for an error, or call it a detail."""
    body: object = error.body
    if isinstance(body, dict):
        body = body.get("message") or body.get("detail")
    if isinstance(body, str) and body and not body.lstrip().startswith("<"):
        return body
    known = {status.value: status.phrase for status in HTTPStatus}
    return known.get(error.status_code, "no reason given")
