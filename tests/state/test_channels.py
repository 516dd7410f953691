"""Channels: as classes, as TypedDicts, as objects, and what a write to each may be."""

from typing import Annotated, Any, TypedDict

import pytest

from loopwright.state.channels import MISSING, REDUCERS, Channel, State, add, append, channels_of, extend, input, merge

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
