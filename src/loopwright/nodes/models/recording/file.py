"""The file of a recording: JSON lines, of which the first says what it is, and each other holds one call.

    {"loopwright": "recording", "version": 1}
    {"run": "3f2a", "node": "solver", "n": 0, "model": "gpt-4o-mini", "messages": ["9c01..."], "parts": {...}, ...}

A part of a question (a message, a schema, the tools) stands in the line that has it first, under its digest, so that
the file grows with what was said and not with its square. Lines are written whole, under a lock, so that any number of
threads and processes may write to one file.
"""

import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from loopwright.errors import Fault, ModelError, SourceError
from loopwright.nodes.contract import ToolCall
from loopwright.nodes.models.contract import ModelReply
from loopwright.nodes.models.recording.asked import Asked
from loopwright.state.records import Usage
from loopwright.state.values import Json, JsonObject

if sys.platform != "win32":
    import fcntl

VERSION = 1
_HEADER = {"loopwright": "recording", "version": VERSION}
_FIRST = json.dumps(_HEADER).encode() + b"\n"
_TO_READ = os.O_RDONLY
_TO_WRITE = os.O_RDWR | os.O_APPEND
_ONLY_MINE = 0o600
_STEP = 1 << 16
_MOST = 1 << 53


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that failed, as `ModelError` has it; `form_refused` where it is a `FormRefused`."""

    error: str
    retryable: bool = False
    retry_after: float | None = None
    form_refused: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One call.

    Args:
        run: The run that made it.
        node: The node that asked.
        n: Which call of this node in this run it was, counted from 0.
        name: The name of the model in the plan.
        model: The model's label.
        retries: How often the model's failed calls were made again at most.
        repairs: How often it was asked again at most when an answer was unreadable.
        key: The digest of the question and of all else that changes an answer.
        asked: The question.
        said: What came of it.
        number: The line's number in the file, counted from 1.
    """

    run: str
    node: str
    n: int
    name: str
    model: str
    retries: int
    repairs: int
    key: str
    asked: Asked
    said: ModelReply | Failure
    number: int = 0

    def to_data(self) -> JsonObject:
        """The line as JSON, without the parts of the question."""
        said = self.said
        if isinstance(said, Failure):
            came: dict[str, Any] = {
                name: value for name, value in asdict(said).items() if not (value is None or value is False)
            }
        else:
            usage = {name: value for name, value in asdict(said.usage).items() if value}
            came = {"reply": said.content, "usage": usage}
            came |= {"truncated": True} if said.truncated else {}
            came |= {"tool_calls": [asdict(call) for call in said.tool_calls]} if said.tool_calls else {}
            came |= {"note": said.note} if said.note else {}
            came |= {"raw": said.raw} if said.raw is not None else {}
        about = {key: getattr(self, key) for key in ("run", "node", "n", "name", "model", "retries", "repairs", "key")}
        asked = {key: value for key, value in asdict(self.asked).items() if value}
        return {**about, **asked, **came}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], number: int) -> "Line":
        """The line that `to_data` described; raises LookupError, TypeError or ValueError where it is none."""
        about = {key: data[key] for key in ("run", "node", "n", "name", "model", "retries", "repairs", "key")}
        for key, value in about.items():
            _require(int if key in ("n", "retries", "repairs") else str, value)
        asked = Asked(tuple(data["messages"]), data.get("schema", ""), data.get("tools", ""))
        _require(str, *asked.messages, asked.schema, asked.tools)
        if "error" in data:
            how = data.get("retryable", False), data.get("retry_after"), data.get("form_refused", False)
            said: ModelReply | Failure = Failure(data["error"], *how)
            _require(str, data["error"])
            _require(bool, how[0], how[2])
            _require(float, 0.0 if how[1] is None else 0.0 + how[1])
        else:
            calls = tuple(ToolCall(**call) for call in data.get("tool_calls", ()))
            note, raw, truncated = data.get("note", ""), data.get("raw"), data.get("truncated", False)
            said = ModelReply(data["reply"], _usage(data["usage"]), truncated, calls, note, raw)
            _require(str, note, *(word for call in calls for word in (call.name, call.id)))
            _require(bool, truncated)
        return cls(**about, asked=asked, said=said, number=number)


def _require(kind: type, *values: object) -> None:
    if not all(type(value) is kind for value in values):
        raise TypeError("a field of another type")


def _usage(data: Mapping[str, Any]) -> Usage:
    usage = Usage(**data)
    if not all(0 <= count < _MOST for count in asdict(usage).values()):
        raise ValueError("a count that nothing has")
    return usage


class RecordingFile:
    """A recording on disk, read from its beginning on, and written at its end.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parts: dict[str, Json] = {}
        self.torn = 0  # the number of a last line that is not whole
        self._written: set[str] = set()
        self._offset = self._lines = 0
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Have the file there, with its first line. What a process that was killed left of a line is dropped.

        Raises:
            SourceError: It cannot be written, or is something else.
        """
        with self._faults("cannot be written"), self._open(_TO_WRITE | os.O_CREAT) as file:
            first = self._first_of(file)
            if first and first != _FIRST[: len(first)]:
                self._require_ours(first)
            if not first.endswith(b"\n"):
                _append(file, 0, b"", _FIRST)
            end, unended = _place_of_next(file)
            if not unended and end < os.fstat(file).st_size:
                self.torn = _count_lines(file, end) + 1
                os.ftruncate(file, end)

    def read(self) -> list[Line]:
        """The lines that were written since it was read last. One that is not whole is left for later.

        Raises:
            SourceError: It is not there, cannot be read, or is something else; or lines of it are broken.
        """
        with self._lock, self._faults("cannot be read"):
            with self._open(_TO_READ) as file:
                if not self._offset:
                    self._require_ours(self._first_of(file))
                os.lseek(file, self._offset, os.SEEK_SET)
                size = os.fstat(file).st_size - self._offset
                raw = b"".join(iter(lambda: os.read(file, 1 << 24), b"")) if size > 0 else b""
            whole, ended, rest = raw.rpartition(b"\n")
            lines = whole.split(b"\n") if ended else []
            begin = self._lines
            self._offset += len(raw) - len(rest)
            if _is_json(rest):
                self._offset += len(rest) + 1  # its end is written before the next line is
                lines, rest = [*lines, rest], b""
            self._lines += len(lines)
            self.torn = self._lines + 1 if rest else self.torn
            return self._parsed(lines, begin)

    def append(self, line: Line, parts: Mapping[str, Any]) -> None:
        """Write a call down. What a process that was killed left of a line is dropped.

        Args:
            line: The call.
            parts: The parts of its question by their digests.

        Raises:
            ModelError: It cannot be written; the file is as it was.
        """
        with self._lock:
            new = {digest: part for digest, part in parts.items() if digest not in self._written}
            raw = self._encoded({**line.to_data(), **({"parts": new} if new else {})})
            try:
                with self._open(_TO_WRITE) as file:
                    _append(file, *_place_of_next(file), raw)
            except OSError as error:
                raise ModelError(
                    f"{self.path} cannot be written ({error.strerror}), so that the answer of {line.model} to"
                    f" {line.node} was not recorded; it is asked again when the run goes on"
                ) from error
            self._written |= new.keys()

    def _encoded(self, data: JsonObject) -> bytes:
        try:
            text = json.dumps(data, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise ModelError(f"what the model said cannot be recorded in {self.path}: {error}") from error
        try:
            return text.encode() + b"\n"
        except UnicodeEncodeError:  # half of a character, which only escapes can write
            return json.dumps(data).encode() + b"\n"

    def _parsed(self, lines: list[bytes], begin: int) -> list[Line]:
        found, faults = [], []
        for number, raw in enumerate(lines, begin + 1):
            if number == 1 or not raw.strip():
                continue
            try:
                data = json.loads(raw)
                found.append(Line.from_data(data, number))
                self.parts.update(data.get("parts", {}))
            except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
                hint = "take the line out, or bring the file back as it was"
                faults.append(Fault("this is no call of a recording", (), hint, str(self.path), number))
        if faults:
            raise SourceError(faults)
        return found

    def _first_of(self, file: int) -> bytes:
        os.lseek(file, 0, os.SEEK_SET)
        line, ends, _ = os.read(file, 4096).partition(b"\n")
        return line + ends

    def _require_ours(self, first: bytes) -> None:
        """Refuse a file by its first line."""
        try:
            data = json.loads(first)
        except (ValueError, RecursionError):
            data = None
        known = isinstance(data, dict) and data.get("loopwright") == "recording"
        version = data.get("version") if known and isinstance(data, dict) else None
        if version == VERSION:
            return
        if isinstance(version, int) and version > VERSION:
            words = f"a recording of version {version}, and this loopwright knows versions up to {VERSION}"
            raise SourceError([Fault(words, (), "update loopwright", str(self.path), 1)])
        hint = "it is left as it is; name another file"
        raise SourceError([Fault("this is no recording of loopwright", (), hint, str(self.path), 1)])

    @contextmanager
    def _open(self, how: int) -> Iterator[int]:
        """The file, which no other process writes to meanwhile."""
        file = os.open(self.path, how, _ONLY_MINE)
        try:
            if sys.platform != "win32":
                fcntl.flock(file, fcntl.LOCK_SH if how == _TO_READ else fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)

    @contextmanager
    def _faults(self, what: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            folder = self.path.parent
            there = "there is no such file" if folder.is_dir() else f"there is no folder {folder}"
            raise SourceError([Fault(f"{there}, and so no recording", file=str(self.path))]) from error
        except IsADirectoryError as error:
            raise SourceError([Fault("this is a folder, and no recording", file=str(self.path))]) from error
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise SourceError([Fault(f"{what}: {why}", file=str(self.path))]) from error


def _append(file: int, end: int, before: bytes, raw: bytes) -> None:
    """Write at a place and drop what stands there, all of it or nothing."""
    os.ftruncate(file, end)
    try:
        left = memoryview(before + raw)
        while left:
            left = left[os.write(file, left) :]
    except OSError:
        os.ftruncate(file, end)
        raise


def _place_of_next(file: int) -> tuple[int, bytes]:
    """Where the next line begins, and what must stand before it; an editor may have left out the last line's end."""
    size = place = os.fstat(file).st_size
    tail = b""
    while place > 0 and b"\n" not in tail:
        begin = max(0, place - _STEP)
        os.lseek(file, begin, os.SEEK_SET)
        tail = os.read(file, place - begin) + tail
        place = begin
    rest = tail.rpartition(b"\n")[2]
    return (size, b"\n") if _is_json(rest) else (size - len(rest), b"")


def _count_lines(file: int, end: int) -> int:
    os.lseek(file, 0, os.SEEK_SET)
    return sum(os.read(file, min(_STEP, end - place)).count(b"\n") for place in range(0, end, _STEP))


def _is_json(raw: bytes) -> bool:
    """Whether a line is whole; no part of one is."""
    try:
        json.loads(raw)
    except (ValueError, RecursionError):
        return False
    return True
