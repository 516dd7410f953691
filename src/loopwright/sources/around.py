"""What stands around a spec's file: the other files that it names, and the functions that it calls."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loopwright.documents.document import Document, inside
from loopwright.documents.document import Path as Place
from loopwright.documents.files import is_file, read_file
from loopwright.errors import Fault, SourceError
from loopwright.graphs.forms.spec import Refused, Spec, UnreadSpec
from loopwright.sources.calls import Modules


class FileAround:
    """The place of one file. Paths in the file are relative to its folder.

    Args:
        file: The file's name, as it was given.
        read: Makes a spec of another file's document.
        outer: The place of the file that names this one; None for the file that was loaded.
    """

    def __init__(
        self, file: str, read: "Callable[[Document, FileAround], Spec]", outer: "FileAround | None" = None
    ) -> None:
        self.file, self._read, self._outer = Path(file), read, outer
        self._root: FileAround = outer._root if outer else self
        self._modules: Modules = outer._modules if outer else Modules()
        self._documents: dict[Path, Document] = outer._documents if outer else {}

    def function(self, call: str) -> tuple[str, Any]:
        """The name that a plan gives to a function that the file names, and the function.

        The name of a function of a Python file begins with the path from the file that was loaded.

        Raises:
            Refused: There is none, or it cannot be imported.
        """
        place, _, name = call.rpartition(":")
        if not place.endswith(".py"):
            return call, self._modules.of_module(place, name, self.file.parent)
        found = self._modules.of_file(self._beside(place), name)
        return f"{os.path.relpath(self._beside(place), self._root.file.parent).replace(os.sep, '/')}:{name}", found

    def spec(self, file: str) -> Spec:
        """The spec of a file that is named by its path from here; an `UnreadSpec` where that has faults.

        Raises:
            Refused: It is not there, or it is one of the files that this one is read for.
        """
        inner = self._beside(file)
        if not is_file(inner):
            raise Refused(_why_not(inner))
        chain = self._chain()
        if inner.resolve() in [around.file.resolve() for around in chain]:
            names = [around.file.as_posix() for around in chain]
            begin = [around.file.resolve() for around in chain].index(inner.resolve())
            circle = " -> ".join([*names[begin:], inner.as_posix()])
            raise Refused(f"the files name each other in a circle: {circle}", "a plan cannot hold itself")
        around = FileAround(str(inner), self._read, self)
        try:
            read = read_file(inner)
            self._documents[inner.resolve()] = read
            return self._read(read, around)
        except SourceError as error:
            return UnreadSpec(found=error.faults)

    def place(self, outer: Document, path: Place) -> tuple[Document, Place]:
        """Where a place of the whole stands: the document, and its place there."""
        found: Any = outer.data
        for index, part in enumerate(path):
            found = inside(found, part)
            if isinstance(found, str) and part == "plan" and path[index + 1 :]:
                inner = Path(outer.file).parent / found
                read = self._documents.get(inner.resolve())
                return self.place(read, path[index + 1 :]) if read else (outer, path)
        return outer, path

    def _beside(self, file: str) -> Path:
        return Path(os.path.normpath(self.file.parent / file))

    def _chain(self) -> "list[FileAround]":
        """This file, and those that it is read for; the outermost first."""
        return [*(self._outer._chain() if self._outer else []), self]


def _why_not(file: Path) -> str:
    """Why a file cannot be read that is none, as the reader of files tells it."""
    try:
        read_file(file)
    except SourceError as error:
        (fault,) = error.faults
        return f"{file.as_posix()}: {Fault(fault.message, (), fault.hint)}"
    return f"{file.as_posix()} is no file"
