"""The tool loop as users call it."""

import dataclasses

import pytest

import loopwright as lw
from loopwright.graphs.tool_loop import ToolLoopSettings
from loopwright.loop.tool_loop import ToolLoopFields
from loopwright.nodes.contract import Audience


@dataclasses.dataclass
class Board:
    """A board, in centimetres."""

    width: int


def width(wood: str) -> int:
    """The width of a board, in centimetres."""
    return len(wood)


def test_its_result_is_of_the_type_that_was_asked_for() -> None:
    model = lw.ScriptedModel({"ask": [{"tool": "width", "args": {"wood": "oak"}}, {"width": 3}]})
    run = lw.ToolLoop([width], output=Board, model=model).start({"task": "How wide is oak?"})
    assert (run.end, run.result) == (lw.End("answered"), Board(3))


def test_it_takes_all_settings() -> None:
    settings = {field.name for field in dataclasses.fields(ToolLoopSettings)}
    assert ToolLoopFields.__annotations__.keys() == settings - {"tools", "output", "_"} | {"budget"}


@pytest.mark.parametrize(("audience", "said"), [("user", ["Three."]), ("debug", [])])
def test_what_it_says_is_for_the_user_unless_it_says_so(audience: Audience, said: list[str]) -> None:
    model = lw.ScriptedModel({"ask": [{"tool": "width", "args": {"wood": "oak"}}, "Three."]})
    stream = lw.ToolLoop([width], audience=audience).stream({"task": "?"}, model=model, audience="user")
    assert [event.text for event in stream if isinstance(event, lw.TextSaid)] == said
