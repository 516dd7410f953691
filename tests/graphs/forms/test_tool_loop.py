"""Tool loops as a file has them: the functions that it names, what becomes of them, and all faults at once."""

from typing import Any

import pytest
from langchain_core.tools import tool

from loopwright.errors import Fault
from loopwright.graphs.forms.graph import GraphSpec
from loopwright.graphs.forms.spec import Refused, Spec
from loopwright.graphs.forms.tool_loop import ToolLoopSpec
from loopwright.graphs.plan import End
from loopwright.loop.load import loop_of
from loopwright.loop.tool_loop import ToolLoop
from loopwright.nodes.code import CodeRef
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel


def price(wood: str) -> float:
    """The price of a board."""
    return 41.0 if wood == "oak" else 28.5


def loose(*words: str) -> str:
    """Nothing that a model could call."""
    return " ".join(words)


@tool
def stock(wood: str) -> int:
    """How many boards there are."""
    return len(wood)


FUNCTIONS: dict[str, Any] = {"price": price, "loose": loose, "stock": stock}


class Here:
    """Finds the functions of this file."""

    def function(self, call: str) -> tuple[str, Any]:
        name = call.rpartition(":")[2]
        if name not in FUNCTIONS:
            raise Refused(f"no {call}", "there is price")
        return call, FUNCTIONS[name]

    def spec(self, file: str) -> Spec:
        raise Refused(f"there is no {file}")


def spec(*tools: str, **fields: Any) -> ToolLoopSpec:
    named = [f"shop.py:{name}" for name in tools]
    return ToolLoopSpec.model_validate({"tools": named, **fields}, context=Here())


def test_the_plan_is_that_of_python_with_the_names_of_the_file() -> None:
    made = spec("price", at_most=3)
    (ref,) = made.plan().code
    assert (ref.name, made.code()) == ("shop.py:price", {"shop.py:price": price})
    loop = ToolLoop([price], at_most=3)
    assert str(made.plan().to_data()).replace("shop.py:price", loop.plan.code[0].name) == str(loop.plan.to_data())


def test_it_runs() -> None:
    model = ScriptedModel({"ask": [{"tools": [{"tool": "price", "args": {"wood": "oak"}}]}, {"euros": 41}]})
    run = loop_of(spec("price", "stock", output={"euros": "float"})).start({"task": "?"}, model=model)
    assert (run.end, run.result) == (End("answered"), {"euros": 41})
    assert [ref.name for ref in run.plan.code] == ["shop.py:price", "shop.py:stock"]


def test_every_field_becomes_part_of_the_plan() -> None:
    fields = {"name": "shop", "prompt": "<{wish}>", "system": "Sell.", "model": "strong", "audience": "debug"}
    models = {"strong": {"model": "gpt-4o"}}
    more = {"at_most": 2, "at_once": 3, "then": "end enough", "approve": "price", "models": models}
    plan = spec("price", **fields, **more).plan()
    assert (plan.name, plan.models, plan.ends["enough"]) == ("shop", {"strong": ModelRef("gpt-4o")}, End("enough"))
    assert plan.bounds["rounds"].at_most == 1
    ask: Any = plan.nodes["ask"].node
    assert (ask.models, ask.audience, ask.at_once, ask.system) == (("strong",), "debug", 3, "Sell.")
    inner = next(inner for inner in plan.walk() if "approve price" in inner.nodes)
    called: Any = inner.nodes["price"].node
    assert called.code.name == "shop.py:price"


@pytest.mark.parametrize(
    ("made", "faults"),
    [
        (
            lambda: spec("prise", "loose", then="ask"),
            [
                Fault("no shop.py:prise", ("tools", 0), "there is price"),
                Fault("a model gives each argument by its name", ("tools", 1)),
                Fault("'ask' is no end", ("then",), "write end NAME, or fail NAME"),
            ],
        ),
        (
            lambda: spec("price", "price", approve=["prise"], prompt="<{history}>"),
            [
                Fault("there are two tools 'price'", ("tools", 1), "rename one of them"),
                Fault("there is no tool 'prise'", ("approve",), "did you mean 'price'? there are: price, price"),
                Fault("<{history}> is what the loop itself writes", ("prompt",), "give the input another name"),
            ],
        ),
        (
            lambda: ToolLoopSpec(tools=["shop.py:price"]),
            [
                Fault(
                    "only a file names functions",
                    ("tools", 0),
                    "in Python, give the function to a PlanBuilder, by @node",
                )
            ],
        ),
    ],
)
def test_all_faults_are_told_at_once(made: Any, faults: list[Fault]) -> None:
    found = made().faults()
    assert [(fault.path, fault.hint) for fault in found if fault.hint] == [
        (fault.path, fault.hint) for fault in faults if fault.hint
    ]
    assert [fault.path for fault in found] == [fault.path for fault in faults]
    assert all(told.message in fault.message for fault, told in zip(found, faults, strict=True))


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (("nodes", "ask", "prompt"), ("prompt",)),
        (("nodes", "conclude", "model"), ("model",)),
        (("nodes", "ask"), ()),
        (("nodes", "tools"), ("tools",)),
        (("bounds", "rounds"), ("at_most",)),
        (("channels", "task"), ()),
    ],
)
def test_where_a_part_of_the_plan_stands(place: Any, path: Any) -> None:
    assert spec("price").path_of(place) == path


def test_it_stands_in_a_graph() -> None:
    graph = {
        "channels": {"wish": {"type": "str", "input": True}, "offer": "str"},
        "nodes": {
            "sell": {
                "type": "plan",
                "plan": {"kind": "tool_loop", "tools": ["shop.py:price"], "prompt": "<{wish}>"},
                "writes": "offer",
            }
        },
        "edges": ["sell [answered] -> end sold", "sell [max_rounds] -> fail lost"],
        "result": "offer",
    }
    loop = loop_of(GraphSpec.model_validate(graph, context=Here()))
    run = loop.start({"wish": "oak"}, model=ScriptedModel({"default": ["41 euros."]}))
    assert (run.end, run.result, loop.plan.code) == (
        End("sold"),
        "41 euros.",
        (CodeRef("shop.py:price", loop.plan.code[0].version),),
    )
