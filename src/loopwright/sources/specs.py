"""Specs: from a file, or from data, to a form's spec, with everything that is wrong with it at once."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import JsonValue, ValidationError

from loopwright.documents.document import Document, Path, inside, leads, restored, without
from loopwright.documents.files import read_file
from loopwright.errors import Fault, SourceError
from loopwright.graphs.forms.spec import FORMS, Spec
from loopwright.sources.around import FileAround
from loopwright.sources.definitions import channel_document
from loopwright.sources.schema import spec_class_of
from loopwright.sources.validation import faults_of, keys_beside

S = TypeVar("S", bound=Spec)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A spec and the document that it came from.

    Args:
        spec: The spec; it has no faults.
        document: Where everything stands: `document.line(path)`.
        around: The other files that it names.
    """

    spec: Spec
    document: Document
    around: FileAround

    def where(self, place: Path) -> tuple[str, int]:
        """The file and the line of a part of the spec's plan, as findings name it; 0 for what stands in no line."""
        document, path = self.around.place(self.document, self.spec.path_of(place))
        return document.file, document.line(path) if path and leads(document.data, path[0]) else 0


def load_spec(path: str | os.PathLike[str], changes: Mapping[str, JsonValue] | None = None) -> Loaded:
    """Read a YAML or JSON file as the spec that its `kind` names.

    Files that it names are read, too, and Python files and modules whose functions it calls are imported.

    Args:
        path: The file.
        changes: Keys that have other values than in the file.

    Raises:
        SourceError: The file, or the spec in it, has faults; all of them, in the order of their lines.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder, "x.yaml")
        ...     _ = file.write_text("kind: graph\\nnodes:\\n  a: {type: think, prompt: Hello}\\n")
        ...     loaded = load_spec(file)
        >>> loaded.spec.kind, loaded.document.line(("nodes", "a")), loaded.where(("nodes", "a"))[1]
        ('graph', 3, 3)
    """
    document = channel_document(read_file(path))
    if changes and isinstance(document.data, dict):
        document = replace(document, data={**document.data, **changes})
    around = FileAround(document.file, _spec_of_file)
    return Loaded(_spec_of(document.data, "", document, around), document, around)


def spec_from_data(data: Mapping[str, object], kind: str | None = None) -> Spec:
    """The spec that some data describes, as a file would.

    Args:
        data: The data.
        kind: The kind, for data that does not say it.

    Raises:
        SourceError: It has faults; all of them.

    Example:
        >>> spec_from_data({"nodes": {"a": {"type": "think", "prompt": "Hello"}}}, "graph").plan().start
        'a'
    """
    return _spec_of(data, kind or "")


def _spec_of_file(document: Document, around: FileAround) -> Spec:
    channel = channel_document(document)
    return _spec_of(channel.data, "", channel, around)


def _spec_of(data: object, kind: str, document: Document | None = None, around: FileAround | None = None) -> Spec:
    try:
        spec_class = spec_class_of(_kind_of(data, kind))
    except SourceError as error:
        raise SourceError(_located(error.faults, document)) from error
    return validated(spec_class, data, document, around)


def _kind_of(data: object, kind: str) -> str:
    kinds = f"kinds are: {', '.join(sorted(FORMS))}"
    if not isinstance(data, Mapping):
        raise SourceError(
            [Fault("a spec is a mapping of keys, and this is not", hint=f"it begins as in kind: graph; {kinds}")]
        )
    found = data.get("kind", kind or None)
    if found is None:
        raise SourceError([Fault("the key 'kind' is missing", ("kind",), kinds)])
    if not isinstance(found, str):
        raise SourceError([Fault("the kind must be a text", ("kind",), kinds)])
    return found


def validated(
    spec_class: type[S], data: object, document: Document | None = None, around: FileAround | None = None
) -> S:
    """The spec of a class that some data describes.

    Args:
        spec_class: The class.
        data: The data.
        document: Where the data came from, for the lines of the faults.
        around: The functions and other files that it may name; none, where it came from no file.

    Raises:
        SourceError: It has faults; all of them.
    """
    try:
        spec = spec_class.model_validate(data, context=around)
        faults = spec.faults()
    except ValidationError as error:
        faults = faults_of(error, data, spec_class)
        faults += _faults_beside(faults, data, spec_class, around)
    if faults:
        raise SourceError(_located(faults, document))
    return spec


def _faults_beside(faults: list[Fault], data: object, spec_class: type[Spec], around: FileAround | None) -> list[Fault]:
    """What is wrong across the fields, found by leaving out what is wrong in itself: all is told at once.

    Faults at a place where something was left out may come of that alone, and are not told; nor is anything, where what
    was left out has a name that other places may use.
    """
    removed = [fault.path for fault in faults if fault.path and leads(_around(data, fault.path), fault.path[-1])]
    if any(isinstance(place[-1], str) and not keys_beside(place, data, spec_class) for place in removed):
        return []
    try:
        found = spec_class.model_validate(without(data, removed), context=around).faults()
    except ValidationError:
        return []
    moved = [fault if fault.file else replace(fault, path=restored(fault.path, removed)) for fault in found]
    doubtful = {place[:-1] if isinstance(place[-1], str) and len(place) > 1 else place for place in removed}
    return [fault for fault in moved if fault.file or not any(fault.path[: len(place)] == place for place in doubtful)]


def _around(data: object, path: Path) -> object:
    for part in path[:-1]:
        data = inside(data, part)
    return data


def _located(faults: list[Fault] | tuple[Fault, ...], document: Document | None) -> list[Fault]:
    return document.located(faults) if document else list(faults)
