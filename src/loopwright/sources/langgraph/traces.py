"""Traces: which keys of the state a value comes from, through local names and through functions that can be seen.

What a model or a chain answers is new, whatever it was given. What cannot be seen may do anything to what it is handed.
"""

import ast
import builtins
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import FunctionType, ModuleType
from typing import Any, TypeAlias

from loopwright.sources.langgraph.bounds import ASKS, CLOCKS, key_read
from loopwright.sources.langgraph.source import Source, function_of, own_nodes, source_of


@dataclass(frozen=True, slots=True)
class Trace:
    """Something that a value comes from.

    Args:
        key: The key of the state; "" for the whole state, or for what cannot be seen.
        changed: Whether something was done to it.
        text: Whether it only stands in a text, as in a prompt.
    """

    key: str
    changed: bool = False
    text: bool = False


Traces: TypeAlias = frozenset[Trace]

_NONE: Traces = frozenset()
_STATE: Traces = frozenset({Trace("")})
_ANY: Traces = frozenset({Trace("", changed=True)})

_TEXTS = {"format", "join", "render", "format_messages", "format_prompt"}
_COPIES = {"copy", "deepcopy", "dict", "model_copy", "model_dump", "asdict", "_asdict", "values"}
_CHANGES = {"append", "appendleft", "extend", "insert", "remove", "pop", "popleft", "popitem", "add", "update", "clear"}
_CHANGES |= {"discard", "setdefault", "put", "get_nowait"}
"""Methods that change something in its place."""

_HEAPS = {"heappop", "heappush", "heapify"}

_DEEPEST = 4
_MOST = 10_000
"""How many expressions are looked at for a node: after them, it may be anything."""


def is_display(value: ast.AST) -> bool:
    """Whether a list, a tuple, a set or a mapping is written out."""
    return isinstance(value, ast.List | ast.Tuple | ast.Set | ast.Dict)


class Traced:
    """A function, asked what its values come from.

    Args:
        source: The function and its syntax.
        given: What its parameters come from; without it, each may be the state.
        caller: The function that it was come to from.
    """

    def __init__(
        self, source: Source, given: Mapping[str, Traces] | None = None, caller: "Traced | None" = None
    ) -> None:
        self.source = source
        self.depth: int = caller.depth + 1 if caller else 0
        self.left: list[int] = caller.left if caller else [_MOST]
        self.given = dict.fromkeys(_parameters(source), _STATE) if given is None else given
        self.values: dict[str, list[ast.expr]] = {}
        self.stored: dict[str, list[ast.expr]] = {}
        self.changed: set[str] = set()
        self.kept: set[str] = set()
        self.outer: set[str] = set()
        self.inner: set[str] = set()
        self.nodes = [*own_nodes(source)]
        self.active: dict[str, Traces] = {}
        self.touched: set[str] = set()
        self.left[0] -= len(self.nodes)
        for node in self.nodes:
            self._note(node)
        if not caller:
            self.touched |= {trace.key for each in self.nodes for trace in self._touched(each)}

    def traces(self, value: ast.AST | None) -> Traces:
        """What a value comes from."""
        self.left[0] -= 1
        return _ANY if self.left[0] < 0 else self._of(value)

    def _of(self, value: ast.AST | None) -> Traces:
        match value:
            case None | ast.Constant() | ast.Lambda():
                return _NONE
            case ast.Name(name):
                return self._named(name)
            case ast.Call(ast.Attribute(owner, method)) if not key_read(value):
                return self._method(value, owner, method)
            case ast.Call(ast.Attribute(owner)) | ast.Subscript(owner) | ast.Attribute(owner) if key := key_read(value):
                return self._read(owner, key)
            case ast.Call():
                return self._called(value)
            case ast.BinOp():
                return self._sum(value)
            case ast.JoinedStr():
                return _changed(self._parts(value), text=True)
            case ast.Starred() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return _changed(self._parts(value))
        return self._whole(value)

    def _sum(self, value: ast.BinOp) -> Traces:
        sides = (value.left, value.right)
        found = self._parts(value)
        if any(isinstance(side, ast.Constant) and not side.value for side in sides):
            return found
        return _changed(found, text=any(map(_is_text, sides)))

    def _whole(self, value: ast.AST) -> Traces:
        """What something comes from that is made of parts."""
        match value:
            case ast.IfExp(_, yes, no):
                return self._all([yes, no])
            case ast.Subscript(inner, ast.Slice(lower, upper)):
                return _changed(self.traces(inner)) if lower or upper else self.traces(inner)
            case ast.Dict(keys, values):
                spread = [each for key, each in zip(keys, values, strict=True) if key is None]
                return self._parts(value) | _changed(self._all(spread))
        return self._parts(value)

    def returned(self) -> Traces:
        """What the function's answers come from."""
        node = self.source.node
        if node is None or any(isinstance(each, ast.Yield | ast.YieldFrom) for each in self.nodes):
            return _ANY if any(self.given.values()) else _NONE
        if isinstance(node, ast.Lambda):
            return self.traces(node.body)
        return self._all(each.value for each in self.nodes if isinstance(each, ast.Return))

    def _all(self, values: Iterable[ast.AST | None]) -> Traces:
        return _NONE.union(*map(self.traces, values))

    def _parts(self, value: ast.AST) -> Traces:
        return self._all(ast.iter_child_nodes(value))

    def _note(self, node: ast.AST) -> None:
        """Note what a statement does to names and to keys."""
        for target, value in _assigned(node):
            self._assign(target, value)
        match node:
            case ast.AugAssign(target):
                self._change(target)
            case ast.Delete([ast.Subscript(target)]):
                self._change(target)
            case ast.Call(ast.Name(function) | ast.Attribute(_, function), [target, *_]) if function in _HEAPS:
                self._change(target)
            case ast.Call(ast.Attribute(owner, method), arguments) if method in _CHANGES:
                self._change(owner)
                if isinstance(owner, ast.Name):
                    self.values.setdefault(owner.id, []).extend(arguments)
            case ast.Global(names) | ast.Nonlocal(names):
                self.outer |= {*names}
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                self.inner.add(name)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        match target:
            case ast.Name(name):
                self.values.setdefault(name, []).append(value)
            case ast.Tuple(targets) | ast.List(targets):
                pairs = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(targets) else None
                for each, part in zip(targets, pairs or [value] * len(targets), strict=True):
                    self._assign(each, part)
            case ast.Starred(ast.Name(name) as inner):
                self.changed.add(name)
                self._assign(inner, value)
            case ast.Subscript(ast.Name(name), ast.Constant(str(key))) | ast.Attribute(ast.Name(name), str(key)) if (
                name in self.given
            ):
                self.stored.setdefault(key, []).append(value)
            case ast.Subscript(ast.Name(name)) | ast.Attribute(ast.Name(name)):
                self.changed.add(name)
                self.values.setdefault(name, []).append(value)

    def _change(self, target: ast.expr) -> None:
        """Note that something is changed in its place: a local name, or a key of whatever holds it."""
        match target:
            case ast.Name(name):
                self.changed.add(name)
            case ast.Subscript(_, ast.Constant(str(key))) | ast.Attribute(_, str(key)):
                self.kept.add(key)
            case ast.Subscript(inner):
                self._change(inner)
            case _ if key := key_read(target):
                self.kept.add(key)

    def _named(self, name: str) -> Traces:
        found = self.given.get(name, _NONE)
        if name in self.outer and name in {*self.changed, *self.values}:
            return _ANY
        if name in self.active:
            return self.active[name]
        self.active[name] = found
        while (more := found | self._all(self.values.get(name, ()))) != found:
            self.active[name] = found = more
        del self.active[name]
        return _changed(found) if name in self.changed else found

    def _touched(self, node: ast.AST) -> Traces:
        """What may be changed in its place where a node stands: by its own methods, or by functions."""
        found = _NONE
        match node:
            case ast.Call(ast.Attribute(owner, method), arguments) if method not in ASKS:
                found = self._all([owner, *arguments])
            case ast.Call(ast.Name(name), arguments) if not hasattr(builtins, name):
                found = self._all(arguments)
            case ast.AugAssign(ast.Attribute(owner) | ast.Subscript(owner)):
                found = self.traces(owner)
        return frozenset(each for each in found if not each.changed and not each.text)

    def _read(self, owner: ast.expr, key: str) -> Traces:
        """What is read of something: of the state it is a key."""
        held = self.traces(owner)
        whole = {trace for trace in held if not trace.key}
        if not whole:
            return held or (_ANY if key in self.kept and isinstance(owner, ast.Name) else _NONE)
        changed = key in self.kept | self.touched or any(trace.changed for trace in whole)
        stored, self.stored[key] = self.stored.get(key, []), []
        found = self._all(stored)
        self.stored[key] = stored
        return (held - whole) | {Trace(key, changed)} | found

    def _method(self, call: ast.Call, owner: ast.expr, method: str) -> Traces:
        if method in CLOCKS:
            return _ANY
        value = self.source.value(owner.id) if isinstance(owner, ast.Name) else None
        if isinstance(value, ModuleType) and isinstance(function := vars(value).get(method), FunctionType):
            return self._entered(function, call)
        if method in ASKS and not hasattr(value, "builder"):  # a graph may count
            return _NONE
        given = self.traces(owner) | self._given(call)
        if method in _TEXTS:
            return _changed(given, text=True)
        return given if method in _COPIES else _unseen(given)

    def _called(self, call: ast.Call) -> Traces:
        given = self._given(call)
        match call.func:
            case ast.Name(name) if name not in self.values and name not in self.given:
                value = self.source.value(name)
                if isinstance(value, FunctionType):
                    return _unseen(given) if name in _COPIES else self._entered(value, call)
                if name in CLOCKS:
                    return _ANY
                if name in self.inner or (name == "next" and not given):
                    return _ANY
                known = isinstance(value, type) or (value is None and hasattr(builtins, name))
                return given if known else _unseen(given)
        return _unseen(self.traces(call.func) | given)

    def _given(self, call: ast.Call) -> Traces:
        inner = [each.value if isinstance(each, ast.Starred) else each for each in call.args]
        return self._all([*inner, *(word.value for word in call.keywords)])

    def _entered(self, function: FunctionType, call: ast.Call) -> Traces:
        """What comes out of a function that can be seen, by what it is given."""
        given = self._given(call)
        if not given and function.__module__ != self.source.function.__module__:
            return _NONE
        source = source_of(function_of(function) or function)
        if self.depth >= _DEEPEST or source.node is None:
            return _unseen(given)
        names = _parameters(source)
        bound = dict.fromkeys(names, _NONE)
        if any(isinstance(each, ast.Starred) for each in call.args) or any(not word.arg for word in call.keywords):
            bound = dict.fromkeys(names, given)
        else:
            bound |= {name: self.traces(each) for name, each in zip(names, call.args, strict=False)}
            bound |= {word.arg: self.traces(word.value) for word in call.keywords if word.arg}
        return Traced(source, bound, self).returned()


def _assigned(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """The targets that a statement sets, each with what it sets them to, or takes it from."""
    match node:
        case ast.Assign(targets, value):
            return [(target, value) for target in targets]
        case ast.AnnAssign(target, _, ast.expr() as value) | ast.NamedExpr(target, value):
            return [(target, value)]
        case ast.For(target, value) | ast.AsyncFor(target, value) | ast.comprehension(target, value):
            return [(target, value)]
        case ast.withitem(value, ast.expr() as target):
            return [(target, value)]
        case ast.AugAssign(ast.Name() as target, _, value):
            return [(target, value)]
    return []


def _parameters(source: Source) -> list[str]:
    if source.node is None:
        return []
    arguments = source.node.args
    more = [each for each in (arguments.vararg, arguments.kwarg) if each]
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *more]
    return [each.arg for each in found if each.arg not in ("self", "cls")]


def _changed(traces: Traces, text: bool = False) -> Traces:
    return frozenset(replace(each, changed=True, text=text or each.text) for each in traces)


def _unseen(traces: Traces) -> Traces:
    """What may come of a call that cannot be seen: a text that it is given is a prompt or a name, and nothing of it."""
    return _changed(frozenset(each for each in traces if not each.text))


def _is_text(value: Any) -> bool:
    return isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str))
