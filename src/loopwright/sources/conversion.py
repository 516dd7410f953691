"""What comes of another system's own configuration: a spec as a file would hold it, and what is to be said of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from loopwright.documents.document import Path
from loopwright.documents.yaml_writing import write_yaml
from loopwright.errors import Fault
from loopwright.state.values import JsonObject


@dataclass(frozen=True, slots=True)
class Conversion:
    """A configuration that was read as a spec.

    Args:
        data: The spec, as a file holds it; it has no faults.
        comments: What is said in the file above a place.
        notes: What was left out of it or is otherwise than it was, each with its place in the configuration.
    """

    data: JsonObject
    comments: Mapping[Path, str] = field(default_factory=dict)
    notes: tuple[Fault, ...] = ()

    def to_yaml(self) -> str:
        """The spec's file."""
        return write_yaml(self.data, self.comments)


Reader = Callable[[str, str], Conversion]
"""Reads the text of a configuration, given the name of its file; it raises `SourceError` with all that is wrong."""
