"""The list of prices, which asks nothing of any network."""

import socket

import pytest

from loopwright.nodes.models.pricelist import Listed, listed_price

OPENAI = "https://api.openai.com/v1"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refused)


def test_a_known_model_has_a_price_by_the_address() -> None:
    listed = listed_price("gpt-4o-mini", OPENAI)
    assert listed is not None
    assert listed.cost(2000, 0) == pytest.approx(2 * listed.cost(1000, 0))


@pytest.mark.parametrize(("model", "address"), [("nobody's", OPENAI), ("gpt-4o-mini", "http://127.0.0.1:8080/v1")])
def test_what_it_does_not_know(model: str, address: str) -> None:
    assert listed_price(model, address) is None
    with pytest.raises(LookupError):
        Listed(model, address).cost(1, 1)
