"""Targets: `module:attribute` or `folder/file.py:attribute`, and the object that stands there.

What a user names in a command is imported, with the current folder on the path, as `python` itself would; what it
prints meanwhile goes to standard error. Whatever goes wrong is one error, with file and line where it happened.
"""

import ast
import contextlib
import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from loopwright.documents.files import SUFFIXES, files_in, is_file
from loopwright.errors import Fault, SourceError
from loopwright.hints import did_you_mean

SUFFIX = ".py"

NOTEBOOK = ".ipynb"


@dataclass(frozen=True, slots=True)
class Target:
    """The name of something in a module.

    Args:
        module: The module's dotted name, or the path of its file.
        attribute: The name in it, perhaps with dots; "" where none was given.
    """

    module: str
    attribute: str

    def __str__(self) -> str:
        return f"{self.module}:{self.attribute}"


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a target.

    Args:
        value: The object; of a function without parameters what it returns.
        module: The module that it was found in.
        file: That module's file, or "".
        line: The line at which it gets its name there, or 0.
    """

    value: Any
    module: ModuleType
    file: str
    line: int


def target_of(text: str) -> Target | None:
    """The target that a text names, or None where it names a file that is no Python.

    Example:
        >>> target_of("app.agents:graph"), target_of("bridge.yaml")
        (Target(module='app.agents', attribute='graph'), None)
        >>> target_of("app/agents.py")
        Target(module='app/agents.py', attribute='')
    """
    if text.lower().endswith((SUFFIX, NOTEBOOK)):
        return Target(text, "")
    module, colon, attribute = text.rpartition(":")
    if not colon or not _dotted(attribute) or is_file(text):
        return None
    dotted = _dotted(module)
    return Target(module, attribute) if dotted or module.lower().endswith((SUFFIX, NOTEBOOK, *SUFFIXES)) else None


def _dotted(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def find(target: Target) -> Found:
    """Import a target's module, and get what it names.

    Raises:
        SourceError: There is no such module or attribute, or its code failed.
    """
    if target.module.lower().endswith(NOTEBOOK):
        hint = "move the graph into a module, and import it in the notebook; or call loopwright.stategraph.check there"
        raise _error("a notebook is not run", hint, target.module)
    if target.module.lower().endswith(SUFFIXES) and not _dotted(target.module):
        raise _is_alone(target.module)
    is_path = target.module.lower().endswith(SUFFIX)
    if is_path:
        _require_file(target.module)
    module = _imported(target, is_path)
    file = _shown(getattr(module, "__file__", None) or "")
    if not target.attribute:
        raise _error("a module holds many things; which one is meant?", _candidates(target, module), file)
    value: Any = module
    for part in target.attribute.split("."):
        with _telling(target), contextlib.redirect_stdout(sys.stderr):
            try:
                value = getattr(value, part)
            except AttributeError:
                hint = did_you_mean(part, _own_names(value, module))
                raise _error(f"{target.module} has no {target.attribute!r}", hint, file) from None
    line = _line_of(file, target.attribute)
    return Found(_made(target, value, file, line), module, file, line)


def _require_file(path: str) -> None:
    try:
        Path(path).open("rb").close()
    except PermissionError as error:
        raise _error(f"cannot be read: {error.strerror}", "", path) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        here = [str(file) for file in files_in(Path(path).parent, "*.py")]
        raise _error("there is no such file", did_you_mean(path, here), path) from error


ROOMS = ("langgraph", "loopwright")
"""The libraries of which things may be meant by a target."""


def refused(target: Target, found: Found, wanted: str, rooms: Sequence[str] = ROOMS) -> SourceError:
    """The error for something that is there and is not what a command takes.

    Args:
        target: What was named.
        found: What stands there.
        wanted: What the command takes, in words.
        rooms: The libraries whose things it takes.
    """
    kind = "a class" if isinstance(found.value, type) else f"of type {type(found.value).__name__}"
    others = _candidates(target, found.module, rooms)
    return _error(f"{target} is {kind}, and not {wanted}", others, found.file, found.line)


def _imported(target: Target, is_path: bool) -> ModuleType:
    here = str(Path.cwd())
    folders = [here, *([str(Path(target.module).resolve().parent)] if is_path else [])]
    sys.path[:0] = [folder for folder in folders if folder not in sys.path]
    importlib.invalidate_caches()
    name = _module_name(Path(target.module)) if is_path else target.module
    with _telling(target), contextlib.redirect_stdout(sys.stderr):
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
                raise
            if not is_path:
                raise _no_module(name) from None
            module = None
        if module is None or (is_path and not _is_file(module, target.module)):
            module = _loaded(name, target.module)
        return module


def _module_name(path: Path) -> str:
    """The dotted name of a file below the current folder, or its own name elsewhere."""
    with contextlib.suppress(ValueError):
        parts = path.resolve().relative_to(Path.cwd()).with_suffix("").parts
        if all(part.isidentifier() for part in parts):
            return ".".join(parts)
    return path.stem


def _is_file(module: ModuleType, path: str) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).resolve() == Path(path).resolve()


def _loaded(name: str, path: str) -> ModuleType:
    """The module of a file whose name is taken by another module, or is no name."""
    while name in sys.modules:
        name += "_"
    file = str(Path(path).resolve())
    spec = importlib.util.spec_from_file_location(name, file, loader=SourceFileLoader(name, file))
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _made(target: Target, value: Any, file: str, line: int) -> Any:
    """What a function without parameters returns; anything else as it is."""
    if not inspect.isroutine(value):
        return value
    if inspect.iscoroutinefunction(value):
        raise _error(f"{target} is an async function", "name a function that returns the graph itself", file, line)
    needed = [
        name
        for name, parameter in inspect.signature(value).parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if needed:
        hint = "give them defaults, or name a function without parameters that calls it"
        raise _error(f"{target} is a function that needs {', '.join(map(repr, needed))}", hint, file, line)
    with _telling(target), contextlib.redirect_stdout(sys.stderr):
        return value()


@contextlib.contextmanager
def _telling(target: Target) -> Iterator[None]:
    """Turn whatever fails in a user's code into one error that says where.

    Raises:
        SourceError: Something failed.
    """
    try:
        yield
    except (SourceError, KeyboardInterrupt):
        raise
    except SyntaxError as error:
        raise _error(f"this is no Python: {error.msg}", "", _shown(error.filename or ""), error.lineno or 0) from error
    except BaseException as error:
        file, line = _place(error, target)
        why = f"{type(error).__name__}: {error}".rstrip(": ").partition("\n")[0]
        hint = _INSTALLED if isinstance(error, ModuleNotFoundError) else ""
        raise _error(f"{target} could not be had: {why}", hint, file, line) from error


_INSTALLED = "install it, or put the folder that it is in on PYTHONPATH"


def _place(error: BaseException, target: Target) -> tuple[str, int]:
    """The last line of the user's own code that an error came through; that of the code which raised it, if of none."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<frozen") and frame.filename not in (__file__, importlib.__file__)
    ]
    own = [
        frame
        for frame in frames
        if (_shown(frame.filename) != frame.filename and "site-packages" not in frame.filename)
        or target.module in frame.filename
    ]
    last = (own or frames)[-1:]
    return next(((_shown(frame.filename), frame.lineno or 0) for frame in last), ("", 0))


def _is_alone(path: str) -> SourceError:
    return _error("a YAML or JSON file describes one loop, so it is named alone", f"give {path}")


def _no_module(name: str) -> SourceError:
    if name.lower().endswith(SUFFIXES):
        return _is_alone(name)
    here = [path.stem for path in files_in(Path(), "*.py")]
    here += [path.name for path in files_in(Path(), "*") if path.is_dir() and path.name.isidentifier()]
    hint = f"the current folder is on the path; {did_you_mean(name, here)}"
    return _error(f"there is no module {name!r}", hint)


def _candidates(target: Target, module: ModuleType, rooms: Sequence[str] = ROOMS) -> str:
    """What of a module could have been meant."""
    names = (name for name in _things(module, rooms) if name != target.attribute)
    listed = ", ".join(f"{target.module}:{name}" for name in names)
    return f"there are: {listed}" if listed else "nothing in it could be meant"


def _things(module: ModuleType, rooms: Sequence[str]) -> list[str]:
    """The names of what was made by a library of graphs, or by this one."""
    found = []
    for name, value in vars(module).items():
        kind = type(value)  # isinstance would ask the value, which may answer anything
        of = kind.__module__.partition(".")[0]
        if of in rooms and not name.startswith("_") and not issubclass(kind, type | ModuleType):
            found.append(name)
    return found


def _own_names(value: Any, module: ModuleType) -> list[str]:
    """The names that could have been meant by one that is not there."""
    if value is not module:
        return [name for name in dir(value) if not name.startswith("_")]
    functions = [name for name, held in vars(module).items() if type(held) is FunctionType]
    own = [name for name in functions if vars(module)[name].__module__ == module.__name__ and not name.startswith("_")]
    return [*_things(module, ROOMS), *own]


def _line_of(file: str, attribute: str) -> int:
    """The line at which a name is given in a file, or 0."""
    first = attribute.partition(".")[0]
    try:
        body = ast.parse(Path(file).read_text(encoding="utf-8")).body
    except (OSError, ValueError, SyntaxError):
        return 0
    for part in body:
        match part:
            case ast.Assign(targets) if any(isinstance(name, ast.Name) and name.id == first for name in targets):
                return part.lineno
            case ast.AnnAssign(ast.Name(name)) | ast.FunctionDef(name) | ast.AsyncFunctionDef(name) if name == first:
                return part.lineno
    return 0


def _shown(file: str) -> str:
    """A file's name, relative to the current folder where it is below that."""
    try:
        return os.fspath(Path(file).resolve().relative_to(Path.cwd())) if file else ""
    except ValueError:
        return file


def _error(message: str, hint: str = "", file: str = "", line: int = 0) -> SourceError:
    return SourceError([Fault(message, hint=hint, file=file, line=line)])
