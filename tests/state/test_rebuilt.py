"""Python's own types: what becomes JSON, and what is made of JSON again."""

import threading
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, TypedDict
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from loopwright.state.rebuilt import RESULT_TYPE, plain, rebuilder, rebuilders_of, rebuilt_result


class Wood(Enum):
    OAK = "oak"


class Board(BaseModel):
    wood: Wood
    sawn: date


@dataclass(frozen=True)
class Pile:
    boards: list[Board]


class Words(TypedDict):
    words: str


@dataclass
class Odd:
    """A dataclass that pydantic knows nothing of."""

    thing: threading.Lock


class Text(str):
    """A text of a library's own type."""


BOARD = Board(wood=Wood.OAK, sawn=date(2026, 11, 30))
DATA = {"wood": "oak", "sawn": "2026-11-30"}


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (BOARD, DATA),
        (Pile([BOARD]), {"boards": [DATA]}),
        ({"a": [BOARD, 1]}, {"a": [DATA, 1]}),
        (Wood.OAK, "oak"),
        (datetime(2026, 11, 30, 12), "2026-11-30T12:00:00"),
        (timedelta(minutes=1), "PT1M"),
        (Decimal("1.50"), "1.50"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Path("a/b"), "a/b"),
        (None, None),
        (Text("a"), "a"),
        ([True, 1.5], [True, 1.5]),
    ],
)
def test_values_become_json(value: Any, data: Any) -> None:
    assert (plain(value), type(plain(value))) == (data, type(data))


def test_what_has_no_form_as_json_stays_and_lists_are_copies() -> None:
    notes: Any = ["a"]
    things: list[Any] = [object(), {1, 2}, Pile, Odd(threading.Lock())]
    assert plain(notes) is not notes
    assert all(kept is thing for kept, thing in zip([*map(plain, things)], things, strict=True))


@pytest.mark.parametrize(
    ("type_", "data", "value"),
    [
        (Board, DATA, BOARD),
        (list[Board], [DATA], [BOARD]),
        (Board | None, None, None),
        (dict[str, Board] | int, {"a": DATA}, {"a": BOARD}),
        (Annotated[Board, Field(description="of oak")], DATA, BOARD),
        (Pile, {"boards": [DATA]}, Pile([BOARD])),
        (Wood, "oak", Wood.OAK),
    ],
)
def test_json_becomes_what_is_declared(type_: Any, data: Any, value: Any) -> None:
    rebuild = rebuilder(type_)
    assert rebuild
    assert rebuild(data) == value


@pytest.mark.parametrize(
    "type_", [str, int, Any, None, dict, list[int], dict[str, Any], Words, int | None, object, Odd]
)
def test_json_is_left_alone_where_it_is_what_is_declared(type_: Any) -> None:
    assert rebuilder(type_) is None


def test_what_does_not_fit_is_a_value_error() -> None:
    rebuild = rebuilder(Board)
    assert rebuild
    with pytest.raises(ValueError, match="wood"):
        rebuild({"wood": "ash", "sawn": "2026-11-30"})


def test_the_parameters_of_a_function() -> None:
    def saw(board: Board, count: int, note: str | None = None) -> Pile:
        return Pile([board] * count)

    def unknown(board: "Plank") -> None:  # type: ignore[name-defined]  # noqa: F821
        del board

    assert list(rebuilders_of(saw)) == ["board"]
    assert rebuilders_of(unknown) == {}
    assert rebuilders_of(len) == {}


def test_a_result() -> None:
    code = {RESULT_TYPE: Board}
    assert rebuilt_result(code, DATA) == BOARD  # type: ignore[arg-type]
    assert rebuilt_result(code, None) is None
    assert rebuilt_result({}, DATA) == DATA  # type: ignore[arg-type]
