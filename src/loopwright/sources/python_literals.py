"""Python files that hold settings, read as data: nothing in them is ever run."""

import ast
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from loopwright.documents.document import MAX_DEPTH, Document, Path, stands_twice, too_deep
from loopwright.errors import Fault, SourceError
from loopwright.state.values import Json

Instead = Mapping[Path, Callable[[Path, ast.expr], Json]]
"""What stands for values that are not read, as those of keys: a function of place and code for each pattern of places.

`*` in a pattern stands for any one part of a place.
"""

_BEYOND = "only literals are read, and no code is run: write the value out"

_SHAPES: Mapping[type[ast.AST], str] = {
    ast.Name: "the name {0!r}",
    ast.Attribute: "an attribute, {0}",
    ast.Call: "a call",
    ast.JoinedStr: "an f-string",
    ast.BinOp: "a calculation",
    ast.Subscript: "an item of something",
    ast.Starred: "a starred value",
    ast.Set: "a set",
}


@dataclass(frozen=True, slots=True)
class Assigned:
    """The variables that a Python file assigns at its top level.

    Args:
        document: The values of those that were asked for, by name, with the line of every place.
        others: The lines of all others.
        faults: What could not be read.
    """

    document: Document
    others: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()


def read_literals(text: str, wanted: Collection[str], instead: Instead | None = None) -> Assigned:
    """Read the variables of a Python file whose values are literals: texts, numbers, lists, dictionaries and the like.

    Args:
        text: The code.
        wanted: The names of the variables that are read.
        instead: What stands for values that are not read.

    Raises:
        SourceError: It is no Python. The fault has a line, and no file.

    Example:
        >>> read = read_literals("rounds = 3\\nroles = {'boss': {'words': ['a']}}\\nother = f()", {"rounds", "roles"})
        >>> read.document.data, read.document.line(("roles", "boss")), read.others
        ({'rounds': 3, 'roles': {'boss': {'words': ['a']}}}, 2, {'other': 3})
    """
    tree = _parsed(text)
    reader = _Reader(instead or {})
    others: dict[str, int] = {}
    for statement in tree.body:
        for name, value in reader.assignments(statement):
            if name in wanted:
                reader.take(name, value)
            else:
                others[name] = value.lineno
    return Assigned(Document(dict(reader.data), reader.lines), others, tuple(reader.faults))


def _parsed(text: str) -> ast.Module:
    try:
        with warnings.catch_warnings(action="ignore"):  # a backslash that stands for itself
            return ast.parse(text)
    except SyntaxError as error:
        raise SourceError([Fault(f"broken Python: {error.msg}", line=error.lineno or 1)]) from error
    except (RecursionError, MemoryError) as error:
        raise SourceError([too_deep(1)]) from error
    except ValueError as error:
        raise SourceError([Fault(f"broken Python: {error}", line=1)]) from error


class _Reader:
    """A walk over the statements and values of a file."""

    def __init__(self, instead: Instead) -> None:
        self.data: dict[str, Json] = {}
        self.lines: dict[Path, int] = {(): 1}
        self.faults: list[Fault] = []
        self._instead = instead

    def assignments(self, statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
        """The names and values of a statement that assigns; one that may change values in another way is a fault."""
        match statement:
            case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
                return
            case ast.Assign(targets=targets, value=value) if all(isinstance(target, ast.Name) for target in targets):
                yield from ((target.id, value) for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case _:
                hint = "what it changes would be missed: write the values out, each as NAME = VALUE"
                message = "this statement is not read, as no code is run"
                self.faults.append(Fault(message, hint=hint, line=statement.lineno))

    def take(self, name: str, value: ast.expr) -> None:
        """Read the value of a variable."""
        if name in self.data:
            self.faults.append(stands_twice((name,), self.lines[(name,)], value.lineno))
        self.data[name] = self._value(value, (name,))

    def _value(self, node: ast.expr, path: Path) -> Json:
        """The JSON of an expression; what is no literal is noted, and becomes None."""
        self.lines[path] = node.lineno
        if len(path) > MAX_DEPTH:
            raise SourceError([too_deep(node.lineno)])
        for pattern, stand_in in self._instead.items():
            if _fits(path, pattern):
                return stand_in(path, node)
        match node:
            case ast.Constant(value=None | bool() | int() | float() | str() as value):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return -value
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self._value(item, (*path, index)) for index, item in enumerate(items)]
            case ast.Dict(keys=keys, values=values):
                return self._mapping(list(zip(keys, values, strict=True)), path)
        self._fault(f"this is {_shape(node)}", path, node)
        return None

    def _mapping(self, items: list[tuple[ast.expr | None, ast.expr]], path: Path) -> dict[str, Json]:
        found: dict[str, Json] = {}
        for key, value in items:
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                self._fault("a key of this dictionary is no text", path, key or value)
                continue
            place = (*path, key.value)
            if key.value in found:
                self.faults.append(stands_twice(place, self.lines[place], key.lineno))
            found[key.value] = self._value(value, place)
            self.lines[place] = key.lineno
        return found

    def _fault(self, message: str, path: Path, node: ast.expr) -> None:
        self.faults.append(Fault(message, path, _BEYOND, line=node.lineno))


def _shape(node: ast.expr) -> str:
    return _SHAPES.get(type(node), "no literal").format(node.id if isinstance(node, ast.Name) else ast.unparse(node))


def _fits(path: Path, pattern: Path) -> bool:
    return len(path) == len(pattern) and all(part in (there, "*") for there, part in zip(path, pattern, strict=True))
