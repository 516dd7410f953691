"""What went wrong with a call: every exception of the OpenAI client becomes one `ModelError`, in words."""

import math
import time
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from urllib.parse import urlsplit

import openai

from loopwright.errors import ModelError
from loopwright.nodes.models.reference import ModelRef

_MAY_PASS = (408, 409, 425, 429)
"""Statuses below 500 after which the same question may be asked again."""


def model_error(error: Exception, ref: ModelRef, address: str) -> ModelError:
    """The error to raise instead: it says the model, the address and what happened.

    Args:
        error: What the client raised: an error of its own for a status or a connection, and a bare `ValueError`,
            `TypeError` or `IndexError` for a body that is no chat completion.
        ref: The model that was asked.
        address: Where it was asked.
    """
    who = f"{ref.model} at {_without_password(address)}"
    if isinstance(error, openai.APIStatusError):
        status, words = error.status_code, _words(error)
        may_pass = (status in _MAY_PASS or status >= 500) and error.code != "insufficient_quota"
        return ModelError(
            f"{who} answered with status {status}: {words}", retryable=may_pass, retry_after=_retry_after(error)
        )
    if isinstance(error, openai.APITimeoutError):
        return ModelError(f"{who} did not answer within {ref.timeout:g} seconds", retryable=True)
    if isinstance(error, openai.APIConnectionError):
        way = f" through the proxy {_without_password(ref.proxy)}" if ref.proxy else ""
        return ModelError(f"no connection to {who}{way}: {_cause(error)}", retryable=True)
    if isinstance(error, openai.ContentFilterFinishReasonError):
        return ModelError(f"{who} stopped its answer by the provider's content filter")
    return ModelError(
        f"{who} answered with something that is no chat completion: {type(error).__name__}: {str(error)[:200]}",
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


def _without_password(address: str) -> str:
    """The address as it may be shown."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl().rstrip("/")
