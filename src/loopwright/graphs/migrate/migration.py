"""What is declared of a plan that has changed: what is called otherwise now, and what stands where nothing was."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from loopwright.errors import Fault, RunError, SourceError
from loopwright.graphs.plan import Plan
from loopwright.hints import did_you_mean
from loopwright.state.schema import check_for
from loopwright.state.values import Json

RENAMED = ("nodes", "channels", "bounds", "ends")
"""What can have another name; each is a field of a `Migration` and of a plan."""


@dataclass(frozen=True, slots=True)
class Migration:
    """What runs need to know to go on with a plan that has changed.

    Args:
        nodes: For each node that has another name now: its old name and its new one. The name of a nested plan stands
            for all that is in it.
        channels: The same of channels; None in the place of a new name says that what a run holds there is dropped.
        bounds: The same of bounds; None says that what was counted is dropped.
        ends: The same of ends.
        defaults: Values, by the channels of now, for runs that hold none there, or one that does not fit any more.

    Example:
        >>> Migration(nodes={"approve": "sign"}, channels={"draft": "text", "mood": None}).channels
        {'draft': 'text', 'mood': None}
    """

    nodes: Mapping[str, str] = field(default_factory=dict)
    channels: Mapping[str, str | None] = field(default_factory=dict)
    bounds: Mapping[str, str | None] = field(default_factory=dict)
    ends: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Json] = field(default_factory=dict)

    @classmethod
    def from_data(cls, data: Any) -> "Migration":
        """The migration that a file describes.

        Raises:
            SourceError: It is none; all faults at once.

        Example:
            >>> Migration.from_data({"nodes": {"approve": "sign"}}).nodes
            {'approve': 'sign'}
        """
        faults = list(_faults_of(data))
        if faults:
            raise SourceError(faults)
        return cls(**data)

    def node(self, name: str) -> str:
        """What a node is called now.

        Example:
            >>> Migration(nodes={"part": "chapter"}).node("part/write")
            'chapter/write'
        """
        return _moved(name, self.nodes) or name

    def channel(self, name: str) -> str | None:
        """What a channel is called now; None where it is dropped."""
        return self.channels[name] if name in self.channels else _moved(name, self.nodes, around=True) or name

    def bound(self, name: str) -> str | None:
        """What a bound is called now; None where it is dropped. One without a name of its own goes with its node."""
        if name in self.bounds:
            return self.bounds[name]
        source, space, outcome = name.rpartition(" ")
        return f"{self.node(source)}{space}{outcome}" if source else _moved(name, self.nodes, around=True) or name

    def end(self, name: str) -> str:
        """What an end is called now."""
        return self.ends.get(name, name)

    def require_fitting(self, now: Plan) -> None:
        """Refuse what cannot be meant with a plan.

        Args:
            now: The plan that runs are to go on with.

        Raises:
            RunError: A new name is none of the plan's, two old names become one, or a default does not fit; all at
                once.
        """
        if faults := list(self._unfitting(now)):
            raise RunError(f"this migration does not fit the plan {now.name!r}: {'; '.join(faults)}")

    def _unfitting(self, now: Plan) -> Iterator[str]:
        for part in RENAMED:
            names: Mapping[str, str | None] = getattr(self, part)
            known = getattr(now, part)
            nested = {name[:index] for name in known for index, sign in enumerate(name) if sign == "/"}
            seen: dict[str, str] = {}
            for old, new in names.items():
                if new is None:
                    continue
                if new not in known and (part != "nodes" or new not in nested):
                    yield f"{part[:-1]} {old!r} is to be {new!r}, which is not there ({did_you_mean(new, known)})"
                elif new in seen:
                    yield f"{part} {seen[new]!r} and {old!r} are both to be {new!r}"
                seen.setdefault(new, old)
        for name, value in self.defaults.items():
            if name not in now.channels:
                yield f"there is no channel {name!r} to have a default ({did_you_mean(name, now.channels)})"
                continue
            try:
                check_for(now.channels[name].type)(value)
            except ValueError as error:
                yield f"the default of {name!r} does not fit: {error}"


def _moved(name: str, names: Mapping[str, str], *, around: bool = False) -> str:
    """The new name, by the longest old name that is the name itself or that of a plan around it; "" for none.

    Args:
        name: The old name.
        names: New names of nodes, by their old ones.
        around: Whether only the plans around count, as for what is no node.
    """
    parts = name.split("/")
    for count in range(len(parts) - around, 0, -1):
        new = names.get("/".join(parts[:count]))
        if new is not None:
            return "/".join([new, *parts[count:]])
    return ""


def _faults_of(data: Any) -> Iterator[Fault]:
    known = [each.name for each in fields(Migration)]
    if not isinstance(data, Mapping):
        yield Fault(f"this is no mapping of {', '.join(known)}", hint="as in `nodes: {approve: sign}`")
        return
    for key, names in data.items():
        if key not in known:
            yield Fault(f"there is no {key!r} in a migration", (key,), did_you_mean(str(key), known))
        elif not isinstance(names, Mapping):
            yield Fault("this is no mapping", (key,), "from old names to new ones, or from channels to defaults")
        elif key != "defaults":
            droppable = key in ("channels", "bounds")
            for old, new in names.items():
                if not isinstance(new, str) and not (new is None and droppable):
                    hint = "a text, or null where it is dropped" if droppable else "a text"
                    yield Fault("this is no name", (key, old), hint)
