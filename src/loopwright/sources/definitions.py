"""Documents that define agents by their names, as those of EnsoNet do, as documents of a channel."""

from collections.abc import Mapping
from dataclasses import replace

from loopwright.documents.document import Document, Path
from loopwright.errors import Fault, SourceError

MARKS = frozenset({"purpose_of_agent", "introduction_of_agent", "ensonet_criteria", "definition_of_level"})
"""What tells the definition of an agent from anything else."""


def is_definitions(data: object) -> bool:
    """Whether some data defines agents: it has no kind, and some name leads to what only a definition has.

    Example:
        >>> is_definitions({"Muse": {"purpose_of_agent": "You find topics."}}), is_definitions({"kind": "graph"})
        (True, False)
    """
    if not isinstance(data, Mapping) or "kind" in data:
        return False
    return any(isinstance(each, Mapping) and not MARKS.isdisjoint(each) for each in data.values())


def channel_document(document: Document) -> Document:
    """The same document as that of a channel of its agent, every place with its line; any other one as it is.

    Raises:
        SourceError: It defines several agents, or something that is no definition stands beside one.

    Example:
        >>> lines = {("Muse",): 1, ("Muse", "purpose_of_agent"): 2}
        >>> document = Document({"Muse": {"purpose_of_agent": "You find."}}, lines)
        >>> made = channel_document(document)
        >>> made.data, made.line(("purpose_of_agent",))
        ({'kind': 'levels', 'agent': 'Muse', 'purpose_of_agent': 'You find.'}, 2)
    """
    data = document.data
    if not isinstance(data, dict) or not is_definitions(data):
        return document
    name, *others = data
    definition = data[name]
    if others or not isinstance(definition, dict):
        raise SourceError(document.located(_too_many(data)))
    lines = {path[1:]: line for path, line in document.lines.items() if path[:1] == (name,)}
    found = {**lines, (): document.line(()), ("agent",): document.line((name,))}
    return replace(document, data={"kind": "levels", "agent": name, **definition}, lines=found)


def _too_many(data: Mapping[str, object]) -> list[Fault]:
    """Why it is not the definition of one agent."""
    strangers = [name for name, each in data.items() if not isinstance(each, Mapping)]
    if strangers:
        hint = "under an agent's name stands what defines it"
        return [Fault(f"{name!r} is no agent: it leads to no mapping", (name,), hint) for name in strangers]
    hint = "a channel is of one agent: put each into a file of its own"
    path: Path = (list(data)[1],)
    return [Fault(f"this defines {len(data)} agents: {', '.join(data)}", path, hint)]
