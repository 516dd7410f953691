"""Moves: which keys a node writes with regard to what they were, as one that counts does, and which it sets anew.

`{"n": state["n"] + 1}` moves `n`, `{"steps": state["steps"][1:]}` moves `steps`; `{"score": ask(state)}` moves nothing
where `ask` asks a model, even where the old score stands in the prompt. What cannot be seen may be a move.
"""

import ast
from collections.abc import Collection
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from loopwright.sources.langgraph.code import Code
from loopwright.sources.langgraph.source import source_of
from loopwright.sources.langgraph.traces import Traced, is_display

_LARGEST = {"max", "min"}


@dataclass(frozen=True, slots=True)
class Moves:
    """What a node does to the keys that it writes.

    Args:
        keys: Those that it may write with regard to what they were.
        follows: Those that it may make of other keys, each with such a key.
        resets: Those that it sets to a constant whenever it runs.
    """

    keys: frozenset[str] = frozenset()
    follows: frozenset[tuple[str, str]] = frozenset()
    resets: frozenset[str] = frozenset()


def moved(code: Code, adding: Collection[str]) -> Moves:
    """What a node does to the keys that it writes.

    Args:
        code: The node's function.
        adding: The keys whose channels add what is written to what was there.
    """
    function = Traced(code.source)
    written = [(key, value) for values, _ in code.mappings() for key, value in values.items()]
    keys, follows = {*function.kept}, set()
    for key, value in written:
        if key in adding:
            keys |= set() if _is_nothing(value) else {key}
            continue
        for trace in function.traces(value):
            if trace.changed and trace.key in (key, ""):
                keys.add(key)
            elif trace.key not in (key, ""):
                follows.add((key, trace.key))
    changed = {key for key, value in written if not _is_constant(value)}
    return Moves(frozenset(keys), frozenset(follows), code.written().sure - changed - {*adding})


def adds(reducer: Any) -> bool:
    """Whether a reducer adds to what was there; one that only takes the last, or the largest, does not.

    Example:
        >>> [adds(reducer) for reducer in (sum, max, lambda old, new: new, lambda old, new: old + new)]
        [True, False, False, True]
    """
    if reducer in (max, min):
        return False
    node = source_of(reducer).node if isinstance(reducer, FunctionType) else None
    return node is None or any(_makes(each) for each in ast.walk(node))


def _makes(node: ast.AST) -> bool:
    """Whether something new may be made where a node of a reducer's syntax stands."""
    if isinstance(node, ast.Call):
        return not (isinstance(node.func, ast.Name) and node.func.id in _LARGEST)
    return isinstance(node, ast.BinOp | ast.AugAssign | ast.Starred | ast.comprehension | ast.Dict)


def _is_constant(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) or _is_nothing(value)


def _is_nothing(value: ast.expr) -> bool:
    """Whether a value changes nothing where it is added: nought, an empty text or list."""
    if isinstance(value, ast.Constant):
        return not value.value
    return is_display(value) and not any(isinstance(each, ast.expr) for each in ast.iter_child_nodes(value))
