"""A price of one's own."""

import pytest

from loopwright.nodes.models.price import Price


def test_a_price_is_that_of_a_million_tokens() -> None:
    assert Price(input=1, output=4).cost(2_000_000, 500_000) == 4
    assert Price(input=0, output=0).cost(1000, 1000) == 0


def test_all_that_is_wrong_is_told() -> None:
    with pytest.raises(ValueError, match=r"this Price is not valid: input: .* got -1; output: .* got nan"):
        Price(input=-1, output=float("nan"))
