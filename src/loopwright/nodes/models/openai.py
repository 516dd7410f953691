"""The OpenAI client, asked directly. `client` loads this file when a model is first asked.

Retries are the driver's, so that they are seen and counted: this client makes each call once. Bodies go out and come
back as they are: the client's own types cost a tenth of a millisecond for each message, and raise on what servers send.
"""

import asyncio
import json
import os
import weakref
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import openai

from loopwright.errors import FormRefused, ModelError
from loopwright.nodes.models.completion import Completion, NoCompletion, Parts, completion
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.failures import model_error, setup_error
from loopwright.nodes.models.ladder import Ladder
from loopwright.nodes.models.prices import OPENAI
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.request import Request
from loopwright.nodes.models.secrecy import without_secrets
from loopwright.nodes.models.veil import Veil

NO_KEY = "none"
"""What is sent as the key where a server needs none; the client wants one."""

_PATH = "/chat/completions"
_STREAMING = {"stream": True, "stream_options": {"include_usage": True}}

_OPENAI_HOST = urlsplit(OPENAI).hostname


class Chat:
    """Asks one model. Threads share its connections, and so do the calls of one event loop.

    Args:
        ref: The model.
        key: Its key; "" where the server needs none.

    Raises:
        ModelError: No client can be made of the reference and the environment; the words hold nothing secret.
    """

    def __init__(self, ref: ModelRef, key: str) -> None:
        self._ref = ref
        self._key = key
        self._veil = partial(Veil, key)
        self._ladder = Ladder(ref.structured)
        options: Any = {"base_url": ref.base_url, "api_key": key or NO_KEY, "timeout": ref.timeout, "max_retries": 0}
        self._async_client = partial(openai.AsyncOpenAI, **options)
        try:
            http = openai.DefaultHttpxClient(proxy=ref.proxy)
            weakref.finalize(self, _close, http, os.getpid())
            self._threads = openai.OpenAI(http_client=http, **options)
        except Exception as error:
            raise setup_error(error, ref, key) from None
        # The provider's own word for the limit of an answer is not known to other servers.
        own = self._threads.base_url.host == _OPENAI_HOST
        self._limit = "max_completion_tokens" if own else "max_tokens"
        self._loops: dict[asyncio.AbstractEventLoop, tuple[openai.AsyncOpenAI, AsyncGenerator[openai.AsyncOpenAI]]] = {}

    def ask(self, call: ModelCall) -> ModelReply:
        """Ask and wait for the answer, or raise `ModelError`."""
        request = self._request(call)
        with self._failures(request):
            try:
                body = self._threads.post(_PATH, cast_to=object, body=self._body(request), options=_options(call))
            except openai.BadRequestError as error:
                return self._tried(request, error)
            return self._reply(request, completion(_data(body)))

    async def aask(self, call: ModelCall) -> ModelReply:
        """Ask without blocking the event loop, or raise `ModelError`."""
        request = self._request(call)
        with self._failures(request):
            client = await self._of_this_loop()
            try:
                body = await client.post(_PATH, cast_to=object, body=self._body(request), options=_options(call))
            except openai.BadRequestError as error:
                return self._tried(request, error)
            return self._reply(request, completion(_data(body)))

    def stream(self, call: ModelCall) -> Generator[str | ModelReply, None, None]:
        """Answer in parts, or raise `ModelError`."""
        request = self._request(call)
        with self._failures(request):
            body = {**self._body(request), **_STREAMING}
            parts, veil = Parts(), self._veil()
            with self._threads.post(
                _PATH, cast_to=object, body=body, options=_options(call), stream=True, stream_cls=openai.Stream[object]
            ) as stream:
                for part in stream:
                    yield veil.over(parts.add(part))
            yield veil.rest()
            yield self._reply(request, self._whole(parts))

    async def astream(self, call: ModelCall) -> AsyncGenerator[str | ModelReply, None]:
        """Answer in parts without blocking the event loop, or raise `ModelError`."""
        request = self._request(call)
        with self._failures(request):
            client = await self._of_this_loop()
            body = {**self._body(request), **_STREAMING}
            parts, veil = Parts(), self._veil()
            async with await client.post(
                _PATH,
                cast_to=object,
                body=body,
                options=_options(call),
                stream=True,
                stream_cls=openai.AsyncStream[object],
            ) as stream:
                async for part in stream:
                    yield veil.over(parts.add(part))
            yield veil.rest()
            yield self._reply(request, self._whole(parts))

    def _request(self, call: ModelCall) -> Request:
        return Request(call, self._ladder.rung(call))

    def _body(self, request: Request) -> dict[str, Any]:
        body, most = request.body(self._ref.model), request.call.max_tokens
        if self._ref.temperature is not None:
            body["temperature"] = self._ref.temperature
        if most is not None:
            body[self._limit] = most
        return body

    def _reply(self, request: Request, said: Completion) -> ModelReply:
        if said.reason == "content_filter":
            raise openai.ContentFilterFinishReasonError(completion=None)
        reply = request.read(said)
        note = "; ".join(filter(None, [self._ladder.note(request.rung), reply.note]))
        return self._veil().over_reply(replace(reply, note=note) if note else reply)

    def _tried(self, request: Request, error: openai.BadRequestError) -> ModelReply:
        """What the model had said where a server checks answers itself, as Groq does; it is read like any other."""
        body = error.body
        said = body.get("failed_generation") if isinstance(body, dict) else None
        if not isinstance(said, str) or request.rung is None or request.call.tools:
            raise error
        reply = self._reply(request, Completion(said))
        return replace(reply, note="; ".join(filter(None, [reply.note, "refused by the server's own check"])))

    def _whole(self, parts: Parts) -> Completion:
        """All parts. A stream that breaks off between two of them raises nothing, but gives no reason."""
        said = parts.completion()
        if not parts:
            raise NoCompletion("its stream has no parts")
        if not said.reason:
            raise ModelError(
                f"{self._ref.model} at {self._address} broke off in the middle of its answer", retryable=True
            )
        return said

    @property
    def _address(self) -> str:
        return without_secrets(str(self._threads.base_url).rstrip("/"), self._key)

    async def _of_this_loop(self) -> openai.AsyncOpenAI:
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            for over in [each for each in self._loops if each.is_closed()]:  # closed without being shut down
                self._loops.pop(over, None)
            opened = self._open(loop)
            self._loops[loop] = (await anext(opened), opened)
        return self._loops[loop][0]

    async def _open(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[openai.AsyncOpenAI]:
        """A client for one event loop, since connections cannot move to another.

        It is an async generator because a loop that shuts down closes those, and so the connections are closed in time.
        """
        http = openai.DefaultAsyncHttpxClient(proxy=self._ref.proxy)
        try:
            yield self._async_client(http_client=http)
        finally:
            self._loops.pop(loop, None)
            await http.aclose()

    @contextmanager
    def _failures(self, request: Request) -> Iterator[None]:
        try:
            yield
        except ModelError:
            raise
        except Exception as error:
            told = model_error(error, self._ref, str(self._threads.base_url), self._key)
            # Without its cause, which may quote the key: the words say all that can be shown.
            if isinstance(error, openai.APIStatusError) and self._ladder.steps_down(
                request.call, request.rung, error.status_code, error.body
            ):
                raise FormRefused(str(told)) from None
            raise told from None


def _close(http: Any, process: int) -> None:
    """Close the connections, in the process that opened them: one that was forked from it has but copies."""
    if os.getpid() == process:
        http.close()


def _options(call: ModelCall) -> Any:
    return {} if call.timeout is None else {"timeout": call.timeout}


def _data(body: object) -> Any:
    """The data of a body; the client gives a text where the server does not call it JSON."""
    return json.loads(body) if isinstance(body, str) else body
