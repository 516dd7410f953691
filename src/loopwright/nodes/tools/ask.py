"""The think nodes of a tool loop: one asks a model that may call tools, one asks for the answer without any."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter

from loopwright.errors import Fault
from loopwright.nodes.contract import (
    Answer,
    Ask,
    AskModel,
    Contract,
    Message,
    ToolCall,
    ToolSpec,
    View,
    parts_of,
)
from loopwright.nodes.history import Window, left_out
from loopwright.nodes.think import Answering
from loopwright.nodes.tools.call import CALL, result_of
from loopwright.state.schema import is_json
from loopwright.state.values import Json, JsonObject, JsonSchema

MESSAGE: JsonSchema = {
    "type": "object",
    "properties": {
        "role": {"type": "string", "enum": ["assistant", "tool"]},
        "content": {"type": "string"},
        "tool_calls": {"type": "array", "items": dict(CALL)},
        "tool_call_id": {"type": "string"},
    },
    "required": ["role", "content"],
    "additionalProperties": False,
}
"""JSON Schema of a message of the history: what the model said, or what came of a call."""

HISTORY, CALLS = "history", "calls"

_CLOSING = "No more tools can be called. Answer now, with what is known."

_CALLS_SAID = TypeAdapter(list[ToolCall])


@dataclass(frozen=True)
class AskTools(Answering, type="ask_tools"):
    """Ask a model that may call tools before it answers.

    Args:
        tools: The tools.
        at_once: The most calls of one answer that are made; the model is told of those that are not.
        history: How much of the history is sent; all of it when left out.

    It reads and writes `history`, what was said after the prompt. Its outcomes are `call`, with the calls in `calls`,
    and `done`, with the answer in the one channel of `writes`.

    Example:
        >>> node = AskTools("ask", prompt="<{task}>", writes="answer", tools=[ToolSpec("now")])
        >>> said = {"answer": "", "calls": [{"name": "now", "args": {}}]}
        >>> node.answer({"task": "Is it late?", "history": []}, said).update["calls"]
        [{'id': 'call_1', 'name': 'now', 'args': {}}]
    """

    tools: Sequence[ToolSpec] = ()
    at_once: int = 8
    history: Window | None = None

    @cached_property
    def contract(self) -> Contract:
        """Reads what its prompts name, and the history."""
        return Contract("think", (*self.prompted_by, HISTORY), (*self.writes, CALLS, HISTORY), ("call", "done"))

    def doubts(self) -> Iterator[Fault]:
        """Tools of which the model is told nothing but their names."""
        for tool in self.tools:
            if not tool.description.strip():
                hint = "give its function a docstring"
                yield Fault(f"the model is not told what the tool {tool.name!r} does", ("tools",), hint)

    def ask(self, view: View) -> Ask:
        """The rendered prompts, the history, and the tools."""
        said = _history(view)
        shown, note = self.history.noted(said) if self.history else (said, "")
        messages = [*self.messages(view), *shown]
        return AskModel(messages, self.output, self.model, self.tools, self.audience, note=note)

    def answer(self, view: View, reply: Json) -> Answer:
        """The calls, each with an id of its own; or the answer."""
        said = parts_of(reply, "answer", "calls")
        calls = [*_named(_CALLS_SAID.validate_python(said["calls"]), _history(view))]
        content = said["answer"] if isinstance(said["answer"], str) else json.dumps(said["answer"], ensure_ascii=False)
        if not calls:
            answer: JsonObject = {"role": "assistant", "content": content}
            return Answer("done", {**dict.fromkeys(self.writes, said["answer"]), HISTORY: [answer]})
        left_out = f"Not called: at most {self.at_once} calls are made at once; call it again."
        wish: JsonObject = {"role": "assistant", "content": content, "tool_calls": [*calls]}
        results = [result_of(call, left_out) for call in calls[self.at_once :]]
        reason = f"{len(results)} of {len(calls)} calls were not made" if results else ""
        return Answer("call", {HISTORY: [wish, *results], CALLS: [*calls[: self.at_once]]}, reason)


@dataclass(frozen=True)
class Conclude(Answering, type="conclude"):
    """Ask for the answer when no more tools can be called. What was called is told in words, which any model takes.

    Args:
        history: How much of the history is told; all of it when left out.

    Its one outcome is `done`.
    """

    history: Window | None = None

    @cached_property
    def contract(self) -> Contract:
        """Reads what its prompts name, and the history."""
        return Contract("think", (*self.prompted_by, HISTORY), (*self.writes, HISTORY), ("done",))

    def ask(self, view: View) -> Ask:
        """The rendered prompts, and what was called."""
        said = _history(view)
        shown = self.history.kept(said) if self.history else said
        mark = left_out(len(said) - len(shown))
        told = "\n\n".join([*([mark] if mark else []), *_told(shown), _CLOSING])
        return AskModel(
            [*self.messages(view), {"role": "user", "content": told}], self.output, self.model, audience=self.audience
        )

    def answer(self, view: View, reply: Json) -> Answer:
        """The answer."""
        del view
        content = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        update: dict[str, Json] = {
            **dict.fromkeys(self.writes, reply),
            HISTORY: [{"role": "assistant", "content": content}],
        }
        return Answer("done", update, "the model had to answer without more calls of tools")


def _history(view: View) -> list[Message]:
    history: Any = view[HISTORY]
    return list(history)


def _named(calls: Sequence[ToolCall], history: Sequence[Message]) -> Iterator[JsonObject]:
    """The calls as data that can be kept, with ids that no call before them has."""
    taken = {str(call["id"]) for message in history for call in message.get("tool_calls", ())}
    for call in calls:
        number = len(taken) + 1
        while not call.id or call.id in taken:
            call = replace(call, id=f"call_{number}")
            number += 1
        taken.add(call.id)
        args = call.args if is_json(call.args) else repr(call.args)
        yield {"id": _kept(call.id), "name": _kept(call.name), "args": args}


def _kept(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def _told(history: Sequence[Message]) -> Iterator[str]:
    """Each call with what came of it, in words."""
    results: Mapping[str, str] = {each.get("tool_call_id", ""): each["content"] for each in history}
    for message in history:
        for call in message.get("tool_calls", ()):
            args = json.dumps(call["args"], ensure_ascii=False)
            yield f"{call['name']}({args}) gave:\n{results.get(str(call['id']), 'nothing')}"
