"""Functions made nodes: the decorator, acts and routes."""

from typing import Any

import pytest

from loopwright.nodes.contract import Answer, Contract
from loopwright.nodes.functions import Act, Route, node


async def later() -> str:
    return "yes"


def test_a_decorated_function() -> None:
    @node(writes="draft", outcomes=["done", "same"], kind="route", name="look")
    def look(draft: str) -> Any:
        return "same", {"draft": draft}

    assert look.contract == Contract("route", ("draft",), ("draft",), ("done", "same"))
    assert (look.name, look("x")) == ("look", ("same", {"draft": "x"}))
    assert look.ask({"draft": "x"}) is None
    assert look.answer({"draft": "x"}, None) == Answer("same", {"draft": "x"})


def test_a_route_is_not_async() -> None:
    with pytest.raises(TypeError, match="is async, and a route only decides: make it an act"):
        Route("r", later, outcomes=["yes", "no"])


def test_what_is_neither_a_function_nor_a_runnable() -> None:
    with pytest.raises(TypeError, match="node 'a': 3 is neither a function nor a runnable"):
        Act("a", 3)  # type: ignore[arg-type]
