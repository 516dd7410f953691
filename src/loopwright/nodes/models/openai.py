"""The one file that knows LangChain's OpenAI client. `client` loads it when a model is first asked.

Retries are the driver's, so that they are seen and counted: this client makes each call once.
"""

import asyncio
import weakref
from collections.abc import AsyncGenerator, Generator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import openai
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_openai import ChatOpenAI

from loopwright.errors import ModelError
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.failures import model_error, setup_error
from loopwright.nodes.models.prices import OPENAI
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.response_format import response_format, unwrapped
from loopwright.nodes.models.secrecy import without_secrets
from loopwright.nodes.models.tool_calls import offered, refusable, sendable, wished
from loopwright.state.records import Usage

NO_KEY = "none"
"""What is sent as the key to a server that needs none; the client refuses an empty one."""

_OPENAI_HOST = urlsplit(OPENAI).hostname


class Chat:
    """A connected chat model: one pool of connections for all threads, and one for each event loop.

    Args:
        ref: The model.
        key: The key for it, or "" for a server that needs none.

    Raises:
        ModelError: What the environment says of a proxy, for instance, is wrong.
    """

    def __init__(self, ref: ModelRef, key: str) -> None:
        self.label = ref.model
        self.retries = ref.retries
        self._ref = ref
        self._key = key
        self._client = partial(
            _ChatOpenAI,
            model=ref.model,
            base_url=ref.base_url,
            api_key=key or NO_KEY,
            temperature=ref.temperature,
            timeout=ref.timeout,
            max_retries=0,
            use_responses_api=False,
            disable_streaming=True,
            http_socket_options=(),
        )
        try:
            http = openai.DefaultHttpxClient(proxy=ref.proxy)
            weakref.finalize(self, http.close)
            self._threads = self._client(http_client=http)
        except Exception as error:
            raise setup_error(error, ref, key) from None
        self._loops: dict[asyncio.AbstractEventLoop, tuple[ChatOpenAI, AsyncGenerator[ChatOpenAI]]] = {}

    def ask(self, call: ModelCall) -> ModelReply:
        """Ask and wait for the answer, or raise `ModelError`."""
        with self._failures():
            return _reply(call, self._threads.invoke(_messages(call), **_extras(call)))

    async def aask(self, call: ModelCall) -> ModelReply:
        """Ask without blocking the event loop, or raise `ModelError`."""
        with self._failures():
            chat = await self._of_this_loop()
            return _reply(call, await chat.ainvoke(_messages(call), **_extras(call)))

    def stream(self, call: ModelCall) -> Generator[str | ModelReply, None, None]:
        """Answer in parts, or raise `ModelError`."""
        with self._failures():
            chunks = []
            for chunk in _streaming(self._threads).stream(_messages(call), **_extras(call)):
                chunks.append(chunk)
                yield str(chunk.text)
            yield _reply(call, self._whole(chunks))

    async def astream(self, call: ModelCall) -> AsyncGenerator[str | ModelReply, None]:
        """Answer in parts without blocking the event loop, or raise `ModelError`."""
        with self._failures():
            chunks = []
            chat = _streaming(await self._of_this_loop())
            stream: Any = chat.astream(_messages(call), **_extras(call))
            async with aclosing(stream) as parts:
                async for chunk in parts:
                    chunks.append(chunk)
                    yield str(chunk.text)
            yield _reply(call, self._whole(chunks))

    def _whole(self, chunks: Sequence[AIMessageChunk]) -> AIMessageChunk:
        """All chunks as one message. A stream that breaks off between two of them raises nothing, but has no reason."""
        first, *others = chunks or [AIMessageChunk(content="")]
        whole = first + others
        if not whole.response_metadata.get("finish_reason"):
            raise ModelError(
                f"{self._ref.model} at {self._address} broke off in the middle of its answer", retryable=True
            )
        return whole

    @property
    def _address(self) -> str:
        return without_secrets(str(self._threads.root_client.base_url).rstrip("/"), self._key)

    async def _of_this_loop(self) -> ChatOpenAI:
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            opened = self._open(loop)
            self._loops[loop] = (await anext(opened), opened)
        return self._loops[loop][0]

    async def _open(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[ChatOpenAI]:
        """A client for one event loop, since connections cannot move to another.

        It is an async generator because a loop that shuts down closes those, and so the connections are closed in time.
        """
        http = openai.DefaultAsyncHttpxClient(proxy=self._ref.proxy)
        try:
            yield self._client(http_async_client=http)
        finally:
            self._loops.pop(loop, None)
            await http.aclose()

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except ModelError:
            raise
        except Exception as error:
            address = str(self._threads.root_client.base_url)
            # Without its cause, which may quote the key: the words say all that can be shown.
            raise model_error(error, self._ref, address, self._key) from None


def _streaming(chat: ChatOpenAI) -> ChatOpenAI:
    """The same client, with the same connections, that says its answers in parts and counts their tokens at the end."""
    return chat.model_copy(update={"disable_streaming": False, "stream_usage": True})


class _ChatOpenAI(ChatOpenAI):
    """ChatOpenAI that hands the messages to the OpenAI client as a finished part of the body.

    That client walks every message that it is given, a tenth of a millisecond each, and a long history is sent with
    every call. The body on the wire is the same.
    """

    def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        body = {**payload.get("extra_body", {}), "messages": payload["messages"]}
        if (
            "max_completion_tokens" in payload
            and urlsplit(str(self.openai_api_base or OPENAI)).hostname != _OPENAI_HOST
        ):
            body["max_tokens"] = payload.pop("max_completion_tokens")  # the name that all other servers know
        return {**payload, "messages": [], "extra_body": body}

    def _create_chat_result(
        self, response: dict[Any, Any] | openai.BaseModel, generation_info: dict[Any, Any] | None = None
    ) -> Any:
        for function in _functions(response):
            function.arguments = refusable(function.arguments)
        return super()._create_chat_result(response, generation_info)


def _functions(response: Any) -> Iterator[Any]:
    """What a completion wishes to call; some servers send less than the API has."""
    for choice in getattr(response, "choices", None) or ():
        for call in getattr(getattr(choice, "message", None), "tool_calls", None) or ():
            if hasattr(getattr(call, "function", None), "arguments"):
                yield call.function


def _messages(call: ModelCall) -> list[dict[str, Any]]:
    return sendable(call.messages)


def _extras(call: ModelCall) -> dict[str, Any]:
    """The tools, and the shape of the answer, put into the body as it is: the client's way raises on cut answers."""
    format_ = response_format(call.schema or {})
    return {
        **({"max_tokens": call.max_tokens} if call.max_tokens is not None else {}),
        **({"timeout": call.timeout} if call.timeout is not None else {}),
        **({"tools": offered(call.tools)} if call.tools else {}),
        **({"extra_body": {"response_format": format_}} if format_ else {}),
    }


def _reply(call: ModelCall, message: AIMessage) -> ModelReply:
    reason = message.response_metadata.get("finish_reason")
    if reason == "content_filter":
        raise openai.ContentFilterFinishReasonError(completion=None)
    text = str(message.text) or str(message.additional_kwargs.get("refusal") or "")
    counts = message.usage_metadata
    usage = Usage(1, counts["input_tokens"], counts["output_tokens"]) if counts else Usage(calls=1)
    calls = wished(message) if call.tools else ()
    return ModelReply(unwrapped(text, call.schema), usage, truncated=reason == "length", tool_calls=calls)
