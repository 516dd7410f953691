"""What went wrong with a call: every exception of the OpenAI client becomes one `ModelError`, in words."""

import math
import re
import time
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import openai
from pydantic import ValidationError

from loopwright.errors import ModelError
from loopwright.nodes.models.reference import ModelRef

_MAY_PASS = (408, 409, 425, 429)
"""Statuses below 500 after which the same question may be asked again."""

_NEVER_SENT = ("LocalProtocolError", "UnsupportedProtocol")
"""What the HTTP client raises when a request cannot be sent at all: a header or an address that it refuses."""

_SHORTEST_KEY = 8
_SHOWN = 600
"""So many characters of an error are shown; a server's body may have any length."""

_USER = re.compile(r"(\w://)[^/\s]*@")
_SECRET_VALUE = re.compile(r"((?:key|token|secret|password|signature)=)[^&\s\"'<>)]+", re.IGNORECASE)


def model_error(error: Exception, ref: ModelRef, address: str, key: str) -> ModelError:
    """The error to raise instead: it says the model, the address and what happened, and nothing secret.

    Args:
        error: What the client raised: an error of its own for a status or a connection, and a bare `ValueError`,
            `TypeError` or `IndexError` for a body that is no chat completion.
        ref: The model that was asked.
        address: Where it was asked.
        key: The key that was sent; its text never stands in the error.
    """
    told = _told(error, ref, f"{ref.model} at {address.rstrip('/')}")
    return ModelError(_showable(str(told), key), retryable=told.retryable, retry_after=told.retry_after)


def setup_error(error: Exception, ref: ModelRef, key: str) -> ModelError:
    """The error to raise where no client could be made, because of the environment for instance; nothing secret."""
    return ModelError(_showable(f"{ref.model} cannot be asked: {_said(error)}", key))


def without_secrets(text: str, key: str) -> str:
    """A text without the key, and without what stands in addresses as user, password, key or token.

    Args:
        text: What a library or a server said.
        key: The key. One of fewer than 8 characters is a placeholder of servers that need none, and stays.

    Example:
        >>> without_secrets("no key like sk-12345678 at http://me:pw@host/v1?api_key=abc&n=1", "sk-12345678")
        'no key like *** at http://host/v1?api_key=***&n=1'
    """
    if len(key) >= _SHORTEST_KEY:
        text = text.replace(key, "***")
    return _SECRET_VALUE.sub(r"\1***", _USER.sub(r"\1", text))


def _showable(text: str, key: str) -> str:
    text = without_secrets(text, key)  # before it is cut, so that no part of a key is left at the end
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."


def _told(error: Exception, ref: ModelRef, who: str) -> ModelError:
    """The error as the client and the server tell it, secrets and all."""
    if isinstance(error, openai.APIStatusError):
        status, words = error.status_code, _words(error)
        may_pass = (status in _MAY_PASS or status >= 500) and error.code != "insufficient_quota"
        return ModelError(
            f"{who} answered with status {status}: {words}", retryable=may_pass, retry_after=_retry_after(error)
        )
    if isinstance(error, openai.APITimeoutError):
        return ModelError(f"{who} did not answer within {ref.timeout:g} seconds", retryable=True)
    if isinstance(error, openai.APIConnectionError):
        way = f" through the proxy {ref.proxy.rstrip('/')}" if ref.proxy else ""
        cause = _cause(error)
        may_pass = type(cause).__name__ not in _NEVER_SENT
        return ModelError(f"no connection to {who}{way}: {cause}", retryable=may_pass)
    if isinstance(error, openai.ContentFilterFinishReasonError):
        return ModelError(f"{who} stopped its answer by the provider's content filter")
    if isinstance(error, UnicodeEncodeError):
        return ModelError(f"{who} cannot be asked: {error}")
    return ModelError(
        f"{who} answered with something that is no chat completion: {type(error).__name__}: {_said(error)}",
        retryable=True,
    )


def seconds_to_wait(header: str, now: float) -> float | None:
    """What a Retry-After header asks for, in seconds from now; None where it is neither a number nor a date.

    Example:
        >>> seconds_to_wait("1.5", now=0.0), seconds_to_wait("soon", now=0.0)
        (1.5, None)
        >>> seconds_to_wait("Thu, 01 Jan 1970 00:01:00 GMT", now=50.0)
        10.0
    """
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - now
        except ValueError:
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _retry_after(error: openai.APIStatusError) -> float | None:
    header = error.response.headers.get("retry-after")
    return None if header is None else seconds_to_wait(header, time.time())


def _cause(error: BaseException) -> BaseException:
    """What the network said; the client's own errors say only that there was one."""
    while isinstance(error, openai.APIError) and error.__cause__ is not None:
        error = error.__cause__
    return error


def _words(error: openai.APIStatusError) -> str:
    said = error.body.get("message") if isinstance(error.body, dict) else None
    if isinstance(said, str) and said:
        return said
    known = {status.value: status.phrase for status in HTTPStatus}
    return known.get(error.status_code, "no reason given")


def _said(error: Exception) -> str:
    """The words of an error; of pydantic's without the data that it was given, keys among them."""
    if isinstance(error, ValidationError):
        return "; ".join(detail["msg"] for detail in error.errors(include_input=False, include_url=False))
    return str(error)
