"""Moves: which keys a node writes with regard to what they were, as one that counts does, and which it sets anew.

`{"n": state["n"] + 1}` moves `n`, `{"steps": state["steps"][1:]}` moves `steps`; `{"score": ask(state)}` moves nothing,
even where the old score stands in the prompt. Where a value comes of what cannot be seen, it may be a move.
"""

import ast
import builtins
import operator
from collections.abc import Collection, Iterator
from types import FunctionType
from typing import Any

from loopwright.sources.langgraph.bounds import key_read
from loopwright.sources.langgraph.code import Code
from loopwright.sources.langgraph.source import Source, own_nodes, source_of

_OPERATIONS = ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv | ast.BitOr
_DISPLAYS = ast.List | ast.Tuple | ast.Set | ast.Dict
_CHANGES = {"append", "extend", "insert", "remove", "pop", "popleft", "appendleft", "add", "update", "clear", "discard"}
"""Methods that change a list, a set or a mapping in its place."""

_ASKS = {"invoke", "ainvoke", "stream", "astream", "batch", "predict", "complete", "create", "generate", "parse"}
"""Methods that ask a model or a chain: what they give is new each time, whatever they are given."""

_DEPTH = 5


def moved(code: Code, adding: Collection[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The keys that a node moves, and those that it sets to a constant whenever it runs.

    Args:
        code: The node's function.
        adding: The keys whose channels add what is written to what was there.
    """
    function = _Function(code.source)
    written = [(key, value) for values, _ in code.mappings() for key, value in values.items()]
    moves = {
        key
        for key, value in written
        if (not function.is_nothing(value) if key in adding else function.moves(value, key))
    }
    changed = {key for key, value in written if not function.is_constant(value)}
    return frozenset(moves), code.written().sure - changed - {*adding}


def adds(reducer: Any) -> bool:
    """Whether a reducer adds to what was there; one that only takes the last, or the largest, does not.

    Example:
        >>> [adds(reducer) for reducer in (operator.add, max, lambda old, new: new, lambda old, new: old + new)]
        [True, False, False, True]
    """
    if reducer in (max, min):
        return False
    node = source_of(reducer).node if isinstance(reducer, FunctionType) else None
    made = ast.BinOp | ast.Call | ast.Starred | ast.comprehension
    return node is None or any(isinstance(each, made) for each in ast.walk(node))


class _Function:
    """A function, asked how it comes to a value."""

    def __init__(self, source: Source) -> None:
        self.source, self.state = source, source.first_parameter
        self.nodes = [*own_nodes(source)]
        self.values: dict[str, list[ast.expr]] = {}
        self.changed_names: set[str] = set()
        self.changed_keys: set[str] = set()
        for node in self.nodes:
            match node:
                case (
                    ast.Assign([ast.Name(name)], value)
                    | ast.AnnAssign(ast.Name(name), _, ast.expr() as value)
                    | ast.NamedExpr(ast.Name(name), value)
                ):
                    self.values.setdefault(name, []).append(value)
                case ast.AugAssign(ast.Name(name)) | ast.Call(ast.Attribute(ast.Name(name), attr="append")):
                    self.changed_names.add(name)
                case ast.AugAssign(ast.Subscript(_, ast.Constant(str(key))) | ast.Attribute(_, str(key))):
                    self.changed_keys.add(key)
                case ast.Call(ast.Attribute(owner, method)) if method in _CHANGES:
                    self._note_change(owner)

    def _note_change(self, owner: ast.expr) -> None:
        if isinstance(owner, ast.Name):
            self.changed_names.add(owner.id)
        elif key := key_read(owner):
            self.changed_keys.add(key)

    def is_constant(self, value: ast.expr) -> bool:
        """Whether a value is written out."""
        if isinstance(value, ast.Name) and value.id not in self.changed_names:
            found = self.values.get(value.id, [])
            return len(found) == 1 and isinstance(found[0], ast.Constant)
        return isinstance(value, ast.Constant) or (isinstance(value, _DISPLAYS) and not [*ast.iter_child_nodes(value)][1:])

    def is_nothing(self, value: ast.expr) -> bool:
        """Whether a value that is added changes nothing: nought, an empty text or list."""
        match value:
            case ast.Constant(constant):
                return not constant
            case ast.List(items) | ast.Tuple(items) | ast.Dict(items):
                return not items
        return False

    def moves(self, value: ast.expr, key: str, depth: int = 0) -> bool:
        """Whether a value is what the key was, and something done to it."""
        if depth > _DEPTH:
            return True
        if key_read(value) == key:
            return key in self.changed_keys
        match value:
            case ast.Name(name):
                found = self.values.get(name, [])
                if any(self.reads(each, key) for each in found) and (
                    name in self.changed_names or key in self.changed_keys
                ):
                    return True
                return any(self.moves(each, key, depth + 1) for each in found)
            case ast.BinOp(left, _OPERATIONS(), right):
                return any(self.reads(one, key) and not _is_nought(other) for one, other in _both(left, right))
            case ast.Subscript(inner, ast.Slice()) | ast.Starred(inner):
                return self.reads(inner, key)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return any(self.reads(each.iter, key) for each in value.generators)
            case ast.Dict(keys, values):
                return any(name is None and self.reads(each, key) for name, each in zip(keys, values, strict=True))
            case ast.Call():
                return self._called(value, key, depth)
            case ast.IfExp() | ast.BoolOp() | ast.List() | ast.Tuple() | ast.Set() | ast.Await():
                return any(self.moves(each, key, depth + 1) for each in _parts(value))
        return False

    def reads(self, value: ast.AST, key: str, depth: int = 0) -> bool:
        """Whether a value is made of what the key was; what only stands in a text is not."""
        if isinstance(value, ast.JoinedStr) or depth > _DEPTH * 4:
            return False
        if key_read(value) == key:
            return True
        if isinstance(value, ast.Name):
            return any(self.reads(each, key, depth + 1) for each in self.values.get(value.id, []))
        return any(self.reads(each, key, depth + 1) for each in ast.iter_child_nodes(value))

    def _called(self, call: ast.Call, key: str, depth: int) -> bool:
        """Whether a call gives what the key was, and something done to it."""
        given = [*call.args, *(word.value for word in call.keywords)]
        has_state = any(isinstance(each, ast.Name) and each.id == self.state for each in given)
        has_value = any(self.reads(each, key) for each in given)
        match call.func:
            case ast.Attribute(owner, method):
                changed = self.reads(owner, key)
                return method not in _ASKS and (has_state or has_value or changed)
            case ast.Name(name) if hasattr(builtins, name) and self.source.value(name) is None:
                return any(self.moves(each, key, depth + 1) for each in given)
            case ast.Name(name) if has_state or has_value:
                return _does_to(self.source.value(name), key if has_state else "")
        return has_state or has_value


def _does_to(function: Any, key: str) -> bool:
    """Whether a function that is given the state does something to a key; or, without one, to what it is given."""
    if isinstance(function, type):
        return False
    source = source_of(function) if isinstance(function, FunctionType) else None
    if source is None or source.node is None:
        return True
    inner = _Function(source)
    given = {argument.arg for argument in source.node.args.args}

    def is_it(value: ast.AST) -> bool:
        if key:
            return inner.reads(value, key)
        return any(isinstance(each, ast.Name) and each.id in given for each in ast.walk(value))

    for node in inner.nodes:
        match node:
            case ast.BinOp(left, _OPERATIONS(), right) if is_it(left) or is_it(right):
                return True
            case ast.AugAssign(target) if is_it(target) or (isinstance(target, ast.Name) and inner.values.get(target.id)):
                return True
            case ast.Subscript(value, ast.Slice()) | ast.Starred(value) if is_it(value):
                return True
    return False


def _both(left: ast.expr, right: ast.expr) -> tuple[tuple[ast.expr, ast.expr], ...]:
    return (left, right), (right, left)


def _is_nought(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and not value.value


def _parts(value: ast.expr) -> Iterator[ast.expr]:
    """The values that a value may be, or that stand in it; a condition is none of them."""
    condition = value.test if isinstance(value, ast.IfExp) else None
    return (each for each in ast.iter_child_nodes(value) if isinstance(each, ast.expr) and each is not condition)
