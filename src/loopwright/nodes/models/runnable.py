"""A LangChain chat model as a model, and anything else that is run with `invoke` and `ainvoke`.

It is known by what it has and not by its class, so that nothing of LangChain is imported here.
"""

import time
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol, runtime_checkable

from loopwright.errors import ModelError
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.price import Price
from loopwright.nodes.models.response_format import in_words
from loopwright.nodes.models.retrying import may_pass, seconds_to_wait
from loopwright.nodes.models.secrecy import showable, words_of
from loopwright.nodes.models.tool_calls import offered, sendable, wished
from loopwright.state.records import Usage
from loopwright.state.values import Json

_PASSING = {
    *("ModelRateLimitError", "ModelTimeoutError", "ModelConnectionError", "ModelAPIError"),  # LangChain's own
    *("APIConnectionError", "TimeoutException", "NetworkError", "RemoteProtocolError"),  # of clients that it uses
    *("TimeoutError", "ConnectionError"),
}
"""Classes of errors after which the same question may be asked again, where the error has no status."""

_CUT = {"length", "max_tokens", "MAX_TOKENS"}
_REASONS = ("finish_reason", "stop_reason", "done_reason")
"""Where providers say why an answer ended, and how they say that the token limit cut it."""


@runtime_checkable
class Runnable(Protocol):
    """Something that takes a chat and gives a message or a text, as LangChain's chat models do."""

    def invoke(self, input: Any, /) -> Any:
        """Answer with a blocking call."""

    async def ainvoke(self, input: Any, /) -> Any:
        """Answer with an awaited call."""


class RunnableModel:
    """A LangChain chat model, or another runnable, that answers calls.

    It is given the chat as a list of mappings with `role` and `content`. Its reply is a message, whose `content` is
    taken and whose tokens are counted where it says them, or a text, or data in a mapping. As each provider has a way
    of its own for structured answers, the schema is asked for in words, at the end.

    Args:
        runnable: The chat model.
        label: A name to show; the model's name, or its class, where it is left out.
        retries: How often a call that failed in a way that may pass is made again. LangChain's models make calls again
            by themselves, unseen; `max_retries=0` leaves that to the run.
        repairs: How often it is asked again when an answer is unreadable.
        price: What its tokens cost, where it says how many it took.

    Example:
        >>> from langchain_core.language_models import FakeListChatModel
        >>> model = RunnableModel(FakeListChatModel(responses=["Rot."]))
        >>> model.label, model.ask(ModelCall("solver", [{"role": "user", "content": "A risk?"}])).content
        ('FakeListChatModel', 'Rot.')
    """

    def __init__(
        self,
        runnable: Runnable,
        *,
        label: str = "",
        retries: int = 3,
        repairs: int = 1,
        price: Price | None = None,
    ) -> None:
        self.label = label or _name_of(runnable)
        self.retries = retries
        self.repairs = repairs
        self.price = price
        self._runnable = runnable

    def __repr__(self) -> str:
        return f"{type(self).__name__}(label={self.label!r})"

    def ask(self, call: ModelCall) -> ModelReply:
        """Ask and wait for the answer, or raise `ModelError`."""
        with self._failures():
            return self._reply(call, self._given_tools(call).invoke(_chat(call)))

    async def aask(self, call: ModelCall) -> ModelReply:
        """Ask without blocking the event loop, or raise `ModelError`."""
        with self._failures():
            return self._reply(call, await self._given_tools(call).ainvoke(_chat(call)))

    def stream(self, call: ModelCall) -> Generator[str | ModelReply, None, None]:
        """Answer in parts, or raise `ModelError`; in whole, where it has no `stream`."""
        stream = getattr(self._given_tools(call), "stream", None)
        if stream is None:
            yield self.ask(call)
            return
        with self._failures():
            said = None
            for part in stream(_chat(call)):
                said = _joined(said, part)
                yield _part(part)
            yield self._reply(call, said)

    async def astream(self, call: ModelCall) -> AsyncGenerator[str | ModelReply, None]:
        """Answer in parts without blocking the event loop, or raise `ModelError`; in whole, without an `astream`."""
        stream = getattr(self._given_tools(call), "astream", None)
        if stream is None:
            yield await self.aask(call)
            return
        with self._failures():
            said = None
            async for part in stream(_chat(call)):
                said = _joined(said, part)
                yield _part(part)
            yield self._reply(call, said)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except ModelError:
            raise
        except Exception as error:
            # Without its cause, which may quote a key: the words say all that can be shown.
            raise _model_error(error, self.label) from None

    def _given_tools(self, call: ModelCall) -> Runnable:
        if not call.tools:
            return self._runnable
        bind = getattr(self._runnable, "bind_tools", None)
        try:
            bound: Runnable | None = bind(offered(call.tools)) if bind else None
        except NotImplementedError:
            bound = None
        if bound is None:
            raise ModelError(f"{self.label} cannot be given tools: its class has no bind_tools of its own")
        return bound

    def _reply(self, call: ModelCall, said: Any) -> ModelReply:
        content = _content(said)
        if content is None:
            raise ModelError(f"{self.label} answered with {type(said).__name__}, which is neither a message nor a text")
        calls = wished(said)
        if calls and not content and not call.tools:
            raise ModelError(f"{self.label} asks to call a tool, and a run calls none for it; give it no tools")
        return ModelReply(content, _usage(said), truncated=_is_cut(said), tool_calls=calls if call.tools else ())


def _name_of(runnable: Runnable) -> str:
    names = (getattr(runnable, attribute, None) for attribute in ("model_name", "model"))
    return next((name for name in names if isinstance(name, str) and name), type(runnable).__name__)


def _chat(call: ModelCall) -> list[dict[str, Any]]:
    return sendable(in_words(call.messages, call.schema, tools=bool(call.tools)) if call.schema else call.messages)


def _content(said: Any) -> Json:
    """The text or the data of a reply; None where it is neither."""
    content = getattr(said, "content", said)
    if isinstance(content, list | tuple):
        return "".join(_text(block) for block in content)
    if isinstance(content, Mapping):
        return dict(content)
    return content if isinstance(content, str) else None


def _text(block: Any) -> str:
    """What a block of a message says; nothing, where it is no text: a thought, a picture, a call of a tool."""
    if isinstance(block, Mapping):
        block = block.get("text") if block.get("type") == "text" else None
    return block if isinstance(block, str) else ""


def _part(part: Any) -> str:
    """What a part of a stream adds to the text."""
    content = _content(part)
    return content if isinstance(content, str) else ""


def _joined(said: Any, part: Any) -> Any:
    """What was said, and one more part of it; of data each part is the whole so far."""
    return part if said is None or isinstance(part, Mapping) else said + part


def _usage(said: Any) -> Usage:
    counts = getattr(said, "usage_metadata", None)
    if not isinstance(counts, Mapping):
        return Usage(calls=1)
    return Usage(1, int(counts.get("input_tokens") or 0), int(counts.get("output_tokens") or 0))


def _is_cut(said: Any) -> bool:
    about = getattr(said, "response_metadata", None)
    return isinstance(about, Mapping) and any(about.get(name) in _CUT for name in _REASONS)


def _model_error(error: Exception, label: str) -> ModelError:
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        classes = {kind.__name__ for kind in type(error).__mro__}
        return ModelError(
            showable(f"{label} failed: {type(error).__name__}: {words_of(error)}"),
            retryable=not classes.isdisjoint(_PASSING),
        )
    passing = may_pass(status) and getattr(error, "code", None) != "insufficient_quota"
    words = showable(f"{label} answered with status {status}: {_words(error)}")
    return ModelError(words, retryable=passing, retry_after=_retry_after(error))


def _words(error: Exception) -> str:
    """What the server said, where the client kept that apart from its own words."""
    body = getattr(error, "body", None)
    said = body.get("message") if isinstance(body, Mapping) else None
    return said if isinstance(said, str) and said else words_of(error)


def _retry_after(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None)
    header = headers.get("retry-after") if isinstance(headers, Mapping) else None
    return seconds_to_wait(header, time.time()) if isinstance(header, str) else None
