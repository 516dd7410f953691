"""Straight: the part of a function that runs whenever the function does."""

import ast
from collections.abc import Iterator

_CONDITIONAL = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.Match, ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef,
)  # fmt: skip


def straight(body: list[ast.stmt] | ast.expr) -> Iterator[ast.AST]:
    """What runs whenever a function does: everything up to the first statement that is a condition.

    Example:
        >>> body = ast.parse("a = b\\nif c: d").body
        >>> [each.id for each in straight(body) if isinstance(each, ast.Name)]
        ['a', 'b', 'c']
    """
    for part in [body] if isinstance(body, ast.expr) else body:
        if isinstance(part, ast.If | ast.While):
            yield from _unconditional(part.test)
        if isinstance(part, _CONDITIONAL) or _suppresses(part):
            return
        yield from _unconditional(part)


def _suppresses(part: ast.AST) -> bool:
    return isinstance(part, ast.With) and any(
        "suppress" in ast.unparse(item.context_expr).partition("(")[0] for item in part.items
    )


def _unconditional(node: ast.AST) -> Iterator[ast.AST]:
    if not isinstance(node, _CONDITIONAL):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _unconditional(child)
