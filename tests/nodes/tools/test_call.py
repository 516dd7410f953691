"""The nodes of one call of a tool."""

import asyncio
from typing import Any

import pytest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from loopwright.errors import ContractError
from loopwright.nodes.code import CodeRef
from loopwright.nodes.contract import AskWorld, Node, ToolSpec, View
from loopwright.nodes.tools.call import Calling, CallTool, RefuseCall, WhichTool
from loopwright.nodes.tools.tool import tool_of

AREA = ToolSpec(
    "area",
    parameters={
        "type": "object",
        "properties": {"width": {"type": "number"}, "unit": {"type": "string", "enum": ["m", "cm"]}},
        "required": ["width"],
        "additionalProperties": False,
    },
)
WHICH = WhichTool("which tool", tools=[AREA, ToolSpec("now")])


def call(name: str, args: Any) -> View:
    return {"call": {"id": "7", "name": name, "args": args}}


def test_a_call_goes_to_its_tool_with_arguments_that_fit() -> None:
    answer = WHICH.answer(call("area", {"width": "2.5", "unit": "M"}), None)
    assert (answer.outcome, answer.update["args"]) == ("area", {"width": 2.5, "unit": "m"})
    assert answer.update["wish"] == 'area({"width": 2.5, "unit": "m"})'


@pytest.mark.parametrize(
    ("name", "args", "reason"),
    [
        ("aera", {}, "there is no tool 'aera'; did you mean 'area'? there are: area, now"),
        ("area", {"width": "wide"}, 'the arguments of area do not fit: at width: "wide" is not of type "number"'),
        ("area", {}, 'the arguments of area do not fit: "width" is a required property'),
        ("area", '{"width": ', 'the arguments of area are no JSON object: {"width": '),
        ("now", None, "the arguments of now are no JSON object: None"),
    ],
)
def test_a_call_that_cannot_be_made_is_answered(name: str, args: Any, reason: str) -> None:
    answer = WHICH.answer(call(name, args), None)
    assert (answer.outcome, answer.reason) == ("cannot call", reason)
    assert answer.update == {"result": {"role": "tool", "tool_call_id": "7", "content": f"Not called: {reason}"}}


@pytest.mark.parametrize(("why", "words"), [("", "it."), ("too dear", "it: too dear")])
def test_a_refusal_says_why(why: str, words: str) -> None:
    answer = RefuseCall("refuse").answer({**call("area", {}), "why": why}, None)
    assert answer.update["result"] == {
        "role": "tool",
        "tool_call_id": "7",
        "content": f"Not called: a person refused {words}",
    }


def nothing() -> None:
    """Does something."""


def surrogate() -> str:
    return "half \ud800"


def mixed() -> Any:
    return {"ö": {1}, "at": object}


def broken(key: str) -> None:
    raise ConnectionError(f"no answer from http://me:pw@host?key={key}")


def silent() -> None:
    raise KeyError


def faulty() -> None:
    raise ContractError("the loop inside broke its contract")


def ended() -> None:
    raise StopIteration


def wordless() -> None:
    class Wordless(Exception):
        def __str__(self) -> str:
            raise ValueError

    raise Wordless


def endless() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


def message() -> ToolMessage:
    return ToolMessage("three", tool_call_id="of its own")


def command() -> Command[str]:
    return Command(update={"found": 3})


async def awaited_broken() -> None:
    await asyncio.sleep(0)
    raise ValueError("too late")


async def awaited(key: str) -> list[str]:
    await asyncio.sleep(0)
    return [key]


@pytest.mark.parametrize(
    ("live", "args", "content"),
    [
        (nothing, {}, "null"),
        (surrogate, {}, "half \\ud800"),
        (mixed, {}, '{"ö": [1], "at": "<class \'object\'>"}'),
        (broken, {"key": "abc"}, "Failed: ConnectionError: no answer from http://host?key=***"),
        (broken, {}, "Not called: the arguments do not fit: key: Field required"),
        (silent, {}, "Failed: KeyError"),
        (wordless, {}, "Failed: Wordless"),
        (message, {}, "three"),
        (
            endless,
            {},
            "Failed: it was called, and its list cannot be told: ValueError: Circular reference detected (id repeated)",
        ),
        (awaited_broken, {}, "Failed: ValueError: too late"),
        (awaited, {"key": "abc"}, '["abc"]'),
    ],
)
@pytest.mark.parametrize("is_awaited", [False, True], ids=["sync", "async"])
def test_what_comes_of_a_call_is_told(live: Any, args: Any, content: str, is_awaited: bool) -> None:
    calling = Calling(tool_of(live))
    if is_awaited:
        answer = asyncio.run(calling.acall({"id": "7"}, args))
    else:
        given = calling({"id": "7"}, args)
        answer = asyncio.run(given) if asyncio.iscoroutine(given) else given
    assert answer.outcome == "done"
    assert answer.update == {"result": {"role": "tool", "tool_call_id": "7", "content": content}}
    assert bool(answer.reason) == content.startswith(("Failed", "Not called"))


def test_a_contract_that_was_broken_stops_the_run() -> None:
    with pytest.raises(ContractError, match="the loop inside"):
        Calling(tool_of(faulty))({"id": "7"}, {})


def test_what_a_command_of_langgraph_would_do_is_not_dropped_in_silence() -> None:
    with pytest.raises(ContractError, match="a tool gave a Command of LangGraph, and here only a model reads"):
        Calling(tool_of(command))({"id": "7"}, {})


def test_a_tool_at_the_end_of_its_iterator_is_not_waited_for() -> None:
    async def called() -> Any:
        return await asyncio.wait_for(Calling(tool_of(ended)).acall({"id": "7"}, {}), timeout=10)

    assert asyncio.run(called()).reason == "RuntimeError: StopIteration"


def test_the_node_names_its_tool_and_is_bound_to_it() -> None:
    node = CallTool("nothing", code=CodeRef("tools:nothing", "1"))
    assert Node.from_data(node.to_data()) == node
    bound = node.bound({"tools:nothing": nothing})
    ask = bound.ask({"call": {"id": "7"}, "args": {}})
    assert isinstance(ask, AskWorld)
    assert ask.acall is not None
    reply: Any = ask.call()
    assert bound.answer({}, reply).update["result"] == {"role": "tool", "tool_call_id": "7", "content": "null"}
    assert asyncio.run(_result(ask)) == reply
    with pytest.raises(ContractError, match="'tools:nothing', which is not in the loop's registry"):
        node.bound({})


async def _result(ask: AskWorld) -> Any:
    assert ask.acall is not None
    return await ask.acall()
