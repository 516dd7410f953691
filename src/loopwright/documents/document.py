"""A document: the plain JSON of a file, and the line of every place in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import JsonValue

from loopwright.errors import Fault

Path = tuple[str | int, ...]

MAX_DEPTH = 64
"""How deep a document may be nested; no spec or script comes near, and everything after the reading may recurse."""


@dataclass(frozen=True, slots=True)
class Document:
    """What was read.

    Args:
        data: The data.
        lines: The line of each place, counted from 1; empty for data that was made in Python.
        file: The file's name as it was given, or "".

    Example:
        >>> document = Document({"a": {"b": 1}}, {(): 1, ("a",): 1, ("a", "b"): 2}, "x.yaml")
        >>> document.line(("a", "b")), document.line(("a", "missing"))
        (2, 1)
    """

    data: JsonValue
    lines: Mapping[Path, int] = field(default_factory=dict)
    file: str = ""

    def line(self, path: Sequence[str | int]) -> int:
        """The line of a place, or of the nearest place around it that is there; 0 where none is known."""
        place = tuple(path)
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 0)

    def located(self, faults: Sequence[Fault]) -> list[Fault]:
        """The faults with this file's name and their lines, in the order of the lines; after them other files' own."""
        placed = [
            fault if fault.file else replace(fault, file=self.file, line=fault.line or self.line(fault.path))
            for fault in faults
        ]
        return sorted(placed, key=lambda fault: (fault.file != self.file, fault.line))


def leads(data: object, part: str | int) -> bool:
    """Whether a part of a path leads further into some data."""
    if isinstance(data, Mapping):
        return part in data
    return isinstance(data, list | tuple) and isinstance(part, int) and part < len(data)


def inside(data: Any, part: str | int) -> Any:
    """What stands there, or None.

    Example:
        >>> inside({"a": 1}, "a"), inside([], 0), inside("text", "a")
        (1, None, None)
    """
    return data[part] if leads(data, part) else None


def without(data: object, places: Sequence[Path]) -> object:
    """A copy of some data without the entries at these places.

    Example:
        >>> without({"a": {"b": 1, "c": [2, 3]}}, [("a", "b"), ("a", "c", 0)])
        {'a': {'c': [3]}}
    """
    below: dict[str | int, list[Path]] = {}
    for place in places:
        below.setdefault(place[0], []).append(place[1:])
    if isinstance(data, Mapping):
        return {key: without(item, below.get(key, [])) for key, item in data.items() if () not in below.get(key, [])}
    if isinstance(data, list | tuple):
        return [without(item, below.get(at, [])) for at, item in enumerate(data) if () not in below.get(at, [])]
    return data


def restored(path: Path, removed: Sequence[Path]) -> Path:
    """Where a place of `without(data, removed)` stands in the whole data.

    Example:
        >>> restored(("edges", 0), [("edges", 0), ("edges", 2)]), restored(("edges", 1), [("edges", 0), ("edges", 2)])
        (('edges', 1), ('edges', 3))
    """
    found: Path = ()
    for part in path:
        at = part
        for gone in sorted(place[-1] for place in removed if place[:-1] == found and isinstance(place[-1], int)):
            if isinstance(at, int) and isinstance(gone, int) and gone <= at:
                at += 1
        found = (*found, at)
    return found


def stands_twice(path: Path, first: int, second: int) -> Fault:
    """The fault of a key that one mapping has twice: a reader would have to drop one of the two."""
    return Fault(f"the key {path[-1]!r} stands twice, in lines {first} and {second}", path, line=second)


def too_deep(line: int) -> Fault:
    """The fault of a document that is nested beyond `MAX_DEPTH`."""
    return Fault(f"nested deeper than {MAX_DEPTH} levels", line=line)
