"""Bounds: which comparisons may be those of a counter with its limit, and which keys of the state they look at."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

Locals: TypeAlias = Mapping[str, list[ast.expr] | None]
"""The values that local names are given; None for those that get others, too."""

CLOCKS = {"time", "monotonic", "perf_counter", "now", "utcnow", "today"}
"""Functions that tell the time, which comes to any limit."""

ASKS = {"invoke", "ainvoke", "stream", "astream", "batch", "abatch", "predict", "apredict", "complete", "acomplete"}
ASKS |= {
    "create",
    "acreate",
    "generate",
    "agenerate",
    "generate_content",
    "parse",
    "chat",
    "completion",
    "acompletion",
}
"""Methods that ask a model or a chain: what they give is new, whatever it was given."""

_DEEPEST = 5


def limits(nodes: Iterable[ast.AST], known: Locals) -> tuple[frozenset[str], ...]:
    """The keys that each comparison looks at which may be that of a counter; none, where they cannot be seen.

    Args:
        nodes: The syntax of a function.
        known: Its local names.

    Example:
        >>> limits(ast.walk(ast.parse("len(state['a']) > n and state.get('b') == 3")), {"n": None})
        (frozenset(), frozenset({'b'}))
    """
    return tuple(keys_in(each, known) or frozenset() for each in nodes if isinstance(each, ast.Compare) if bounds(each))


def key_read(node: ast.AST) -> str:
    """The key that is read where a node stands, as in `state["n"]`, `state.get("n", 0)` or `state.n`; "" for none.

    Example:
        >>> [key_read(ast.parse(text, mode="eval").body) for text in ("s['n']", "s.get('n', 0)", "s.n", "n")]
        ['n', 'n', 'n', '']
    """
    match node:
        case ast.Subscript(_, ast.Constant(str(key)), ast.Load()):
            return key
        case ast.Call(ast.Attribute(_, "get" | "pop"), [ast.Constant(str(key)), *_]):
            return key
        case ast.Attribute(_, str(key), ast.Load()) if key not in ("get", "pop"):
            return key
    return ""


def empties(nodes: Iterable[ast.AST], known: Locals) -> frozenset[str]:
    """The keys that a function looks at whether they hold anything, as a router does with a list of what is left.

    Example:
        >>> sorted(empties(ast.walk(ast.parse("if a['x'] and not len(a['y']): ...")), {}))
        ['x', 'y']
    """
    return frozenset(key for each in nodes for tested in _tests(each) for key in _held(tested, known))


def _tests(node: ast.AST) -> Iterator[ast.expr]:
    """What is asked for its truth where a node stands."""
    match node:
        case ast.If(test) | ast.IfExp(test) | ast.While(test):
            yield from test.values if isinstance(test, ast.BoolOp) else [test]
        case ast.UnaryOp(ast.Not(), operand) | ast.Call(ast.Name("bool"), [operand]):
            yield operand
        case ast.Compare(left, [_], [ast.Constant(0) | ast.List([])]):
            yield left


def _held(value: ast.expr, known: Locals, depth: int = 0) -> Iterator[str]:
    """The key whose value, or its length, an expression is."""
    match value:
        case ast.Call(ast.Name("len"), [inner]):
            yield from _held(inner, known, depth)
        case ast.Name(name) if depth < _DEEPEST:
            for each in known.get(name) or ():
                yield from _held(each, known, depth + 1)
        case _ if key := key_read(value):
            yield key


def called(call: ast.Call) -> str:
    """The name of what is called, without what stands before its last dot."""
    match call.func:
        case ast.Name(name) | ast.Attribute(_, name) | ast.Subscript(ast.Name(name)):
            return name
    return ""


def keys_in(value: ast.AST, known: Locals, depth: int = 0) -> frozenset[str] | None:
    """The keys that an expression looks at, through local names too; None where one of those cannot be followed.

    Example:
        >>> sorted(keys_in(ast.parse("s['a'] + model.invoke(s['b']).score + n"), {"n": []}) or ())
        []
        >>> sorted(keys_in(ast.parse("s['a'] + model.invoke(s['b']).score"), {}) or ())
        ['a', 'invoke', 'score']
    """
    found: set[str] = set()
    for each in _looked_at(value):
        if isinstance(each, ast.Call) and called(each) in CLOCKS:
            return None
        found |= {*filter(None, [key_read(each)])}
        if isinstance(each, ast.Name) and each.id in known:
            values = known[each.id]
            inner = [keys_in(one, known, depth + 1) for one in values] if values and depth < _DEEPEST else [None]
            for keys in inner:
                if keys is None:
                    return None
                found |= keys
    return frozenset(found)


def _looked_at(value: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression, but for what a model is given."""
    yield value
    asked = isinstance(value, ast.Call) and called(value) in ASKS
    for each in [value.func] if isinstance(value, ast.Call) and asked else ast.iter_child_nodes(value):
        yield from _looked_at(each)


def bounds(compare: ast.Compare) -> bool:
    """Whether a comparison may be that of a counter: by size, or whether it has come to a number or to a length.

    Whether there is anything at all does not count.

    Example:
        >>> [bounds(ast.parse(text).body[0].value) for text in ("n < 3", "n == 3", "len(a) > 0", "word == 'ok'")]
        [True, True, False, False]
    """
    sides = [compare.left, *compare.comparators]
    for operation, one, other in zip(compare.ops, sides, sides[1:], strict=False):
        lengths = [side for side in (one, other) if _is_length(side)]
        if lengths and (_is_nought(one) or _is_nought(other)):
            continue
        if isinstance(operation, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
            return True
        numbers = [side for side in (one, other) if isinstance(side, ast.Constant) and type(side.value) is int]
        if isinstance(operation, ast.Eq | ast.NotEq) and (lengths or any(number.value for number in numbers)):
            return True
    return False


def _is_nought(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value == 0


def _is_length(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "len"
