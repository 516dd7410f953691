"""What calls cost, and what is said where nobody knows."""

import subprocess
import sys

import pytest

from loopwright.nodes.models.price import Price
from loopwright.nodes.models.prices import price_of, priced
from loopwright.nodes.models.reference import ModelRef
from loopwright.state.records import Usage

ONE = Price(input=1, output=1)


def test_the_price_of_the_reference_goes_first() -> None:
    assert price_of(ModelRef("gpt-4o-mini", price=ONE)) is ONE


def test_the_list_knows_models_by_their_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    listed = price_of(ModelRef("gpt-4o-mini"))
    assert listed is not None
    assert 0 < listed.cost(1000, 0) < listed.cost(0, 1000)
    assert price_of(ModelRef("gpt-4o-mini", base_url="http://127.0.0.1:1/v1")) is None
    assert price_of(ModelRef("no such model")) is None
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert price_of(ModelRef("gpt-4o-mini")) is None


@pytest.mark.parametrize(
    ("usage", "price", "told"),
    [
        (Usage(calls=1, tokens_in=1_000_000), ONE, Usage(calls=1, tokens_in=1_000_000, cost=1.0)),
        (Usage(calls=1, tokens_in=5), None, Usage(calls=1, tokens_in=5, unpriced=1)),
        (Usage(calls=1), ONE, Usage(calls=1, unpriced=1)),
        (Usage(calls=1), Price(input=0, output=0), Usage(calls=1)),
        (Usage(calls=1, cost=0.5), None, Usage(calls=1, cost=0.5)),
        (Usage(cached=1), None, Usage(cached=1)),
    ],
    ids=["priced", "unknown", "nobody counted", "free", "says it itself", "cached"],
)
def test_a_call_is_priced_or_said_to_be_unpriced(usage: Usage, price: Price | None, told: Usage) -> None:
    assert priced(usage, price) == told


def test_the_list_is_loaded_only_when_a_price_is_asked_for() -> None:
    code = "import sys, loopwright.nodes.models.prices; print('genai_prices' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
