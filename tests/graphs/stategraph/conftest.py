"""Small graphs, written as lines."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from loopwright.graphs.stategraph.reading import END, START, Choice, Join, Option, Reading, ReadNode

ReadingOf = Callable[..., Reading]


def _name(word: str) -> str:
    return {"start": START, "end": END}.get(word.strip(), word.strip())


def _option(text: str) -> Option:
    """An option: `b + c`, `b*` for many tasks of it, `b~` for one that may not be so."""
    names = tuple(_name(word.strip(" *~")) for word in text.split("+"))
    return Option(names, " and ".join(word.strip(" *~") for word in text.split("+")), "~" not in text, "*" in text)


def _reading_of(*lines: str, nodes: dict[str, dict[str, Any]] | None = None, **fields: Any) -> Reading:
    """A graph of lines: `a -> b + c` leads to both, `a ? b | c` chooses, `a ?? b` may go anywhere, `a & b -> c` joins.

    A name alone is a node without edges.
    """
    found = {START: ReadNode(START)}
    joins: list[Join] = []
    for line in lines:
        source, mark, targets = next(
            (line.partition(mark) for mark in ("??", "?", "->") if mark in line), (line, "", "")
        )
        names = [_name(word) for word in source.split("&")]
        words = [word for part in targets.split("|") for word in part.split("+") if word.strip()]
        for name in [*names, *(_name(word.strip(" *~")) for word in words)]:
            if name != END:
                found.setdefault(name, ReadNode(name))
        node = found[names[0]]
        if len(names) > 1:
            joins.append(Join(tuple(names), _name(targets)))
        elif mark == "->":
            found[names[0]] = replace(node, always=(*node.always, *map(_name, words)))
        elif mark:
            options = tuple(_option(part) for part in targets.split("|") if part.strip())
            choice = Choice(f"route {names[0]}", options, open=mark == "??")
            found[names[0]] = replace(node, choices=(*node.choices, choice))
    for name, more in (nodes or {}).items():
        found[name] = replace(found[name], **more)
    return Reading("small", found, tuple(joins), **fields)


@pytest.fixture(scope="session")
def reading_of() -> ReadingOf:
    return _reading_of
