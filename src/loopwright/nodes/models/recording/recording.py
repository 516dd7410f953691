"""A recording as its users hold it: the calls of runs to models in a file, to be replayed or asked once only."""

import asyncio
import copy
import threading
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args
from weakref import WeakValueDictionary

from loopwright.errors import Fault, FormRefused, ModelError, NotRecorded, SourceError
from loopwright.nodes.models.contract import Model, ModelCall, ModelReply
from loopwright.nodes.models.recording.asked import Asked, difference, likeness
from loopwright.nodes.models.recording.file import Failure, Line, RecordingFile
from loopwright.nodes.models.recording.track import Track
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.runnable import Runnable
from loopwright.nodes.models.secrecy import showable, words_of
from loopwright.state.values import JsonObject

Mode = Literal["record", "replay", "cache"]

NO_ANSWER = "has no answer"
"""What is said of a file that was never asked a question: asking it again does not help."""


class Recording:
    """The calls of runs to their models, in a file. It is given where a model is given, and stands before all models.

    Args:
        path: The file, JSON lines. It holds what was asked and answered, so only its owner can read it; no key.
        mode: `record` asks the models and writes each call down, at the end of the file; `replay` answers from the file
            alone, without any model, key or network; `cache` asks a model only what the file has no answer to.
        model: The model behind it, for every name; the models that the run has otherwise when left out.

    A replay gives each node of a run its replies in their order, failures and all, and only to the questions that were
    asked then: at any other the run is suspended, with where it differs. A cache knows a question by its messages, its
    schema, its tools and the model, whichever node asks.

    Raises:
        ValueError: There is no such mode, or a replay is given a model.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from loopwright.loop.role_cycle import RoleCycle
        >>> from loopwright.nodes.models.scripted import ScriptedModel
        >>> loop = RoleCycle(task="Name a risk.", roles={"solver": {}, "boss": {}})
        >>> script = ScriptedModel({"solver": ["Rot."], "boss": ["Fluggaenkoechiebolsen"]})
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "calls.jsonl")
        ...     first = loop.start(model=Recording(path, model=script))
        ...     again = loop.start(model=Recording(path, "replay"))
        >>> first.result == again.result, again.visits[0].model
        (True, 'scripted (replayed from calls.jsonl)')
    """

    def __init__(
        self, path: str | Path, mode: Mode = "record", *, model: Model | ModelRef | Runnable | str | None = None
    ) -> None:
        if mode not in get_args(Mode):
            raise ValueError(f"there is no mode {mode!r}; a recording is for {', '.join(get_args(Mode))}")
        if mode == "replay" and model is not None:
            raise ValueError("a replay asks no model; leave model= out, or give the mode record or cache")
        self.path, self.mode, self.model = Path(path), mode, model
        self._file = RecordingFile(self.path.absolute())
        self._lock = threading.Lock()
        self._opened = False
        self._lines: dict[tuple[str, str, int], Line] = {}
        self._asked: dict[tuple[str, str], list[Line]] = defaultdict(list)
        self._answers: dict[str, ModelReply] = {}
        self._followed: set[str] = set()
        self._flights: WeakValueDictionary[Any, Any] = WeakValueDictionary()

    def __repr__(self) -> str:
        model = "" if self.model is None else f", model={self.model!r}"
        return f"{type(self).__name__}({str(self.path)!r}, {self.mode!r}{model})"

    @property
    def deed(self) -> str:
        """What it does, in words that stand after the name of a model."""
        return {"record": "recorded in", "replay": "replayed from", "cache": "cached in"}[self.mode] + (
            f" {self.path.name}"
        )

    @property
    def torn(self) -> int:
        """The number of the file's last line where it is not whole, as after a kill, and so left out; else 0."""
        return self._file.torn

    def before(self, model: Model | ModelRef | Runnable | str | None) -> "Recording":
        """The same file before a model, where it has none of its own yet."""
        if model is None or self.model is not None or self.mode == "replay":
            return self
        return self.on(model)

    def on(self, model: Model | ModelRef | Runnable | str | None) -> "Recording":
        """The same file before another model."""
        made = copy.copy(self)
        made.model = model
        return made

    def open(self) -> None:
        """Have the file ready, and read it where its answers are needed.

        Raises:
            SourceError: It is not there, cannot be read or written, or is something else; or lines of it are broken.
        """
        with self._lock:
            if self._opened:
                return
            if self.mode != "replay":
                self._file.begin()
            if self.mode != "record":
                self._read()
            self._opened = True

    def require_there(self) -> None:
        """Refuse what a run rests on that has gone.

        Raises:
            SourceError: The file is not there any more.
        """
        if self.mode != "cache" and not self.path.exists():
            what = {"record": "recorded to", "replay": "replayed from"}[self.mode]
            hint = f"bring it back, or name another with --{self.mode} FILE, or a model with --model"
            raise SourceError([Fault(f"the file that this run is {what} is gone", (), hint, str(self.path))])

    def write(self, line: Line, parts: Mapping[str, Any]) -> None:
        """Write a call down; raises ModelError where it cannot be."""
        self._file.append(line, parts)

    def answer(self, key: str) -> ModelReply | None:
        """The answer to a question that was asked before, by its key; also by another process, meanwhile."""
        with self._lock:
            if key not in self._answers:
                self._read()
            return self._answers.get(key)

    def keep(self, key: str, reply: ModelReply) -> None:
        """Know the answer to a question, as `answer` gives it."""
        with self._lock:
            self._answers.setdefault(key, reply)

    def flight(self, key: str) -> threading.Lock:
        """A lock, so that of equal questions at the same time only one is asked."""
        with self._lock:
            lock: threading.Lock = self._flights.setdefault(key, threading.Lock())
            return lock

    def aflight(self, key: str) -> asyncio.Lock:
        """The same for the event loop that runs."""
        with self._lock:
            lock: asyncio.Lock = self._flights.setdefault((key, asyncio.get_running_loop()), asyncio.Lock())
            return lock

    def labels_of(self, name: str) -> tuple[str, int, int]:
        """What the recording says of the model with a name: its label, its retries and its repairs."""
        lines = list(self._lines.values())
        of_name = [line for line in lines if line.name == name] or lines
        labels = dict.fromkeys(line.model for line in of_name)
        last = of_name[-1] if of_name else None
        return ", ".join(labels) or "no model", last.retries if last else 0, last.repairs if last else 1

    def next_line(self, track: Track, call: ModelCall, asked: Asked, parts: Mapping[str, Any]) -> Line:
        """The recorded call that comes next for a node, where it was asked the same.

        Raises:
            NotRecorded: There is none.
        """
        with self._lock:
            number, digest = track.next_of(call.node), asked.digest
            there = self._lines.get((track.follows, call.node, number))
            if there is None or there.asked.digest != digest or there.number in track.used:
                there = self._elsewhere(track, call.node, number, digest)
            if there is None:
                raise NotRecorded(self._unknown(call.node, asked, parts))
            track.take(call.node)
            track.used.add(there.number)
            if not track.follows:
                track.follows = there.run
                self._followed.add(there.run)
            return there

    def to_data(self) -> JsonObject:
        """What a store keeps of it, so that a run goes on without being given it again."""
        return {"path": str(self.path.absolute()), "mode": self.mode}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "Recording":
        """The recording that `to_data` described."""
        return cls(data["path"], data["mode"])

    def _read(self) -> None:
        for line in self._file.read():
            if self.mode == "cache":
                if isinstance(line.said, ModelReply):
                    self._answers.setdefault(line.key, line.said)
                continue
            place = (line.run, line.node, line.n)
            if before := self._lines.pop(place, None):  # the visit was not completed, and was made again
                self._asked[line.node, before.asked.digest].remove(before)
            self._lines[place] = line
            self._asked[line.node, line.asked.digest].append(line)

    def _elsewhere(self, track: Track, node: str, number: int, digest: str) -> Line | None:
        """The same question of the same node, first in a run that nobody follows yet."""
        lines = [line for line in self._asked.get((node, digest), ()) if line.number not in track.used]
        if track.follows:
            return min(lines, key=lambda line: (line.run != track.follows, line.number), default=None)
        return min(lines, key=lambda line: (line.n != number, line.run in self._followed, line.number), default=None)

    def _unknown(self, node: str, asked: Asked, parts: Mapping[str, Any]) -> str:
        torn = f" (line {self.torn}, the last, is not whole and was left out)" if self.torn else ""
        begins = f"{self.path.name}{torn} {NO_ANSWER}"
        of_node = [line for line in self._lines.values() if line.node == node]
        if not of_node:
            known = ", ".join(dict.fromkeys(line.node for line in self._lines.values())) or "none"
            return f"{begins} for {node}: it holds no question of that node; it holds questions of: {known}"
        if same := [line for line in of_node if line.asked == asked]:
            where = f"{self.path}:{same[-1].number}"
            return f"{begins} more to this question of {node}; the last one stands at {where}, and was given"
        nearest = max(of_node, key=lambda line: (likeness(line.asked, asked), -line.number))
        where = f"{self.path}:{nearest.number}"
        differs = difference(nearest.asked, asked, {**self._file.parts, **parts})
        return f"{begins} to this question of {node}; the nearest stands at {where}, and {differs}"


def failure_of(error: Exception, label: str) -> Failure:
    """How a call that failed is written down."""
    if isinstance(error, ModelError):
        return Failure(str(error), error.retryable, error.retry_after, isinstance(error, FormRefused))
    said = f": {words_of(error)}" if str(error) else ""
    return Failure(showable(f"{label}: {type(error).__name__}{said}"))
