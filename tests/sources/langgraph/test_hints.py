"""Hints: what annotations say, where they can be read."""

from typing import Any, Literal, NotRequired, Optional

import pytest
from langgraph.types import Command
from typing_extensions import TypedDict

from loopwright.sources.langgraph.hints import Returns, returns_of, writes_of


class Shape(TypedDict):
    a: int
    b: NotRequired[int]


@pytest.mark.parametrize(
    ("hint", "returns"),
    [
        (Literal["a", "b"], Returns(single=True)),
        (str, Returns(single=True)),
        (list[str], Returns()),
        (str | list[str], Returns()),
        (Command, Returns(commands=True)),
        (Command[Literal["a", "b"]], Returns(commands=True, goto=("a", "b"))),
        (dict[str, Any] | Command[Literal["a"]], Returns(commands=True, goto=("a",))),
        (Optional[Command[Literal["a"]]], Returns(commands=True, goto=("a",))),  # noqa: UP045 - the older spelling
        (Shape, Returns(shape=Shape)),
    ],
)
def test_what_an_annotation_says(hint: Any, returns: Returns) -> None:
    def node(state: Any) -> Any: ...

    node.__annotations__["return"] = hint
    assert returns_of(node) == returns


def test_an_annotation_that_cannot_be_read_says_nothing() -> None:
    def node(state: Any) -> Any: ...

    node.__annotations__["return"] = "Nobody"
    assert returns_of(node) == Returns()


def test_the_keys_of_a_shape() -> None:
    assert writes_of(Shape) == (frozenset("a"), frozenset("ab"))
