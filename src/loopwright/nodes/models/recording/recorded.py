"""The models that a recording puts before those of a run: one for each mode."""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any, TypeAlias

from loopwright.errors import FormRefused, ModelError, Unreadable
from loopwright.nodes.models.client import connect
from loopwright.nodes.models.contract import Model, ModelCall, ModelReply, StreamingModel
from loopwright.nodes.models.price import Price
from loopwright.nodes.models.prices import Pricing, priced
from loopwright.nodes.models.recording.asked import Asked, asked_in, digest_of
from loopwright.nodes.models.recording.file import Failure, Line
from loopwright.nodes.models.recording.recording import Recording, failure_of
from loopwright.nodes.models.recording.track import Track
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.retrying import LONGEST_ASKED
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.structured import read_value
from loopwright.state.records import Usage

Source: TypeAlias = Model | ModelRef

_CHANGES_NO_ANSWER = {
    *("api_key_env", "proxy", "timeout", "retries", "repairs", "price", "budget"),
    *("requests_per_minute", "tokens_per_minute", "max_concurrency"),
}
"""Fields of a reference that say how a model is reached and paid, and not what it answers."""


PAID = Price(input=0, output=0)
"""The price of a replayed token, which costs nothing again."""


class Recorded(ABC):
    """A model with a recording before it.

    Args:
        recording: The recording; it is open.
        name: The model's name in the plan.
        source: The model behind, or None for a replay.
        track: Where the run is in the recording; all models of a run share it.
    """

    def __init__(self, recording: Recording, name: str, source: Source | None, track: Track) -> None:
        self.recording, self.name, self.source, self.track = recording, name, source, track
        self.model = connect(source) if isinstance(source, ModelRef) else source

    def on(self, track: Track, source: Source | None) -> "Recorded":
        """The same for another run, before the model that this one has."""
        return type(self)(self.recording, self.name, source, track)

    @property
    def label(self) -> str:
        """The model's label, and what the recording does."""
        return f"{self._of_model[0]} ({self.recording.deed})"

    @property
    def retries(self) -> int:
        """As of the model."""
        return self._of_model[1]

    @property
    def repairs(self) -> int:
        """As of the model."""
        return self._of_model[2]

    @property
    def ref(self) -> ModelRef | None:
        """The reference of the model behind, where it has one: its budget and its rate limits hold."""
        return self.source if isinstance(self.source, ModelRef) else None

    @property
    def price(self) -> Pricing | None:
        """What the tokens of a model behind cost; a recorded reply says its cost by itself."""
        price: Pricing | None = getattr(self.model, "price", None)
        return PAID if self.model is None else price

    @abstractmethod
    def ask(self, call: ModelCall) -> ModelReply:
        """Answer, or raise `ModelError`."""

    @abstractmethod
    async def aask(self, call: ModelCall) -> ModelReply:
        """Answer, or raise `ModelError`."""

    @abstractmethod
    def stream(self, call: ModelCall) -> Generator[str | ModelReply, None, None]:
        """Answer in parts, or raise `ModelError`."""

    @abstractmethod
    def astream(self, call: ModelCall) -> AsyncGenerator[str | ModelReply, None]:
        """Answer in parts, or raise `ModelError`."""

    @cached_property
    def _of_model(self) -> tuple[str, int, int]:
        if self.model is None:
            return self.recording.labels_of(self.name)
        return self.model.label, self.model.retries, getattr(self.model, "repairs", 1)

    @property
    def _behind(self) -> Model:
        assert self.model is not None
        return self.model

    def _key(self, asked: Asked) -> str:
        """What a question is known by where the model matters."""
        return digest_of([_answers_as(self.source), asked.digest])

    @contextmanager
    def _written(self, call: ModelCall) -> Iterator[Callable[[ModelReply | Failure], None]]:
        """What writes down that a call came to something; a failure is written by itself."""
        asked, parts = asked_in(call)
        number = self.track.take(call.node)
        label, retries, repairs = self._of_model

        def write(said: ModelReply | Failure) -> None:
            key = self._key(asked)
            if isinstance(said, ModelReply):
                said = replace(said, usage=priced(said.usage, self.price))
            about = (self.track.run, call.node, number, self.name, label, retries, repairs)
            try:
                self.recording.write(Line(*about, key, asked, said), parts)
            except ModelError:
                self.track.give_back(call.node)
                raise

        try:
            yield write
        except _Written as error:
            raise error.error from error.error.__cause__
        except Exception as error:
            write(failure_of(error, label))
            raise


class _Written(Exception):
    """An error that is not of the model, but of writing its answer down."""

    def __init__(self, error: ModelError) -> None:
        self.error = error


class Writing(Recorded):
    """`record`: the model is asked, and what it says is written down before it counts."""

    def ask(self, call: ModelCall) -> ModelReply:
        """Ask, and write down what came of it."""
        with self._written(call) as write:
            return _put(write, self._behind.ask(call))

    async def aask(self, call: ModelCall) -> ModelReply:
        """Ask, and write down what came of it."""
        with self._written(call) as write:
            return _put(write, await self._behind.aask(call))

    def stream(self, call: ModelCall) -> Generator[str | ModelReply, None, None]:
        """Ask, and write down the whole."""
        with self._written(call) as write:
            for part in _parts(self._behind, call):
                yield part if isinstance(part, str) else _put(write, part)

    async def astream(self, call: ModelCall) -> AsyncGenerator[str | ModelReply, None]:
        """Ask, and write down the whole."""
        with self._written(call) as write:
            async with aclosing(_aparts(self._behind, call)) as parts:
                async for part in parts:
                    yield part if isinstance(part, str) else _put(write, part)


class Replaying(Recorded):
    """`replay`: no model is asked. Failures come again too, and what they asked to wait is not waited again."""

    def ask(self, call: ModelCall) -> ModelReply:
        """The recorded reply, or the recorded failure."""
        said = self.recording.next_line(self.track, call, *asked_in(call)).said
        if isinstance(said, ModelReply):
            return said
        if said.form_refused:
            raise FormRefused(said.error)
        longer = said.retry_after if (said.retry_after or 0) > LONGEST_ASKED else 0.0
        raise ModelError(said.error, retryable=said.retryable, retry_after=longer)

    async def aask(self, call: ModelCall) -> ModelReply:
        """The recorded reply, or the recorded failure."""
        return self.ask(call)

    def stream(self, call: ModelCall) -> Generator[str | ModelReply, None, None]:
        """The recorded reply, word by word."""
        yield from _in_words(self.ask(call))

    async def astream(self, call: ModelCall) -> AsyncGenerator[str | ModelReply, None]:
        """The recorded reply, word by word."""
        for part in self.stream(call):
            yield part
            await asyncio.sleep(0)


class Caching(Recorded):
    """`cache`: the model is asked only what the file has no answer to. Of equal questions at once, one is asked."""

    def ask(self, call: ModelCall) -> ModelReply:
        """The answer of the file, or of the model."""
        asked, parts = asked_in(call)
        with self.recording.flight(self._key(asked)):
            return self._known(asked) or self._kept(call, asked, parts, self._behind.ask(call))

    async def aask(self, call: ModelCall) -> ModelReply:
        """The answer of the file, or of the model."""
        asked, parts = asked_in(call)
        async with self.recording.aflight(self._key(asked)):
            return self._known(asked) or self._kept(call, asked, parts, await self._behind.aask(call))

    def stream(self, call: ModelCall) -> Generator[str | ModelReply, None, None]:
        """The answer of the file, word by word, or that of the model as it comes."""
        asked, parts = asked_in(call)
        with self.recording.flight(self._key(asked)):
            if known := self._known(asked):
                yield from _in_words(known)
                return
            for part in _parts(self._behind, call):
                yield part if isinstance(part, str) else self._kept(call, asked, parts, part)

    async def astream(self, call: ModelCall) -> AsyncGenerator[str | ModelReply, None]:
        """The answer of the file, word by word, or that of the model as it comes."""
        asked, parts = asked_in(call)
        async with self.recording.aflight(self._key(asked)):
            if known := self._known(asked):
                for word in _in_words(known):
                    yield word
                return
            async with aclosing(_aparts(self._behind, call)) as said:
                async for part in said:
                    yield part if isinstance(part, str) else self._kept(call, asked, parts, part)

    def _known(self, asked: Asked) -> ModelReply | None:
        reply = self.recording.answer(self._key(asked))
        return replace(reply, usage=Usage(cached=1)) if reply else None

    def _kept(self, call: ModelCall, asked: Asked, parts: dict[str, Any], reply: ModelReply) -> ModelReply:
        """The reply, which is written down where it can be used: what is unreadable is asked again."""
        if isinstance(reply, ModelReply) and _is_readable(call, reply):
            label, retries, repairs = self._of_model
            about = (self.track.run, call.node, self.track.take(call.node), self.name, label, retries, repairs)
            line = Line(*about, self._key(asked), asked, reply)
            self.recording.write(line, parts)
            self.recording.keep(line.key, reply)
        return reply


MODES: dict[str, type[Recorded]] = {"record": Writing, "replay": Replaying, "cache": Caching}


def _put(write: Callable[[ModelReply | Failure], None], reply: ModelReply) -> ModelReply:
    try:
        if isinstance(reply, ModelReply):  # what is none is refused by the driver
            write(reply)
    except ModelError as error:
        raise _Written(error) from error
    return reply


def _answers_as(source: Source | None) -> Any:
    """What a model's answers depend on, as far as it is known."""
    if isinstance(source, ModelRef):
        return {name: value for name, value in asdict(source).items() if name not in _CHANGES_NO_ANSWER}
    if isinstance(source, ScriptedModel):
        return source.to_data()
    return source.label if source else ""


def _is_readable(call: ModelCall, reply: ModelReply) -> bool:
    if reply.tool_calls:
        return not reply.truncated
    try:
        read_value(reply.content, call.schema, truncated=reply.truncated)
    except Unreadable:
        return False
    return True


def _parts(model: Model, call: ModelCall) -> Generator[str | ModelReply, None, None]:
    """What a model says in parts, or in whole where it cannot do so."""
    if isinstance(model, StreamingModel):
        yield from model.stream(call)
    else:
        yield model.ask(call)


async def _aparts(model: Model, call: ModelCall) -> AsyncGenerator[str | ModelReply, None]:
    if isinstance(model, StreamingModel):
        async with aclosing(model.astream(call)) as parts:
            async for part in parts:
                yield part
    else:
        yield await model.aask(call)


def _in_words(reply: ModelReply) -> list[str | ModelReply]:
    """The words of a text, each with the space before it, and the reply."""
    words = re.findall(r"\s*\S+|\s+$", reply.content) if isinstance(reply.content, str) else []
    return [*words, reply]
