"""Nodes of functions: their names and versions, what they are called with, and what their answers mean."""

import functools
from typing import Any

import pytest

from loopwright.errors import ContractError
from loopwright.nodes.code import UNVERSIONED, Act, CodeNode, CodeRef, FunctionNode, Route, code_ref, node
from loopwright.nodes.contract import Answer, AskWorld, Contract, Node

HERE = __name__


def polish(draft: str, notes: list[str]) -> str:
    notes.append("polished")
    return draft.strip()


def answered(function: Any, **fields: Any) -> Answer:
    """What an act comes to with what the function returns."""
    act = Act("act", lambda: function, **fields)
    ask = act.ask({})
    assert isinstance(ask, AskWorld)
    reply: Any = ask.call()
    return act.answer({}, reply)


def test_names_and_versions() -> None:
    assert code_ref(polish).name == f"{HERE}:polish"
    assert code_ref(polish, name="mine", version="3") == CodeRef("mine", "3")
    assert len(code_ref(polish).version) == 12
    assert code_ref(polish) == code_ref(polish) != code_ref(test_names_and_versions)
    assert code_ref(str.upper, name="upper").version == UNVERSIONED


@pytest.mark.parametrize("function", [lambda: 1, functools.partial(polish, "a"), "text".upper])
def test_what_needs_a_name(function: Any) -> None:
    with pytest.raises(ValueError, match="is not a module-level function: give it a name, as in name='polish'"):
        code_ref(function)
    assert Act("shout", function, reads=()).declared.code.name == "shout"


def test_a_module_level_function_is_named_by_its_place() -> None:
    assert Act("shine", polish).declared.code.name == f"{HERE}:polish"
    assert Act("shine", polish).named("again").declared == CodeNode(
        "again", code=code_ref(polish), reads=("draft", "notes")
    )


def test_a_decorated_function() -> None:
    @node(writes="draft", outcomes=["done", "same"], kind="route", name="look")
    def look(draft: str) -> Any:
        return "same", {"draft": draft}

    assert look.contract == Contract("route", ("draft",), ("draft",), ("done", "same"))
    assert (look.name, look("x")) == ("look", ("same", {"draft": "x"}))
    assert look.ask({"draft": "x"}) is None
    assert look.answer({"draft": "x"}, None) == Answer("same", {"draft": "x"})


def test_it_is_called_with_copies() -> None:
    view: dict[str, Any] = {"draft": " x ", "notes": []}
    ask = Act("shine", polish, writes="draft").ask(view)
    assert isinstance(ask, AskWorld)
    assert ask.call() == {"outcome": "done", "update": {"draft": "x"}, "reason": ""}
    assert view["notes"] == []
    Route("r", polish, outcomes=["x", "y"]).answer(view, None)
    assert view["notes"] == []


TWO: dict[str, Any] = {"writes": ["a", "b"]}


@pytest.mark.parametrize(
    ("returned", "fields", "answer"),
    [
        (None, {}, Answer("done")),
        (None, {"writes": "a"}, Answer("done")),
        (3, {"writes": "a"}, Answer("done", {"a": 3})),
        ({"a": 1}, {"writes": "a"}, Answer("done", {"a": 1})),
        ({"x": 1}, {"writes": "a"}, Answer("done", {"a": {"x": 1}})),
        ({"a": 1}, TWO, Answer("done", {"a": 1})),
        (("done", {"a": 1}), TWO, Answer("done", {"a": 1})),
        (("done", None), TWO, Answer("done")),
        (Answer("done", {"a": 1}, "why"), TWO, Answer("done", {"a": 1}, "why")),
        ("good", {"outcomes": ["good", "bad"]}, Answer("good")),
        (("bad", {"a": 1}), {"outcomes": ["good", "bad"], "writes": "a"}, Answer("bad", {"a": 1})),
        ("elsewhere", {"outcomes": ["good", "bad"]}, Answer("elsewhere")),
    ],
)
def test_what_is_returned_is_an_answer(returned: Any, fields: dict[str, Any], answer: Answer) -> None:
    assert answered(returned, **fields) == answer


@pytest.mark.parametrize(
    ("returned", "fields", "words"),
    [
        (
            3,
            {"outcomes": ["good", "bad"]},
            "returned 3; expected one of its outcomes (good, bad), or (outcome, update)",
        ),
        (3, TWO, "returned 3; expected a mapping of its writes (a, b), or None"),
        ({"c": 1}, TWO, "returned {'c': 1}; expected a mapping of its writes (a, b), or None"),
        (3, {}, "returned 3; expected a mapping of its writes (none are declared), or None"),
    ],
)
def test_what_is_returned_means_nothing(returned: Any, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ContractError) as caught:
        answered(returned, **fields)
    assert str(caught.value) == f"node 'act' {words}"


async def later() -> str:
    return "yes"


def test_a_route_is_not_async() -> None:
    with pytest.raises(TypeError, match="is async, and a route only decides: make it an act"):
        Route("r", later, outcomes=["yes", "no"])


def test_a_plan_holds_the_name_and_not_the_function() -> None:
    declared = Act("shine", polish, writes="draft", version="1").declared
    data = declared.to_data()
    assert data == {
        "type": "code",
        "name": "shine",
        "code": {"name": f"{HERE}:polish", "version": "1"},
        "reads": ["draft", "notes"],
        "writes": ["draft"],
    }
    assert Node.from_data(data) == declared
    for refuse in (declared.ask, lambda view: declared.answer(view, None)):
        with pytest.raises(
            ContractError, match=f"node 'shine' needs the code '{HERE}:polish': open the run with loop="
        ):
            refuse({})


def test_code_is_bound_by_its_name() -> None:
    declared = Act("shine", polish).declared
    assert declared.bound({f"{HERE}:polish": polish}) == FunctionNode(declared, polish)
    with pytest.raises(ContractError, match=r"which is not in the loop's registry \(other\)"):
        declared.bound({"other": polish})
