"""Source: the syntax of a function, found where it was written. Nothing is imported and nothing is called."""

import ast
import inspect
import linecache
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any, TypeAlias

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Source:
    """A function and its syntax.

    Args:
        function: The function.
        node: Its syntax, or None where the source cannot be found.
        file: The file that it stands in, relative to the current folder where it is below that.
        line: The line that it begins at, or 0.
    """

    function: FunctionType
    node: FunctionNode | None
    file: str
    line: int

    def value(self, name: str) -> Any:
        """What a name of the function's surroundings means, or None: its closure, then its module's globals."""
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        try:
            return cells[name].cell_contents if name in cells else self.function.__globals__.get(name)
        except ValueError:  # a cell that was never filled
            return None

    @property
    def first_parameter(self) -> str:
        """The name of its first parameter that is not bound, or ""."""
        code = self.function.__code__
        names = code.co_varnames[: code.co_argcount]
        return next((name for name in names if name not in ("self", "cls")), "")


def function_of(called: Any) -> FunctionType | None:
    """The function that runs when something is called, or None where it has none of Python.

    Example:
        >>> function_of(partial(function_of, 1)) is function_of, function_of(len)
        (True, None)
    """
    for _ in range(10):
        if isinstance(called, partial):
            called = called.func
        elif isinstance(called, MethodType):
            called = called.__func__
        elif isinstance(called, FunctionType):
            inner = called.__dict__.get("__wrapped__")
            if inner is None:
                return called
            called = inner
        else:
            method = inspect.getattr_static(type(called), "__call__", None)
            called = method if isinstance(method, FunctionType) else None
    return None


def source_of(function: FunctionType) -> Source:
    """The source of a function, as far as it can be found."""
    code = function.__code__
    node = None
    try:
        candidates = _functions_in(code.co_filename, _text(code.co_filename)).get(code.co_firstlineno, [])
        node = _the_one(candidates, code)
    except (OSError, SyntaxError, ValueError):
        node = None
    return Source(function, node, shown_file(code.co_filename), code.co_firstlineno if node is not None else 0)


def shown_file(file: str) -> str:
    """A file's name as findings show it.

    Example:
        >>> shown_file(str(Path.cwd() / "app.py"))
        'app.py'
    """
    try:
        return str(Path(file).resolve().relative_to(Path.cwd()))
    except (OSError, ValueError):
        return file


def is_own(file: str) -> bool:
    """Whether a file, as `shown_file` names it, is one that its user works on: below the current folder, no library.

    Example:
        >>> is_own("app.py"), is_own(".venv/lib/site-packages/a.py"), is_own("<stdin>")
        (True, False, False)
    """
    path = Path(file)
    return not path.is_absolute() and "site-packages" not in path.parts and not file.startswith("<")


def added_at(file: str) -> Mapping[str, int]:
    """The lines of a file at which `add_node` is called with a name or a function, by that name."""
    try:
        tree = _tree(_text(file))
    except (OSError, SyntaxError, ValueError):
        return {}
    found: dict[str, int] = {}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "add_node":
            match call.args[:1]:
                case [ast.Constant(str() as name)] | [ast.Name(name)]:
                    found.setdefault(name, call.args[0].lineno)
    return found


def _text(file: str) -> str:
    known = str(Path(file).resolve()) if Path(file).is_file() else file
    linecache.checkcache(known)
    lines = linecache.getlines(known)
    if not lines:
        raise OSError(f"{file} cannot be read")
    return "".join(lines)


@lru_cache(maxsize=64)
def _tree(text: str) -> ast.Module:
    return ast.parse(text)


@lru_cache(maxsize=64)
def _functions_in(file: str, text: str) -> Mapping[int, list[FunctionNode]]:
    """The functions of a file by the line at which their code begins: that of the first decorator."""
    del file
    found: dict[int, list[FunctionNode]] = {}
    for node in ast.walk(_tree(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            found.setdefault(first, []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
    return found


def _the_one(candidates: list[FunctionNode], code: CodeType) -> FunctionNode | None:
    """The function whose code this is: by its name, and of several lambdas on a line by their columns."""
    if code.co_name != "<lambda>":
        named = [node for node in candidates if not isinstance(node, ast.Lambda) and node.name == code.co_name]
        return named[0] if len(named) == 1 else None
    lambdas = [node for node in candidates if isinstance(node, ast.Lambda)]
    if len(lambdas) > 1:
        places = {(line, column) for line, _, column, _ in code.co_positions() if line and column}
        lambdas = [node for node in lambdas if all(_within(node.body, place) for place in places)]
    return lambdas[0] if len(lambdas) == 1 else None


def _within(node: ast.expr, place: tuple[int, int]) -> bool:
    end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    return (node.lineno, node.col_offset) <= place < end


def own_nodes(source: Source) -> Iterator[ast.AST]:
    """Everything in a function's body but what stands inside functions of its own, or is never run in this closure."""
    node = source.node
    if node is not None:
        yield from _alive(node.body, source) if isinstance(node.body, ast.expr) else _block(node.body, source)


def _block(body: list[ast.stmt], source: Source) -> Iterator[ast.AST]:
    """The statements of a block, up to the first after which none is run."""
    for part in body:
        yield from _alive(part, source)
        if isinstance(part, ast.If) and (known := decided(part.test, source)) is not None:
            if ends(part.body if known else part.orelse):
                return
        elif ends([part]):
            return


def _alive(node: ast.AST, source: Source) -> Iterator[ast.AST]:
    yield node
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        return
    dead = ""
    if isinstance(node, ast.If | ast.IfExp) and (known := decided(node.test, source)) is not None:
        dead = "orelse" if known else "body"
    for name, held in ast.iter_fields(node):
        if name == dead:
            continue
        if isinstance(held, ast.AST):
            yield from _alive(held, source)
        elif isinstance(held, list) and held and isinstance(held[0], ast.stmt):
            yield from _block(held, source)
        elif isinstance(held, list):
            for each in held:
                if isinstance(each, ast.AST):
                    yield from _alive(each, source)


def decided(test: ast.expr, source: Source) -> bool | None:
    """What a condition on the variables of a closure comes to; None where more than they decide."""
    free = source.function.__code__.co_freevars
    match test:
        case ast.Name(name) if name in free:
            value = source.value(name)
            return bool(value) if value is None or type(value) in (bool, int, str, list, tuple, dict) else None
        case ast.UnaryOp(ast.Not(), inner):
            known = decided(inner, source)
            return None if known is None else not known
        case ast.BoolOp(operation, values):
            found = [decided(value, source) for value in values]
            settling = isinstance(operation, ast.Or)
            return settling if settling in found else None if None in found else not settling
        case ast.Compare(ast.Name(name), [operation], [ast.Constant(other)]) if name in free:
            return _compared(source.value(name), operation, other)
    return None


def _compared(value: object, operation: ast.cmpop, other: object) -> bool | None:
    """What comparing a value with a constant comes to, for values that cannot have an opinion of their own."""
    if isinstance(operation, ast.Is | ast.IsNot):
        return (value is other) == isinstance(operation, ast.Is) if other is None else None
    if isinstance(operation, ast.Eq | ast.NotEq) and type(value) in (str, int, bool):
        return (value == other) == isinstance(operation, ast.Eq)
    return None


def ends(body: list[ast.stmt]) -> bool:
    """Whether a block always comes to a return or raises.

    Example:
        >>> ends(ast.parse("if x:\\n  raise y\\nelse:\\n  raise z").body), ends(ast.parse("if x:\\n  raise y").body)
        (True, False)
    """
    match body[-1:]:
        case [ast.Return() | ast.Raise()]:
            return True
        case [ast.If(_, yes, no)]:
            return bool(no) and ends(yes) and ends(no)
        case [ast.With(body=inner) | ast.AsyncWith(body=inner)]:
            return ends(inner)
        case [ast.Match(_, cases)]:
            *_, last = cases
            return (
                isinstance(last.pattern, ast.MatchAs)
                and last.pattern.pattern is None
                and not last.guard
                and all(ends(case.body) for case in cases)
            )
        case [ast.Try(body=inner, handlers=handlers)]:
            return ends(inner) and all(ends(handler.body) for handler in handlers)
    return False
