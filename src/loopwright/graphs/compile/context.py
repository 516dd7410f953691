"""What one run lends to the nodes of its graph; the graph itself is the same for all runs of a plan."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from loopwright.nodes.models.contract import Model
from loopwright.state.records import Visit

Note = Callable[[str, str, Visit], None]


@dataclass(frozen=True, slots=True)
class Context:
    """A run's own things.

    Args:
        models: The models by name.
        more: What this run was given on top of its bounds.
        note: Takes the record of a finished visit, by its task's id and namespace; see `Saver.note`.
        listening: Whether anybody follows the events; when nobody does, none are made.
    """

    models: Mapping[str, Model] = field(default_factory=dict)
    more: Mapping[str, int] = field(default_factory=dict)
    note: Note | None = None
    listening: bool = False
