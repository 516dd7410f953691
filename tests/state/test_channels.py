"""Channels: as classes, as TypedDicts, as objects, and what a write to each may be."""

import operator
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Required, TypedDict

import pytest
from langchain_core.messages import AnyMessage
from langgraph.graph import add_messages
from pydantic import BaseModel, Field

from loopwright.state.channels import (
    MISSING,
    REDUCERS,
    Channel,
    State,
    add,
    append,
    channels_of,
    extend,
    input,
    merge,
    types_of,
)
from loopwright.state.schema import schema_of

TEXTS: Any = {"type": "array", "items": {"type": "string"}}


class Essay(State):
    topic: str = input()
    words: int = input(100)
    tone: str = "dry"
    draft: str
    notes: list[str] = append()
    more: list[str] = extend()
    count: int = add()
    facts: dict[str, int] = merge()


EXPECTED = (
    Channel("topic", {"type": "string"}, input=True),
    Channel("words", {"type": "integer"}, input=True, default=100),
    Channel("tone", {"type": "string"}, default="dry"),
    Channel("draft", {"type": "string"}),
    Channel("notes", TEXTS, "append"),
    Channel("more", TEXTS, "extend"),
    Channel("count", {"type": "integer"}, "add"),
    Channel("facts", {"type": "object", "additionalProperties": {"type": "integer"}}, "merge"),
)


def test_a_state_class() -> None:
    assert channels_of(Essay) == EXPECTED


def test_a_typed_dict() -> None:
    class Notes(TypedDict):
        topic: Annotated[str, "input"]
        notes: Annotated[list[str], "append"]
        both: Annotated[list[str], "input", "extend"]
        draft: str

    assert channels_of(Notes) == (
        Channel("topic", {"type": "string"}, input=True),
        Channel("notes", TEXTS, "append"),
        Channel("both", TEXTS, "extend", input=True),
        Channel("draft", {"type": "string"}),
    )


def test_channel_objects() -> None:
    assert channels_of(list(EXPECTED)) == EXPECTED
    with pytest.raises(TypeError, match="'draft' is not a Channel; give a State class, a TypedDict or Channel objects"):
        channels_of(["draft"])  # type: ignore[list-item]


def test_what_is_no_reducer() -> None:
    class Wrong(TypedDict):
        notes: Annotated[list[str], "apend"]

    with pytest.raises(TypeError) as caught:
        channels_of(Wrong)
    reducers = "replace, append, extend, add, merge"
    assert str(caught.value) == f"Wrong.notes: 'apend' is neither 'input' nor a reducer ({reducers})"
    assert ", ".join(REDUCERS) == reducers


@pytest.mark.parametrize(
    ("channel", "schema"),
    [
        (Channel("a", {"type": "string"}), {"type": "string"}),
        (Channel("a", TEXTS, "append"), {"type": "string"}),
        (Channel("a", TEXTS, "extend"), TEXTS),
        (Channel("a", {}, "append"), {}),
        (
            Channel(
                "a", {"type": "array", "items": {"$ref": "#/$defs/P"}, "$defs": {"P": {"type": "object"}}}, "append"
            ),
            {"$ref": "#/$defs/P", "$defs": {"P": {"type": "object"}}},
        ),
    ],
)
def test_what_may_be_written(channel: Channel, schema: Any) -> None:
    assert channel.write_schema == schema


@pytest.mark.parametrize(
    ("channel", "first"),
    [
        (Channel("a"), MISSING),
        (Channel("a", default=None), None),
        (Channel("a", reduce="append"), []),
        (Channel("a", reduce="extend"), []),
        (Channel("a", reduce="add"), 0),
        (Channel("a", reduce="merge"), {}),
    ],
)
def test_before_the_first_write(channel: Channel, first: Any) -> None:
    assert channel.first_value == first
    assert channel.always_there == (first is not MISSING)


def test_lists_grow() -> None:
    assert [reduce for reduce in REDUCERS if Channel("a", reduce=reduce).grows] == ["append", "extend"]


class Board(BaseModel):
    width: float = 1.0


def test_langgraphs_usual_reducers() -> None:
    class Notes(TypedDict, total=False):
        notes: Annotated[list[str], operator.add]
        points: Annotated[float, operator.add]
        count: Required[Annotated[int, operator.add]]
        facts: Annotated[dict[str, int], operator.or_]
        width: Required[Annotated[float, Field(gt=0)]]

    assert channels_of(Notes) == (
        Channel("notes", TEXTS, "extend"),
        Channel("points", {"type": "number"}, "add"),
        Channel("count", {"type": "integer"}, "add"),
        Channel("facts", {"type": "object", "additionalProperties": {"type": "integer"}}, "merge"),
        Channel("width", {"type": "number", "exclusiveMinimum": 0}),
    )


def newest(old: str, new: str) -> str:
    return new or old


def test_reducers_of_ones_own_are_refused_all_at_once() -> None:
    class Notes(TypedDict):
        a: Annotated[str, newest]
        b: Annotated[str, operator.add]
        c: Annotated[list[str], lambda old, new: new]
        d: Annotated[list[AnyMessage], add_messages]

    with pytest.raises(TypeError) as caught:
        channels_of(Notes)
    first, *others = str(caught.value).split("; ")
    assert first == (
        "Notes.a: the reducer newest is a function, which a plan does not hold: name one of replace, append, extend, "
        'add, merge, as in Annotated[list[str], "extend"], or have the node that writes read the old value and write '
        "the new one"
    )
    named = [other.partition(" is a function")[0] for other in others]
    assert named == ["Notes.b: the reducer add", "Notes.c: the reducer <lambda>", "Notes.d: the reducer _add_messages"]


def test_a_pydantic_model_and_a_dataclass() -> None:
    class Model(BaseModel):
        topic: str
        tone: Annotated[str, "input"] = "dry"
        board: Board = Board()
        notes: Annotated[list[str], operator.add] = []
        tags: list[str] = Field(default_factory=lambda: ["new"])
        draft: str = Field("", max_length=9)

    @dataclass
    class Data:
        topic: str
        tone: Annotated[str, "input"] = "dry"
        notes: Annotated[list[str], operator.add] = field(default_factory=list)

    assert channels_of(Model) == (
        Channel("topic", {"type": "string"}, input=True),
        Channel("tone", {"type": "string"}, input=True, default="dry"),
        Channel("board", schema_of(Board), default={"width": 1.0}),
        Channel("notes", TEXTS, "extend"),
        Channel("tags", TEXTS, default=["new"]),
        Channel("draft", {"type": "string", "maxLength": 9}, default=""),
    )
    assert channels_of(Data) == (*channels_of(Model)[:2], Channel("notes", TEXTS, "extend"))


def test_a_reducer_begins_with_nothing() -> None:
    class Model(BaseModel):
        notes: Annotated[list[str], "append"] = ["a"]

    with pytest.raises(TypeError, match=r"Model.notes: a channel that is written by append begins with \[\]"):
        channels_of(Model)


def test_a_state_class_inherits_and_has_constants() -> None:
    class Longer(Essay):
        LONGEST: ClassVar[int] = 9
        end: str

    assert channels_of(Longer) == (*EXPECTED, Channel("end", {"type": "string"}))


def test_the_types_that_a_class_declares() -> None:
    class Sawn(State):
        board: Board = input()
        boards: Annotated[list[Board], "append"]

    assert types_of(Sawn) == {"board": Board, "boards": list[Board]}
    assert types_of(EXPECTED) == {}


@pytest.mark.parametrize(("source", "words"), [(dict, "dict declares no channels"), (None, "None is no state")])
def test_what_has_no_channels_is_no_state(source: Any, words: str) -> None:
    with pytest.raises(TypeError, match=f"{words}; give a State class, a TypedDict or Channel objects"):
        channels_of(source)
