"""What a server sends back: a chat completion, in one piece or in parts. It is read with care, for servers differ."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from loopwright.nodes.models.contract import ModelReply
from loopwright.state.records import Usage
from loopwright.state.values import Json


class NoCompletion(ValueError):
    """What came back is no chat completion; with the reason."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What one answer says.

    Args:
        content: The text; some servers put data here.
        reason: Why it ended: `stop`, `length`, `tool_calls`, `content_filter`, or a word of the server's own.
        usage: The tokens, where the server counted them.
        functions: What it wishes to call, as the API has it: `id`, and `function` with `name` and `arguments`.
    """

    content: Json
    reason: str = ""
    usage: Usage = Usage(calls=1)
    functions: tuple[Mapping[str, Any], ...] = ()

    def reply(self) -> ModelReply:
        """The reply without any calls."""
        return ModelReply(self.content, self.usage, self.reason == "length")


def completion(body: Any) -> Completion:
    """The completion in a body.

    Raises:
        NoCompletion: There is none.

    Example:
        >>> completion({"choices": [{"message": {"content": "Rot."}, "finish_reason": "stop"}]}).content
        'Rot.'
    """
    choice = _choice(body)
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise NoCompletion("its choice has no message")
    return Completion(_text_of(message), _word(choice.get("finish_reason")), _usage(body), _functions(message))


@dataclass
class Parts:
    """A completion that comes in parts.

    Example:
        >>> parts = Parts()
        >>> [parts.add({"choices": [{"delta": {"content": word}}]}) for word in ("Ro", "t.")]
        ['Ro', 't.']
        >>> parts.completion().content
        'Rot.'
    """

    _words: list[str] = field(default_factory=list)
    _calls: dict[str, dict[str, Any]] = field(default_factory=dict)
    _reason: str = ""
    _counted: Usage = Usage(calls=1)
    _count: int = 0

    def __bool__(self) -> bool:
        """Whether any part came."""
        return self._count > 0

    def add(self, body: Any) -> str:
        """Add a part; the text in it.

        Raises:
            NoCompletion: It is no part of a completion.
        """
        if not isinstance(body, Mapping):
            raise NoCompletion("a part of it is no object")
        self._count += 1
        if isinstance(body.get("usage"), Mapping):
            self._counted = _usage(body)
        if body.get("choices") == [] or (body.get("choices") is None and body.get("usage")):
            return ""
        choice = _choice(body)
        delta = choice.get("delta")
        self._reason = _word(choice.get("finish_reason")) or self._reason
        if not isinstance(delta, Mapping):
            return ""
        for call in _functions(delta):
            self._join(call)
        text = _text_of(delta)
        if not isinstance(text, str):
            raise NoCompletion("a part of it has data, and no text")
        self._words.append(text)
        return text

    def completion(self) -> Completion:
        """All parts together; without a reason where the stream broke off before its end."""
        return Completion("".join(self._words), self._reason, self._counted, tuple(self._calls.values()))

    def _join(self, call: Mapping[str, Any]) -> None:
        """Add to the call with this index; a name and an id come once, arguments piece by piece."""
        said = call["function"]
        known = self._calls.setdefault(repr(call.get("index")), {"id": "", "function": {"name": "", "arguments": ""}})
        known["id"] = known["id"] or _word(call.get("id"))
        function = known["function"]
        function["name"] = function["name"] or _word(said.get("name"))
        arguments = said.get("arguments")
        if isinstance(arguments, str) and isinstance(function["arguments"], str):
            function["arguments"] += arguments
        elif arguments is not None:
            function["arguments"] = arguments


def _choice(body: Any) -> Mapping[str, Any]:
    if not isinstance(body, Mapping):
        raise NoCompletion("it is no object")
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        said = error.get("message") if isinstance(error := body.get("error"), Mapping) else error
        raise NoCompletion(f"it has no choices{f': {said}' if isinstance(said, str) and said else ''}")
    if not isinstance(choices[0], Mapping):
        raise NoCompletion("its choice is no object")
    return choices[0]


def _text_of(message: Mapping[str, Any]) -> Json:
    """The content; the texts in it where it is a list of parts, and a refusal where it is empty."""
    content: Json = message.get("content")
    if isinstance(content, list):
        content = "".join(_texts(content))
    if content is None or content == "":
        return _word(message.get("refusal"))
    return content


def _texts(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        text = part.get("text") if isinstance(part, Mapping) and part.get("type") == "text" else part
        if isinstance(text, str):
            yield text


def _functions(message: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    calls = message.get("tool_calls")
    said = calls if isinstance(calls, list) else []
    return tuple(call for call in said if isinstance(call, Mapping) and isinstance(call.get("function"), Mapping))


def _usage(body: Mapping[str, Any]) -> Usage:
    counts = body.get("usage")
    if not isinstance(counts, Mapping):
        return Usage(calls=1)
    return Usage(1, _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens")))


def _count(said: Any) -> int:
    """A number of tokens; servers that do not count say all kinds of things."""
    return said if type(said) is int and 0 <= said < 2**53 else 0


def _word(said: Any) -> str:
    return said if isinstance(said, str) else ""
