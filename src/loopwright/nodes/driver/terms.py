"""On what terms a run asks its models: their prices, what they can be told, their budgets and rate limits."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from loopwright.nodes.driver.ledger import Account, Ledger, Need
from loopwright.nodes.models.contract import ModelCall
from loopwright.nodes.models.limiter import Limiter
from loopwright.nodes.models.prices import Pricing

PER_MESSAGE, PER_CALL = 16, 256
"""Tokens beyond its bytes that a provider may make of a message, and of a whole call: marks, and words about tools or
the shape of the answer."""


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms a run asks one of its models.

    Args:
        price: What its tokens cost, as far as anybody knows.
        max_tokens: The most tokens of an answer, where the model says so.
        can_be_told: Whether the model obeys `ModelCall.max_tokens` and `ModelCall.timeout`.
        timeout: Seconds that it gives a call by itself.
        limiter: Keeps its rate limits.
        ledger: The ledger of the run, where it has budgets.
        accounts: The budgets that its calls are taken from.
    """

    price: Pricing | None = None
    max_tokens: int | None = None
    can_be_told: bool = False
    timeout: float | None = None
    limiter: Limiter | None = None
    ledger: Ledger | None = None
    accounts: Sequence[Account] = ()

    def need(self, call: ModelCall) -> Need:
        """What a call may take, as far as the budgets have to know it and the model can be bounded."""
        bounded = self.can_be_told or self.max_tokens is not None
        if bounded and any(account.counts_tokens for account in self.accounts):
            return Need(prompt_bound(call), self.max_tokens, self.price)
        return Need()


def prompt_bound(call: ModelCall) -> int:
    """Tokens that are sent with a call, at most. No token is shorter than a byte.

    Example:
        >>> prompt_bound(ModelCall("write", [{"role": "user", "content": "Write."}]))
        323
    """
    parts = [list(call.messages), call.schema, [[tool.name, tool.description, tool.parameters] for tool in call.tools]]
    size = len(json.dumps(parts, ensure_ascii=False).encode(errors="replace"))
    return size + PER_MESSAGE * (len(call.messages) + len(call.tools)) + PER_CALL
