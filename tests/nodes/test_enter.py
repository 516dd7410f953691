"""The node by which a nested plan is entered: it asks nobody, and goes on."""

from loopwright.nodes.contract import Answer, Contract, Node
from loopwright.nodes.enter import Enter


def test_it_goes_on_and_touches_nothing() -> None:
    node: Node = Enter("inner")
    assert node.contract == Contract("route", (), (), ("done",))
    assert list(node.faults()) == []
    assert (node.ask({}), node.answer({}, None)) == (None, Answer("done"))


def test_it_costs_no_call() -> None:
    assert (Enter("inner").calls, Enter("inner").models) == (0, ())


def test_it_comes_back_from_a_stored_plan() -> None:
    assert Node.from_data({"type": "enter", "name": "inner"}) == Enter("inner")
