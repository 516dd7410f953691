"""The list of prices that everybody can know. `prices` loads it when a price is first asked for; it is all offline."""

from genai_prices import Usage, calc_price


class Listed:
    """A price of the list, with all its steps.

    Args:
        model: The model's name, as the provider has it.
        address: Where it is asked.
    """

    def __init__(self, model: str, address: str) -> None:
        self._model, self._address = model, address

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """US dollars for so many tokens sent and received.

        Raises:
            LookupError: The list has no such model at this address.
        """
        usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
        return float(calc_price(usage, self._model, provider_api_url=self._address).total_price)


def listed_price(model: str, address: str) -> Listed | None:
    """The price of a model, by the address of its API; None where the list has not got it.

    Example:
        >>> listed_price("gpt-4o-mini", "https://api.openai.com/v1").cost(1_000_000, 0) > 0
        True
        >>> listed_price("gpt-4o-mini", "http://127.0.0.1:8080/v1") is None
        True
    """
    listed = Listed(model, address)
    try:
        listed.cost(1, 1)
    except LookupError:
        return None
    return listed
