"""The nodes of one call of a tool: which tool it is for, the call itself, and what is said where it is refused.

Whatever comes of a call, the model is told it by the message that answers the call: a tool that is not there, arguments
that do not fit, a tool that raises. None of them stops the run.
"""

import inspect
import json
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from pydantic_core import to_jsonable_python

from loopwright.errors import ContractError
from loopwright.hints import did_you_mean
from loopwright.nodes.code import CodeNode, FunctionNode, Unusable
from loopwright.nodes.contract import Answer, Contract, Node, ToolSpec, View
from loopwright.nodes.fitting import fitted
from loopwright.nodes.interrupts import require_no_interrupt
from loopwright.nodes.models.secrecy import showable
from loopwright.nodes.replies import parts_of
from loopwright.nodes.tools.tool import ArgumentsError, Tool, tool_of
from loopwright.state.schema import check_for
from loopwright.state.values import Json, JsonObject, JsonSchema

CALL: JsonSchema = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "args": {}},
    "required": ["id", "name", "args"],
}
"""JSON Schema of a call, as `ToolCall` has its parts."""

CANNOT = "cannot call"
"""The outcome of a call that is for no tool, or has arguments that do not fit; no tool can have this name."""


def result_of(call: Mapping[str, Json], said: str) -> JsonObject:
    """The message that answers a call.

    Example:
        >>> result_of({"id": "1", "name": "now", "args": {}}, "noon")
        {'role': 'tool', 'tool_call_id': '1', 'content': 'noon'}
    """
    text = said.encode(errors="backslashreplace").decode()  # half a surrogate pair cannot be kept
    return {"role": "tool", "tool_call_id": call["id"], "content": text}


@dataclass(frozen=True)
class WhichTool(Node, type="which_tool"):
    """Which tool a call is for. Its outcomes are the tools' names, and `cannot call`.

    Args:
        name: The node's name.
        tools: The tools.

    Example:
        >>> node = WhichTool("which tool", tools=[ToolSpec("now")])
        >>> node.answer({"call": {"id": "1", "name": "no", "args": {}}}, None).reason
        "there is no tool 'no'; did you mean 'now'? there is only now"
    """

    name: str
    _: KW_ONLY
    tools: Sequence[ToolSpec]

    @property
    def contract(self) -> Contract:
        """Reads the call; writes it with arguments that fit, the wish in words, and what is wrong with it."""
        outcomes = (*(tool.name for tool in self.tools), CANNOT)
        return Contract("route", ("call",), ("args", "wish", "result"), outcomes)

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The tool, where there is one of that name which takes these arguments."""
        del reply
        call = parts_of(view["call"], "id", "name", "args")
        name, args = str(call["name"]), call["args"]
        tool = next((tool for tool in self.tools if tool.name == name), None)
        if tool is None:
            return _cannot(call, f"there is no tool {name!r}; {did_you_mean(name, [tool.name for tool in self.tools])}")
        if not isinstance(args, dict):
            return _cannot(call, f"the arguments of {name} are no JSON object: {showable(str(args))}")
        fit = fitted(args, tool.parameters)
        try:
            check_for(tool.parameters)(fit)
        except ValueError as error:
            return _cannot(call, f"the arguments of {name} do not fit: {showable(str(error))}")
        return Answer(name, {"args": fit, "wish": f"{name}({json.dumps(fit, ensure_ascii=False)})"})


def _cannot(call: JsonObject, reason: str) -> Answer:
    return Answer(CANNOT, {"result": result_of(call, f"Not called: {reason}")}, reason)


@dataclass(frozen=True)
class RefuseCall(Node, type="refuse_call"):
    """Tell the model that a person refused its call, and why, where the person said why."""

    name: str

    @property
    def contract(self) -> Contract:
        """Reads the call and the reason, writes the result."""
        return Contract("route", ("call", "why"), ("result",), ("done",))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The result says so."""
        del reply
        said = f"Not called: a person refused it: {view['why']}" if view["why"] else "Not called: a person refused it."
        return Answer("done", {"result": result_of(parts_of(view["call"], "id"), said)}, str(view["why"]))


@dataclass(frozen=True)
class CallTool(CodeNode, type="call_tool"):
    """Call a tool that the plan only names; arguments as of `CodeNode`."""

    reads: tuple[str, ...] = ("call", "args")
    writes: tuple[str, ...] = ("result",)

    def bound(self, code: Mapping[str, Any]) -> Node:
        """The node with its tool."""
        node = super().bound(code)
        assert isinstance(node, FunctionNode)
        return FunctionNode(self, Calling(tool_of(node.function)))

    def decided(self, arguments: JsonObject, result: Json) -> Answer:
        """The message that tells the model what someone says that came of the call."""
        return Answer("done", {"result": result_of(parts_of(arguments["call"], "id"), _as_text(result))})


class Calling:
    """A tool as the code of a node: it takes the call, and gives the message that answers it.

    Example:
        >>> def half(of: float) -> float: return of / 2
        >>> Calling(tool_of(half))(call={"id": "1"}, args={"of": 3}).update["result"]["content"]
        '1.5'
    """

    def __init__(self, tool: Tool) -> None:
        self.tool = tool

    def __call__(self, call: JsonObject, args: JsonObject, idempotency_key: str = "") -> Any:
        """Call the tool; an async one gives what is to be awaited."""
        try:
            result = self.tool.call(args, idempotency_key)
        except Exception as error:
            return self._failed(call, error)
        return self._awaited(call, result) if inspect.isawaitable(result) else self._done(call, result)

    async def acall(self, call: JsonObject, args: JsonObject, idempotency_key: str = "") -> Answer:
        """Call the tool without blocking the event loop."""
        return await self._awaited(call, self.tool.acall(args, idempotency_key))

    async def _awaited(self, call: JsonObject, result: Awaitable[Any]) -> Answer:
        try:
            value = await result
        except Exception as error:
            return self._failed(call, error)
        return self._done(call, value)

    def _done(self, call: JsonObject, result: Any) -> Answer:
        """What the model is told of a result; where no text can be made of it, that, as the call itself was made."""
        if hasattr(result, "goto") and hasattr(result, "update"):
            raise Unusable("a tool gave a Command of LangGraph, and here only a model reads what it gives")
        try:
            said = _as_text(result)
        except Exception as error:
            kind = type(result).__name__
            return self._told(call, "Failed", f"it was called, and its {kind} cannot be told: {_words(error)}")
        return Answer("done", {"result": result_of(call, said)})

    def _failed(self, call: JsonObject, error: Exception) -> Answer:
        """What the model is told of an exception: its words, and no secrets. A contract that was broken is none."""
        if isinstance(error, ContractError):
            raise error
        require_no_interrupt(error)
        if isinstance(error, ArgumentsError):
            return self._told(call, "Not called", f"the arguments do not fit: {error}")
        return self._told(call, "Failed", _words(error))

    def _told(self, call: JsonObject, said: str, reason: str) -> Answer:
        shown = showable(reason)
        return Answer("done", {"result": result_of(call, f"{said}: {shown}")}, shown)


def _as_text(result: Any) -> str:
    """What a tool gave, as a model reads it: a text as it is, anything else as JSON."""
    if hasattr(result, "content") and hasattr(result, "tool_call_id"):  # a message of LangChain
        result = result.content
    if isinstance(result, str):
        return result
    return json.dumps(to_jsonable_python(result, fallback=str), ensure_ascii=False)


def _words(error: Exception) -> str:
    """An exception in words, also where it has none that can be read."""
    try:
        words = str(error)
    except Exception:
        words = ""
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
