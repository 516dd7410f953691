"""Functions that a spec's file names: found in Python files beside it, and in modules.

Importing runs the code of a file or a module. It is done for the files that a user loads, and for nothing that a store
names. What they print while they are imported goes to standard error.
"""

import hashlib
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

from loopwright.documents.files import files_in, is_file
from loopwright.errors import Fault, SourceError
from loopwright.graphs.forms.spec import Refused
from loopwright.hints import did_you_mean
from loopwright.nodes.tools.tool import LangChainTool


class Modules:
    """The modules of one loading; a file is run once in it, and anew in the next."""

    def __init__(self) -> None:
        self._files: dict[Path, ModuleType | Refused] = {}

    def of_file(self, file: Path, name: str) -> Any:
        """A function of a Python file.

        Raises:
            Refused: There is no such file or function, or the file cannot be imported.
        """
        place = file.resolve()
        if place not in self._files:
            try:
                self._files[place] = _imported(file.as_posix(), lambda: _module_of_file(file))
            except Refused as error:
                self._files[place] = error
        module = self._files[place]
        if isinstance(module, Refused):
            raise module
        return _function(module, file.as_posix(), name)

    def of_module(self, name: str, function: str, folder: Path) -> Any:
        """A function of a module, which Python finds as always, and last in the folder.

        Raises:
            Refused: There is no such module or function, or the module cannot be imported.
        """
        if str(folder.resolve()) not in sys.path:
            sys.path.append(str(folder.resolve()))
            importlib.invalidate_caches()
        return _function(_imported(name, lambda: importlib.import_module(name)), name, function)


def function_at(text: str) -> Any:
    """The function that a command names, as `tools.py:check` or `package.module:check`; paths are from this folder.

    Raises:
        SourceError: There is none, or its file cannot be imported.
    """
    place, colon, name = text.rpartition(":")
    if not (place and colon and name):
        hint = "as in tools.py:check, or package.module:check"
        raise SourceError([Fault(f"{text!r} does not name a function", hint=hint)])
    try:
        if place.endswith(".py"):
            return Modules().of_file(Path(place), name)
        return Modules().of_module(place, name, Path())
    except Refused as error:
        raise SourceError([Fault(str(error), hint=error.hint)]) from error


def _module_of_file(file: Path) -> ModuleType:
    if not is_file(file):
        beside = [found.name for found in files_in(file.parent, "*.py")]
        nearest = get_close_matches(file.name, beside, n=10, cutoff=0.0)
        hint = did_you_mean(file.name, nearest) if nearest else f"no Python file is in {file.parent}"
        raise Refused(f"there is no file {file.as_posix()}", hint)
    folder = str(file.parent.resolve())
    if folder not in sys.path:
        sys.path.append(folder)
    digest = hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:8]
    spec = importlib.util.spec_from_file_location(f"{file.stem}_{digest}", file)
    if spec is None or spec.loader is None:
        raise Refused(f"{file.as_posix()} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[spec.name]
        raise
    return module


def _imported(place: str, how: Callable[[], ModuleType]) -> ModuleType:
    """A module; whatever goes wrong while it is imported, in one line.

    Raises:
        Refused: It is not there, or it cannot be imported.
    """
    try:
        with redirect_stdout(sys.stderr):
            return how()
    except Refused:
        raise
    except ModuleNotFoundError as error:
        if error.name and f"{place}.".startswith(f"{error.name}."):
            hint = "a Python file beside this one is named with its .py, as in tools.py:tidy"
            raise Refused(f"there is no module {error.name!r}", hint) from error
        raise _broken(place, error) from error
    except (Exception, SystemExit) as error:
        raise _broken(place, error) from error


def _broken(place: str, error: BaseException) -> Refused:
    """What failed while a module was imported, and where."""
    if isinstance(error, SyntaxError) and error.filename:
        where = f"{Path(error.filename).name}, line {error.lineno}"
        return Refused(f"{place} cannot be imported: {error.msg} ({where})", "mend it there")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    last = frames[-1]
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Refused(f"{place} cannot be imported: {said} ({Path(last.filename).name}, line {last.lineno})")


def _function(module: ModuleType, place: str, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
            raise Refused(f"{place} has no {name!r}", did_you_mean(name, known) if known else "it has no functions")
        found = getattr(found, part)
    if not callable(found) and not isinstance(found, LangChainTool):
        raise Refused(f"{name!r} of {place} is no function, but of type {type(found).__name__}")
    return found
