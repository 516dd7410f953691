"""A call as the OpenAI-compatible API has it, and what its answer says: one form for each rung of the ladder."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from loopwright.nodes.contract import Message
from loopwright.nodes.models.completion import Completion
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.ladder import Rung
from loopwright.nodes.models.response_format import ANSWER, forms_of, in_words, unwrapped
from loopwright.nodes.models.tool_calls import called, offered
from loopwright.nodes.prose import embedded
from loopwright.state.values import Json

_PLAIN = frozenset({"role", "content"})
_SENT = ("role", "content", "name", "tool_call_id")
"""What is sent of a message, beside the calls in it."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call, asked by one rung.

    Args:
        call: The call.
        rung: How its answer is asked for; None for plain text.

    Example:
        >>> request = Request(ModelCall("solve", [{"role": "user", "content": "A risk?"}]), None)
        >>> request.body("any")
        {'model': 'any', 'messages': [{'role': 'user', 'content': 'A risk?'}]}
        >>> request.read(Completion("Rot.", "stop")).content
        'Rot.'
    """

    call: ModelCall
    rung: Rung | None

    def body(self, model: str) -> dict[str, Any]:
        """The body of the request."""
        call, schema = self.call, self.call.schema
        messages = call.messages
        more: dict[str, Any] = {"tools": offered(call.tools)} if call.tools else {}
        if schema:
            if self.rung == "text":
                messages = in_words(messages, schema, tools=bool(call.tools))
            elif self.rung == "json_schema":
                more["response_format"] = forms_of(schema).response_format
            else:
                named = {"type": "function", "function": {"name": ANSWER}}
                more["tools"] = [forms_of(schema).tool]
                more["tool_choice"] = named if self.rung == "tool_call" else "required"
        return {"model": model, "messages": _sent(messages), **more}

    def read(self, said: Completion) -> ModelReply:
        """What the completion answers to the call."""
        call, reply = self.call, said.reply()
        if call.tools:
            return replace(self._unwrapped(reply, said.content), tool_calls=called(said.functions))
        if self.rung in ("tool_call", "required_tool"):
            return self._by_tool(said, reply)
        return self._unwrapped(reply, said.content)

    def _unwrapped(self, reply: ModelReply, said: Json) -> ModelReply:
        return replace(reply, content=unwrapped(said, self.call.schema))

    def _by_tool(self, said: Completion, reply: ModelReply) -> ModelReply:
        """The arguments of the one tool there is; several calls are several answers, and the reader compares them."""
        several = [function["function"].get("arguments") for function in said.functions]
        if not several:
            return self._called_in_text(said, reply)
        arguments: Json = several[0] if len(several) == 1 else "\n".join(map(_as_text, several))
        return self._unwrapped(reply, arguments)

    def _called_in_text(self, said: Completion, reply: ModelReply) -> ModelReply:
        """The arguments of the one call that stands in the text, as models write it whose server does not know it."""
        pieces = list(embedded(said.content)) if isinstance(said.content, str) else []
        calls = [call for piece in pieces for call in (piece if isinstance(piece, list) else [piece])]
        found = [_arguments(call) for call in calls if isinstance(call, dict) and call.get("name") == ANSWER]
        if len(found) != 1 or len(calls) != 1:
            return self._unwrapped(reply, said.content)
        note = "taken out of a call in the text"
        return replace(reply, content=unwrapped(found[0], self.call.schema), note=note, raw=said.content)


def _arguments(call: Mapping[str, Json]) -> Json:
    return call.get("arguments", call.get("parameters"))


def _as_text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _sent(messages: Sequence[Message]) -> list[Any]:
    return [message if message.keys() <= _PLAIN else _message(message) for message in messages]


def _message(message: Message) -> dict[str, Any]:
    said: dict[str, Any] = dict(message)
    sent = {name: said[name] for name in _SENT if name in said}
    if calls := message.get("tool_calls"):
        sent |= {"content": message["content"] or None, "tool_calls": [_function(call) for call in calls]}
    return sent


def _function(call: Mapping[str, Json]) -> dict[str, Any]:
    """A call as the API has it; arguments that were no object are left out, as no provider takes them back."""
    args = call["args"] if isinstance(call["args"], dict) else {}
    arguments = json.dumps(args, ensure_ascii=False)
    return {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": arguments}}
