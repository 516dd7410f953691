"""Functions and LangChain's tools as tools: what a model is told of them, and how they are called."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from langchain_core.tools import InjectedToolArg, StructuredTool
from langchain_core.tools import tool as langchain_tool
from pydantic import BaseModel, Field

from loopwright.nodes.tools.tool import ArgumentsError, tool_of


class Board(BaseModel):
    width: float
    height: float = 1.0

    def area(self) -> float:
        return self.width * self.height


def area(board: Board, unit: Literal["m", "cm"] = "m", *, note: Annotated[str, Field(description="For whom.")]) -> str:
    """The area of a board."""
    assert isinstance(board, Board)
    return f"{board.width * board.height} {unit}2 for {note}"


async def days_until(day: date) -> int:
    """Days from the first of May on."""
    return (day - date(2026, 5, 1)).days


@langchain_tool
def double(number: int) -> int:
    """Twice the number."""
    return 2 * number


@langchain_tool
async def later(number: int) -> int:
    """Three times the number, when it is there."""
    await asyncio.sleep(0)
    return 3 * number


def test_a_function_is_told_by_its_annotations_and_its_docstring() -> None:
    tool = tool_of(area)
    assert (tool.spec.name, tool.spec.description) == ("area", "The area of a board.")
    properties: Any = tool.spec.parameters["properties"]
    assert properties["board"] == {"$ref": "#/$defs/Board"}
    assert properties["unit"] == {"enum": ["m", "cm"], "type": "string", "default": "m"}
    assert properties["note"] == {"description": "For whom.", "type": "string"}
    assert tool.spec.parameters["required"] == ["board", "note"]
    assert tool.spec.parameters["additionalProperties"] is False
    assert tool.code.name.endswith("test_tool:area")
    assert tool.code.version != "unversioned"


def test_a_function_gets_what_it_declares_and_keeps_its_defaults() -> None:
    assert tool_of(area).call({"board": {"width": "2"}, "note": "Ada"}) == "2.0 m2 for Ada"
    assert asyncio.run(tool_of(area).acall({"board": {"width": 2}, "unit": "cm", "note": "Ada"})) == "2.0 cm2 for Ada"


def test_an_async_function_is_awaited() -> None:
    tool = tool_of(days_until)
    assert asyncio.run(tool.acall({"day": "2026-05-04"})) == 3
    assert asyncio.run(tool.call({"day": "2026-05-04"})) == 3


def test_arguments_that_do_not_fit_are_told_all_at_once() -> None:
    with pytest.raises(ArgumentsError) as caught:
        tool_of(area).call({"board": {"width": "wide"}, "unit": "m", "colour": "red", "note": "Ada"})
    assert str(caught.value) == (
        "board.width: Input should be a valid number, unable to parse string as a number; "
        "colour: Extra inputs are not permitted"
    )


def test_a_langchain_tool_is_told_and_called() -> None:
    tool = tool_of(double)
    assert (tool.spec.name, tool.spec.description) == ("double", "Twice the number.")
    assert tool.spec.parameters["properties"] == {"number": {"title": "Number", "type": "integer"}}
    assert tool.code.name == "double"
    assert (tool.call({"number": 4}), asyncio.run(tool.acall({"number": 5}))) == (8, 10)


def test_an_async_langchain_tool_is_awaited_in_sync_runs_too() -> None:
    tool = tool_of(later)
    assert (asyncio.run(tool.call({"number": 4})), asyncio.run(tool.acall({"number": 5}))) == (12, 15)


def test_a_langchain_tool_with_a_schema_of_json_keeps_it() -> None:
    schema = {"title": "T", "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    made = StructuredTool.from_function(func=lambda a: a, name="same", description="The same.", args_schema=schema)
    assert tool_of(made).spec.parameters == {key: part for key, part in schema.items() if key != "title"}
    assert tool_of(made).call({"a": "x"}) == "x"


def test_a_function_of_a_function_is_named_by_the_tool() -> None:
    def local(a: int) -> int:
        return a

    assert tool_of(local).code.name == "local"


def of_state(a: int, state: Annotated[Any, InjectedToolArg]) -> int:
    return a + len(state)


def positional(a: int, /) -> int:
    return a


async def several() -> AsyncIterator[int]:
    yield 1


def unknown_type(a: Callable[[], int]) -> int:
    return a()


@pytest.mark.parametrize(
    ("live", "words"),
    [
        (3, "3 is no tool: give a function with annotations, or a tool of LangChain"),
        (Board, "is no tool: give a function"),
        (
            positional,
            "the arguments of positional cannot be told to a model: a model gives each argument by its name, "
            "and 'a: int' takes none by its name",
        ),
        (several, "several is an async generator, and a tool gives one result: return it"),
        (Board.area, "cannot be told to a model: it is a method of a class, so give that of an object"),
        (unknown_type, "the arguments of unknown_type cannot be told to a model: Cannot generate a JsonSchema"),
    ],
)
def test_what_is_no_tool_is_told(live: Any, words: str) -> None:
    with pytest.raises(TypeError) as caught:
        tool_of(live)
    assert words in str(caught.value)


def test_what_models_do_not_take_of_langchains_tools() -> None:
    spaced = StructuredTool.from_function(func=area, name="the area", description="Spaces.")
    with pytest.raises(ValueError, match="'the area' is no name that models take for a tool: letters, digits"):
        tool_of(spaced)
    direct = StructuredTool.from_function(func=area, name="area", description="Direct.", return_direct=True)
    with pytest.raises(ValueError, match="'area' has return_direct, and here a model answers after every call"):
        tool_of(direct)
    hidden = StructuredTool.from_function(func=of_state, name="of_state", description="Injected.")
    with pytest.raises(ValueError, match="'of_state' wants 'state' injected, and only a model gives arguments here"):
        tool_of(hidden)


def test_a_lambda_has_no_name_that_models_take() -> None:
    with pytest.raises(ValueError, match="'<lambda>' is no name that models take for a tool"):
        tool_of(lambda: 1)
