"""Tool loops from one end to the other: rounds, calls side by side, faults that are told, approval, nesting."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool as langchain_tool
from pydantic import BaseModel

from loopwright.errors import ContractError, SourceError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.graphs.tool_loop import ToolLoopSettings
from loopwright.loop.loop import Loop
from loopwright.loop.tool_loop import ToolLoop
from loopwright.nodes.contract import ToolCall
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.think import Think
from loopwright.state.channels import Channel
from loopwright.state.values import Json
from loopwright.testing.model_server import ModelServer
from loopwright.testing.scripts import RecordingModel, assert_path


def area(width: float, height: float = 1.0) -> float:
    """The area of a board."""
    return width * height


async def price(wood: str) -> str:
    """The price of a board."""
    await asyncio.sleep(0)
    return {"oak": "30"}[wood]


@langchain_tool
def count(boards: list[str]) -> int:
    """How many boards there are."""
    return len(boards)


def broken() -> None:
    """Breaks its contract."""
    raise ContractError("this plan is wrong")


class Offer(BaseModel):
    wood: str
    price: int


AREA = {"tool": "area", "args": {"width": 2}}
LOOP = ToolLoop([area, price, count], at_most=3, at_once=3)


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def awaited(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def started(loop: Loop[Any], awaited: bool, script: Any, **inputs: Any) -> Run[Any]:
    model = ScriptedModel(script)
    values = inputs or {"task": "How dear?"}
    return asyncio.run(loop.astart(values, model=model)) if awaited else loop.start(values, model=model)


def results(run: Run[Any]) -> list[Json]:
    history: Any = run.state["history"]
    return [message["content"] for message in history if message["role"] == "tool"]


def test_calls_are_visits_and_their_results_come_back_in_order(awaited: bool) -> None:
    calls = {"tools": [{"tool": "price", "args": {"wood": "oak"}}, AREA, {"tool": "count", "args": {"boards": ["a"]}}]}
    run = started(LOOP, awaited, {"ask": [calls, "60 in all."]})
    assert (run.end, run.result) == (End("answered"), "60 in all.")
    assert results(run) == ["30", "2.0", "1"]
    visits = [visit.node for visit in run.visits]
    assert (visits[0], visits[-2:]) == ("ask", ["tools", "ask"])
    assert sorted(visits[1:-2]) == [
        *("tools[0]/price", "tools[0]/which tool", "tools[1]/area"),
        *("tools[1]/which tool", "tools[2]/count", "tools[2]/which tool"),
    ]
    assert [visit.usage.calls for visit in run.visits if visit.node == "ask"] == [1, 1]


def test_what_is_wrong_with_a_call_is_told_and_the_run_goes_on(awaited: bool) -> None:
    wrong = {
        "tools": [
            {"tool": "aera"},
            {"tool": "area", "args": {"width": "wide"}},
            {"tool": "price", "args": {"wood": "ash"}},
        ]
    }
    run = started(LOOP, awaited, {"ask": [wrong, "I do not know."]})
    assert run.end == End("answered")
    assert results(run) == [
        "Not called: there is no tool 'aera'; did you mean 'area'? there are: area, count, price",
        'Not called: the arguments of area do not fit: at width: "wide" is not of type "number"',
        "Failed: KeyError: 'ash'",
    ]


def test_a_broken_contract_stops_the_run(awaited: bool) -> None:
    run = started(ToolLoop([broken]), awaited, {"ask": [{"tool": "broken"}]})
    assert (run.status, run.reason) == ("suspended", "tools[0]/broken: this plan is wrong")


def test_the_worst_case_is_reached() -> None:
    run = started(LOOP, False, {"ask": [{"tools": [AREA] * 3}], "conclude": ["Six."], "repeat": "last"})
    assert (run.end, run.result) == (End("max_rounds", ok=False), "Six.")
    assert run.reason == "the model had to answer without more calls of tools"
    certificate = LOOP.certificate
    assert certificate.exact
    assert (certificate.visits, certificate.calls) == (len(run.visits), run.usage.calls) == (25, 4)
    assert str(certificate) == "worst case: 3 rounds, 4 model calls, 25 visits"


def test_a_single_round_and_an_end_of_ones_own() -> None:
    loop = ToolLoop([area], at_most=1, at_once=1, then=End("enough"))
    assert list(loop.check()) == []
    run = started(loop, False, {"ask": [AREA], "conclude": ["Two."]})
    assert_path(
        run, ["ask call", "tools[0]/which tool area", "tools[0]/area done", "tools done", "conclude done -> enough"]
    )


def test_the_prompts_are_templates_and_the_model_is_told_the_tools() -> None:
    loop = ToolLoop([area], prompt="<{wood}> at <{width}>", system="You are a <{role}>.")
    model = RecordingModel({"ask": [AREA, "Two."]})
    loop.start({"wood": "oak", "width": 2, "role": "carpenter"}, model=model)
    first, second = model.calls
    prompts = [{"role": "system", "content": "You are a carpenter."}, {"role": "user", "content": "oak at 2"}]
    assert first.messages == prompts
    assert [tool.name for tool in first.tools] == ["area"]
    call = {"id": "call_1", "name": "area", "args": {"width": 2}}
    assert second.messages == [
        *prompts,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "2.0"},
    ]


def test_a_typed_answer(awaited: bool) -> None:
    loop = ToolLoop([area], output=Offer)
    run = started(loop, awaited, {"ask": [AREA, {"wood": "oak", "price": 60}]})
    assert run.result == Offer(wood="oak", price=60)
    assert run.state["answer"] == {"wood": "oak", "price": 60}
    wood: str = run.result.wood
    assert wood == "oak"


def test_over_the_wire(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-test")
    replies: list[Any] = [
        (ToolCall("area", {"width": 2}, "x"), ToolCall("area", '{"width"', "y")),
        '{"wood": "oak", "price": 60}',
    ]
    with ModelServer(replies) as server:
        run = ToolLoop([area], output=Offer).start({"task": "?"}, model=ModelRef("m", base_url=server.base_url))
    assert run.result == Offer(wood="oak", price=60)
    assert server.requests[1].body["messages"] == [
        {"role": "user", "content": "?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "x", "type": "function", "function": {"name": "area", "arguments": '{"width": 2}'}},
                {"id": "y", "type": "function", "function": {"name": "area", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "x", "content": "2.0"},
        {
            "role": "tool",
            "tool_call_id": "y",
            "content": 'Not called: the arguments of area are no JSON object: {"width"',
        },
    ]


@pytest.mark.parametrize("is_streamed", [False, True])
def test_arguments_over_the_wire_that_are_no_object(monkeypatch: pytest.MonkeyPatch, is_streamed: bool) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-test")
    replies: list[Any] = [(ToolCall("area", "[2]", "x"), ToolCall("area", "null", "y")), "None of it."]
    with ModelServer(replies) as server:
        model = ModelRef("m", base_url=server.base_url)
        stream = ToolLoop([area]).stream({"task": "?"}, model=model, audience="user" if is_streamed else None)
        list(stream)
    assert stream.run.result == "None of it."
    history: Any = stream.run.state["history"]
    assert [message["content"] for message in history if message["role"] == "tool"] == [
        "Not called: the arguments of area are no JSON object: [2]",
        'Not called: the arguments of area do not fit: "width" is a required property',
    ]


class FakeChat(GenericFakeChatModel):
    """LangChain's fake, which takes tools as real models do."""

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


def test_with_a_chat_model_of_langchain(awaited: bool) -> None:
    def messages() -> Iterator[AIMessage]:
        yield AIMessage("", tool_calls=[{"id": "1", "name": "area", "args": {"width": 3}}])
        yield AIMessage("Three.")

    chat = FakeChat(messages=messages())
    run = asyncio.run(LOOP.astart({"task": "?"}, model=chat)) if awaited else LOOP.start({"task": "?"}, model=chat)
    assert (run.result, results(run)) == ("Three.", ["3.0"])


def test_a_person_allows_or_refuses_single_calls() -> None:
    loop = ToolLoop([area, price], approve=["price"])
    assert list(loop.check()) == []
    calls = {"tools": [{"tool": "price", "args": {"wood": "oak"}}, AREA, {"tool": "price", "args": {"wood": "oak"}}]}
    run = started(loop, False, {"ask": [calls, "Well."]})
    assert run.status == "waiting"
    first, second = run.questions
    assert first.text == 'Allow price({"wood": "oak"})?'
    run.resume("yes", question=first.id)
    run.resume("it is not for sale", question=second.id)
    assert (run.end, results(run)) == (
        End("answered"),
        ["30", "2.0", "Not called: a person refused it: it is not for sale"],
    )


def test_it_is_a_node_of_a_plan(awaited: bool) -> None:
    plan = PlanBuilder(
        "offer", [Channel("wood", input=True), Channel("found", "str"), Channel("letter", "str")], result="letter"
    )
    plan.node(LOOP, name="research", inputs={"task": "wood"}, writes="found")
    plan.node(Think("write", prompt="<{found}>", writes="letter"))
    plan.edge("research", "answered", "write").edge("research", "max_rounds", "write")
    plan.edge("write", "done", End("written"))
    loop = Loop(plan.build(), code=plan.code)
    assert list(loop.check()) == []
    run = started(loop, awaited, {"ask": [AREA, "Two."], "write": ["Dear Ada."]}, wood="oak")
    assert (run.result, run.state["found"]) == ("Dear Ada.", "Two.")
    history: Any = run.state["research/history"]
    assert [message["role"] for message in history] == ["assistant", "tool", "assistant"]


def test_the_plan_holds_names_and_the_run_is_opened_with_the_loop(tmp_path: Any) -> None:
    plan = Plan.from_data(LOOP.plan.to_data())
    assert plan.fingerprint == LOOP.plan.fingerprint
    assert [ref.name.rpartition(":")[2] for ref in plan.code] == ["area", "price", "count"]
    loop = ToolLoop([area], approve=["area"])
    store = f"sqlite:{tmp_path / 'runs.db'}"
    first = loop.start({"task": "?"}, store=store, model=ScriptedModel({"ask": [AREA, "Two."]}))
    again = open_run(store, first.id, loop=loop)
    again.resume("yes")
    assert again.result == "Two."


def test_all_that_cannot_be_is_told_at_once() -> None:
    with pytest.raises(SourceError) as caught:
        ToolLoop([area, 3, area], at_most=0, at_once=0, approve=["aera"], prompt="<{history}>", then=End("answered"))
    assert str(caught.value).splitlines() == [
        "tools.1: 3 is no tool: give a function with annotations, or a tool of LangChain",
        "tools.2: there are two tools 'area' (rename one of them)",
        "at_most: 0 is less than 1",
        "at_once: 0 is less than 1",
        "approve: there is no tool 'aera' (did you mean 'area'? there are: area, area)",
        "then: the end 'answered' is that of an answer (give it another name)",
        "prompt: <{history}> is what the loop itself writes (give the input another name)",
    ]


def test_fields_that_are_not_known_or_of_another_kind() -> None:
    with pytest.raises(SourceError) as caught:
        ToolLoop([area], rounds=3)  # type: ignore[call-overload]
    assert str(caught.value).startswith("rounds: there is no field 'rounds' (there are: approve, at_most, ")
    with pytest.raises(SourceError) as caught:
        ToolLoop(area, at_most="3", at_once=True, then="enough", approve=3, prompt=None)  # type: ignore[call-overload]
    assert [fault.removeprefix(f"tools: {area!r}") for fault in str(caught.value).splitlines()] == [
        " is not a list of tools",
        "prompt: None is not a text",
        "at_most: '3' is not a whole number",
        "at_once: True is not a whole number",
        "then: 'enough' is not an end, as lw.End('max_rounds', ok=False)",
        "approve: 3 is not the name of a tool, or a list of names",
    ]
    with pytest.raises(SourceError) as caught:
        ToolLoop([area], approve=[area], output=object())  # type: ignore[list-item]
    approve, output = str(caught.value).splitlines()
    assert (approve, output.partition(" has ")[2].partition(",")[0]) == (
        f"approve: {area!r} is not the name of a tool",
        "no JSON Schema",
    )


def test_the_name_of_its_model() -> None:
    loop = ToolLoop([area], model_name="strong", approve=["area"])
    assert loop.plan.model_names == ("strong",)


def test_without_tools_it_is_no_tool_loop() -> None:
    with pytest.raises(SourceError, match=r"there are no tools \(give a list of functions"):
        ToolLoopSettings([]).builder()
