"""Bounds: which comparisons may be those of a counter with its limit, and which keys of the state they look at."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

ANY_KEY = "*"
"""Among the keys that a function uses: it hands the state on, and all of them may be."""

Locals: TypeAlias = Mapping[str, list[ast.expr] | None]
"""The values that local names are given; None for those that get others, too."""


def limits(nodes: Iterable[ast.AST], known: Locals) -> tuple[frozenset[str], ...]:
    """The keys that each comparison looks at which may be that of a counter; none, where they cannot be seen.

    Args:
        nodes: The syntax of a function.
        known: Its local names.

    Example:
        >>> limits(ast.walk(ast.parse("len(state['a']) > n and state.get('b') == 3")), {"n": None})
        (frozenset(), frozenset({'b'}))
    """
    return tuple(
        _keys_in(each, known) or frozenset() for each in nodes if isinstance(each, ast.Compare) if bounds(each)
    )


def uses(nodes: Iterable[ast.AST], state: str) -> frozenset[str]:
    """The keys that a function looks at anywhere; where it hands the state on to another function, any.

    Args:
        nodes: The syntax of the function.
        state: The name of its first parameter.

    Example:
        >>> sorted(uses(ast.walk(ast.parse("f(state['a'], state.get('b', 0), s.c)")), "state"))
        ['a', 'b', 'c', 'get']
    """
    return frozenset(key for each in nodes for key in _used(each, state))


def _used(node: ast.AST, state: str) -> Iterator[str]:
    match node:
        case ast.Subscript(_, ast.Constant(str(key)), ast.Load()) | ast.Attribute(_, str(key), ast.Load()):
            yield key
        case ast.Call(ast.Attribute(_, "get"), [ast.Constant(str(key)), *_]):
            yield key
        case ast.Call(ast.Name(), arguments) if any(
            isinstance(each, ast.Name) and each.id == state for each in arguments
        ):
            yield ANY_KEY


def _keys_in(value: ast.AST, known: Locals, depth: int = 0) -> frozenset[str] | None:
    """The keys that an expression looks at, through local names too; None where one of those cannot be followed."""
    found = {key for each in ast.walk(value) for key in _used(each, "") if key != "get"}
    for each in ast.walk(value):
        if isinstance(each, ast.Name) and each.id in known:
            values = known[each.id]
            inner = [_keys_in(one, known, depth + 1) for one in values] if values and depth < 5 else [None]
            for keys in inner:
                if keys is None:
                    return None
                found |= keys
    return frozenset(found)


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
