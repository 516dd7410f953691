"""Bounds: which comparisons may be those of a counter with its limit."""

import ast


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
