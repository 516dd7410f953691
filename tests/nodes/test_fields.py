"""Records that users make by hand: all that is wrong with them is told."""

from dataclasses import dataclass
from typing import Annotated

import pytest
from pydantic import Field

from loopwright.nodes.fields import require_fields, types_of


@dataclass
class Box:
    width: Annotated[int, Field(ge=1)]
    height: Annotated[float, Field(gt=0)] | None = None


def test_what_fits_is_taken() -> None:
    require_fields(Box(1), types_of(Box))
    require_fields(Box(1, 2), types_of(Box))


def test_all_that_is_wrong_is_told() -> None:
    with pytest.raises(ValueError, match="this Box is not valid: width: ") as caught:
        require_fields(Box(0, -1), types_of(Box))
    assert str(caught.value) == (
        "this Box is not valid: width: input should be greater than or equal to 1, got 0; "
        "height: input should be greater than 0, got -1"
    )


@pytest.mark.parametrize("width", [True, "1", 1.0, None])
def test_nothing_is_read_as_a_number_that_is_none(width: object) -> None:
    box = Box(1)
    box.__dict__["width"] = width
    with pytest.raises(ValueError, match="width"):
        require_fields(box, types_of(Box))
