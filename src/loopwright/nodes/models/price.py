"""A price of one's own for a model's tokens."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from loopwright.nodes.fields import require_fields, types_of

MILLION = 1_000_000

_Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]


@dataclass(frozen=True)
class Price:
    """What the tokens of a model cost.

    Args:
        input: US dollars per million tokens sent, from 0 on.
        output: US dollars per million tokens received, from 0 on.

    Raises:
        ValueError: Fields hold what they cannot; all of them are told.

    Example:
        >>> Price(input=0.15, output=0.60).cost(1000, 100)
        0.00021
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    input: _Dollars
    output: _Dollars

    def __post_init__(self) -> None:
        require_fields(self, _TYPES)

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """US dollars for so many tokens sent and received."""
        return (self.input * tokens_in + self.output * tokens_out) / MILLION


_TYPES = types_of(Price)
