"""The contract of a node: what it declares, what is wrong with it, and how it becomes data and comes back."""

from dataclasses import dataclass
from typing import Any

import pytest

from loopwright.errors import Fault
from loopwright.nodes.code import CodeNode, CodeRef
from loopwright.nodes.contract import FAILURES, NODE_TYPES, Answer, Contract, Kind, Node, View, names
from loopwright.nodes.enter import Enter
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait
from loopwright.state.values import Json


def act(*outcomes: str, kind: Any = "act") -> CodeNode:
    return CodeNode("a", code=CodeRef("a", "1"), kind=kind, outcomes=outcomes)


@pytest.mark.parametrize(
    ("kind", "failures"),
    [
        ("think", FAILURES),
        ("act", ("unreadable", "failed")),
        ("wait", ()),
        ("route", ()),
        ("each", ()),
        ("parallel", ()),
    ],
)
def test_only_models_and_functions_fail(kind: Kind, failures: tuple[str, ...]) -> None:
    assert Contract(kind, (), (), ("done",)).failures == failures


def test_sure_writes_keep_their_order() -> None:
    assert Contract("act", (), ("c", "a", "b"), ("done",), may_write=("a", "x")).sure_writes == ("c", "b")


@pytest.mark.parametrize(
    ("node", "faults"),
    [
        (act("done"), []),
        (act(), [Fault("there are no outcomes", ("outcomes",), "declare at least one")]),
        (
            act("a", "b", "a", "a"),
            [Fault("the outcome 'a' stands twice", ("outcomes", place), "declare it once") for place in (2, 3)],
        ),
        (
            act("failed", "ok", "unreadable"),
            [
                Fault(
                    f"the outcome {outcome!r} is that of a model or a function that fails",
                    ("outcomes", place),
                    "give it another name; a failure has an edge without being declared",
                )
                for place, outcome in ((0, "failed"), (2, "unreadable"))
            ],
        ),
        (act("failed", kind="route"), []),
    ],
)
def test_the_rules_of_outcomes(node: Node, faults: list[Fault]) -> None:
    assert list(node.faults()) == faults


NODES = [
    Think("write", prompt="<{topic}>", model="strong", writes="draft"),
    Judge("review", prompt="Good?", outcomes=["pass", "revise"], writes="notes"),
    Judge("rate", prompt="Good?", score=(1, 10)),
    Human("approve", text="<{draft}>?", outcomes=["yes", "no"], default="yes", on_text="no"),
    Wait("bell", text="?", reply={"type": "integer"}),
    act("left", "right", kind="route"),
    Enter("inner"),
]


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.name)
def test_a_node_and_its_data_are_one(node: Node) -> None:
    data = node.to_data()
    assert data["type"] == node.type
    assert Node.from_data(data) == node
    assert type(node).from_data(data) == node
    assert "type" in data  # reading it has not changed it


def test_data_holds_what_is_not_as_usual() -> None:
    assert Enter("inner").to_data() == {"type": "enter", "name": "inner"}


@pytest.mark.parametrize(
    ("owner", "data", "words"),
    [
        (Node, {"type": "thinks", "name": "a"}, "'thinks' is not a type of node; types are "),
        (Node, {"name": "a"}, "None is not a type of node"),
        (Node, {"type": ["think"], "name": "a"}, r"\['think'\] is not a type of node"),
        (Wait, {"type": "enter", "name": "a"}, "'enter' is not a type of node"),
        (Node, {"type": "enter", "name": 3}, "valid string"),
        (Node, {"type": "enter"}, "name"),
    ],
)
def test_data_that_is_no_node(owner: type[Node], data: dict[str, Json], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        owner.from_data(data)


def test_a_type_is_entered_by_its_word_and_a_class_without_one_is_not() -> None:
    @dataclass(frozen=True)
    class Ring(Enter, type="ring (test)"):
        """A node type of somebody else's."""

    @dataclass(frozen=True)
    class Base(Enter):
        """A base of node types."""

    try:
        assert Node.from_data({"type": "ring (test)", "name": "a"}) == Ring("a")
        assert Base not in NODE_TYPES.values()
    finally:
        del NODE_TYPES["ring (test)"]


@pytest.mark.parametrize(("node", "calls"), [(NODES[0], 1), (NODES[3], 0), (NODES[5], 0), (NODES[-1], 0)])
def test_a_visit_asks_a_model_once_or_not_at_all(node: Node, calls: int) -> None:
    assert (node.calls, len(node.models)) == (calls, calls)


def test_a_node_that_needs_no_code_is_bound_as_it_is() -> None:
    @dataclass(frozen=True)
    class Plain(Node):
        """The least that a node must have."""

        name: str

        @property
        def contract(self) -> Contract:
            return Contract("route", (), (), ("done",))

        def ask(self, view: View) -> None:
            return None

        def answer(self, view: View, reply: Json) -> Answer:
            return Answer("done")

    node = Plain("a")
    assert node.bound({"a": print}) is node
    assert (node.models, node.calls, node.value_type) == ((), 0, {})


@pytest.mark.parametrize(
    ("value", "expected"), [("", ()), ("ab", ("ab",)), (["a", ""], ("a", "")), (("a",), ("a",)), ([], ())]
)
def test_names(value: Any, expected: tuple[str, ...]) -> None:
    assert names(value) == expected


def test_more_of_a_bound_is_nothing_to_most_nodes() -> None:
    node = Think("write", prompt="x")
    assert node.given_more("rounds", 3) is node
