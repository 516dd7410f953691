"""The client behind a model reference. It costs nothing until it is asked: neither an import nor a connection."""

import importlib
import os
import sys
import threading
from collections.abc import AsyncGenerator, Generator, Iterable
from contextlib import aclosing
from dataclasses import replace

from loopwright.errors import ModelError
from loopwright.nodes.models.contract import Model, ModelCall, ModelReply, StreamingModel
from loopwright.nodes.models.prices import Pricing, price_of
from loopwright.nodes.models.reference import ModelRef

_ENVIRONMENT = (
    *("OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"),
    *(name for proxy in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY") for name in (proxy, proxy.lower())),
)
"""Variables that decide where a client leads. It reads them once, so that another value needs another client."""

_MOST = 100
"""Chats that are kept; a program may ask by any number of references."""


def connect(ref: ModelRef) -> Model:
    """The model that a reference names, as an OpenAI-compatible API has it.

    All that is connected by an equal reference, and asked with the same key, shares its network connections in this
    process, and what was found out about its server. Nothing is read, imported or sent before the first call.

    Args:
        ref: The model, where it is and how to ask it.

    Returns:
        A model. `ask` may be called from several threads at once, `aask` from several event loops.

    Example:
        >>> model = connect(ModelRef("gpt-4o-mini", retries=2))
        >>> model.label, model.retries
        ('gpt-4o-mini', 2)
    """
    return Client(ref)


def missing_keys(refs: Iterable[ModelRef]) -> list[str]:
    """The environment variables that these references need and that are not set; each once, in order.

    Example:
        >>> missing_keys([ModelRef("a", api_key_env="NOT_SET_HERE"), ModelRef("b", api_key_env="")])
        ['NOT_SET_HERE']
    """
    variables = [ref.api_key_env for ref in refs if ref.api_key_env and not _key(ref)]
    return list(dict.fromkeys(variables))


def _key(ref: ModelRef) -> str:
    """The key, without the spaces and line ends that come along from a file; "" where there is none."""
    return os.environ.get(ref.api_key_env, "").strip() if ref.api_key_env else ""


class Client:
    """A chat model behind an OpenAI-compatible API; see `connect`."""

    def __init__(self, ref: ModelRef) -> None:
        self.ref = ref

    @property
    def label(self) -> str:
        """The model's name."""
        return self.ref.model

    @property
    def retries(self) -> int:
        """As the reference says."""
        return self.ref.retries

    @property
    def repairs(self) -> int:
        """As the reference says."""
        return self.ref.repairs

    @property
    def price(self) -> Pricing | None:
        """What its tokens cost; None where nobody knows."""
        return price_of(self.ref)

    def ask(self, call: ModelCall) -> ModelReply:
        """Ask and wait for the answer, or raise `ModelError`."""
        return self._chat.ask(self._bounded(call))

    async def aask(self, call: ModelCall) -> ModelReply:
        """Ask without blocking the event loop, or raise `ModelError`."""
        return await self._chat.aask(self._bounded(call))

    def stream(self, call: ModelCall) -> Generator[str | ModelReply, None, None]:
        """Answer in parts, or raise `ModelError`."""
        yield from self._chat.stream(self._bounded(call))

    async def astream(self, call: ModelCall) -> AsyncGenerator[str | ModelReply, None]:
        """Answer in parts without blocking the event loop, or raise `ModelError`."""
        async with aclosing(self._chat.astream(self._bounded(call))) as parts:
            async for part in parts:
                yield part

    def _bounded(self, call: ModelCall) -> ModelCall:
        """The call with the limit of the reference for its answer, where it has none of its own."""
        most = self.ref.max_tokens
        return call if most is None or call.max_tokens is not None else replace(call, max_tokens=most)

    @property
    def _chat(self) -> StreamingModel:
        if missing_keys([self.ref]):
            raise ModelError(
                f"{self.ref.model} needs a key, and the environment variable {self.ref.api_key_env} is not set; "
                "set it, or name another variable with api_key_env (api_key_env='' for a server that needs no key)"
            )
        key = _key(self.ref)
        if not (key.isascii() and key.isprintable()):
            raise ModelError(
                f"{self.ref.model} cannot be asked: the key in the environment variable {self.ref.api_key_env} holds "
                "line ends, control characters or letters beyond ASCII, which no key has; set it again"
            )
        return _CHATS.of(self.ref, key)


class _Chats:
    """The chats of this process. They outlive runs, as connections cost more than most else of a call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: dict[tuple[ModelRef, str, tuple[str | None, ...]], StreamingModel] = {}
        self._of_parent: list[object] = []

    def of(self, ref: ModelRef, key: str) -> StreamingModel:
        """The chat of a reference, a key and the environment as it is now. The one longest unused gives its place."""
        place = ref, key, tuple(map(os.environ.get, _ENVIRONMENT))
        with self._lock:
            self._made[place] = chat = self._made.pop(place, None) or _chat_of(ref, key)
            if len(self._made) > _MOST:
                del self._made[next(iter(self._made))]
            return chat

    def forget(self, address: str) -> None:
        """See `forget`."""
        with self._lock:
            for place in [place for place in self._made if address in (place[0].base_url, place[2][0])]:
                del self._made[place]

    def begin_anew(self) -> None:
        """In a process that was forked: leave the connections to the one that opened them, and do not close them."""
        self._of_parent.append(self._made)
        self._lock, self._made = threading.Lock(), {}


def _chat_of(ref: ModelRef, key: str) -> StreamingModel:
    # The client takes half a second to import, and most commands never ask a model: so it waits until one does.
    chat: StreamingModel = importlib.import_module("loopwright.nodes.models.openai").Chat(ref, key)
    return chat


_CHATS = _Chats()

if sys.platform != "win32":
    os.register_at_fork(after_in_child=_CHATS.begin_anew)


def forget(address: str) -> None:
    """Drop what is known of the servers at an address, and the connections to them that nobody uses.

    Args:
        address: As references have it in `base_url`, or the environment in OPENAI_BASE_URL.
    """
    _CHATS.forget(address)
