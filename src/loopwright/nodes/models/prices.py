"""What the tokens of a model cost: as its reference says, or as the list of prices has it, or nobody knows."""

import importlib
import os
from dataclasses import replace
from functools import cache
from typing import Protocol

from loopwright.nodes.models.reference import ModelRef
from loopwright.state.records import Usage

OPENAI = "https://api.openai.com/v1"
"""Where a reference leads that names no address, unless the environment names one."""


class Pricing(Protocol):
    """Something that knows what tokens cost."""

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """US dollars for so many tokens sent and received."""


def price_of(ref: ModelRef) -> Pricing | None:
    """What the tokens of a model cost; None where nobody knows.

    The list of prices comes with the package `genai-prices`, and nothing is asked of any network. It knows providers by
    their addresses, so that a model on a server of one's own never has the price of a model with the same name.

    Args:
        ref: The model; its own `price` goes before the list.

    Example:
        >>> from loopwright.nodes.models.price import Price
        >>> price_of(ModelRef("llama3", base_url="http://127.0.0.1:8080/v1")) is None
        True
        >>> price_of(ModelRef("gpt-4o-mini", price=Price(input=1, output=2))).cost(1_000_000, 500_000)
        2.0
    """
    return ref.price or _listed(ref.model, ref.base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI)


@cache
def _listed(model: str, address: str) -> Pricing | None:
    """The price of the list, which takes an eighth of a second to load; most commands never ask for a price."""
    listed: Pricing | None = importlib.import_module("loopwright.nodes.models.pricelist").listed_price(model, address)
    return listed


def priced(usage: Usage, price: Pricing | None) -> Usage:
    """What a call took, with what it cost. A call is unpriced where nobody knows its price, or counted its tokens.

    Args:
        usage: What one reply took; where it says its cost by itself, that stays.
        price: The price of the model's tokens.

    Example:
        >>> priced(Usage(calls=1, tokens_in=10), None)
        Usage(calls=1, tokens_in=10, unpriced=1)
    """
    if usage.cost or not usage.calls:
        return usage
    tokens_in, tokens_out = usage.tokens_in, usage.tokens_out
    if price is None or (not tokens_in + tokens_out and price.cost(1, 1)):
        return replace(usage, unpriced=usage.calls)
    cost = price.cost(tokens_in, tokens_out)
    return replace(usage, cost=cost) if cost else usage
