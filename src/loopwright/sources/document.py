"""A document: the plain JSON of a source, and the line of every place in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from loopwright.errors import Fault
from loopwright.state.values import Json

Path = tuple[str | int, ...]

MAX_DEPTH = 64
"""How deep a document may be nested; no spec comes near, and everything after the reading may recurse."""


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

    data: Json
    lines: Mapping[Path, int] = field(default_factory=dict)
    file: str = ""

    def line(self, path: Sequence[str | int]) -> int:
        """The line of a place, or of the nearest place around it that is there; 0 where none is known."""
        place = tuple(path)
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 0)

    def located(self, faults: Sequence[Fault]) -> list[Fault]:
        """The faults with this file's name and their lines, in the order of the lines."""
        placed = [replace(fault, file=self.file, line=fault.line or self.line(fault.path)) for fault in faults]
        return sorted(placed, key=lambda fault: fault.line)


def stands_twice(path: Path, first: int, second: int) -> Fault:
    """The fault of a key that one mapping has twice: a reader would have to drop one of the two."""
    return Fault(f"the key {path[-1]!r} stands twice, in lines {first} and {second}", path, line=second)


def too_deep(line: int) -> Fault:
    """The fault of a document that is nested beyond `MAX_DEPTH`."""
    return Fault(f"nested deeper than {MAX_DEPTH} levels", line=line)
