"""Nodes of functions: their names and versions, what they are called with, and what their answers mean."""

import asyncio
import functools
from datetime import date
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate
from pydantic import BaseModel

from loopwright.errors import ContractError
from loopwright.nodes.code import UNVERSIONED, CodeNode, CodeRef, FunctionNode, code_ref
from loopwright.nodes.contract import Answer, AskWorld, Node
from loopwright.nodes.functions import Act, Route

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


class Board(BaseModel):
    wood: str
    sawn: date


def saw(board: Board, more: list[Board], day: date | None, count: int) -> Board:
    assert isinstance(board, Board)
    assert all(isinstance(each, Board) for each in more)
    return Board(wood=f"{board.wood} {count}", sawn=day or board.sawn)


BOARD: Any = {"wood": "oak", "sawn": "2026-11-30"}


def updated(node: FunctionNode, view: Any) -> Any:
    ask = node.ask(view)
    assert isinstance(ask, AskWorld)
    reply: Any = ask.call()
    return node.answer(view, reply).update


def test_a_function_gets_the_types_that_it_declares_and_json_is_kept() -> None:
    view = {"board": BOARD, "more": [BOARD], "day": "2026-12-01", "count": 2}
    assert updated(Act("saw", saw, writes="board"), view) == {"board": {"wood": "oak 2", "sawn": "2026-12-01"}}


def test_a_route_gets_them_too() -> None:
    def choose(board: Board) -> str:
        return "old" if board.sawn < date(2026, 12, 1) else "new"

    route = Route("age", choose, outcomes=["old", "new"])
    assert route.answer({"board": BOARD}, None).outcome == "old"


def test_a_value_that_does_not_fit_the_declared_type_is_told() -> None:
    with pytest.raises(ContractError, match="node 'saw' reads 'board', which does not fit the type that it declares"):
        updated(Act("saw", saw, writes="board"), {"board": {"wood": 3}, "more": [], "day": None, "count": 1})


def test_a_runnable_is_an_act() -> None:
    chain = ChatPromptTemplate.from_template("On {topic}") | FakeListChatModel(responses=["Rot."])
    node = Act("write", chain, writes="draft", version="1")
    assert (node.contract.reads, node.declared.code) == (("topic",), CodeRef("write", "1"))
    assert updated(node, {"topic": "wood"}) == {"draft": "Rot."}
    ask = node.ask({"topic": "wood"})
    assert isinstance(ask, AskWorld)
    assert ask.acall is not None
    assert asyncio.run(_awaited(ask)) == {"outcome": "done", "update": {"draft": "Rot."}, "reason": ""}


async def _awaited(ask: AskWorld) -> Any:
    assert ask.acall is not None
    return await ask.acall()
