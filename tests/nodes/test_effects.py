"""Functions that touch the world: how they are marked, what they are called with, and what is kept of them."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.tools import tool

from loopwright.errors import ContractError
from loopwright.nodes.code import CodeNode, FunctionNode
from loopwright.nodes.contract import Answer, Node
from loopwright.nodes.effects import AskEffect, care_of, effect, takes_key, unknown_words
from loopwright.nodes.functions import Act, Route, node
from loopwright.nodes.tools.call import CallTool
from loopwright.nodes.tools.tool import tool_of
from loopwright.state.records import Effect


@effect
def pay(euros: int, idempotency_key: str) -> str:
    """Pay."""
    return f"{euros} with {idempotency_key}"


@effect("repeatable")
async def order(item: str) -> str:
    """Order."""
    return item


def asked(node: Node, **view: Any) -> AskEffect:
    ask = node.ask(view)
    assert isinstance(ask, AskEffect)
    return ask


def kept(ask: AskEffect) -> Any:
    reply = ask.call("k")
    return asyncio.run(_awaited(reply)) if inspect.isawaitable(reply) else reply


async def _awaited(reply: Any) -> Any:
    return await reply


def test_a_mark_says_how_it_is_cared_for() -> None:
    assert (care_of(pay), care_of(order), care_of(len)) == ("once", "repeatable", None)
    assert pay(3, "k") == "3 with k"


@pytest.mark.parametrize(
    ("marked", "error", "words"),
    [
        (lambda: effect("twice"), ValueError, "'twice' says nothing of an effect; it is once or repeatable"),  # type: ignore[call-overload]
        (
            lambda: effect(node(name="n")(lambda: None)),
            TypeError,
            "'n' is a node already: put @lw.effect below @lw.node",
        ),
        (lambda: effect(len), TypeError, "cannot be marked; give effect= to the lw.Act that calls it"),
        (
            lambda: node(kind="route", name="r")(pay),
            TypeError,
            "is an effect, and a route only decides: make it an act",
        ),
        (lambda: node(reads=["idempotency_key"])(pay), TypeError, "leave that out of its reads"),
        (lambda: Route("r", pay, outcomes=["a", "b"]), TypeError, "is an effect, and a route only decides"),
        (lambda: Act("a", len, reads=[], effect="never"), ValueError, "'never' says nothing of an effect"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_marked(marked: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        marked()


def test_the_key_is_no_channel_and_no_argument_of_a_model() -> None:
    act = node(writes="paid")(pay)
    assert (act.declared.effect, act.contract.reads) == ("once", ("euros",))
    assert act.declared.to_data()["effect"] == "once"
    assert CodeNode.from_data(act.declared.to_data()) == act.declared
    told: Any = tool_of(pay).spec.parameters
    assert list(told["properties"]) == ["euros"]
    plain = node(writes="paid", name="p")(lambda idempotency_key: idempotency_key)
    assert (plain.contract.reads, plain.declared.effect) == (("idempotency_key",), None)
    assert "effect" not in plain.declared.to_data()


def test_it_is_called_with_its_key_where_it_takes_it() -> None:
    ask = asked(node(writes="paid")(pay), euros=3)
    assert (ask.name, ask.arguments, ask.care) == (f"{__name__}:pay", {"euros": 3}, "once")
    assert kept(ask) == {"outcome": "done", "update": {"paid": "3 with k"}, "reason": ""}
    assert kept(asked(node(writes="item")(order), item="oak"))["update"] == {"item": "oak"}
    given = asked(Act("up", str.upper, reads=["self"], writes="up", effect="repeatable"), self=1)
    assert given.care == "repeatable"
    assert takes_key(3) is False


def test_a_runnable_is_awaited_in_its_own_way() -> None:
    from_chain = asked(Act("a", _Chain(), reads=["x"], writes="y", effect="once"), x="oak")
    assert from_chain.acall is not None
    assert asyncio.run(_awaited(from_chain.acall("k"))) == {
        "outcome": "done",
        "update": {"y": "async oak"},
        "reason": "",
    }
    assert kept(from_chain)["update"] == {"y": "oak"}


class _Chain:
    def invoke(self, input: Any, /, *args: Any, **options: Any) -> Any:
        del args, options
        return input["x"]

    async def ainvoke(self, input: Any, /, *args: Any, **options: Any) -> Any:
        del args, options
        return f"async {input['x']}"


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (("gone", {}), None),
        ({"a": 1, "b": 2}, "returned {'a': 1, 'b': 2}; expected a mapping of its writes"),
        (object(), "cannot be kept|expected a mapping"),
    ],
)
def test_what_has_happened_is_kept_whatever_it_returned(returned: Any, words: str | None) -> None:
    act = node(writes=["a"], may_write="c", name="n", effect="once")(lambda: returned)
    reply = kept(asked(act))
    if words is None:
        assert act.answer({}, reply) == Answer("gone")
    else:
        with pytest.raises(ContractError, match=f"({words}).*; this effect has happened, and is not called again"):
            act.answer({}, reply)


def test_a_value_that_is_no_json_is_told() -> None:
    act = node(writes="a", name="n", effect="once")(object)
    assert kept(asked(act))["unusable"].startswith("node 'n' returned what cannot be kept: <object")


def test_what_it_raises_is_raised() -> None:
    def fail() -> None:
        raise OSError("no connection")

    ask = asked(node(name="n", effect="once")(fail))
    with pytest.raises(OSError, match="no connection"):
        ask.call("k")


def test_arguments_that_do_not_fit_are_found_before_anything_is_begun() -> None:
    def late(day: "date") -> None:
        del day

    from datetime import date  # noqa: PLC0415

    late.__annotations__ = {"day": date}
    with pytest.raises(ContractError, match="reads 'day', which does not fit the type"):
        node(name="n", effect="once")(late).ask({"day": "x"})


@pytest.mark.parametrize("given", [pay, tool(order)])
def test_a_tool_is_an_effect_by_its_mark(given: Any) -> None:
    made = tool_of(given)
    assert made.effect == care_of(given)
    bound = CallTool("t", code=made.code, effect=made.effect).bound({made.code.name: given})
    args = {"euros": 3} if given is pay else {"item": "oak"}
    ask = asked(bound, call={"id": "1", "name": "t", "args": args}, args=args)
    message = kept(ask)["update"]["result"]
    assert message == {"role": "tool", "tool_call_id": "1", "content": "3 with k" if given is pay else "oak"}


def test_a_tool_of_langchain_is_not_given_a_key() -> None:
    with pytest.raises(
        ValueError, match="'pay' takes the key of an effect, which LangChain cannot give: pass the function"
    ):
        tool_of(tool(pay))


def test_a_tool_that_gives_a_command_has_been_called() -> None:
    @effect
    def lead() -> Any:
        """Lead."""
        return type("Command", (), {"goto": "", "update": {}})()

    made = tool_of(lead)
    bound = CallTool("t", code=made.code, effect=made.effect).bound({made.code.name: lead})
    assert isinstance(bound, FunctionNode)
    assert "gave a Command of LangGraph" in kept(asked(bound, call={"id": "1"}, args={}))["unusable"]


def test_secrets_are_not_told() -> None:
    words = unknown_words(Effect("r-1", "pay", "shop:pay", {"url": "http://h/?token=abcdefgh"}))
    assert "abcdefgh" not in words
    assert "token=***" in words
