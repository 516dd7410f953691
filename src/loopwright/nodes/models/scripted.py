"""A model that answers from a script: for demonstrations, tests, and runs without a network."""

import asyncio
import re
import threading
import time
from collections import Counter
from collections.abc import AsyncGenerator, Generator, Mapping
from pathlib import Path
from typing import Any, Self

from loopwright.errors import Fault, ModelError, ScriptEnded, SourceError
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.price import Price
from loopwright.nodes.models.script import Line, Script, read_script, script_of, tool_calls_of
from loopwright.nodes.places import body, last
from loopwright.state.values import JsonObject


class ScriptedModel:
    """A model whose replies are written down beforehand.

    A script has queues of replies, by node name; `default` is for every other node. A node in a branch of a fork, as
    `rate[2]/rater`, takes from the first queue that there is of `rate[2]/rater`, `rate/rater`, `rater` and `default`.

    A reply is a text, a value (a structured answer), or one of these mappings:

    - `{error: "429 too many requests", retryable: true, retry_after: 1}`: the call fails.
    - `{reply: ..., delay: 0.5}`: the reply comes after so many seconds. It may be an error too.
    - `{tool: search, args: {words: oak}}`, or several of them as `{tools: [...]}`: a call of tools, where the question
      offers any. Where it offers none, such a mapping is a structured answer like any other.

    `repeat: last` gives the last reply of a queue again and again. Otherwise a question beyond the queue raises
    `ScriptEnded`.

    Args:
        source: A script file, in YAML or JSON, or the same as a mapping.
        label: A name to show; it is the file's name when it is left out. What is shown always says that it is scripted.

    Raises:
        SourceError: The script has faults, or the file cannot be read.

    Example:
        >>> model = ScriptedModel({"review": [{"outcome": "pass"}], "default": ["first", "second"]}, label="two drafts")
        >>> model.label
        'scripted (two drafts)'
        >>> model.ask(ModelCall("write", [])).content, model.ask(ModelCall("review", [])).content
        ('first', {'outcome': 'pass'})
    """

    retries = 3
    price = Price(input=0, output=0)

    def __init__(self, source: str | Path | Mapping[str, Any], *, label: str = "") -> None:
        if isinstance(source, Mapping):
            self._script: Script = script_of(source)
        elif not isinstance(source, (str, Path)):
            raise SourceError([Fault(f"a script is a file or a mapping, not {source!r}")])
        else:
            self._script = read_script(source)
            label = label or Path(source).name
        self._name = label
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def label(self) -> str:
        """`scripted`, with the name of the script where it has one."""
        return f"scripted ({self._name})" if self._name else "scripted"

    @property
    def queues(self) -> tuple[str, ...]:
        """The names of the queues, in the order of the script."""
        return tuple(self._script.queues)

    @property
    def taken(self) -> dict[str, int]:
        """How many replies of each queue were given."""
        with self._lock:
            return dict(self._taken)

    def start_at(self, taken: Mapping[str, int]) -> None:
        """Go on where another process stopped.

        Args:
            taken: Replies that were given already, by node or by queue; failed calls and those whose answers were
                unreadable took one too.
        """
        with self._lock:
            self._taken = Counter()
            for node, count in taken.items():
                self._taken[self._queue_of(node)] += count

    def ask(self, call: ModelCall) -> ModelReply:
        """The next reply for this node."""
        line = self._next(call.node)
        time.sleep(line.delay)
        return _said(line, call)

    async def aask(self, call: ModelCall) -> ModelReply:
        """The next reply for this node, without blocking the event loop."""
        line = self._next(call.node)
        await asyncio.sleep(line.delay)
        return _said(line, call)

    def stream(self, call: ModelCall) -> Generator[str | ModelReply, None, None]:
        """The next reply for this node, word by word; a delay is spread over the words."""
        line = self._next(call.node)
        words = _words(line)
        for word in words:
            time.sleep(line.delay / len(words))
            yield word
        yield _said(line, call)

    async def astream(self, call: ModelCall) -> AsyncGenerator[str | ModelReply, None]:
        """The next reply for this node, word by word, without blocking the event loop."""
        line = self._next(call.node)
        words = _words(line)
        for word in words:
            await asyncio.sleep(line.delay / len(words))
            yield word
        yield _said(line, call)

    def to_data(self) -> JsonObject:
        """The script as JSON, so that a run can be resumed when its file has gone; not how far it was read."""
        return {"name": self._name, "script": self._script.data}

    def anew(self) -> Self:
        """The same script at its beginning: for another run, so that none takes the replies of another."""
        return self.from_data(self.to_data())

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """The model that `to_data` described, at the beginning of its script."""
        return cls(data["script"], label=data["name"])

    def __repr__(self) -> str:
        name = f" {self._name}" if self._name else ""
        return f"<{type(self).__name__}{name}, replies for: {', '.join(self.queues) or 'none'}>"

    def _queue_of(self, node: str) -> str:
        names = (node, body(node), last(node))
        return next((name for name in names if name in self._script.queues), "default")

    def _next(self, node: str) -> Line:
        queue = self._queue_of(node)
        with self._lock:
            index = self._taken[queue]
            self._taken[queue] += 1
        lines = self._script.queues.get(queue, ())
        if index < len(lines):
            return lines[index]
        if lines and self._script.repeats:
            return lines[-1]
        raise ScriptEnded(self._ended(node, queue, len(lines)))

    def _ended(self, node: str, queue: str, count: int) -> str:
        if not count:
            there = ", ".join(self._script.queues) or "none"
            return f"{self.label} has no replies for {node}; there are queues for: {there}. Add {node} or default"
        replies = "1 reply" if count == 1 else f"{count} replies"
        return (
            f"{self.label} has {replies} in its queue {queue}, and {node} asks for one more; add one, or repeat: last"
        )


def _words(line: Line) -> list[str]:
    """The words of a text, each with the space before it; of anything else one word that says nothing."""
    return (re.findall(r"\s*\S+|\s+$", line.reply) if isinstance(line.reply, str) else []) or [""]


def _said(line: Line, call: ModelCall) -> ModelReply:
    if line.error is not None:
        raise ModelError(line.error, retryable=line.retryable, retry_after=line.retry_after)
    calls = tool_calls_of(line.reply) if call.tools else ()
    return ModelReply("" if calls else line.reply, tool_calls=calls)
